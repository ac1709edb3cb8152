"""Everything that is tried for an application: which acts, with which values, in which order."""

import pytest

from engine.explain.remedy import Family, remedy_sentence
from engine.explain.remedy_candidates import candidates, kill_of, kills
from engine.explain.tunable_families import switches
from engine.explain.tunable_values import largest_ask
from engine.formats.scenario_toml import loads
from engine.scenario.acts import DrainNode, KillApplication, LoseNode
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, queue, scene
from tests.engine.explain.test_job_tracker import HEAD, job
from tests.engine.explain.test_spark import REPORT, SHELL, workers


def said(families: list[Family], kind: str) -> list[str]:
    """The sentences of a kind, of the largest value of each."""
    return [remedy_sentence(each.make(each.highs)) for each in families if each.kind == kind]


def two(*more: str, nodes: int = 2, top: str = 'scheduler = "fair-2.7"') -> Simulation:
    """Two that wait for each other on two nodes of 10 GB and 16 vcores, after a minute."""
    return at(scene(HALVES + "".join(more), nodes=nodes, top=top), 60)


def test_every_kind_takes_its_turn() -> None:
    """The first of each kind before the second of any."""
    found = candidates(two(), [1])
    kinds = [each.kind for each in found]
    turns = [kinds[:place].count(kind) for place, kind in enumerate(kinds)]

    assert turns == sorted(turns)
    assert {"kill", "drain", "resize", "add-node", "rule", "preemption", "queue-setting"} <= set(kinds)


def test_nodes_may_be_doubled_or_drained_and_one_added() -> None:
    """Reserved ones first, those that lack least; one more as large as the largest."""
    simulation = two()
    found = candidates(simulation, [1])
    nodes = simulation.world.nodes

    assert sorted(said(found, "resize")) == [f"enlarge {node.host} to 20480 MB and 32 vcores" for node in nodes]
    assert sorted(said(found, "drain")) == [f"drain {node.host}" for node in nodes]
    (added,) = (each for each in found if each.kind == "add-node")
    sizes = [remedy_sentence(added.make(each)) for each in (added.lows, (2, 3), added.highs)]
    assert sizes == [
        f"add a node of {each}" for each in ("1024 MB and 1 vcore", "2048 MB and 3 vcores", "10240 MB and 16 vcores")
    ]


def test_an_added_node_is_as_large_as_what_is_asked_for() -> None:
    """By those it is for alone."""
    huge = app("huge", '{ memory = "12g", vcores = 20 }', at=2)
    for number, largest in ((3, (12_288, 20)), (1, (10_240, 16))):
        (added,) = (each for each in candidates(two(huge), [number]) if each.kind == "add-node")
        assert remedy_sentence(added.make(added.highs)) == f"add a node of {largest[0]} MB and {largest[1]} vcores"


def test_a_node_that_is_away_may_return() -> None:
    """One that was lost, and one that is being drained."""
    simulation = two(nodes=3)
    assert said(candidates(simulation, [1]), "return") == []
    simulation.act(LoseNode(simulation.world.nodes[2].id))
    assert said(candidates(simulation, [1]), "return") == ["return n3"]
    simulation.act(DrainNode(simulation.world.nodes[0].id))
    assert said(candidates(simulation, [1]), "return") == ["return n1", "return n3"]


def test_others_may_be_killed_but_never_the_only_one_that_is_asked_about() -> None:
    """Who holds what it needs comes first, then who reserves, then who works, then the others by number."""
    idle = app("idle", '{ memory = "1g" }', at=50, queue="root.b") + app("later", '{ memory = "9g" }', at=51)
    simulation = two(idle)
    for number, order in ((1, [2, 3, 4]), (2, [1, 3, 4]), (4, [1, 2, 3])):
        found = [each.make(()).act for each in kills(simulation, [number])]
        assert [act.application for act in found if isinstance(act, KillApplication)][:3] == order
    everybody = [each.make(()).application for each in kills(simulation)]
    assert sorted(everybody) == [1, 2, 3, 4]
    assert set(everybody[:2]) == {1, 2}
    both = [each.make(()).application for each in kills(simulation, [1, 2])]
    assert sorted(both) == [1, 2, 3, 4]


def test_kills_of_alike_applications_are_one_family() -> None:
    """By name, user and queue."""
    simulation = two()
    summary = simulation.control_plane.view().applications()[0]
    remedy = kill_of(summary).make(())

    assert (remedy.act, remedy.name, remedy.family) == (KillApplication(1), "first", "first ann root.a")


def test_an_application_may_be_moved_to_every_other_leaf() -> None:
    """And be given every priority above its own."""
    text = queue("a") + queue("b") + queue("c.d")
    found = candidates(at(scene(text + HALVES), 60), [1])

    assert sorted(said(found, "move")) == [
        "move application 1 (first) to root.b",
        "move application 1 (first) to root.c.d",
        "move application 1 (first) to root.default",
    ]
    assert not [each for each in found if each.kind == "priority"], "FairScheduler has none"


def test_the_largest_container_is_the_one_that_somebody_waits_for_or_has_reserved() -> None:
    """Nobody who has what it asked for counts."""
    assert largest_ask(two()) == 6144
    assert largest_ask(two(app("huge", '{ memory = "12g" }', at=2))) == 12_288
    assert largest_ask(at(scene(app("one", '{ memory = "1g", duration = "5m" }')), 60)) == 0


RULE = "set the reservation rule to"
OFF = '"yarn.scheduler.fair.preemption" = true\n"schedlab.reservation.rule" = "off"'


@pytest.mark.parametrize(
    ("scheduler", "settings", "expected"),
    [
        ("fair-2.7", "", {"switch preemption on", f"{RULE} limited", f"{RULE} off"}),
        ("fair-2.7", OFF, {"switch preemption off", f"{RULE} limited", f"{RULE} strict"}),
        ("fifo", "", set()),
    ],
)
def test_switches_are_turned_the_other_way(scheduler: str, settings: str, expected: set[str]) -> None:
    """Where a policy has them and they may be changed."""
    found = at(scene(HALVES, top=f'scheduler = "{scheduler}"', settings=settings), 10)

    assert {remedy_sentence(each.make(())) for each in switches(found)} == expected


def test_what_is_tried_on_a_spark_master() -> None:
    """Its workers and its switch; an added one is as large as an executor."""
    wide = 'executor_cores = 9\nexecutor_memory = "17g"\ncores_max = 18'
    found = candidates(at(workers(("wide", 0, wide), ("shell", 5, SHELL), ("r", 9, REPORT)), 30), [1])
    (added,) = (each for each in found if each.kind == "add-node")

    assert remedy_sentence(added.make(added.highs)) == "add a worker of 17408 MB and 9 cores"
    assert said(found, "setting") == ["set spark.deploy.spreadOutApps to false"]
    assert sorted(said(found, "kill")) == ["kill application 2 (shell)", "kill application 3 (r)"]
    assert not said(found, "move")


def test_what_is_tried_on_a_job_tracker() -> None:
    """Priorities above its own, other jobs, and trackers."""
    text = HEAD.format(scheduler="mr1-fifo", settings="", top="") + job("ann", 0, "4 x forever") + job("bob", 5, "2")
    found = candidates(at(loads(text, "slots"), 30), [2])
    (ranked,) = (each for each in found if each.kind == "priority")

    assert remedy_sentence(ranked.make(ranked.highs)) == "give job 2 (bob) priority 4"
    assert said(found, "kill") == ["kill job 1 (ann)"]
    assert not {"move", "drain", "resize"} & {each.kind for each in found}
