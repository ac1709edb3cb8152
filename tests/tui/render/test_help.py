"""Help as lines of a width."""

import pytest

from tui.render.help import Entry, HelpSection, lines
from tui.render.line import flat


def _lines(width: int, *keys: str) -> list[str]:
    section = HelpSection("moving", (Entry(keys, "goes to the next row of the pane"),))
    return [flat(drawn.spans).rstrip() for drawn in lines([section], width)]


def test_the_sentence_stands_beside_its_keys() -> None:
    """In a column whose width a third of the line bounds, and ten cells."""
    assert _lines(60, "j") == ["MOVING", "  j           goes to the next row of the pane"]
    assert _lines(24, "j")[1] == "  j         goes to the next row of"


@pytest.mark.parametrize(("key", "is_beside"), [("k" * 11, True), ("k" * 12, False)])
def test_long_keys_have_a_line_of_their_own(key: str, *, is_beside: bool) -> None:
    first, *rest = _lines(60, key)[1:]

    assert ("goes to" in first) is is_beside
    assert rest == ([] if is_beside else [" " * 14 + "goes to the next row of the pane"])
