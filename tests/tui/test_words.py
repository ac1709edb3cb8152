"""The words of the screens: one list, in help; phrases that are riddles are found nowhere."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

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


def test_help_lists_every_term_once_with_its_meaning_and_place() -> None:
    entries = of_terms().entries

    assert [(one.keys[0], one.words, one.more) for one in entries] == [tuple(each) for each in TERMS]
    assert len({each.term for each in TERMS}) == len(TERMS)
    assert all(each.meaning[0].isupper() and each.meaning.endswith(".") and len(each.meaning) < 90 for each in TERMS)


def test_every_term_is_in_use() -> None:
    said = " ".join(
        words
        for place in PLACES
        for path in Path(place).rglob("*.py")
        if path.name != "help.py"
        for _, words in texts(path)
    ).lower()

    assert [each.term for each in TERMS if each.term not in said] == []
