"""A bar of one line on stderr that shows how far something is, on a terminal only."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Self

from engine.scenario import Scenario
from tui import format as text
from tui.terminal_edge import is_dumb, visible, write_controls

WIDTH: Final = 30
ERASE: Final = "\r\x1b[K"


@contextmanager
def announced(words: str) -> Iterator[None]:
    """Say on a terminal what is being done that may take a while."""
    is_on = sys.stderr.isatty() and not is_dumb()
    if is_on:
        write_controls(sys.stderr, f"\r{visible(words)[: WIDTH * 2]}")
        sys.stderr.flush()
    try:
        yield
    finally:
        if is_on:
            write_controls(sys.stderr, ERASE)
            sys.stderr.flush()


class ProgressBar:
    """The bar; a context that removes it at its end."""

    def __init__(self) -> None:
        self._is_on = sys.stderr.isatty() and not is_dumb()
        self._shown = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def count(self, done: int, whole: int, words: str) -> None:
        """Draw so many of a number."""
        self.draw(done / max(1, whole), words)

    def draw(self, share: float, words: str) -> None:
        """Draw so much of the bar and words behind it, if it looks different from what is there."""
        if not self._is_on:
            return
        share = max(0.0, min(1.0, share))
        filled = int(share * WIDTH)
        line = f"[{'=' * filled}{' ' * (WIDTH - filled)}] {int(share * 100):3d} %  {words}"
        if line != self._shown:
            write_controls(sys.stderr, f"\r{line}")
            sys.stderr.flush()
            self._shown = line

    def clear(self) -> None:
        """Take the bar away, so that other text may be written."""
        if self._shown:
            write_controls(sys.stderr, ERASE)
            sys.stderr.flush()
            self._shown = ""


class Progress(ProgressBar):
    """The bar of a run."""

    def __init__(self, until_ms: int, scenario: Scenario) -> None:
        super().__init__()
        self._until_ms = max(1, until_ms)
        self._start_ms = scenario.start_ms
        self._offset_ms = scenario.offset_ms

    def __enter__(self) -> Self:
        self.show(0)
        return self

    def show(self, now_ms: int) -> None:
        """Draw the bar for an instant [ms after the start]."""
        self.draw(now_ms / self._until_ms, text.clock(self._start_ms + now_ms, self._offset_ms))
