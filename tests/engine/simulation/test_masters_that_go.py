"""Application masters that are refused, crash, leave or hang, and those that need no container."""

import pytest

from engine.model.decision import Allocated, ApplicationTransitioned, Completed
from engine.scenario import Scenario
from engine.scenario.acts import LoseMaster
from engine.simulation.records import AskChanged
from engine.simulation.world import MASTER_EXPIRES
from tests.engine.simulation.scenes import Log, played, scenario

TEXT = """
{settings}
[[workload]]
type = "scripted"
user = "ann"
name = "job"
queue = "default"
phase = 0.3
{more}
asks = [{{ memory = "1g", count = 2, duration = {duration} }}]
"""


def scene(more: str = "", duration: str = "20", settings: str = "", **cluster: object) -> Scenario:
    """One node, whose heartbeat comes at 0.7 s of each second, and one application, whose calls come at 0.3 s."""
    made = scenario(TEXT.format(more=more, duration=duration, settings=settings), count=1)
    (node,) = made.cluster.all_nodes()
    only = {"groups": (), "nodes": (node.model_copy(update={"phase_ms": 700}),), **cluster}
    return made.model_copy(update={"scheduler": "fifo", "cluster": made.cluster.model_copy(update=only)})


def states(one: Scenario, log: Log) -> list[tuple[int, str]]:
    return [(at - one.start_ms, each.state) for at, each in log.entries if isinstance(each, ApplicationTransitioned)]


def test_a_life_in_calls_and_heartbeats() -> None:
    """Given at a heartbeat, reported at the next, it registers at its own next call, and ends with one."""
    one = scene()
    simulation, log = played(one, 60)
    assert states(one, log) == [(0, "ACCEPTED"), (2_300, "RUNNING"), (25_300, "FINISHED")]
    assert [time_ms - one.start_ms for time_ms in log.at(Allocated)] == [700, 3_700, 3_700]
    assert [time_ms - one.start_ms for time_ms in log.at(AskChanged)] == [3_300]
    assert [time_ms - one.start_ms for time_ms in log.at(Completed)] == [24_700, 24_700]
    assert simulation.world.masters == {}


@pytest.mark.parametrize("managed", [True, False])
def test_a_crash_is_followed_by_another_attempt(managed: bool) -> None:
    """Whose number is one more; an unmanaged one is noticed when it is silent."""
    am = "" if managed else '\nam = "unmanaged"'
    quick = '[settings]\n"yarn.am.liveness-monitor.expiry-interval-ms" = "3000"'
    one = scene(f'ends_after = 3\noutcome = "CRASHED"\nmax_attempts = 2{am}', "100", quick)
    simulation, log = played(one, 4)
    assert simulation.world.masters[1].attempt == 1
    simulation.run_until(one.start_ms + 60_000)
    found = [state for _, state in states(one, log)]
    assert found[:4] == ["ACCEPTED", "RUNNING", "ACCEPTED", "RUNNING"] if managed else found[:2]
    assert {each.container[1] for each in log.of(Allocated)} == ({1, 2} if managed else {1})


def test_a_master_that_hangs_is_looked_for_every_third_of_its_time() -> None:
    """It expires at the first look after it has been silent for all of it, counted from its last call."""
    quick = '[settings]\n"yarn.am.liveness-monitor.expiry-interval-ms" = "9000"'
    one = scene(settings=quick, duration='"forever"')
    for second, expires_ms in ((10, 21_000), (11, 21_000), (12, 21_000), (13, 24_000)):
        simulation, log = played(one, second)
        simulation.act(LoseMaster("job", hangs=True))
        due = [event for event in simulation.world.clock.heap if event[3] == MASTER_EXPIRES]
        assert [(event[0] - one.start_ms, event[2], event[4]) for event in due] == [(expires_ms, 1, 1)]
        assert simulation.world.masters[1].silent_ms == one.start_ms + (second - 1) * 1000 + 300
        simulation.run_until(one.start_ms + expires_ms)
        assert states(one, log)[-1] == (expires_ms, "ACCEPTED")
