"""Everything that is tried for an application: which acts, with which values, in which order."""

import pytest

from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.remedy import Family, remedy_sentence
from engine.explain.remedy_candidates import candidates, largest_ask, switches
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, queue, scene


def said(families: list[Family], kind: str) -> list[str]:
    """The sentences of a kind, of the largest value of each."""
    return [remedy_sentence(each.make(each.highs)) for each in families if each.kind == kind]


def two(*more: str, nodes: int = 2, top: str = 'scheduler = "fair-2.7"') -> Simulation:
    """Two that wait for each other on two nodes of 10 GB and 16 vcores, after a minute."""
    return at(scene(HALVES + "".join(more), nodes=nodes, top=top), 60)


def test_every_kind_takes_its_turn() -> None:
    found = candidates(two(), [1])
    kinds = [each.kind for each in found]
    turns = [kinds[:place].count(kind) for place, kind in enumerate(kinds)]

    assert turns == sorted(turns)
    assert {"kill", "drain", "resize", "add-node", "rule", "preemption", "priority", "queue-setting", "setting"} <= set(
        kinds
    )


def test_an_application_may_be_moved_to_every_other_leaf() -> None:
    text = queue("a") + queue("b") + queue("c.d")
    found = candidates(at(scene(text + HALVES), 60), [1])

    assert sorted(said(found, "move")) == [
        "move application 1 (first) to root.b",
        "move application 1 (first) to root.c.d",
        "move application 1 (first) to root.default",
    ]
    (ranked,) = (each for each in found if each.kind == "priority")
    assert ranked.lows == (0,)
    assert remedy_sentence(ranked.make((7,))) == "give application 1 (first) priority 7"


def test_the_largest_container_may_be_made_smaller_than_what_is_wanted() -> None:
    """By one MB less than the largest that somebody waits for or has reserved."""
    assert largest_ask(two()) == 6144
    assert largest_ask(two(app("huge", '{ memory = "12g" }', at=2))) == 12_288
    assert largest_ask(at(scene(app("one", '{ memory = "1g", duration = "5m" }')), 60)) == 0
    key = "yarn.scheduler.maximum-allocation-mb"
    assert f"set {key} to 6143 for later asks" in said(candidates(two(), [1]), "setting")


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
    found = at(scene(HALVES, top=f'scheduler = "{scheduler}"', settings=settings), 10).control_plane.view()
    assert isinstance(found, YarnClusterView)

    assert {remedy_sentence(each.make(())) for each in switches(found)} == expected
