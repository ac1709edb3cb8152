"""A live cluster whose polls are kept: back to any of them while it is watched, and on to the present."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.live.alarms import parse_rules
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from engine.observe.snapshot import Snapshot
from engine.recorded.polls_writer import PollsWriter
from tests.engine.live.recorded import FakeServer, connected
from tests.engine.recorded.polls import rows_of
from tests.small_disk import small_disk
from tui.protocol.picture import Notice, SessionChanged
from tui.session.live_pictures import LiveConnection, LivePictures
from tui.session.series import NO_BRANCH, PollKeeping
from tui.session.time_travel import PRESENT


class KeptWatch:
    """A watch of a played server that keeps its polls; a round is made by hand."""

    def __init__(self, root: Path) -> None:
        self.server = FakeServer("2.7.2-fair-kill")
        self.posted: list[SessionChanged | Notice] = []

        def begin(first: Snapshot) -> PollsWriter:
            return PollsWriter(root, None, first, "rm1:8088", created="now", offset_ms=0, keep_for_ms=0)

        self.keeping = PollKeeping(begin)
        client = RestClient([f"http://{self.server.host}"], connected(self.server), wall=self.now)
        source = YarnSource(client, PollPace())
        self.pictures = LivePictures(
            source, parse_rules(["all nodes reserved"]), wall=self.now, sleep=self._sleep, keeping=self.keeping
        )

    def now(self) -> float:
        return self.server.now_s

    async def _sleep(self, seconds: float) -> None:
        await asyncio.Event().wait()

    async def rounds(self, count: int, step: int = 2) -> None:
        for _ in range(count):
            await self.pictures.round()
            self.server.place = min(self.server.place + step, len(self.server.rounds) - 1)


@asynccontextmanager
async def watching(root: Path, rounds: int = 5) -> AsyncIterator[KeptWatch]:
    watch = KeptWatch(root)
    await watch.rounds(rounds)
    await watch.pictures.start(watch.posted.append)
    try:
        yield watch
    finally:
        await watch.pictures.close()
        watch.keeping.finish()


async def test_one_may_go_back_and_on_to_the_present(tmp_path: Path) -> None:
    """The picture is that of the poll, and says how far the present is."""
    async with watching(tmp_path) as watch:
        connection = LiveConnection(watch.pictures)
        assert connection.clock is not None
        present = await watch.pictures.picture()
        await connection.clock.travel("back")
        await connection.clock.travel("back")
        past = await watch.pictures.picture()
        now_ms = present.snapshot.header.time_ms
        await connection.clock.travel("live")
        again = await watch.pictures.picture()

    assert (past.run.present_ms, (now_ms - past.snapshot.header.time_ms) // 100) == (now_ms, 39)
    assert (past.run.name, past.run.paused, past.run.reception is not None) == ("rm1:8088", True, True)
    assert (again.run.present_ms, again.snapshot) == (None, present.snapshot)


async def test_rounds_go_on_while_the_past_is_looked_at(tmp_path: Path) -> None:
    async with watching(tmp_path) as watch:
        assert watch.pictures.clock is not None
        await watch.pictures.clock.travel("back")
        before = await watch.pictures.picture()
        await watch.rounds(2)
        after = await watch.pictures.picture()

    assert after.snapshot.header == before.snapshot.header
    assert (after.run.present_ms or 0) > (before.run.present_ms or 0)


async def test_questions_are_asked_of_the_past_looked_at(tmp_path: Path) -> None:
    async with watching(tmp_path) as watch:
        assert watch.pictures.clock is not None
        first_ms = (await watch.pictures.picture()).snapshot.header.time_ms - 8_000
        await watch.pictures.clock.travel("back")
        looked, first = watch.pictures.looked_at(), watch.pictures.snapshot_at(first_ms)

        assert not watch.pictures.is_present
        assert rows_of(watch.pictures.snapshot_at()) == rows_of(looked)
        assert (first.header.time_ms, looked.header.time_ms) == (first_ms, first_ms + 6_000)


async def test_closed_nothing_plays_any_more(tmp_path: Path) -> None:
    async with watching(tmp_path) as watch:
        clock, place = watch.pictures.clock, watch.keeping.place
        assert clock is not None
        assert place is not None
        await clock.travel("back")
        await clock.toggle_pause()
        playing = (place.is_playing, watch.pictures.is_present)
        await clock.travel("live")
        present = watch.pictures.is_present
        await clock.travel("back")
        await clock.toggle_pause()
        await watch.pictures.close()
        watch.posted.clear()
        await clock.travel("back")

    assert (playing, present, place.is_playing, watch.posted) == ((True, False), True, False, [])


async def test_keys_of_the_present_that_lead_nowhere_say_so(tmp_path: Path) -> None:
    """A live cluster cannot be stopped, and nothing of it can go on from the past."""
    async with watching(tmp_path) as watch:
        assert watch.pictures.clock is not None
        await watch.pictures.clock.toggle_pause()
        notices = [each.words for each in watch.posted if isinstance(each, Notice)]

        assert notices == [PRESENT]
        assert (await watch.pictures.clock.branch()).refusal == NO_BRANCH


async def test_a_full_disk_is_said_once_and_the_watch_goes_on(tmp_path: Path) -> None:
    async with watching(tmp_path, rounds=1) as watch:
        with small_disk(1_000):
            await watch.rounds(2)
        notices = [each.words for each in watch.posted if isinstance(each, Notice)]
        picture = await watch.pictures.picture()

    assert [words for words in notices if "kept" in words] == [
        "the polls rm1-8088-1 are no longer kept: file too large"
    ]
    assert picture.snapshot.header.nodes == 12


async def test_without_keeping_there_is_no_past(tmp_path: Path) -> None:
    server = FakeServer()
    client = RestClient([f"http://{server.host}"], connected(server), wall=lambda: server.now_s)
    view = LivePictures(YarnSource(client, PollPace()), [], wall=lambda: server.now_s)
    await view.round()
    await view.close()

    assert LiveConnection(view).clock is None
    with pytest.raises(ConfigError, match="--keep"):
        view.snapshot_at(0)
