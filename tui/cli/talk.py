"""What a command says beside its data, all of it on stderr: notes, errors with their exit codes, progress."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Self

from engine.errors import ConfigError, OutputError, Problem, RefusedError, SourceError, format_problems
from tui.terminal.edges import is_dumb, visible, visible_line, write_controls

NOT_ANSWERED: Final = 2  # Exit code of words refused, a source that is not there, output not written
WRONG: Final = 1  # Exit code of an answer that something is wrong
PIPE_CLOSED: Final = 128 + 13  # As if ended by SIGPIPE
WIDTH: Final = 30
ERASE: Final = "\r\x1b[K"


class _Manner:
    is_quiet = False
    has_json = False  # True where errors are also written on stdout
    is_opening = False  # True while the last line of the terminal says what is being opened


def talk(*, is_quiet: bool, has_json: bool) -> None:
    """Choose how is talked: without notes and progress; with errors as JSON on stdout, too."""
    _Manner.is_quiet, _Manner.has_json = is_quiet, has_json


def note(words: str) -> None:
    if not _Manner.is_quiet:
        warn(words)


def warn(words: str) -> None:
    hush()
    sys.stderr.write(f"{visible_line(words)}\n")
    sys.stderr.flush()


@contextmanager
def reported_errors() -> Iterator[None]:
    """Turn refused input, and a reader that went away, into messages and exit codes."""
    try:
        yield
        sys.stdout.flush()
    except ConfigError as error:
        _end(error.problems)
    except (RefusedError, OutputError, SourceError) as error:
        _end([Problem(str(error))])
    except BrokenPipeError:
        # Whatever is still buffered goes nowhere, instead of failing once more when Python flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(PIPE_CLOSED) from None


def _end(problems: tuple[Problem, ...] | list[Problem]) -> None:
    for line in format_problems(problems):
        warn(f"schedlab: {line}")
    if _Manner.has_json:
        errors = [
            {"message": one.message, "file": one.file, "line": one.line, "key": one.key, "hint": one.hint}
            for one in problems
        ]
        sys.stdout.write(json.dumps({"schema": "error/1", "errors": errors}, indent=1) + "\n")
        sys.stdout.flush()
    raise SystemExit(NOT_ANSWERED) from None


def needs_terminal(instead: str) -> None:
    """Refuse where there is no terminal, and name a command that needs none."""
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        raise ConfigError.of(f"a screen needs a terminal; `{instead}` works without one")


# A bar of one line on stderr that shows how far something is, on a terminal only.


def opening(words: str) -> None:
    """Say on a terminal what is being opened, before all that a screen needs is loaded."""
    if _has_bar() and sys.stdout.isatty():
        _show(f"\r{visible(words)[: WIDTH * 2]}")
        _Manner.is_opening = True


def hush() -> None:
    if _Manner.is_opening:
        _Manner.is_opening = False
        _show(ERASE)


def _show(controls: str) -> None:
    write_controls(sys.stderr, controls)
    sys.stderr.flush()


@contextmanager
def announced(words: str) -> Iterator[None]:
    hush()
    is_on = _has_bar()
    if is_on:
        _show(f"\r{visible(words)[: WIDTH * 2]}")
    try:
        yield
    finally:
        if is_on:
            _show(ERASE)


def _has_bar() -> bool:
    return sys.stderr.isatty() and not is_dumb() and not _Manner.is_quiet


class ProgressBar:
    """The bar; a context that removes it at its end."""

    def __init__(self) -> None:
        self._is_on = _has_bar()
        self._shown = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def count(self, done: int, whole: int, words: str) -> None:
        self.draw(done / max(1, whole), words)

    def draw(self, share: float, words: str) -> None:
        if not self._is_on:
            return
        share = max(0.0, min(1.0, share))
        filled = int(share * WIDTH)
        line = f"[{'=' * filled}{' ' * (WIDTH - filled)}] {int(share * 100):3d} %  {words}"
        line = line[: max(1, shutil.get_terminal_size().columns - 1)]  # a longer one would leave lines behind
        if line != self._shown:
            hush()
            _show(f"\r{line}")
            self._shown = line

    def clear(self) -> None:
        """Take the bar away, so that other text may be written."""
        if self._shown:
            _show(ERASE)
            self._shown = ""
