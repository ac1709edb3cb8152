"""Shows a trainee's tries, in words, and the scores over time as a plot."""

from collections.abc import Sequence
from typing import Final

from engine.instants import span
from engine.training.curriculum import Recommendation
from engine.training.history import PlayedDrill, best
from tui import format as text
from tui.render.line import Spans
from tui.render.plot import Line, Scale, drawn, rule

HEIGHT: Final = 8  # Lines of the plot
LABEL: Final = 5  # Width of its scale
MOST: Final = 8  # Most cells of one exercise
SCALE: Final = Scale(100, 50)


def history_lines(history: Sequence[PlayedDrill], following: Recommendation | None, width: int = 80) -> list[str]:
    """A trainee's exercises, oldest first, the scores over time, the best of each drill, and what to take next."""
    name = max((len(one.drill) for one in history), default=0)
    lines = [
        f"{one.when}  {one.drill:{name}}  {one.score:4}  {_solved(one)}{', exam' * one.is_exam}" for one in history
    ]
    if history:
        lines += ["", *["".join(words for words, _ in spans).rstrip() for spans in plot(history, width)], ""]
        lines += [_best_line(history, drill, name) for drill in dict.fromkeys(one.drill for one in history)] + [""]
    next_words = f"{following.drill}: {following.reason}" if following else "every drill is solved, and well"
    return [*lines, f"next    {next_words}"]


def _solved(one: PlayedDrill) -> str:
    return "not solved" if one.solved_s is None else f"solved in {span(int(one.solved_s * 1000))}"


def _best_line(history: Sequence[PlayedDrill], drill: str, width: int) -> str:
    scores = [one.score for one in history if one.drill == drill]
    found = best(history, drill)
    solved = "" if found is None else f", {_solved(found)}"
    return f"{drill:{width}}  best {max(scores)} in {text.plural(len(scores), 'exercise')}{solved}"


def plot(history: Sequence[PlayedDrill], width: int) -> list[Spans]:
    """The score of each exercise from left to right, and below it the number of the first and of the last."""
    cells = max(1, min(width - LABEL - 1, MOST * len(history)))
    samples = [history[place * len(history) // (2 * cells)].score for place in range(2 * cells)]
    sheet = drawn([Line([max(0, score) for score in samples], "data")], SCALE, (cells, HEIGHT), is_colourless=True)
    rule(sheet, SCALE, SCALE.values)
    names = {SCALE.row(value, HEIGHT): f"{value:g}" for value in SCALE.values}
    lines: list[Spans] = [
        [(f"{names.get(row, ''):>{LABEL}} ", "faint"), *spans] for row, spans in enumerate(sheet.lines())
    ]
    last = f"{len(history)}" if len(history) > 1 else ""
    axis = f"{'1':<{max(2, cells - len(last))}}{last}"
    return [[("score of each exercise", "soft")], *lines, [(" " * (LABEL + 1) + axis, "faint")]]
