"""How much queues should have, and what a tick of preemption makes of it."""

from collections.abc import Mapping

from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import Killed, Warned
from tests.build import START_MS, ask, fetch, heartbeat, resource_manager, submit

CAPACITY = "yarn.scheduler.capacity."
MONITOR = "yarn.resourcemanager.monitor.capacity.preemption."
PREEMPTS = {
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
    f"{MONITOR}total_preemption_per_round": "1.0",
    f"{MONITOR}natural_termination_factor": "1.0",
    f"{MONITOR}max_wait_before_kill": "15000",
    f"{CAPACITY}root.queues": "a,b",
    f"{CAPACITY}root.a.capacity": "50",
    f"{CAPACITY}root.b.capacity": "50",
    f"{CAPACITY}root.a.user-limit-factor": "2",
    f"{CAPACITY}maximum-am-resource-percent": "1",
    f"{CAPACITY}per-node-heartbeat.maximum-offswitch-assignments": "100",
}


def _full_of_a(settings: Mapping[str, str] = PREEMPTS) -> tuple[ResourceManager, int]:
    """One node of eight containers, all of which queue a has, and an application of b that wants four."""
    rm = resource_manager("capacity-3.4", nodes=1, settings=settings)
    first, second = submit(rm, "a"), submit(rm, "b", user="bob")
    ask(rm, first, 8)
    heartbeat(rm)
    fetch(rm, first)
    ask(rm, second, 4)
    return rm, first


def _tick(rm: ResourceManager, after_ms: int) -> list[object]:
    return list(rm.run_pass("preempt", START_MS + after_ms).decisions)


def test_a_queue_below_its_guarantee_gets_it_from_the_one_above() -> None:
    """The four newest containers of the other queue are marked, at once and once."""
    rm, first = _full_of_a()

    warned = _tick(rm, 0)

    assert sorted(each.container[2] for each in warned if isinstance(each, Warned)) == [5, 6, 7, 8]
    assert _tick(rm, 3000) == []
    assert len(fetch(rm, first).to_be_preempted) == 4


def test_what_was_marked_is_ended_once_the_wait_is_over() -> None:
    rm, _ = _full_of_a()
    _tick(rm, 0)

    assert _tick(rm, 14_999) == []
    killed = [each for each in _tick(rm, 15_000) if isinstance(each, Killed)]

    assert sorted(each.container[2] for each in killed) == [5, 6, 7, 8]
    assert {each.cause for each in killed} == {"PREEMPTED"}


def test_a_round_takes_no_more_than_its_part_of_the_cluster() -> None:
    rm, _ = _full_of_a({**PREEMPTS, f"{MONITOR}total_preemption_per_round": "0.25"})

    assert len(_tick(rm, 0)) == 2


def test_nothing_happens_where_it_only_observes() -> None:
    rm, _ = _full_of_a({**PREEMPTS, f"{MONITOR}observe_only": "true"})

    assert _tick(rm, 0) == []


def test_a_queue_may_be_spared() -> None:
    rm, _ = _full_of_a({**PREEMPTS, f"{CAPACITY}root.a.disable_preemption": "true"})

    assert _tick(rm, 0) == []


def test_a_lazy_scheduler_ends_containers_only_for_somebody_who_takes_their_place() -> None:
    rm, _ = _full_of_a({**PREEMPTS, f"{CAPACITY}lazy-preemption-enabled": "true"})
    _tick(rm, 0)
    assert _tick(rm, 15_000) == []

    decisions = heartbeat(rm, now_ms=START_MS + 16_000).decisions

    assert sum(isinstance(each, Killed) for each in decisions) == 4
