"""The session with a fake run and a fake wall clock; nothing sleeps."""

import asyncio
from datetime import datetime
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from engine.control_plane.protocol import Answer
from engine.errors import InvariantError
from engine.model.decision import Reserved
from engine.simulation.actions import DrainNode, KillApplication, SetPreemption, SetReservationRule, SubmitApplication
from engine.simulation.faults import ReturnNode
from engine.simulation.records import Draining
from tests.tui import fakes
from tui import crash
from tui.session import FLAT_OUT_REST_S, REST_S, SLICE_S, Session
from tui.tape import KEPT, EventTape


class Wall:
    """A wall clock that only moves when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """What it says."""
        return self.now


class FakeSimulation:
    """Has an event every 250 ms and takes every action, unless told to refuse."""

    def __init__(self) -> None:
        self.run: FakeRun | None = None
        self.acts: list[object] = []
        self.answer = Answer()
        self.world = SimpleNamespace(nodes=[])

    def next_event_ms(self) -> int | None:
        """The next multiple of 250 ms."""
        assert self.run is not None
        return fakes.NOW + (self.run.now_ms // 250 + 1) * 250

    def act(self, action: object) -> Answer:
        """Remember it."""
        self.acts.append(action)
        return self.answer


class FakeRun:
    """Plays nothing, but takes wall time for every simulated second."""

    def __init__(self, wall: Wall, tape: EventTape, cost_s: float = 0.0) -> None:
        self.wall, self.tape, self.cost_s = wall, tape, cost_s
        start = datetime.fromisoformat("2017-11-11T09:01:00+08:00")
        self.scenario = SimpleNamespace(name="fake", title="", seed=4, start=start, start_ms=fakes.NOW)
        self.until_ms = 3_600_000
        self.now_ms = 0
        self.simulation = FakeSimulation()
        self.simulation.run = self
        self.reserves_at: int | None = None
        self.error: Exception | None = None

    @property
    def ended(self) -> bool:
        """Whether it is at its end."""
        return self.now_ms >= self.until_ms

    def advance(self, to_ms: int) -> None:
        """Let time pass, and the wall's with it."""
        if self.error is not None:
            raise self.error
        to_ms = min(to_ms, self.until_ms)
        self.wall.now += self.cost_s * (to_ms - self.now_ms) / 1000
        if self.reserves_at is not None and self.now_ms < self.reserves_at <= to_ms:
            self.tape.records(fakes.NOW + self.reserves_at, [Reserved((1, 1, 1), "n1:1", 0, 1024, 1)])
        self.now_ms = to_ms

    def snapshot(self) -> fakes.FakeSnapshot:
        """The frozen cluster."""
        return fakes.frozen_cluster()


def _session(cost_s: float = 0.0, **options: Any) -> tuple[Session, FakeRun, Wall]:
    wall, tape = Wall(), EventTape()
    run = FakeRun(wall, tape, cost_s)
    return Session(cast("Any", run), tape, wall=wall, **options), run, wall


def test_a_slice_plays_wall_time_at_the_chosen_speed() -> None:
    """A tenth of a second at 60 is six seconds of the cluster."""
    session, run, _ = _session(speed=60.0)
    session.slice(0.1)

    assert run.now_ms == 6000


def test_slow_speeds_lose_no_milliseconds() -> None:
    """A tenth of real time, ten slices of 15 ms: the fractions add up."""
    session, run, _ = _session(speed=0.1)
    for _ in range(10):
        session.slice(0.015)

    assert run.now_ms == 15


def test_a_slice_ends_when_its_time_is_up() -> None:
    """An engine that is slower than its speed gives the loop back after one slice."""
    session, _, wall = _session(cost_s=0.002, speed=3600.0)
    begun = wall.now
    session.slice(0.1)

    assert SLICE_S <= wall.now - begun < 3 * SLICE_S


def test_lag_is_forgotten() -> None:
    """After a long stretch of lag the engine is not raced to catch up."""
    session, run, _ = _session(cost_s=0.01, speed=600.0)
    for _ in range(50):
        session.slice(0.1)
    run.cost_s = 0.0
    before = run.now_ms
    session.slice(0.01)

    assert run.now_ms - before <= 600 * 260


def test_flat_out_plays_to_the_end() -> None:
    """Speed 0 goes as far as the slices reach, and says so at the end."""
    session, run, _ = _session(speed=0.0)
    session.slice(0.0)

    assert (run.now_ms, session.state.ended, session.stands()) == (3_600_000, True, True)


def test_paused_and_held_stand() -> None:
    """Nothing moves while paused or while a dialog is open, however many are."""
    session, run, _ = _session(speed=10.0)
    session.hold(held=True)
    session.slice(1.0)
    session.hold(held=False)
    session.toggle_pause()
    session.slice(1.0)
    stood = run.now_ms
    session.toggle_pause()
    session.slice(0.1)

    assert (stood, run.now_ms) == (0, 1000)


def test_a_hold_does_not_unpause() -> None:
    """A dialog opened on a standing clock leaves it standing."""
    session, _, _ = _session(paused=True)
    session.hold(held=True)
    session.hold(held=False)

    assert (session.stands(), session.state.paused) == (True, True)


@pytest.mark.parametrize(("unit", "reached"), [("second", 1000), ("event", 250)])
def test_a_step_goes_so_far_and_stands(unit: str, reached: int) -> None:
    """A second ends on a full second; an event is the next instant at which one is due."""
    session, run, _ = _session()
    session.step(unit)

    assert (run.now_ms, session.stands()) == (reached, True)


def test_a_step_to_the_next_decision_runs_until_there_is_one() -> None:
    """It runs over instants without a decision, also over several slices, and stands after the first with one."""
    session, run, _ = _session(cost_s=0.01, paused=True)
    run.reserves_at = 3000
    session.step("decision")
    slices = 0
    while not session.stands() and slices < 100:
        session.slice(0.0)
        slices += 1

    assert (run.now_ms, session.state.paused, slices > 1) == (3000, True, True)


def test_pause_ends_the_search_for_a_decision() -> None:
    """Nothing to decide any more: p gives the clock back."""
    session, run, _ = _session(cost_s=0.01, paused=True)
    session.step("decision")
    session.slice(0.0)
    session.toggle_pause()
    session.toggle_pause()
    before = run.now_ms
    session.slice(1.0)

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

    assert (seen, session.state.speed) == ([3600.0, 0.0, 0.0, 3600.0, 1800.0], 0.1)


def test_acts_name_ids() -> None:
    """Each act becomes one action of the simulation."""
    session, run, _ = _session()
    answers = [
        session.kill(fakes.BIG),
        session.set_preemption(on=True),
        session.set_reservation_rule("off"),
        session.set_node_service("n1:1", in_service=False),
        session.set_node_service("n1:1", in_service=True),
    ]

    assert (answers, run.simulation.acts) == (
        ["", "", "", "", ""],
        [
            KillApplication(183354),
            SetPreemption(True),
            SetReservationRule("off"),
            DrainNode("n1:1"),
            ReturnNode("n1:1"),
        ],
    )


def test_an_application_that_is_gone_is_not_killed() -> None:
    """An id nobody has any more is refused in words."""
    session, run, _ = _session()

    assert (session.kill("application_1_9999"), run.simulation.acts) == (
        "application_1_9999 is not there any more",
        [],
    )


def test_a_refusal_is_told_in_words() -> None:
    """What the control plane answers comes back."""
    session, run, _ = _session()
    run.simulation.answer = Answer(rejected="ApplicationNotFoundException", detail="there is no application 7")

    assert session.set_preemption(on=True) == "there is no application 7"


FORM = {
    "name": "by-hand",
    "user": "eve",
    "queue": "",
    "containers": "4",
    "memory": "2g",
    "vcores": "1",
    "duration": "2m",
    "master": "1g",
}


def test_a_form_becomes_a_scripted_application() -> None:
    """Sizes and durations are read in the units people write."""
    session, run, _ = _session()
    problems = session.submit(FORM)
    action = run.simulation.acts[0]
    assert isinstance(action, SubmitApplication)
    spec = action.spec()

    assert (problems, spec.user, spec.queue, spec.type) == ([], "eve", None, "scripted")
    assert spec.model_dump()["asks"][0] | {"hosts": (), "racks": ()} == {
        "at_ms": 0, "priority": 1, "memory_mb": 2048, "vcores": 1, "count": 4, "hosts": (), "racks": (),
        "relax": True, "each_node": False, "duration_ms": (120_000, 120_000),
    }  # fmt: skip


def test_an_unmanaged_application_without_an_end() -> None:
    """No master, no duration, no container: all of it can be said."""
    session, run, _ = _session()
    session.submit({**FORM, "master": "unmanaged", "duration": ""})
    session.submit({**FORM, "containers": "0"})
    managed, empty = [cast("SubmitApplication", action).spec().model_dump() for action in run.simulation.acts]

    assert (managed["am"], managed["asks"][0]["duration_ms"], empty["asks"]) == (None, None, ())


def test_every_mistake_of_a_form_is_named_at_once() -> None:
    """Nothing is submitted, and nothing is left for the second try."""
    session, run, _ = _session()
    problems = session.submit({**FORM, "user": "", "containers": "four", "memory": "2q", "vcores": "", "duration": "x"})

    assert ([problem.partition(":")[0] for problem in problems], run.simulation.acts) == (
        ["containers", "memory", "vcores", "duration", "user"],
        [],
    )


def test_too_many_containers_are_a_slip() -> None:
    """A number nobody means is refused before the engine sees it."""
    session, _, _ = _session()

    assert session.submit({**FORM, "containers": "9999999"}) == ["containers: 9999999 is more than 100000"]


def test_an_engine_that_breaks_its_rule_stops_the_clock_in_words() -> None:
    """The failure is in the state, nothing is raised, and the clock stands."""
    session, run, _ = _session(speed=10.0)
    run.error = InvariantError("node n1 has\nless than nothing")
    session.slice(0.1)

    assert (session.state.failure, session.stands()) == ("node n1 has less than nothing", True)


def test_any_other_error_goes_to_a_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of our own: one sentence, the details in a file."""
    monkeypatch.setattr(crash, "folder", lambda: tmp_path)
    session, run, _ = _session(speed=10.0)
    run.error = ZeroDivisionError("oops")
    session.slice(0.1)

    assert "ZeroDivisionError: oops" in session.state.failure
    assert "Traceback" in (tmp_path / "crash.txt").read_text(encoding="utf-8")


def test_a_draining_node_is_shown_as_such() -> None:
    """The engine's picture does not know that a node drains; the operator's does."""
    session, run, _ = _session()
    run.tape.records(fakes.NOW, [Draining(fakes.node_id(fakes.HOSTS[1]))])
    run.simulation.world.nodes.append(SimpleNamespace(id=fakes.node_id(fakes.HOSTS[1]), draining=True))
    snapshot = session.picture().snapshot

    assert [row.state for row in snapshot.nodes()][:3] == ["RUNNING", "DECOMMISSIONING", "RUNNING"]
    assert snapshot.version("nodes") != fakes.frozen_cluster().version("nodes")
    assert [len(rows) for rows in (snapshot.queues(), snapshot.applications(), snapshot.reservations())] == [4, 16, 12]


def test_the_tape_keeps_the_latest_events() -> None:
    """Old events go, numbers go on counting."""
    tape = EventTape()
    record = Draining("n1:1")
    for i in range(3 * KEPT):
        tape.records(i, [record])

    assert (tape.count, tape.rows[-1].sequence, KEPT <= len(tape.rows) <= 2 * KEPT) == (3 * KEPT, 3 * KEPT - 1, True)


async def test_pictures_are_posted_when_something_changed_and_at_most_ten_a_second() -> None:
    """A hundred slices of 6 ms are seven pictures; a standing clock posts none."""
    session, _, wall = _session(speed=1.0)
    posted: list[object] = []
    session.start(posted.append)
    posted.clear()
    for _ in range(100):
        wall.now += 0.006
        session.slice(0.006)
    running = len(posted)
    session.toggle_pause()
    posted.clear()
    for _ in range(100):
        wall.now += 0.006
        session.slice(0.006)
    await session.close()

    assert (5 <= running <= 7, posted) == (True, [])


async def test_the_loop_rests_between_slices_and_waits_while_standing() -> None:
    """Running it sleeps a little after each slice; paused it does not come back at all."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            session.toggle_pause()
        await asyncio.sleep(0)

    session, run, _ = _session(speed=1.0, sleep=sleep)
    session.start(lambda message: None)
    for _ in range(20):
        await asyncio.sleep(0)
    stood = len(slept)
    session.change_speed(1)
    session.toggle_pause()
    run.until_ms = 0
    for _ in range(20):
        await asyncio.sleep(0)
    await session.close()

    assert (stood, slept[:3], {REST_S, FLAT_OUT_REST_S} >= set(slept)) == (3, [REST_S] * 3, True)


def test_the_state_knows_the_place_of_the_scenario() -> None:
    """Times of day are shown as people at the cluster saw them."""
    session, _, _ = _session()

    assert msgspec.structs.asdict(session.state) == {
        "name": "fake", "title": "", "seed": 4, "speed": 10.0, "paused": False, "ended": False,
        "end_ms": fakes.NOW + 3_600_000, "offset_ms": 28_800_000, "failure": "",
    }  # fmt: skip
