"""The words of the screens: one list, in help; phrases that are riddles are found nowhere."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from textual.app import App

from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import press, screen_text
from tests.tui.small_run import by_hand
from tests.tui.test_dialects import opened
from tui.app import SchedlabApp
from tui.board.dialects import STANDALONE, YARN
from tui.cli.options import OPTIONS
from tui.pages.help import TERMS, of_terms

FORBIDDEN = (
    "waits for nothing",
    "is played ahead",
    "played on without",
    "the clock stands",
    "clock still stands",
    "wait for room, ",
    "or less (",
    " alike)",
    "point of no return",
    "past return",
    "have ended, ",
    "for ever closed",
    "closes this for ever",
    "kept for ever",
    "last round of offers",
    "no record of it",
    "heard of",
    "passed it by",
    "runs out",
    "found out",
    "looking ahead",
    "passed by",
    "playing on with",
    "played on with",
    "all the same",
    "keeps no record",
    "nought",
    "whoever",
    "let go of",
)
"""Phrases that had another, plainer word in their place."""
PLACES = (
    *("tui/acts", "tui/board", "tui/cli", "tui/dialogs", "tui/pages", "tui/panes", "tui/screens", "tui/session"),
    *("tui/widgets", "engine/explain", "engine/observe"),
)


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """What a module may say: its strings with a blank, but for docstrings and for what assertions say."""
    tree = ast.parse(path.read_text())
    left_out = {id(each) for node in ast.walk(tree) if isinstance(node, ast.Assert) for each in ast.walk(node)}
    left_out |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.lineno, node.value


@pytest.mark.parametrize("place", PLACES)
def test_no_text_has_a_phrase_that_is_a_riddle(place: str) -> None:
    found = [
        f"{path}:{line}: {words}"
        for path in sorted(Path(place).rglob("*.py"))
        for line, words in texts(path)
        if any(each in words for each in FORBIDDEN)
    ]

    assert found == []


OTHERS = {"daemon", "conf", "input", "help", "version", "licences", "completion", "name-only"}
"""Options of other programs, and of schedlab without a command."""


@pytest.mark.parametrize("package", ["engine", "tui"])
def test_every_option_that_a_text_names_is_there(package: str) -> None:
    """None has the name that it had before."""
    found = [
        f"{path}:{line}: --{name}"
        for path in sorted(Path(package).rglob("*.py"))
        if path.name not in ("aliases.py", "options.py")
        for line, words in texts(path)
        for name in re.findall(r"(?<![\w-])--([a-z][\w-]+)", words)
        if name not in OPTIONS and name not in OTHERS
    ]

    assert found == []


def test_help_lists_every_term_once_with_its_meaning_and_place() -> None:
    entries = of_terms().entries

    assert [(one.keys[0], one.words, one.more) for one in entries] == [tuple(each) for each in TERMS]
    assert len({each.term for each in TERMS}) == len(TERMS)
    assert all(each.meaning[0].isupper() and each.meaning.endswith(".") and len(each.meaning) < 90 for each in TERMS)


# No screen of one system speaks in the words of another.

OF_OTHERS: Final = {
    "mr1": r"YARN|ResourceManager|Spark|Master\b|vcores|[Aa]pplications?\b|[Cc]ontainers?\b|[Ee]xecutors?\b"
    r"|[Ww]orkers?\b|\bNODE\b|\bnodes?\b|priority \d|mr1-(?:fair|fifo|capacity)\b|_slots|of memory|\? ago|NOT_FIT"
    r"|[Pp]artition",
    "spark": r"YARN|ResourceManager|JobTracker|vcores|[Cc]ontainers?\b|\btrackers?\b|slots\b|\bNODE\b|\bnodes?\b"
    r"|priority \d|\? ago|NOT_FIT|[Pp]artition",
    "yarn": r"JobTracker|\btrackers?\b|\bslots\b|Spark's|the Master|\b[Ww]orkers?\b|\? ago",
}
"""Kind of cluster → words that only others have."""

SCENES: Final = [
    ("mr1", "mr1-slots-of-the-wrong-kind", "09:01"),
    ("mr1", "mr1-slots-of-the-wrong-kind", "09:06:40"),
    ("mr1", "mr1-job-tracker-restart", "09:03:05"),
    ("mr1", "mr1-job-tracker-restart-recovered", "09:03:30"),
    ("spark", "spark-worker-lost", "09:03"),
    ("spark", "spark-cores-hoarded", "09:06"),
    ("spark", "spark-no-worker-large-enough", "09:01"),
    ("yarn", "node-labels-capacity", "09:01"),
    ("yarn", "fair-two-users", "09:01:20"),
    ("yarn", "rm-failover", "09:05:10"),
]
_MINE: Final = re.compile(r"node\d+|worker\d+")
"""Names of hosts."""
_REMEDY: Final = re.compile(r"of work|no help")
"""In a line about a remedy: what it loses, and what it would add."""


async def _texts(name: str, at: str) -> list[tuple[str, str]]:
    """What every pane shows with a row selected, then why the first application waits, and the acts."""
    app: SchedlabApp = SchedlabApp(by_hand(name, at=at, paused=True), ascii_only=True)
    found: list[tuple[str, str]] = []
    async with app.run_test(size=(200, 60)) as pilot:

        async def note(*keys: str) -> None:
            await press(pilot, *keys)
            found.append((" ".join(keys), screen_text(app)))

        for digit in "12345678":
            await note(digit)
            await note("j")
        await note("1", "w")
        await _settled(pilot)
        await note()
        await note("escape", "a")
        await note("escape", "K")
    return found


async def _settled(pilot: Any) -> None:
    for _ in range(20):
        await pilot.pause(0.02)


@pytest.mark.parametrize(("kind", "name", "at"), SCENES)
async def test_a_screen_has_no_word_of_another_system(kind: str, name: str, at: str) -> None:
    """In every pane and its strip, in the answer to why, in the acts and in the question before a kill."""
    wrong = {
        (keys, match[0], line[max(0, match.start() - 40) : match.end() + 30].strip())
        for keys, shown in await _texts(name, at)
        for line in shown.replace(name, "").splitlines()
        if not _REMEDY.search(line)
        for match in re.finditer(OF_OTHERS[kind], _MINE.sub(lambda host: "h" * len(host[0]), line))
    }

    assert wrong == set()


# With `--ascii` the terminal gets nothing else than ASCII.


def _strangers(app: App[None]) -> str:
    strips = app.screen._compositor.render_strips()
    return "".join(sign for strip in strips for sign in strip.text if not sign.isascii())


@pytest.mark.long
@pytest.mark.parametrize("size", [(40, 8), (80, 24), (120, 40), (200, 60)])
async def test_every_pane_of_a_yarn_cluster(size: tuple[int, int]) -> None:
    """At every arrangement, zoomed, with dialogs, and with users who write in other letters."""
    app = SchedlabApp(FakeSession(), ascii_only=True)
    found = ""
    keys = [*(str(number) for number in range(1, len(YARN.titles) + 1)), "f", "S", "escape", "K", "n", "question_mark"]
    async with app.run_test(size=size) as pilot:
        for key in keys:
            await press(pilot, key)
            found += _strangers(app)

    assert found == ""


async def test_every_pane_of_a_spark_cluster() -> None:
    found = ""
    keys = [*(str(number) for number in range(1, len(STANDALONE.titles) + 1)), "s", "escape", "question_mark"]
    async with opened("spark-cores-hoarded", "+10m") as (app, pilot):
        for key in keys:
            await press(pilot, key)
            found += _strangers(app)

    assert found == ""
