"""Reservations of nodes as a recorded ResourceManager's log says them, beside what its metrics count."""

import gzip
import os
from pathlib import Path

import pytest

from engine.live.followed_log import FollowedLog, LogFile
from engine.live.yarn_picture import Round
from tests.engine.live.recorded import FOLDER, START_S, rounds_of

LINES = gzip.decompress((FOLDER / "2.7.2-fair-rm.log.gz").read_bytes()).splitlines(keepends=True)
FROZEN = rounds_of("2.7.2-fair-kill")[0]
BEGIN_S = START_S + 6
"""When the nodes were up, which seconds are counted from [epoch s]."""
RESERVED_S, KILL_S = 22, 71
CULPRIT = "_0010"


def lines_until(second: float) -> bytes:
    minutes, seconds = divmod(int(46 + second), 60)
    last = f"2026-11-21 00:{21 + minutes:02d}:{seconds:02d},999".encode()
    return b"".join(line for line in LINES if line[:23] <= last)


class PlayedLog:
    """A log that is written by hand, at a time zone."""

    def __init__(self, folder: Path, east_h: int = 0) -> None:
        self.path = folder / "rm.log"
        self._east_s = east_h * 3600
        self.log = FollowedLog(LogFile(self.path))

    def write(self, data: bytes, second: float) -> None:
        """Have the log hold this, written last at a second."""
        self.path.write_bytes(data)
        written_s = BEGIN_S + second - self._east_s
        os.utime(self.path, (written_s, written_s))

    async def held(self, answers: Round) -> dict[str, str]:
        """Node → the end of the id of who holds it."""
        return {each.node: each.application[-5:] for each in await self.log.holdings(answers)}


async def test_the_log_holds_as_many_nodes_as_the_server_counts(tmp_path: Path) -> None:
    """Twelve: eleven for the application that asks for what no node can give, by the ids of the nodes' own page."""
    played = PlayedLog(tmp_path)
    played.write(lines_until(66), 66)
    held = await played.held(FROZEN)

    assert (len(held), FROZEN.metrics.containers_reserved) == (12, 12)
    assert set(held) == {each.id for each in FROZEN.nodes}
    assert sum(by == CULPRIT for by in held.values()) == 11


async def test_a_kill_frees_the_nodes_of_the_one_killed(tmp_path: Path) -> None:
    played = PlayedLog(tmp_path)
    played.write(lines_until(66), 66)
    await played.held(FROZEN)
    played.write(lines_until(KILL_S + 2), KILL_S + 2)

    assert CULPRIT not in (await played.held(FROZEN)).values()


@pytest.mark.parametrize("east_h", [0, 9, -5])
async def test_since_when_a_node_is_held_does_not_depend_on_the_time_zone(tmp_path: Path, east_h: int) -> None:
    """The log has local times; when it was written last says how far they are off."""
    played = PlayedLog(tmp_path, east_h)
    played.write(lines_until(66), 66)
    since = [each.since_ms / 1000 - BEGIN_S for each in await played.log.holdings(FROZEN)]

    assert sum(abs(each + east_h * 3600 - RESERVED_S) < 1.5 for each in since) == 11


async def test_a_thread_that_was_lost_begins_anew(tmp_path: Path) -> None:
    played = PlayedLog(tmp_path)
    played.write(lines_until(66), 66)
    await played.held(FROZEN)
    played.write(LINES[0] * 3, 70)

    assert await played.held(FROZEN) == {}
