"""The bar that tells how far a run is: at once, on a terminal, and gone at the end."""

import io

import pytest

from tests.tui.small_run import small_scenario
from tui.cli.output import ERASE, Progress, announced


class Stream(io.StringIO):
    """A standard error that is a terminal, or none."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize("is_terminal", [True, False])
def test_the_bar_is_there_before_anything_is_played(is_terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what is read before it is named; away from a terminal nothing is written."""
    stream = Stream(is_terminal=is_terminal)
    monkeypatch.setattr("sys.stderr", stream)

    with announced("reading a\x1b[31m"):
        reading = stream.getvalue()
    with Progress(60_000, small_scenario()):
        begun = stream.getvalue()

    assert reading == ("\rreading a\\u001b[31m" if is_terminal else "")
    assert [begun.startswith(f"{reading}{ERASE}\r["), "  0 %" in begun] == [is_terminal, is_terminal]
    assert stream.getvalue() == (begun + ERASE if is_terminal else "")
