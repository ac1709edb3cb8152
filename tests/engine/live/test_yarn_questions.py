"""What a ResourceManager is asked in each round, and what of its answers is kept."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from engine.errors import SourceError
from engine.live.followed_log import FollowedLog
from engine.live.log_places import Piece
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import HISTORY_MS, SPARED, YarnSource
from tests.engine.live.recorded import START_S, FakeServer, connected

Answer = Callable[[httpx.Request], httpx.Response | None]
LIVE = "states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"


def source_of(server: FakeServer, log: FollowedLog | None = None) -> YarnSource:
    client = RestClient(
        [f"http://{server.host}"], connected(server), wall=lambda: server.now_s, steady=lambda: server.now_s
    )
    return YarnSource(client, PollPace(), log)


def bodies(**by_path: Any) -> Answer:
    def answer(request: httpx.Request) -> httpx.Response | None:
        body = by_path.get(request.url.path.rpartition("/")[2])
        return (
            httpx.Response(body) if isinstance(body, int) else None if body is None else httpx.Response(200, json=body)
        )

    return answer


def info(version: str, started: int = START_S * 1000) -> dict[str, Any]:
    return {"clusterInfo": {"startedOn": started, "resourceManagerVersion": version}}


@pytest.mark.parametrize(("version", "spared"), [("2.7.2", False), ("3.4.1", True), ("3", False)])
async def test_3_x_is_asked_to_leave_out_what_nobody_needs(version: str, *, spared: bool) -> None:
    """Of applications that ended also what they asked for; an hour back, two hundred at most."""
    server = FakeServer()
    server.fails = bodies(info=info(version))
    source = source_of(server)
    await source.poll()
    live, ended = (each for each in server.asked if each.startswith("/ws/v1/cluster/apps"))
    begin = int(server.now_s * 1000) - HISTORY_MS

    assert live == f"/ws/v1/cluster/apps?{LIVE}{SPARED if spared else ''}"
    assert ended == (
        f"/ws/v1/cluster/apps?states=FINISHED,FAILED,KILLED&finishedTimeBegin={begin}&limit=200"
        f"{SPARED + ',resourceRequests' if spared else ''}"
    )


async def test_versions_go_on_with_every_round() -> None:
    source = source_of(FakeServer())

    assert [(await source.poll()).version("queues") for _ in range(3)] == [1, 2, 3]


class Lines:
    """A log of some lines; implements `LogPlace`."""

    name = "rm.log"

    def __init__(self, data: bytes = b"", error: Exception | None = None) -> None:
        self.data, self.error, self.is_closed = data, error, False

    async def piece(self, age: int, start: int) -> Piece | None:
        if self.error is not None:
            raise self.error
        begin = max(0, len(self.data) + start) if start < 0 else start
        return None if age else Piece(self.data[begin:], begin, len(self.data), 0)

    async def close(self) -> None:
        self.is_closed = True


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (SourceError("gone"), "the log cannot be read: gone"),
        (ValueError("x" * 300), f"the log cannot be read: {'x' * 176}"),
    ],
)
async def test_why_the_log_cannot_be_read_is_noted_until_it_can(error: Exception, words: str) -> None:
    lines = Lines(error=error)
    source = source_of(FakeServer("2.7.2-fair-kill"), FollowedLog(lines))
    before = source.notes
    inferred = (await source.poll()).header.inferred
    noted = source.notes
    lines.error = None
    await source.poll()

    assert (before, noted, source.notes) == ((), (words,), ())
    assert "reservations" in inferred
    await source.close()
    assert lines.is_closed
