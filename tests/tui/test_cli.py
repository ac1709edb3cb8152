"""The command line: what it prints, how it exits, and that it stays light."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import PATIENCE_S
from tests.invoke import Result, said
from tui.cli.verbs import GROUPS
from tui.terminal.edges import OUR_MISTAKE

SMALL = """
title = "Small."
start = 2024-03-04T09:00:00Z
duration = "1m"
[cluster]
nodes = [{host = "n1", memory = "4g", vcores = 4, phase = 0.5}]
[[workload]]
type = "scripted"
name = "one"
user = "u"
queue = "a"
number = 183354
phase = 0.1
am = "unmanaged"
asks = [{memory = "1g", count = 2}]
[[script]]
do = "kill"
at = "09:00:30"
application = "183354"
[[expectations]]
about = "both run"
at = "09:00:20"
of = "cluster"
what = "containers"
equals = 2
"""


COMMAND = (sys.executable, "-m", "tui.cli.cli")


def run(*arguments: str) -> Result:
    return said("", list(arguments))


@pytest.fixture
def small(tmp_path: Path) -> str:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return str(path)


def schedlab(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    env = {**os.environ, **environment}
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, env=env)


def test_nothing_on_the_standard_input_is_no_trace() -> None:
    result = subprocess.run([*COMMAND, "import", "-"], input="", capture_output=True, text=True, check=False)
    assert (result.returncode, "is an empty file, no trace" in result.stderr) == (2, True)


def test_without_a_terminal_the_bare_command_shows_its_help() -> None:
    assert "Usage: schedlab COMMAND" in schedlab().stdout


def test_play_writes_events_and_a_summary(small: str) -> None:
    result = run("play", small)
    assert result.exit_code == 0
    assert "09:00:01.500  ALLOC      183354  container 1 on n1, 1G/1c" in result.output
    assert "09:00:30.000  ACT        183354  kill application" in result.output
    assert "expectations  1 of 1 met" in result.output


def test_a_failed_promise_is_told_and_exits_with_1(small: str) -> None:
    result = run("play", small, "-q", "--set", "expectations.0.equals=3")
    assert result.exit_code == 1
    assert "FAILED at 09:00:20: both run: cluster containers = 3; it was 2 at 09:00:20" in result.output


def test_a_step_that_comes_to_nothing_is_told(small: str) -> None:
    result = run("play", small, "-q", "--set", "script.0.at=59", "--set", "workload.one.duration_x=1")
    assert result.exit_code == 2
    result = run("play", small, "-q", "--set", 'workload.one.asks=[{memory=1, duration="1s"}]')
    assert (result.exit_code, "came to nothing: kill at 09:00:30" in result.output) == (1, True)


def test_a_scenario_is_exported(small: str) -> None:
    text = run("get", small, "-o", "toml", "--set", "seed=7").output
    assert "seed = 7" in text
    Path(small).write_text(text, encoding="utf-8")
    assert run("play", small, "-q").exit_code == 0


def test_scenarios_are_checked(small: str) -> None:
    assert run("check", small).output == f"{small}: good\n"
    Path(small).write_text(SMALL.replace("vcores", "vcoers").replace("duration", "duratoin"), encoding="utf-8")
    result = run("check", small, "preemption-minshare")
    assert result.exit_code == 1
    assert "did you mean vcores?" in result.output
    assert "did you mean duration?" in result.output
    assert "preemption-minshare: good" in result.output


def test_a_reader_that_goes_away_is_no_error() -> None:
    """As with any tool in a pipe: no complaint, the exit code of SIGPIPE."""
    code = f"{sys.executable} -m tui.cli.cli play reservation-deadlock | head -1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "141"
    assert result.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, 130),
        pytest.param(signal.SIGTERM, 143, marks=pytest.mark.long),
        pytest.param(signal.SIGHUP, 129, marks=pytest.mark.long),
    ],
)
def test_a_signal_ends_a_run_with_its_journal_whole(number: signal.Signals, code: int, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    arguments = ["play", "preemption-livelock-capacity", "-q", "--set", "duration=4000h", "-o", f"journal:{journal}"]
    process = subprocess.Popen([sys.executable, "-m", "tui.cli.cli", *arguments], stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + PATIENCE_S
    while not (journal.exists() and journal.stat().st_size > 10_000) and time.monotonic() < deadline:
        os.sched_yield()
    process.send_signal(number)
    output, _ = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, "interrupted at" in output) == (code, True)
    text = journal.read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert json.loads(text.splitlines()[-1])


PLAYED = """
import json, os, sys
from tui.cli.cli import run
path, environments = json.loads(sys.argv[1])
for environment in environments:
    os.environ.update(environment)
    run(["play", path])
    for name in environment:
        os.environ.pop(name, None)
    print("END", flush=True)
"""


def on_a_terminal(path: str, *environments: dict[str, str]) -> list[bytes]:
    """What a run in each environment writes to a terminal, stdout and stderr together; all in one process."""
    terminal, inside = pty.openpty()
    arguments = json.dumps((path, environments))
    process = subprocess.Popen([sys.executable, "-c", PLAYED, arguments], stdout=inside, stderr=inside)
    os.close(inside)
    written = b""
    while data := _read(terminal):
        written += data
    process.wait(timeout=PATIENCE_S)
    os.close(terminal)
    return written.split(b"END")[:-1]


def _read(terminal: int) -> bytes:
    """What is there next; nothing once the other side is closed."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def test_a_terminal_gets_colours_and_a_bar(small: str) -> None:
    """The bar is gone at the end; NO_COLOR, when not empty, and the plain theme take the colours away."""
    written = on_a_terminal(small, {}, {"NO_COLOR": ""}, {"NO_COLOR": "1"}, {"SCHEDLAB_THEME": "none"})

    assert [b"\x1b[32mALLOC" in each for each in written] == [True, True, False, False]
    assert [b"\x1b[3" in each for each in written] == [True, True, False, False]
    assert b"100 %" in written[0]


def test_an_unforeseen_error_is_one_sentence(tmp_path: Path) -> None:
    """No traceback reaches a user; the details are in a file, and the exit code is its own."""
    code = (
        "import tui.cli.play as p, tui.cli.cli\ndef broken(*_, **__): raise ZeroDivisionError('x')\np.asked = broken\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", f"{code}import sys; sys.argv = ['schedlab', 'play', 'x']; tui.cli.cli.main()"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)},
    )
    assert result.returncode == OUR_MISTAKE
    assert "Traceback" not in result.stderr
    assert "ZeroDivisionError" in result.stderr


LOADED_BY_HELP = """
import runpy, sys
sys.argv = ["schedlab", "--help"]
try:
    runpy.run_module("tui.cli.cli", run_name="__main__")
except SystemExit:
    pass
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def test_help_lists_the_verbs_and_loads_neither_the_engine_nor_the_screens() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED_BY_HELP], capture_output=True, check=True, text=True)

    assert all(f" {verb} " in done.stdout for verbs in GROUPS.values() for verb in verbs)
    assert not {"typer", "engine", "textual", "msgspec", "httpx"} & set(done.stderr.split())


def test_the_licences_of_all_packages_at_run_time_are_listed() -> None:
    lines = {line.split()[0]: line for line in schedlab("--licences").stdout.splitlines()}

    assert {"schedlab", "textual", "rich", "h11", "pygments", "uvicorn"} <= set(lines)
    assert "pytest" not in lines
    assert lines["schedlab"].split()[-1] == "Apache-2.0"
    assert not [line for line in lines.values() if line.endswith("not said")]
