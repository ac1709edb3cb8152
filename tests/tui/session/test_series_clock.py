"""The keys of time on a recorded past: nothing is simulated, and no key is silent."""

import asyncio
from math import inf

import pytest

from engine.units import parse_duration
from tests.engine.recorded.logs import ASSIGNED, RESERVED, STATE, second, series
from tui.panes.header import standing
from tui.protocol.picture import Notice, SessionChanged
from tui.session.series import END, NO_BRANCH, TICK_S, SeriesConnection
from tui.session.time_travel import FIRST

LOG = (
    STATE.format("0001", "SUBMITTED", "ACCEPTED"),
    ASSIGNED.format("0001", 1, 1024),
    STATE.format("0001", "ACCEPTED", "RUNNING"),
    *(RESERVED.format("n1", "0001") for _ in range(9)),
    ASSIGNED.format("0001", 2, 1024),
)


class Watched:
    """A past that somebody looks at; the time of the wall passes only while it is waited for."""

    def __init__(self) -> None:
        self.connection = SeriesConnection(series(*LOG))
        self.posted: list[SessionChanged | Notice] = []
        self.now_s = 0.0
        self._may_pass = asyncio.Semaphore(0)
        clock = self.connection.clock
        clock._wall, clock._sleep = lambda: self.now_s, self._sleep

    async def _sleep(self, seconds: float) -> None:
        await self._may_pass.acquire()
        self.now_s += seconds

    async def pass_ticks(self, count: int) -> None:
        for _ in range(count):
            self._may_pass.release()
            for _ in range(5):
                await asyncio.sleep(0)

    async def looked(self) -> tuple[int, int | None, bool]:
        """The instant looked at, the end while the past is looked at, and whether it is played."""
        picture = await self.connection.pictures.picture()
        return picture.snapshot.header.time_ms, picture.run.present_ms, not picture.run.paused

    @property
    def notices(self) -> list[str]:
        return [each.words for each in self.posted if isinstance(each, Notice)]


@pytest.fixture
async def watched() -> Watched:
    """One that stands at the end of a log of twelve seconds."""
    found = Watched()
    await found.connection.pictures.start(found.posted.append)
    return found


async def test_it_stands_at_the_end(watched: Watched) -> None:
    assert await watched.looked() == (second(12), None, False)
    assert any(words.startswith("Inferred: ") for words in watched.notices)


@pytest.mark.parametrize(
    ("wishes", "at"),
    [
        (["back"], 12 - 9),
        (["back", "back", "on"], 12 - 9),
        (["+2s"], 2),
        (["09:00:05"], 5),
        (["09:00:05", "second"], 6),
        (["09:00:05", "live"], 12),
        (["09:00:00", "mark.on"], 3),
    ],
)
async def test_one_may_go_anywhere(watched: Watched, wishes: list[str], at: int) -> None:
    for where in wishes:
        assert not (await watched.connection.clock.travel(where)).problems

    assert (await watched.looked())[0] == second(at)


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        (["on"], END),
        (["mark.on"], END),
        (["09:00:00", "back"], FIRST),
        (["10:00"], "10:00 has not come yet."),
        (["soon"], "'soon' is not a time; write 09:00, +30m or seconds after the start"),
    ],
)
async def test_a_wish_that_leads_nowhere_is_answered(watched: Watched, wishes: list[str], words: str) -> None:
    clock = watched.connection.clock
    *ways, last = wishes
    for where in ways:
        await clock.travel(where)

    assert (await clock.travel(last)).refusal == words


async def test_it_plays_at_its_speed_to_the_end(watched: Watched) -> None:
    clock = watched.connection.clock
    await clock.travel("+2s")
    await clock.toggle_pause()
    await watched.pass_ticks(4)
    between = await watched.looked()
    await watched.pass_ticks(10)

    assert between == (second(2) + parse_duration("4s"), second(12), True)
    assert round(TICK_S * 4 * 10) == 4
    assert await watched.looked() == (second(12), None, False)


async def test_it_stands_while_a_dialog_is_open(watched: Watched) -> None:
    clock = watched.connection.clock
    await clock.travel("+2s")
    await clock.toggle_pause()
    await clock.hold(held=True)
    await watched.pass_ticks(3)
    held = (await watched.looked())[0]
    await clock.hold(held=False)
    await watched.pass_ticks(1)

    assert (held, (await watched.looked())[0]) == (second(2), second(3))


async def test_a_step_stops_it(watched: Watched) -> None:
    clock = watched.connection.clock
    await clock.travel("+0s")
    await clock.toggle_pause()
    await clock.step("decision")
    event = await watched.looked()
    await clock.step("second")

    assert (event, (await watched.looked())[0]) == ((second(1), second(12), False), second(2))


async def test_flat_out_goes_to_the_end_at_once(watched: Watched) -> None:
    clock = watched.connection.clock
    await clock.travel("+2s")
    await clock.set_speed(0)
    picture = await watched.connection.pictures.picture()
    await clock.toggle_pause()
    await watched.pass_ticks(1)

    assert (picture.run.speed, await watched.looked()) == (inf, (second(12), None, False))


async def test_faster_and_slower_go_through_the_speeds(watched: Watched) -> None:
    clock = watched.connection.clock
    speeds = []
    for direction in (1, -1, -1):
        await clock.change_speed(direction)
        speeds.append((await watched.connection.pictures.picture()).run.speed)

    assert speeds == [30.0, 10.0, 5.0]


async def test_keys_that_cannot_act_say_why(watched: Watched) -> None:
    clock = watched.connection.clock
    watched.posted.clear()
    await clock.toggle_pause()
    await clock.step("second")

    assert watched.notices == [END, END]
    assert (await clock.branch()).refusal == NO_BRANCH


async def test_the_picture_is_of_the_instant_looked_at(watched: Watched) -> None:
    view = watched.connection.pictures
    await watched.connection.clock.travel("+1s")
    picture = await view.picture()
    graphs, track = picture.graphs, picture.run.track

    assert graphs is not None
    assert track is not None
    assert {event.time_ms for event in picture.events} == {second(0), second(1)}
    assert (graphs.reading[2], track.first_ms, picture.run.present_ms) == (1024, second(0), second(12))
    assert view.snapshot_at() is view.snapshot_at()
    assert view.snapshot_at(second(3)).header.time_ms == second(3)
    assert (await view.definition("queue", "root"), await view.plans()) == (None, ())
    await view.drawn(0.0)


@pytest.mark.parametrize(
    ("lines", "kinds", "before"), [(LOG[:-1], ["frozen", "alarm"], ["frozen", "alarm"]), (LOG, [], ["alarm"])]
)
async def test_an_alert_that_stands_at_the_end_is_told_there(
    lines: tuple[str, ...], kinds: list[str], before: list[str]
) -> None:
    connection = SeriesConnection(series(*lines))
    end = await connection.pictures.picture()
    await connection.clock.travel("+9s")
    past = await connection.pictures.picture()

    assert [alert.kind for alert in standing(end)] == kinds
    assert (past.run.standing, [alert.kind for alert in standing(past)]) == ((), before)


async def test_nothing_plays_after_the_end_of_a_session(watched: Watched) -> None:
    clock = watched.connection.clock
    await clock.travel("+2s")
    await clock.toggle_pause()
    drawn = len(watched.posted)
    await watched.pass_ticks(2)
    assert watched.posted[drawn:] == [SessionChanged()] * 2
    await watched.connection.pictures.close()
    assert (await watched.looked())[2] is False
    watched.posted.clear()
    await watched.pass_ticks(2)
    await clock.travel("+3s")

    assert watched.posted == []
