"""How far a simulation may look ahead, and what standing within an instant means for a timeline."""

import pytest

from engine.control_plane.protocol import Answer, ApplicationMasterHeartbeat, Event
from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import ApplicationTransitioned
from engine.simulation.build import build_simulation
from engine.simulation.events import END_OF_INSTANT
from engine.simulation.realtime import Pace, StepTarget
from engine.simulation.record_log import NumberedRecord, RecordLog
from engine.simulation.records import Draining, EventRefused, Record
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import Timeline
from tests.engine.simulation.scenes import BUSY, SPARK, Log, played, scenario


def positions(simulation: Simulation, until_ms: int) -> list[tuple[int, ...]]:
    """The events up to an instant, one after another."""
    found, more = [], True
    while more:
        more = simulation.run_events(1, until_ms)
        found.append(simulation.world.clock.position)
    return found


def test_nothing_is_skipped_beyond_the_last_instant_asked_for() -> None:
    """Each way to run says how far that is."""
    simulation, _ = played(scenario(SPARK), 10)
    world, now_ms = simulation.world, simulation.now_ms
    simulation.run_until(now_ms + 500)
    assert world.horizon_ms == now_ms + 500
    simulation.run_before(now_ms + 900)
    assert world.horizon_ms == now_ms + 899
    simulation.run_events(1, now_ms + 2_000)
    assert world.horizon_ms == now_ms + 2_000
    simulation.run_to((now_ms + 3_000, 4, 1))
    assert world.horizon_ms == now_ms + 3_000


@pytest.mark.parametrize("ended", [True, False])
def test_time_passes_to_the_edge_asked_for(ended: bool) -> None:
    """After the events of the instant, or before them."""
    one, _ = played(scenario(SPARK), 5)
    due = one.next_event_ms()
    assert due is not None
    if ended:
        one.run_until(due)
        assert one.world.clock.position == (due, END_OF_INSTANT)
        assert one.next_event_ms() != due
    else:
        one.run_before(due)
        assert (one.world.clock.position, one.next_event_ms()) == ((due, -1), due)
    assert one.now_ms == due


def test_a_position_is_reached_event_by_event() -> None:
    """Also one that is no event of this run, and the same one again; an earlier one changes nothing."""
    scene = scenario(SPARK)
    stepped, one = build_simulation(scene), build_simulation(scene)
    all_of_them = positions(stepped, scene.start_ms + 12_000)
    assert len(all_of_them) > 10
    for place in (3, 3, 8, 4):
        one.run_to(all_of_them[place])
        assert one.world.clock.position == max(all_of_them[place], all_of_them[8] if place == 4 else (0,))
    between = (*all_of_them[9][:3],)
    one.run_to(between)
    assert one.world.clock.position[:3] == between


@pytest.mark.parametrize("most", [1, 2, 5])
def test_so_many_events_happen_and_no_more(most: int) -> None:
    """Time stands at the last; whether more are due is told."""
    scene = scenario(SPARK)
    stepped, one = build_simulation(scene), build_simulation(scene)
    found = positions(stepped, scene.start_ms + 8_000)
    assert one.run_events(most, scene.start_ms + 8_000) is True
    assert one.world.clock.position == found[most - 1]
    assert one.run_events(len(found) - most, scene.start_ms + 8_000) is False
    assert one.world.clock.position == found[-1]


def test_the_present_is_where_the_run_stands_also_within_an_instant() -> None:
    """Events of this instant that are still to come have not happened in what is found."""
    scene = scenario(BUSY, count=6)
    timeline = Timeline(build_simulation(scene))
    timeline.play(scene.start_ms + 20_000)
    live = timeline.live
    while live.next_event_ms() != live.now_ms:
        live.run_events(1, scene.start_ms + 60_000)
    found = timeline.at(live.now_ms)
    assert found.stands_at() == live.stands_at()
    assert timeline.at(live.now_ms + 1).stands_at() == live.stands_at()
    before = timeline.at(live.now_ms - 1)
    assert (before.now_ms, before.world.clock.position[1]) == (live.now_ms - 1, END_OF_INSTANT)


def test_an_earlier_instant_is_found_at_its_end() -> None:
    """Whether a copy stood before it, within it or at its very end; and the first is the earliest there is."""
    scene = scenario(BUSY, count=6)
    straight = build_simulation(scene)
    timeline = Timeline(build_simulation(scene), spacing_s=0.0)
    timeline.play(scene.start_ms + 30_000)
    for second in (0, 1, 5, 17, 29):
        straight.run_until(scene.start_ms + second * 1000)
        found = timeline.at(scene.start_ms + second * 1000)
        assert found.stands_at() == straight.stands_at()
        assert found.listeners == []
    assert timeline.at(0).now_ms == timeline.first_ms == scene.start_ms


def test_a_log_begins_after_the_present_instant() -> None:
    """What is told later of the same instant counts, but is not kept; the next one is kept with its number."""
    simulation, _ = played(scenario(SPARK), 3)
    log, before = RecordLog(), simulation.world.delivered
    log.begin(simulation)
    now_ms, told = simulation.now_ms, Draining("n1")
    records: list[Record] = [told, told]
    log.records(now_ms, records)
    log.records(now_ms + 1, records)
    log.records(now_ms + 5, [told])
    assert (log.begin_ms, simulation.listeners[-1]) == (now_ms, log)
    assert log.rows == [
        NumberedRecord(before + 2, now_ms + 1, told),
        NumberedRecord(before + 3, now_ms + 1, told),
        NumberedRecord(before + 4, now_ms + 5, told),
    ]
    assert hash(log.rows[0]) == hash(before + 2)


def test_a_pace_that_gets_another_simulation_forgets_its_step() -> None:
    """It stands until it is told to go on."""
    scene = scenario(SPARK)
    pace = Pace(build_simulation(scene), paused=True, clock=lambda: 0.0)
    pace.step(StepTarget.DECISION)
    assert pace.is_stepping
    other = build_simulation(scene)
    pace.simulation = other
    assert (pace.is_stepping, pace.simulation) == (False, other)


class Refusing(ResourceManager):
    """A ResourceManager that refuses every call with an ask."""

    detail: str

    def handle(self, event: Event, now_ms: int) -> Answer:
        """Refuse, or do as ever."""
        if isinstance(event, ApplicationMasterHeartbeat) and event.asks:
            return Answer(rejected="InvalidAsk", detail=self.detail)
        return super().handle(event, now_ms)


@pytest.mark.parametrize(("detail", "said"), [("too large", "too large"), ("", "InvalidAsk")])
def test_an_application_fails_for_the_reason_its_ask_is_refused_for(detail: str, said: str) -> None:
    """The detail where there is one, else the kind of the refusal."""
    scene, log = scenario(SPARK), Log()
    manager = Refusing({}, None, scheduler="fair-2.7", cluster_timestamp=1, now_ms=scene.start_ms)
    manager.detail = detail
    simulation = build_simulation(scene, [log], control_plane=manager)
    simulation.run_until(scene.start_ms + 60_000)
    last = log.of(ApplicationTransitioned)[-1]
    assert (last.state, last.detail) == ("FAILED", said)
    assert log.of(EventRefused) == [EventRefused("ApplicationMasterHeartbeat", "InvalidAsk", detail, 1)]
    assert simulation.world.masters == {}
