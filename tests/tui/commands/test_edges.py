"""How commands end: what is told on stderr, with which exit code; and the bar of what takes a while."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from engine.errors import ConfigError, OutputError, Problem, RefusedError, SourceError
from engine.formats.scenario_toml import loads
from tests.tui.small_run import SMALL
from tui.commands.budget import Budget
from tui.commands.cli_errors import needs_terminal, reported_errors
from tui.commands.keeping import report_kept, runs_root
from tui.commands.progress import ERASE, Progress, ProgressBar, announced


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


def on_terminal(patch: pytest.MonkeyPatch, term: str = "xterm") -> Terminal:
    """From now on all three streams are terminals; stderr is answered."""
    found = Terminal()
    patch.setenv("TERM", term)
    patch.setattr(sys, "stderr", found)
    patch.setattr(sys, "stdout", Terminal())
    patch.setattr(sys, "stdin", Terminal())
    return found


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ConfigError([Problem("wrong"), Problem("bad", key="--at")]), 2, "schedlab: wrong\nschedlab: --at: bad\n"),
        (RefusedError("not\tso"), 2, "schedlab: not"),
        (SourceError("rm1 does not answer"), 1, "schedlab: rm1 does not answer\n"),
        (OutputError("x", OSError(28, "No space left")), 1, "schedlab: x: cannot be written: no space left\n"),
    ],
)
def test_an_error_is_a_line_and_a_code(
    error: Exception, code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One for each problem."""
    with pytest.raises(typer.Exit) as ended, reported_errors():
        raise error

    assert (ended.value.exit_code, capsys.readouterr().err.startswith(words)) == (code, True)


def test_what_is_done_without_an_error_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """And goes on."""
    with reported_errors():
        sys.stdout.write("x")

    assert capsys.readouterr() == ("x", "")


@pytest.mark.parametrize("missing", ["stdin", "stdout", "stderr", ""])
def test_a_screen_needs_a_terminal_on_all_streams(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a command that needs none is named."""
    terminal = on_terminal(monkeypatch)
    other = io.StringIO()
    if missing:
        monkeypatch.setattr(sys, missing, other)
    told = other if missing == "stderr" else terminal
    if not missing:
        needs_terminal("schedlab play")
        assert told.getvalue() == ""
        return
    with pytest.raises(typer.Exit) as ended:
        needs_terminal("schedlab play")
    assert ended.value.exit_code == 2
    assert told.getvalue() == "schedlab: a screen needs a terminal; `schedlab play` works without one\n"


@pytest.mark.parametrize(
    ("names", "failures", "code", "ends"),
    [
        ([], [], 0, None),
        (["one", "two"], [], 0, None),
        (["one"], ["it broke"], 0, 1),
        ([], ["it broke"], 130, 130),
        ([], [], 130, 130),
    ],
)
def test_what_was_kept_is_told(
    names: list[str], failures: list[str], code: int, ends: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """What could not be kept ends it with 1, unless it ends with another code."""
    ended: int | None = None
    try:
        report_kept(names, failures, code)
    except typer.Exit as error:
        ended = error.exit_code

    told = [*(f"kept as {name}" for name in names), *(f"schedlab: {failure}" for failure in failures)]
    assert (ended, capsys.readouterr().err.splitlines()) == (ends, told)


def test_runs_are_kept_where_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the option, else by the settings, else in the user's data."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("SCHEDLAB_RUNS", raising=False)
    by_default = runs_root(None)
    monkeypatch.setenv("SCHEDLAB_RUNS", str(tmp_path / "set"))

    assert by_default == tmp_path / "data" / "schedlab" / "runs"
    assert (runs_root(None), runs_root(tmp_path / "named")) == (tmp_path / "set", tmp_path / "named")


@pytest.mark.parametrize(
    ("share", "bar"),
    [
        (-1.0, f"[{' ' * 30}]   0 %  words"),
        (0.0, f"[{' ' * 30}]   0 %  words"),
        (0.5, f"[{'=' * 15}{' ' * 15}]  50 %  words"),
        (0.999, f"[{'=' * 29} ]  99 %  words"),
        (1.0, f"[{'=' * 30}] 100 %  words"),
        (7.0, f"[{'=' * 30}] 100 %  words"),
    ],
)
def test_a_bar_is_drawn_once_until_it_looks_different(share: float, bar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And is taken away at the end."""
    terminal = on_terminal(monkeypatch)
    with ProgressBar() as drawn:
        drawn.draw(share, "words")
        drawn.draw(share, "words")
        assert terminal.getvalue() == f"\r{bar}"
    drawn.clear()

    assert terminal.getvalue() == f"\r{bar}{ERASE}"


@pytest.mark.parametrize(("done", "whole", "percent"), [(0, 0, "  0 %"), (1, 4, " 25 %"), (3, 0, "100 %")])
def test_a_bar_counts(done: int, whole: int, percent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of nothing is none."""
    terminal = on_terminal(monkeypatch)
    ProgressBar().count(done, whole, "")

    assert f"] {percent}" in terminal.getvalue()


def test_the_bar_of_a_run_tells_the_time_of_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """From its beginning on."""
    terminal = on_terminal(monkeypatch)
    with Progress(60_000, loads(SMALL, "x")) as progress:
        progress.show(30_000)

    assert "]   0 %  " in terminal.getvalue()
    assert "08:30:00" in terminal.getvalue()
    assert " 50 %  " in terminal.getvalue()
    assert "08:30:30" in terminal.getvalue()


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_what_takes_a_while_is_announced(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to sixty cells of it; nothing where no line can be taken away."""
    terminal = on_terminal(monkeypatch, term)
    with announced("x" * 61):
        during = terminal.getvalue()

    assert (during, terminal.getvalue()) == (
        ("\r" + "x" * 60, "\r" + "x" * 60 + ERASE) if term == "xterm" else ("", "")
    )


def test_without_a_terminal_there_is_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    """Nor anything announced."""
    with announced("reading"), ProgressBar() as drawn:
        drawn.draw(0.5, "words")

    assert capsys.readouterr().err == ""


def clock(*seconds: float) -> Iterator[float]:
    """What a clock says, one after the other."""
    return iter(seconds)


@pytest.mark.parametrize(("seconds", "now_s", "goes_on"), [(5.0, 14.9, True), (5.0, 15.0, False), (0.0, 9e9, True)])
def test_a_budget_is_used_up(seconds: float, now_s: float, goes_on: bool) -> None:
    """One of nothing never ends."""
    said = clock(10.0, now_s)

    assert Budget(seconds, lambda: next(said)).goes_on() is goes_on


@pytest.mark.parametrize(("pieces", "is_done"), [(1, True), (2, True), (3, True), (4, False)])
def test_a_budget_is_spent_piece_by_piece(pieces: int, is_done: bool) -> None:
    """At least one is done; it is asked after each."""
    said = clock(0.0, 1.0, 2.0, 3.0, 4.0)
    budget, left = Budget(3.0, lambda: next(said)), list(range(pieces))

    def advance() -> bool:
        _ = left.pop()
        return not left

    assert budget.spend(advance) is is_done
    assert len(left) == (0 if is_done else 1)
