"""Everything that is tried for an application: which acts, with which values, in which order."""

import pytest

from engine.explain.remedy import Family, remedy_sentence
from engine.explain.remedy_candidates import candidates
from engine.explain.tunable_families import switches
from engine.explain.tunable_values import largest_ask
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, queue, scene


def said(families: list[Family], kind: str) -> list[str]:
    return [remedy_sentence(each.make(each.highs)) for each in families if each.kind == kind]


def two(*more: str, nodes: int = 2, top: str = 'scheduler = "fair-2.7"') -> Simulation:
    return at(scene(HALVES + "".join(more), nodes=nodes, top=top), 60)


def test_every_kind_takes_its_turn() -> None:
    found = candidates(two(), [1])
    kinds = [each.kind for each in found]
    turns = [kinds[:place].count(kind) for place, kind in enumerate(kinds)]

    assert turns == sorted(turns)
    assert {"kill", "drain", "resize", "add-node", "rule", "preemption", "queue-setting"} <= set(kinds)


def test_an_application_may_be_moved_to_every_other_leaf() -> None:
    text = queue("a") + queue("b") + queue("c.d")
    found = candidates(at(scene(text + HALVES), 60), [1])

    assert sorted(said(found, "move")) == [
        "move application 1 (first) to root.b",
        "move application 1 (first) to root.c.d",
        "move application 1 (first) to root.default",
    ]
    assert not [each for each in found if each.kind == "priority"], "FairScheduler has none"


def test_the_largest_container_is_the_one_that_somebody_waits_for_or_has_reserved() -> None:
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
    found = at(scene(HALVES, top=f'scheduler = "{scheduler}"', settings=settings), 10)

    assert {remedy_sentence(each.make(())) for each in switches(found)} == expected
