"""The session on a small real run, with a wall clock that is moved by hand; nothing sleeps."""

import asyncio
from math import inf
from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError, InvariantError
from engine.formats.scenario_toml import loads
from engine.run.player import Run
from engine.scenario import Scenario
from tui import crash
from tui.driving import LEAST_REST_S
from tui.opening import open_session
from tui.session import Session
from tui.tape import EventTape

SMALL = """
name = "small"
start = 2017-11-11T08:30:00+08:00
duration = "10m"
seed = 4

[cluster]
groups = [{ count = 2, prefix = "n", memory_mb = 4096, vcores = 4 }]

[[workload]]
type = "scripted"
name = "holder"
user = "eve"
number = 7
at = "5s"
asks = [{ memory_mb = 1024, count = 2 }]

[[script]]
at = "30s"
do = "kill"
application = "holder"
"""


class Wall:
    """A wall clock that only moves when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """What it says."""
        return self.now


def _scenario() -> Scenario:
    return loads(SMALL, "small.toml")


def _session(**options: Any) -> tuple[Session, Run, Wall]:
    wall, tape = Wall(), EventTape()
    run = Run(_scenario(), [tape])
    return Session(run, tape, wall=wall, **options), run, wall


def _play(session: Session, wall: Wall, seconds: float) -> None:
    """Let wall time pass in slices of 1/64 s."""
    for _ in range(round(seconds * 64)):
        wall.now += 1 / 64
        session.slice()


def test_time_passes_at_the_chosen_speed() -> None:
    """A quarter of a second at 60 is fifteen seconds of the cluster."""
    session, run, wall = _session(speed=60.0)
    _play(session, wall, 0.25)

    assert run.now_ms == 15_000


def test_flat_out_plays_to_the_end() -> None:
    """As fast as it goes, to the end, where the clock stands and says so."""
    session, run, _ = _session(speed=inf)
    for _ in range(1000):
        session.slice()

    assert (run.now_ms, session.state.ended, session.stands()) == (600_000, True, True)


def test_the_script_is_followed_at_its_instant() -> None:
    """The operator of the scenario kills the application at 30 s, also while somebody watches."""
    session, run, wall = _session(speed=10.0)
    _play(session, wall, 2.9)
    before = run.snapshot().applications()[0].state
    _play(session, wall, 0.3)
    row = run.snapshot().applications()[0]

    assert (before, row.state, row.finished_ms) == ("RUNNING", "KILLED", run.scenario.start_ms + 30_000)


async def test_after_the_end_the_keys_of_the_clock_say_so() -> None:
    """Neither p nor t does anything any more, and the user is told why."""
    session, _, _ = _session(speed=inf)
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
    session, run, wall = _session(speed=10.0)
    session.hold(held=True)
    _play(session, wall, 1.0)
    session.hold(held=False)
    session.toggle_pause()
    _play(session, wall, 1.0)
    stood = run.now_ms
    session.toggle_pause()
    _play(session, wall, 0.125)

    assert (stood, run.now_ms) == (0, 1250)


def test_a_hold_does_not_unpause() -> None:
    """A dialog opened on a standing clock leaves it standing."""
    session, _, _ = _session(paused=True)
    session.hold(held=True)
    session.hold(held=False)

    assert (session.stands(), session.state.paused) == (True, True)


def test_a_step_of_a_second_ends_on_a_full_second() -> None:
    """And stands there."""
    session, run, wall = _session(speed=10.0)
    wall.now += 0.05
    session.slice()
    session.step("second")

    assert (run.now_ms, session.stands()) == (1000, True)


def test_a_step_of_an_event_lets_one_happen() -> None:
    """Each step goes to the next event, never past one."""
    session, run, _ = _session()
    seen = []
    for _ in range(3):
        due = run.simulation.next_event_ms()
        session.step("event")
        seen.append(run.simulation.now_ms == due)

    assert (seen, session.stands()) == ([True, True, True], True)


def test_a_step_of_an_event_follows_the_script() -> None:
    """Where the script's step is next, it is the event."""
    session, run, _ = _session()
    run.advance(29_999)
    for _ in range(20):
        if run.now_ms < 30_000:
            session.step("event")

    assert run.snapshot().applications()[0].state == "KILLED"


def test_a_step_to_the_next_decision_stands_after_it() -> None:
    """It passes five silent seconds and stands where the application is accepted."""
    session, run, _ = _session(paused=True)
    run.advance(1000)
    session.step("decision")
    for _ in range(1000):
        session.slice()

    assert (run.now_ms, session.stands(), session.state.paused) == (5000, True, True)


def test_a_search_for_a_decision_goes_over_the_script_to_the_end() -> None:
    """When nothing is decided any more it ends at the end."""
    session, run, _ = _session(paused=True)
    run.advance(31_000)
    session.step("decision")
    for _ in range(1000):
        session.slice()

    assert (run.now_ms, session.state.ended) == (600_000, True)


def test_pause_ends_the_search_for_a_decision() -> None:
    """The key gives the clock back, standing."""
    session, run, wall = _session(paused=True)
    session.step("decision")
    session.toggle_pause()
    before = run.now_ms
    _play(session, wall, 1.0)

    assert (session.stands(), run.now_ms) == (True, before)


def test_speeds_go_up_to_flat_out_and_down_again() -> None:
    """The fastest is as fast as it goes; neither end can be left."""
    session, _, _ = _session(speed=1800.0)
    seen = []
    for direction in (1, 1, 1, -1, -1):
        session.change_speed(direction)
        seen.append(session.state.speed)
    for _ in range(30):
        session.change_speed(-1)

    assert (seen, session.state.speed) == ([3600.0, inf, inf, 3600.0, 1800.0], 0.1)


def _row(run: Run, name: str) -> Any:
    return next(row for row in run.snapshot().applications() if row.name == name)


def test_kill_means_the_id() -> None:
    """The application with this id is killed, and gone for the next kill."""
    session, run, _ = _session()
    run.advance(10_000)
    killed = _row(run, "holder").id
    answers = [session.kill(killed), session.kill("application_1_9999")]

    assert (answers, _row(run, "holder").state) == (["", "application_1_9999 is not there any more"], "KILLED")


def test_switches_change_what_the_header_shows() -> None:
    """Preemption and the reservation rule are changed on the running cluster."""
    session, run, _ = _session()
    before = run.snapshot().header
    answers = [session.set_preemption(on=True), session.set_reservation_rule("limited")]
    after = run.snapshot().header

    assert (answers, before.preemption, before.reservation_rule) == (["", ""], False, "strict")
    assert (after.preemption, after.reservation_rule) == (True, "limited")


def test_a_drained_node_is_shown_as_such_until_it_is_back() -> None:
    """The control plane does not know that a node drains; the operator's picture does."""
    session, run, _ = _session()
    run.advance(10_000)
    node = next(row for row in run.snapshot().nodes() if row.containers).id
    seen = [session.set_node_service(node, in_service=False)]
    version = session.picture().snapshot.version("nodes")
    states = {row.id: row.state for row in session.picture().snapshot.nodes()}
    seen.append(session.set_node_service(node, in_service=True))
    after = {row.state for row in session.picture().snapshot.nodes()}

    assert (seen, states[node], after) == (["", ""], "DECOMMISSIONING", {"RUNNING"})
    assert version != session.picture().snapshot.version("nodes")


def test_the_rest_of_a_draining_picture_is_the_engines_own() -> None:
    """Only the nodes' states differ."""
    session, run, _ = _session()
    run.advance(10_000)
    session.set_node_service(run.snapshot().nodes()[0].id, in_service=False)
    ours, own = session.picture().snapshot, run.snapshot()

    assert (ours.queues(), ours.applications(), ours.reservations()) == (
        own.queues(),
        own.applications(),
        own.reservations(),
    )


def test_a_refusal_is_told_in_words() -> None:
    """A node nobody knows is refused, and nothing happens."""
    session, _, _ = _session()

    assert "there is no node nowhere:1" in session.set_node_service("nowhere:1", in_service=False)


def _broken(run: Run, error: Exception) -> None:
    """The next event raises."""

    def records(time_ms: int, records: object) -> None:
        raise error

    class Breaker:
        """A listener that breaks."""

        records: Any

    breaker = Breaker()
    breaker.records = records
    run.simulation.listeners.append(breaker)


def test_an_engine_that_breaks_its_rule_stops_the_clock_in_words() -> None:
    """The failure is in the state, nothing is raised, and the clock stands."""
    session, run, _ = _session(speed=inf)
    _broken(run, InvariantError("node n1 has\nless than nothing"))
    session.slice()

    assert (session.state.failure, session.stands()) == ("node n1 has less than nothing", True)


def test_any_other_error_goes_to_a_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of our own: one sentence, the details in a file."""
    monkeypatch.setattr(crash, "folder", lambda: tmp_path)
    session, run, _ = _session(speed=inf)
    _broken(run, ZeroDivisionError("oops"))
    session.slice()

    assert "ZeroDivisionError: oops" in session.state.failure
    assert "Traceback" in (tmp_path / "crash.txt").read_text(encoding="utf-8")


async def test_pictures_are_posted_at_most_five_times_a_second() -> None:
    """Two hundred slices in 1.2 seconds are six pictures at most; a standing clock posts none."""
    session, _, wall = _session(speed=1.0)
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


async def test_dear_pictures_become_rarer() -> None:
    """A picture that takes 50 ms is drawn every 400."""
    session, _, wall = _session(speed=1.0)
    posted: list[object] = []
    session.start(posted.append)
    session.drawn(0.05)
    posted.clear()
    for _ in range(100):
        wall.now += 0.01
        session.slice()
    await session.close()

    assert len(posted) == 2


async def test_the_loop_rests_between_slices_and_waits_while_standing() -> None:
    """Running it sleeps a little after each slice; paused it does not come back at all."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            session.toggle_pause()
        await asyncio.sleep(0)

    session, _, _ = _session(speed=1.0, sleep=sleep)
    session.start(lambda message: None)
    for _ in range(20):
        await asyncio.sleep(0)
    stood = len(slept)
    session.toggle_pause()
    for _ in range(20):
        await asyncio.sleep(0)
    await session.close()

    assert (stood, len(slept) > stood, min(slept) >= LEAST_REST_S) == (3, True, True)


def test_the_state_knows_the_place_of_the_scenario() -> None:
    """Times of day are shown as people at the cluster saw them."""
    session, run, _ = _session()

    assert msgspec.structs.asdict(session.state) == {
        "name": "small", "title": "", "seed": 4, "speed": 10.0, "paused": False, "ended": False,
        "end_ms": run.scenario.start_ms + 600_000, "offset_ms": 28_800_000, "present_ms": None,
        "track": None, "alert": "", "alerts": (), "failure": "",
    }  # fmt: skip


def test_a_session_opens_at_a_time(tmp_path: Any) -> None:
    """What came before that time has been played."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    session = open_session(str(path), at="08:30:20", overrides=["seed=5"])
    picture = session.picture()

    assert (picture.snapshot.header.applications_running, picture.run.seed, bool(picture.events)) == (1, 5, True)


@pytest.mark.parametrize(("at", "words"), [("soon", "soon"), ("+2h", "lasts"), ("-5m", "not within")])
def test_a_time_that_cannot_be_opened_is_refused(at: str, words: str, tmp_path: Any) -> None:
    """Not a time, after the end, before the start."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")

    with pytest.raises(ConfigError, match=words):
        open_session(str(path), at=at)
