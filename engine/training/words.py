"""The words an author of drills can use: measures of goals and clues, acts, panes, and causes that drills ask for."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.scenario.expectations import MEASURES, NARROWED_BY
from engine.training.drill_check import PANES
from engine.training.drill_file import load_drill, packaged_drills
from engine.training.steps import WORDS

_NAMED: Final = ("queue", "node", "application")
"""Subjects that need a name."""


class DrillWord(NamedTuple):
    """One word, with an example of its use in a drill file."""

    kind: str
    """`measure` (of goals and clues), `pane` (of clues and hints), `act` (of steps), or `cause`."""
    word: str
    about: str
    example: str


def drill_words() -> Iterator[DrillWord]:
    """Every word, kind by kind.

    Raises:
        ConfigError: A packaged drill cannot be read.
    """
    for of, measures in MEASURES.items():
        name = f', {of} = "..."' if of in _NAMED else ""
        for what, about in measures.items():
            example = f'{{ of = "{of}"{name}, what = "{what}", at_least = 1 }}'
            narrowed = sorted(NARROWED_BY[of] - {of})
            more = f"; narrowed by {', '.join(narrowed)}" if narrowed else ""
            no_clue = "; of goals only" if of == "decisions" else ""
            yield DrillWord("measure", f"{of}.{what}", f"{about}{more}{no_clue}", example)
    for pane in sorted(PANES):
        yield DrillWord("pane", pane, "a clue stands there, a hint names it", f'pane = "{pane}"')
    for do in sorted(WORDS):
        yield DrillWord("act", do, "a step of the reference or of a shortcut", f'{{ do = "{do}", at = 60 }}')
    found: dict[str, str] = {}
    for name in packaged_drills():
        question = load_drill(name).drill.question("cause")
        for cause in question.answers if question is not None else ():
            found.setdefault(cause, name)
    for cause, name in sorted(found.items()):
        yield DrillWord("cause", cause, f"asked for in {name}", f'answers = ["{cause}"]')
