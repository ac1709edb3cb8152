"""What would make an application start: everything an operator can do, tried on copies, ranked by harm."""

import pytest

from engine.explain.remedy import Remedy, remedy_sentence
from engine.explain.remedy_candidates import candidates
from engine.explain.remedy_search import Remedies, RemedySearch
from engine.formats.scenario_toml import load
from engine.scenario import Scenario
from engine.scenario.acts import KillApplication
from engine.scenario.timed_acts import written_act
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, queue, scene

FULL = app("holder", '{ memory = "5g", duration = "50m" }') + app("late", '{ memory = "2g" }', at=5)
"""Two that want 5 and 2 GB."""


def found(scenario: Scenario, seconds: float, *numbers: int) -> Remedies:
    return RemedySearch(at(scenario, seconds), numbers).answer()


def helping(remedies: Remedies) -> list[str]:
    return [remedy_sentence(trial.remedy) for trial in remedies.ranked]


def by_sentence(simulation: Simulation, number: int) -> dict[str, Remedy]:
    """What is tried for an application, of settings with a value the largest, in words."""
    remedies = [family.make(family.highs) for family in candidates(simulation, [number])]
    return {remedy_sentence(remedy): remedy for remedy in remedies}


def test_to_kill_the_other_half_of_a_deadlock_helps_at_once() -> None:
    """What is freed and what work is lost is told; to kill the application itself is no remedy; nothing was changed."""
    simulation = at(scene(HALVES), 60, None)
    position = simulation.world.clock.position
    remedies = RemedySearch(simulation, (1,)).answer()
    kill = next(trial for trial in remedies.ranked if trial.remedy.act == KillApplication(2))

    assert 0 < kill.start_ms - simulation.now_ms <= 2000
    assert (kill.frees_mb, kill.frees_vcores, kill.lost_containers) == (6144, 1, 1)
    assert 55_000 < kill.lost_ms < 60_000
    assert kill.harm_s == kill.lost_ms // 1000
    assert all(trial.remedy.act != KillApplication(1) for trial in (*remedies.ranked, *remedies.useless))
    assert simulation.world.clock.position == position


def test_of_a_culprit_only_its_end_is_tried() -> None:
    """For all that never start: the other half starts, the culprit itself does not."""
    remedies = RemedySearch(at(scene(HALVES), 60, None), culprit=1).answer()

    assert helping(remedies) == ["kill application 1 (first)"]
    assert [number for number, _ in remedies.targets] == [1, 2]
    assert [each.application for each in remedies.ranked[0].starts] == [2]
    assert remedies.failed == 0


def test_what_can_be_done_now_comes_first() -> None:
    """A node that is enlarged or added costs nobody anything, a kill costs its work, but nobody on call has a node."""
    ranked = found(scene(HALVES), 60, 1).ranked

    assert [trial.remedy.kind for trial in ranked] == ["kill", "add-node", "resize"]
    assert [trial.remedy.group for trial in ranked] == ["now", "hardware", "hardware"]


def test_of_nodes_the_least_size_that_helps_is_told() -> None:
    remedies = found(scene(HALVES), 60, 1)

    assert "add a node of 6144 MB and 1 vcore" in helping(remedies)
    assert "enlarge n1 to 12288 MB and 16 vcores" in helping(remedies)


@pytest.mark.long
def test_a_limit_is_raised_to_the_least_value_that_helps() -> None:
    """In 2.7.2 a queue is closed while it is above its maximum, however large the next container is."""
    remedies = found(scene(queue("a", 'max_resources = "4096 mb, 9 vcores"') + FULL), 30, 2)

    assert "set maxResources of root.a to 5120 mb, 9 vcores" in helping(remedies)


@pytest.mark.long
def test_moving_out_of_a_full_queue_helps() -> None:
    queues = queue("a", 'max_resources = "4096 mb, 9 vcores"') + queue("b")

    assert "move application 2 (late) to root.b" in helping(found(scene(queues + FULL), 30, 2))


def test_whoever_is_delayed_is_told() -> None:
    """There is room for one of two: moved to a queue that comes first, the second takes a minute of the first."""
    wants = app("holder", '{ memory = "10g", duration = "5m" }', queue="root.b")
    wants += app("first", '{ memory = "10g", duration = "1m" }', at=5)
    wants += app("second", '{ memory = "10g", duration = "1m" }', at=6)
    text = queue("a", 'policy = "fifo"') + queue("b") + queue("c", 'min_resources = "10240 mb, 1 vcores"') + wants
    rule = '"schedlab.reservation.rule" = "off"'
    remedies = found(scene(text, nodes=1, settings=rule), 30, 3)
    kill = next(trial for trial in remedies.ranked if trial.remedy.act == KillApplication(2))
    move = next(trial for trial in remedies.ranked if remedy_sentence(trial.remedy).endswith("to root.c"))

    assert (kill.delays, kill.lost_ms) == ((), 0)
    assert [delay.application for delay in move.delays] == [2]
    assert 59_000 <= move.delays[0].by_ms <= 62_000
    assert move.harm_s == move.delays[0].by_ms // 1000


def test_what_the_control_plane_refuses_is_no_remedy() -> None:
    refused = found(scene(HALVES), 60, 1).refused

    assert {trial.remedy.kind: trial.refused for trial in refused} == {
        "priority": "applications of fair-2.7 have no priority",
        "setting": "yarn.scheduler.maximum-allocation-mb is read when a ResourceManager starts; it takes a restart",
    }


@pytest.mark.long
def test_a_lost_node_is_brought_back() -> None:
    wants = app("holder", '{ memory = "10g", duration = "50m" }') + app("late", '{ memory = "10g" }', at=20)
    text = wants + '[[faults]]\ndo = "lose"\nnode = "n2"\nat = 10\n'

    assert "return n2" in helping(found(scene(text), 30, 2))


def test_alike_remedies_are_told_as_one() -> None:
    """Of three agents that hold a third each, it is the same which of them is killed."""
    text = "".join(app("agent", '{ memory = "3g" }', at=1, user="ops", queue="root.o") for _ in range(3))
    remedies = found(scene(text + app("late", '{ memory = "3g" }', at=30), nodes=1), 60, 4)
    kills = [trial for trial in remedies.ranked if trial.remedy.kind == "kill"]

    assert [len(trial.alike) for trial in kills] == [2]


def test_without_an_application_all_that_never_start_are_meant() -> None:
    remedies = found(scene(HALVES), 60)

    assert sorted(number for number, _ in remedies.targets) == [1, 2]
    assert {len(trial.starts) for trial in remedies.ranked if trial.remedy.group == "hardware"} == {2}


def test_under_spark_whoever_holds_the_cores_is_killed() -> None:
    scenario = load("spark-cores-hoarded")
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + 600_000)
    (kill,) = RemedySearch(simulation).answer().ranked

    assert (kill.remedy.kind, kill.frees_vcores, kill.lost_containers) == ("kill", 32, 4)
    assert abs(kill.lost_ms - 4 * 600_000) < 1000


def test_what_is_found_does_not_depend_on_the_pieces() -> None:
    simulation = at(scene(HALVES), 60)
    one, other = RemedySearch(simulation, (1,)), RemedySearch(simulation, (1,))
    while not one.advance():
        pass

    assert one.found() == other.answer()


def test_every_remedy_can_be_written_into_a_script() -> None:
    simulation = at(scene(HALVES), 60)
    remedies = RemedySearch(simulation, (1,)).answer()

    steps = [written_act(trial.remedy.act) for trial in (*remedies.ranked, *remedies.useless)]

    assert {step["do"] for step in steps} >= {"kill", "add-node", "resize", "reservation-rule", "queue-setting"}


CAPACITY = '"yarn.scheduler.capacity.root.queues" = "a"\n"yarn.scheduler.capacity.root.a.capacity" = "100"'


@pytest.mark.parametrize(
    ("policy", "settings", "name", "why"),
    [
        ("fair-2.7", "", "root.a", "it takes a restart"),
        ("fifo", "", "default", "it takes a restart"),
        ("capacity-2.7", CAPACITY, "a", "cannot become smaller"),
        ("capacity-3.4", CAPACITY, "a", "cannot be decreased"),
    ],
)
def test_a_smaller_maximum_allocation_is_refused_with_the_reason(
    policy: str, settings: str, name: str, why: str
) -> None:
    """Schedulers that read it when they start, and those that have told masters of it."""
    wide = app("wide", '{ memory = "6g", count = 4 }', queue=name)
    simulation = at(scene(wide, top=f'scheduler = "{policy}"', settings=settings), 10)
    remedies = by_sentence(simulation, 1)
    answer = simulation.act(remedies["set yarn.scheduler.maximum-allocation-mb to 6143 for later asks"].act)

    assert why in answer.detail


def test_a_users_limit_on_running_applications_is_raised() -> None:
    limits = '"yarn.scheduler.capacity.root.queues" = "a"\n"yarn.scheduler.capacity.root.a.capacity" = 100\n'
    limits += '"yarn.scheduler.capacity.user.max-parallel-apps" = 1'
    two = app("first", '{ memory = "1g" }', am='{ memory = "1g" }', queue="a") + app(
        "second", '{ memory = "1g" }', am='{ memory = "1g" }', queue="a", at=5
    )
    remedies = found(scene(two, settings=limits, top='scheduler = "capacity-3.4"'), 30, 2)

    assert "set yarn.scheduler.capacity.user.max-parallel-apps to 2" in helping(remedies)
