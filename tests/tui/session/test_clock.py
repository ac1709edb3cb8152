"""The keys of time on a small real run: pause, hold, steps, speeds."""

import asyncio
from math import inf
from typing import Any

import pytest

from engine.errors import InvariantError
from engine.formats.scenario_toml import load, loads
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.run import Run
from engine.run import Run as DrivingRun
from engine.simulation.records import Draining
from engine.units import parse_duration
from tests.engine.recorded.polls import ASSIGNED, RESERVED, STATE, second, series
from tests.tui.small_run import SMALL, ByHand, Wall, play, small_session
from tui.protocol.picture import Notice, SessionChanged
from tui.session.alert_monitor import KEPT, EventLog
from tui.session.series import END, TICK_S, SeriesConnection
from tui.session.time_travel import FIRST, PRESENT, ScriptPace


async def test_after_the_end_the_keys_of_the_clock_say_so() -> None:
    """Neither p nor t does anything any more, and the user is told why."""
    session, _, _ = small_session(speed=inf)
    posted: list[Any] = []
    session.start(posted.append)
    for _ in range(1000):
        session.slice()
    posted.clear()
    session.toggle_pause()
    session.step("second")
    await session.close()

    assert [message.words for message in posted] == ["The scenario ended at Sat 08:40:00."] * 2


def test_paused_and_held_stand() -> None:
    """Nothing moves while paused or while a dialog is open; then time goes on from there."""
    session, run, wall = small_session(speed=10.0)
    session.suspend(held=True)
    play(session, wall, 1.0)
    session.suspend(held=False)
    session.toggle_pause()
    play(session, wall, 1.0)
    stood = run.now_ms
    session.toggle_pause()
    play(session, wall, 0.125)

    assert (stood, run.now_ms) == (0, 1250)


def test_a_step_of_a_second_ends_on_a_full_second() -> None:
    session, run, wall = small_session(speed=10.0)
    wall.now += 0.05
    session.slice()
    session.step("second")

    assert (run.now_ms, session.is_clock_stopped()) == (1000, True)


def test_a_step_of_an_event_follows_the_script() -> None:
    session, run, _ = small_session()
    run.advance(29_999)
    for _ in range(20):
        if run.now_ms < 30_000:
            session.step("event")

    assert run.snapshot().applications()[0].state == "KILLED"


def test_a_step_to_the_next_decision_stands_after_it() -> None:
    session, run, _ = small_session(paused=True)
    run.advance(1000)
    session.step("decision")
    for _ in range(1000):
        session.slice()

    assert (run.now_ms, session.is_clock_stopped(), session.state.paused) == (5000, True, True)


@pytest.mark.parametrize(
    ("words", "reached_ms"),
    [
        ("play +10s", 11_000),
        ("play +30s", 31_000),  # over a step of the script
        ("play 08:30:20", 20_000),
        ("play", 600_000),
        ("play +9h", 600_000),
    ],
)
def test_it_plays_on_to_a_time_whatever_its_speed_and_stands(words: str, reached_ms: int) -> None:
    session, run, _ = small_session(speed=0.1)
    run.advance(1000)
    said = session.travel(words)
    for _ in range(2000):
        session.slice()

    assert (said, run.now_ms, session.state.paused, session.state.speed) == ("", reached_ms, True, 0.1)


@pytest.mark.parametrize("words", ["play 08:30", "play soon", "play +soon"])
def test_what_is_no_time_to_come_is_not_played_to(words: str) -> None:
    session, run, _ = small_session()
    run.advance(1000)

    assert session.travel(words)
    assert run.now_ms == 1000


def test_speeds_go_up_to_flat_out_and_down_again() -> None:
    session, _, _ = small_session(speed=1800.0)
    seen = []
    for direction in (1, 1, 1, -1, -1):
        session.change_speed(direction)
        seen.append(session.state.speed)
    for _ in range(30):
        session.change_speed(-1)

    assert (seen, session.state.speed) == ([3600.0, inf, inf, 3600.0, 1800.0], 0.1)


# What the keys of time do to the clock of a small real run, and what they say when they do nothing.


def listened(**options: Any) -> tuple[ByHand, Wall, list[Any]]:
    """A session at the tenth second, its wall clock, and what it posts."""
    session, run, wall = small_session(**options)
    run.advance(10_000)
    posted: list[Any] = []
    session.driver._post = posted.append
    return session, wall, posted


@pytest.mark.parametrize("end", ["toggle_pause", "step"])
def test_after_a_search_that_was_ended_time_passes_at_its_speed(end: str) -> None:
    """It does not go on to a decision, by whichever key the search was ended."""
    session, run, wall = small_session(speed=1.0)
    run.advance(1_000)
    session.step("decision")
    if end == "step":
        session.step("second")
    else:
        session.toggle_pause()
    begin_ms = run.now_ms
    session.toggle_pause()
    play(session, wall, 0.25)

    assert run.now_ms == begin_ms + 250


def test_a_branch_goes_from_the_past_only() -> None:
    """In the present it is refused and nothing is changed; from the past the run stands there, and pauses."""
    session, _, _ = listened()
    refused = (session.branch(), session.state.paused)
    session.travel("+5")
    assert session.branch() == ""

    assert refused == (PRESENT, False)
    assert (session.driver.run.now_ms, session.state.paused, session.driver.travel.simulation) == (5_000, True, None)
    assert session.driver.log.cuts == 1
    assert all(row.time_ms <= session.driver.run.simulation.now_ms for row in session.driver.log.latest)


# The keys of time on a recorded past: nothing is simulated, and no key is silent.

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
        self.connection = SeriesConnection(series(*LOG), lambda: self.now_s, self._sleep)
        self.posted: list[SessionChanged | Notice] = []
        self.now_s = 0.0
        self._may_pass = asyncio.Semaphore(0)

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


async def test_the_picture_is_of_the_instant_looked_at(watched: Watched) -> None:
    view = watched.connection.pictures
    await watched.connection.clock.travel("+1s")
    picture = await view.picture()
    graphs, track = picture.graphs, picture.run.track

    assert graphs is not None
    assert track is not None
    assert {event.time_ms for event in picture.events} == {second(0), second(1)}
    assert (graphs.reading[2], track.first_ms, picture.run.present_ms) == (1024, second(0), second(12))
    assert watched.connection.place.snapshot() is watched.connection.place.snapshot()
    assert (await view.definition("queue", "root"), await view.plans()) == (None, ())
    await view.drawn(0.0)


# The pace of a run through the steps of its script, one event or one second at a time.

SECOND = """
[[script]]
at = "50s"
do = "preemption"
on = true
"""


def paced(seconds: float = 0, *, speed: float = 1.0) -> tuple[ScriptPace, Run, Wall]:
    """A pace of the small run with a second step in its script."""
    log, wall = EventLog(), Wall()
    run = Run(loads(SMALL + SECOND, "small.toml"), [log])
    run.advance(round(seconds * 1000))
    return ScriptPace(run, log, speed=speed, paused=False, wall=wall), run, wall


def acts(run: Run) -> list[int]:
    return [position[0] - run.scenario.start_ms for position, _ in run.simulation.acts]


def test_single_events_come_one_by_one_and_a_step_of_the_script_among_them() -> None:
    pace, run, _ = paced(29.5)
    seen = []
    while run.now_ms < 30_000:
        due = run.simulation.next_event_ms()
        pace.step_event()
        seen.append((due is not None and due < run.scenario.start_ms + 30_000, run.simulation.now_ms == due))

    assert acts(run) == [30_000]
    assert all(is_event for is_before, is_event in seen if is_before)
    assert run.now_ms == 30_000


def test_a_search_stands_wherever_something_was_decided() -> None:
    """A container that ended by itself is no decision, and no reason to go on to the script's next step."""
    log, wall, stood = EventLog(), Wall(), set()
    run = Run(load("delay-scheduling"), [log])
    pace = ScriptPace(run, log, speed=1.0, paused=True, wall=wall)
    while not run.ended:
        pace.seek()
        while pace.is_seeking:
            pace.slice()
        stood.add(run.simulation.now_ms)

    assert {row.time_ms for row in log.latest if isinstance(row.record, Allocated | ApplicationTransitioned)} <= stood


def test_after_a_branch_the_steps_ahead_come_again() -> None:
    pace, run, _ = paced(60, speed=inf)
    other = Run(run.scenario)
    other.advance(40_000)
    run.branch(other.simulation, [])
    pace.anchor()
    for _ in range(1000):
        _ = pace.slice()

    assert (run.now_ms, acts(run)) == (600_000, [30_000, 50_000])


# The clock of a small real run is driven in slices, through its script, until it ends or breaks.


def test_time_passes_at_the_chosen_speed() -> None:
    session, run, wall = small_session(speed=60.0)
    play(session, wall, 0.25)

    assert run.now_ms == 15_000


def test_the_script_is_followed_at_its_instant() -> None:
    """The operator of the scenario kills the application at 30 s, also while somebody watches."""
    session, run, wall = small_session(speed=10.0)
    play(session, wall, 2.9)
    before = run.snapshot().applications()[0].state
    play(session, wall, 0.3)
    row = run.snapshot().applications()[0]

    assert (before, row.state, row.finished_ms) == ("RUNNING", "KILLED", run.scenario.start_ms + 30_000)


def _broken(run: DrivingRun, error: Exception) -> None:
    def records(time_ms: int, records: object) -> None:
        raise error

    class Breaker:
        """A listener that breaks."""

        on_records: Any

    breaker = Breaker()
    breaker.on_records = records
    run.simulation.listeners.append(breaker)


def test_an_engine_that_breaks_its_rule_stops_the_clock_in_words() -> None:
    session, run, _ = small_session(speed=inf)
    _broken(run, InvariantError("node n1 has\nless than nothing"))
    session.slice()

    assert (session.state.failure, session.is_clock_stopped()) == ("node n1 has less than nothing", True)


async def test_pictures_are_posted_at_most_five_times_a_second() -> None:
    """Two hundred slices in 1.2 seconds are six pictures at most; a standing clock posts none."""
    session, _, wall = small_session(speed=1.0)
    posted: list[object] = []
    session.start(posted.append)
    posted.clear()
    for _ in range(200):
        wall.now += 0.006
        session.slice()
    running = len(posted)
    session.toggle_pause()
    posted.clear()
    for _ in range(100):
        wall.now += 0.006
        session.slice()
    await session.close()

    assert (5 <= running <= 6, posted) == (True, [])


# The log of the latest events.


def test_the_log_keeps_the_latest_events() -> None:
    log = EventLog()
    record = Draining("n1:1")
    for i in range(2 * KEPT + 1):
        log.on_records(i, [record])

    assert [each.number for each in log.latest] == list(range(KEPT + 1, 2 * KEPT + 1))
    assert log.count == 2 * KEPT + 1


def test_what_came_after_a_cut_is_forgotten() -> None:
    """What came at that instant stays; the version differs even where the count does not."""
    log = EventLog()
    for time_ms in (1, 2, 2, 3):
        log.on_records(time_ms, [Draining("n1:1")])
    versions = [log.version]
    log.cut(2, 3)
    versions.append(log.version)
    log.on_records(4, [Draining("n1:1")])
    versions.append(log.version)

    assert [(each.number, each.time_ms) for each in log.latest] == [(0, 1), (1, 2), (2, 2), (3, 4)]
    assert len(set(versions)) == 3
