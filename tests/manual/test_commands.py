"""Every command of the manual is one of the program; those that end are run, in the order of their page.

What takes long, or stays until it is ended (screens, servers), is run by the long gate, each in a terminal of its own.
"""

import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

import pytest

from tests import PATIENCE_S
from tests.manual.shown import PAGES, Command, commands
from tests.manual.verbs import Verb, verbs
from tests.test_architecture import ROOT
from tui.cli.aliases import aliased
from tui.cli.grammar import understood

SAVED: Final = re.compile(
    r"[Ss]ave (?:it|this|them|these) as `([\w.-]+)`[^`]*?\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
STAY: Final = ("open", "demo", "tour", "watch", "serve", "drill join", "drill play")
"""Commands that stay until they are ended; `drill play` unless it is asked for lines, `watch` unless for so many."""
BEGUN: Final = (b"\x1b[?1049h", b"answers as", b'{"', b"http://127.0.0.1:")
"""What says that one of them has begun: its screen, its address, its first line."""
ELSEWHERE: Final = ("spark1", "conf/prod", "monday.toml")
"""Hosts and files of a reader that no test stands in for."""
HOSTS: Final = (*ELSEWHERE, "rm1")
"""The same of a page that serves nothing."""
QUICK: Final = ("docs/guides/scenario.md",)

VERBS: Final = {each.name: each for each in verbs()}
SHOWN: Final = [each for page in PAGES for each in commands(page)]


def _verb(command: Command) -> Verb:
    name = next((name for name in VERBS if list(command.arguments[: len(name.split())]) == name.split()), "")
    assert name or command.arguments[0].startswith("--"), command.place
    return VERBS[name or "open"]


def _stays(command: Command) -> bool:
    if command.arguments[0].startswith("--"):
        return False
    name = _verb(command).name
    ends = {"--rounds"} if name == "watch" else {"-o", "--steps", "--agent"}
    return name in STAY and not ends & {*command.arguments}


@pytest.mark.parametrize("command", SHOWN, ids=lambda command: command.place)
def test_a_command_that_is_shown_is_understood(command: Command) -> None:
    if command.arguments[0].startswith("--"):
        return  # an option of the program itself, which the runs try
    verb = _verb(command)
    given = list(command.arguments[len(verb.name.split()) :])

    assert understood(verb.name, given).verb == verb.name
    assert aliased(list(command.arguments)) == list(command.arguments)


@pytest.mark.long
@pytest.mark.parametrize("page", [ROOT / name for name in QUICK], ids=lambda page: page.stem)
def test_the_commands_of_a_short_page_do_what_they_say(page: Path, tmp_path: Path) -> None:
    _write_files(page, tmp_path)

    wrong = [_run(each, tmp_path) for each in commands(page) if not _stays(each)]

    assert wrong
    assert "".join(wrong) == ""


@pytest.mark.long
@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(commands(page))], ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_the_commands_of_a_page_do_what_they_say(page: Path, tmp_path: Path) -> None:
    """Those that stay go on until the page has ended, as for a reader with several terminals."""
    _write_files(page, tmp_path)
    with ExitStack() as stack:
        port = _free_port()
        is_served = any(each.arguments[0] == "serve" for each in commands(page))
        for command in commands(page):
            if any(host in word for word in command.arguments for host in (ELSEWHERE if is_served else HOSTS)):
                continue
            served = _served_here(command, port)
            if not _stays(served):
                assert _run(served, tmp_path) == ""
                continue
            assert stack.enter_context(Staying(served, tmp_path)).has_begun(), command.place


def _served_here(command: Command, port: int) -> Command:
    """The command with the server of this test in the place of those that the manual names."""
    words = [re.sub(r"\b(rm\d|localhost):8088", f"127.0.0.1:{port}", word) for word in command.arguments]
    words += ["--listen", str(port)] if words[0] == "serve" else ["--listen", "0"] if "--web" in words else []
    return command._replace(arguments=tuple(words))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _write_files(page: Path, folder: Path) -> None:
    for name, text in SAVED.findall(page.read_text(encoding="utf-8")):
        (folder / name).write_text(text, encoding="utf-8")


def _environment(folder: Path) -> dict[str, str]:
    own = {f"XDG_{name}_HOME": str(folder / f".{name.lower()}") for name in ("DATA", "CONFIG", "STATE", "CACHE")}
    runtime = Path(tempfile.gettempdir()) / f"schedlab-{os.getpid()}"  # the path of a socket has at most 107 bytes
    runtime.mkdir(mode=0o700, exist_ok=True)
    size = {"COLUMNS": "100", "LINES": "30", "TERM": "xterm-256color"}
    return {
        **os.environ,
        **own,
        **size,
        "XDG_RUNTIME_DIR": str(runtime),
        "PYTHONPATH": str(ROOT),
        "SCHEDLAB_TOKEN": "t",
    }


def _run(command: Command, folder: Path) -> str:
    """Run a command to its end; what is wrong, empty where nothing is."""
    done = subprocess.run(
        [sys.executable, "-m", "tui.cli.cli", *command.arguments],
        cwd=folder,
        env=_environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    if command.target:
        (folder / command.target).write_text(done.stdout, encoding="utf-8")
    return (
        "" if done.returncode == 0 else f"{command.place}: {done.returncode} {done.stdout[-500:]}{done.stderr[-500:]}"
    )


class Staying:
    """A program that stays, in a terminal of its own."""

    def __init__(self, command: Command, folder: Path) -> None:
        self._command, self._folder = command, folder
        self._seen = b""

    def __enter__(self) -> "Staying":
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tui.cli.cli", *self._command.arguments],
            cwd=self._folder,
            env=_environment(self._folder),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        return self

    def has_begun(self) -> bool:
        deadline = time.monotonic() + PATIENCE_S
        while not any(each in self._seen for each in BEGUN) and time.monotonic() < deadline:
            if not select.select([self._master], [], [], 0.2)[0]:
                continue
            try:
                self._seen += os.read(self._master, 65536)
            except OSError:
                break
        return any(each in self._seen for each in BEGUN)

    def __exit__(self, *error: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE_S
        while self._process.poll() is None and time.monotonic() < deadline:
            if select.select([self._master], [], [], 0.1)[0]:
                with suppress(OSError):  # it has gone
                    self._seen += os.read(self._master, 65536)
        self._process.kill()
        _ = self._process.wait()
        os.close(self._master)
