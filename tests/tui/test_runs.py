"""Kept runs on the command line: kept, listed, shown, exported, deleted; damage is told in words."""

import json
import os
import pty
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine.run.run_reader import FILE
from tests.tui.test_cli import SMALL
from tui import cli


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A small scenario, with a directory for runs of its own."""
    monkeypatch.setenv("SCHEDLAB_RUNS", str(tmp_path / "runs"))
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


def run(*arguments: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(cli.app, list(arguments))


def damage(tmp_path: Path, statement: str) -> None:
    """Change something in the kept run."""
    db = sqlite3.connect(tmp_path / "runs" / "one" / FILE)
    db.executescript(statement)
    db.close()


@pytest.fixture
def kept(scene: str) -> str:
    """The scenario, kept once as `one`."""
    assert run("play", "-q", scene, "--keep-as", "one").exit_code == 0
    return scene


def test_a_run_is_kept_under_the_first_free_name(scene: str) -> None:
    """Each time another one, told on stderr."""
    first, second = run("play", "-q", scene, "--keep"), run("play", "-q", scene, "--keep")

    assert (first.exit_code, second.exit_code) == (0, 0)
    assert ("kept as small-1" in first.stderr, "kept as small-2" in second.stderr) == (True, True)
    assert [line.split()[0] for line in run("runs", "list").stdout.splitlines()] == ["small-1", "small-2"]


def test_no_runs_are_no_mistake(scene: str) -> None:
    """How to keep one is told on stderr."""
    listed = run("runs", "list")

    assert (listed.exit_code, listed.stdout) == (0, "")
    assert "--keep" in listed.stderr


def test_a_name_that_is_taken_is_refused(kept: str) -> None:
    """Nothing is written over."""
    again = run("play", "-q", kept, "--keep-as", "one")

    assert (again.exit_code, "there is a run one already" in again.stderr) == (2, True)


def test_a_flag_names_another_directory(kept: str, tmp_path: Path) -> None:
    """It goes before the environment."""
    listed = run("runs", "list", "--runs", str(tmp_path / "elsewhere"))

    assert listed.stdout == ""


def test_lists_and_facts_are_there_as_json(kept: str) -> None:
    """One object per run; the facts of one with its actions."""
    (line,) = run("runs", "list", "--json").stdout.splitlines()
    shown = json.loads(run("runs", "show", "one", "--json").stdout)

    assert json.loads(line)["name"] == shown["name"] == "one"
    assert shown["acts_done"][0][1] == {"kind": "KillApplication", "application": 183354}


def test_the_facts_of_a_run_name_what_came_from_outside(kept: str) -> None:
    """With its time of day."""
    shown = run("runs", "show", "one").stdout

    assert "2024-03-04 09:00:30.000  KillApplication application=183354" in shown


def test_an_instant_of_a_run_is_rebuilt(kept: str) -> None:
    """Before the kill two containers run, after it none."""
    before = json.loads(run("runs", "show", "one", "--at", "09:00:20", "--json").stdout)
    after = json.loads(run("runs", "show", "one", "--at", "+40", "--json").stdout)

    assert (before["cluster"]["containers"], after["cluster"]["containers"]) == (2, 0)
    assert "Applications 1" in run("runs", "show", "one", "--at", "09:00:20").stdout


@pytest.mark.parametrize("at", ["08:00", "+2m", "soon"])
def test_an_instant_outside_a_run_is_refused(kept: str, at: str) -> None:
    """With what it lasts, or what is no time."""
    shown = run("runs", "show", "one", "--at", at)

    assert (shown.exit_code, "--at" in shown.stderr) == (2, True)


def test_an_exported_journal_is_the_one_play_writes(kept: str, tmp_path: Path) -> None:
    """Byte for byte, header included."""
    journal = tmp_path / "journal"
    run("play", "-q", kept, "--journal", str(journal))

    assert run("runs", "export", "one").stdout_bytes == journal.read_bytes()
    assert run("runs", "export", "one", "-o", str(tmp_path / "out")).exit_code == 0
    assert (tmp_path / "out").read_bytes() == journal.read_bytes()
    assert run("runs", "export", "one", "-o", str(tmp_path / "out")).exit_code == 2
    assert run("runs", "export", "one", "-o", str(tmp_path / "no" / "out")).exit_code == 2


def test_a_run_is_exported_as_one_object(kept: str) -> None:
    """Scenario, actions and hash: all that is needed to play it again."""
    exported = json.loads(run("runs", "export", "one", "--run").stdout)

    assert exported["journal_hash"] == json.loads(run("runs", "list", "--json").stdout)["journal_hash"]


def test_series_are_exported_as_csv(kept: str) -> None:
    """One, or all; a misspelt one is answered with the nearest."""
    lines = run("runs", "export", "one", "--series", "containers").stdout.splitlines()

    assert lines[0] == "series,time_ms,value"
    assert lines[-1].split(",")[::2] == ["containers", "0"]
    assert len(run("runs", "export", "one", "--series", "all").stdout.splitlines()) > len(lines)
    assert "containers" in run("runs", "export", "one", "--series", "container").stderr
    assert run("runs", "export", "one", "--series", "containers", "--run").exit_code == 2


def test_deleting_needs_an_answer(kept: str) -> None:
    """Away from a terminal only --yes deletes."""
    assert run("runs", "delete", "one").exit_code == 2
    assert "one" in run("runs", "list").stdout
    assert run("runs", "delete", "one", "--yes").exit_code == 0
    assert run("runs", "list").stdout == ""
    assert run("runs", "delete", "one", "--yes").exit_code == 2


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "is_there"), [(b"\n", True), (b"y\n", False)])
def test_on_a_terminal_deleting_asks(kept: str, tmp_path: Path, answer: bytes, is_there: bool) -> None:
    """The harmless answer is what Enter gives."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "tui.cli", "runs", "delete", "one"], stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.write(ours, answer)
        process.wait(20)
    os.close(ours)
    os.close(theirs)

    assert (tmp_path / "runs" / "one").exists() is is_there


@pytest.mark.parametrize("command", ["list", "show", "export"])
@pytest.mark.parametrize(
    "statement", ["PRAGMA user_version = 99", "DROP TABLE facts", "DELETE FROM facts WHERE key = 'about'"]
)
def test_a_damaged_run_is_one_message(kept: str, tmp_path: Path, command: str, statement: str) -> None:
    """Exit code 2, one line, no traceback."""
    damage(tmp_path, statement)
    told = run("runs", command, *([] if command == "list" else ["one"]))

    assert (told.exit_code, told.stderr.count("\n"), "Traceback" in told.output) == (2, 1, False)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE facts SET value = '{}' WHERE key = 'scenario'",
        "UPDATE acts SET act = '[]'",
        "UPDATE acts SET act = replace(act, '183354', '1')",
        "DELETE FROM journal WHERE id = 3",
    ],
)
def test_a_run_that_does_not_replay_is_refused(kept: str, tmp_path: Path, statement: str) -> None:
    """Another version of the program, or somebody's hand."""
    damage(tmp_path, statement)
    told = run("runs", "show", "one", "--at", "+40")

    assert (told.exit_code, told.stderr.count("\n")) == (2, 1)


def test_a_run_that_was_killed_is_shown_as_far_as_it_goes(kept: str, tmp_path: Path) -> None:
    """It says that it did not end."""
    damage(tmp_path, "UPDATE facts SET value = replace(value, '\"is_whole\":true', '\"is_whole\":false')")

    assert "not ended" in run("runs", "show", "one").stdout
    assert "(not ended)" in run("runs", "list").stdout
    assert run("runs", "show", "one", "--at", "+1m").exit_code == 0
