"""Verbs that a signal ends, and a server that answers nobody: what they say, and with which code they end."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.serve.pace import ServedPace
from engine.serve.served import ServedCluster
from tests.tui.small_run import SMALL
from tui.commands import compare, play, serve, snapshot


class Came:
    """A signal that came before anything was played."""

    def __init__(self, signal: int) -> None:
        self.signal = signal

    def came(self) -> bool:
        """It did."""
        return bool(self.signal)


@pytest.fixture
def small(tmp_path: Path) -> str:
    """A scenario."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


@pytest.mark.parametrize(("signal", "code"), [(0, 0), (2, 130), (15, 143)])
@pytest.mark.parametrize(
    ("module", "arguments"), [(play, ("-q",)), (snapshot, ()), (compare, ("--with", "fifo", "--until", "+1s"))]
)
def test_a_signal_is_told_by_the_code(
    module: Any, arguments: tuple[str, ...], signal: int, code: int, small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shell has it: 128 and its number."""

    @contextmanager
    def listening() -> Iterator[Came]:
        yield Came(signal)

    monkeypatch.setattr(module, "listening", listening)

    assert CliRunner().invoke(module.app, [small, *arguments]).exit_code == code


class Served:
    """What would be served."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.seen: list[tuple[ServedCluster, ServedPace, str | None, list[str], int]] = []
        patch.setattr(serve, "_serve", self.serve)

    async def serve(
        self, served: ServedCluster, pace: ServedPace, token: str | None, hosts: Any, listener: socket.socket
    ) -> int:
        """Take note."""
        self.seen.append((served, pace, token, list(hosts), listener.getsockname()[1]))
        return 7


def run(*arguments: str) -> tuple[int, list[str]]:
    """Exit code and the lines of stderr."""
    done = CliRunner().invoke(serve.app, [*arguments, "--port", "0"])
    return done.exit_code, done.stderr.splitlines()


def test_a_server_says_where_it_answers(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the token that acts need; it ends with the code of the server."""
    found = Served(monkeypatch)
    code, lines = run(small, "--at", "+20s", "--host", "x")
    [(served, pace, token, hosts, port)] = found.seen
    url = f"http://127.0.0.1:{port}/ws/v1/cluster/info"

    assert (code, hosts) == (7, ["x"])
    assert lines == [
        f"schedlab: small answers as ResourceManager 2.7.2 at {url}",
        f"schedlab: acts need the token {token}",
    ]
    assert (served.address, pace.played.now_ms) == (f"127.0.0.1:{port}", 20_000)


@pytest.mark.parametrize(("options", "token"), [(("--token", "abc"), "abc"), (("--no-token",), None)])
def test_a_token_that_is_known_is_not_told(
    options: tuple[str, ...], token: str | None, small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is one that nobody needs, which is warned of."""
    found = Served(monkeypatch)
    _, lines = run(small, *options)

    assert found.seen[0][2] == token
    assert [line for line in lines if "need the token" in line] == []
    assert len(lines) == (1 if token else 2)


def test_what_is_no_resource_manager_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark's Master has another interface."""
    found = Served(monkeypatch)
    code, lines = run("spark-packing")

    assert (code, found.seen, len(lines)) == (2, [], 1)
    assert lines[0].endswith(": spark-packing has no ResourceManager: its scheduler is spark")
