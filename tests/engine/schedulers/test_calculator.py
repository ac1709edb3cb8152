"""Normalisation and the maximum allocation."""

import pytest

from engine.errors import RefusedError
from engine.fork import fork
from engine.model.ledger import Node
from engine.model.request import Resource
from engine.schedulers.containers import MaximumAllocation, normalise, normalise_memory, round_up, validate

LEAST, MOST, STEP = Resource(1024, 1), Resource(8192, 8), Resource(1024, 2)


def test_a_step_of_zero_gives_zero() -> None:
    assert round_up(1500, 0) == 0


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (Resource(1, 1), Resource(1024, 2)),
        (Resource(1025, 3), Resource(2048, 4)),
        (Resource(9000, 9), Resource(8192, 8)),
    ],
)
def test_an_ask_is_raised_rounded_up_and_capped(asked: Resource, given: Resource) -> None:
    assert normalise(asked, LEAST, MOST, STEP) == given


def test_by_memory_alone_every_ask_has_one_vcore() -> None:
    assert normalise_memory(Resource(1500, 7), LEAST, MOST, LEAST) == Resource(2048, 1)
    assert normalise_memory(Resource(0, 7), Resource(0, 0), MOST, LEAST) == Resource(0, 0)


@pytest.mark.parametrize("asked", [Resource(-1, 1), Resource(8193, 1), Resource(1, 9), Resource(1, -1)])
def test_an_ask_out_of_bounds_is_refused(asked: Resource) -> None:
    with pytest.raises(RefusedError, match="maximum allocation") as refused:
        validate(asked, MOST)

    assert refused.value.kind == "InvalidResourceRequestException"


def test_the_biggest_node_caps_the_maximum_after_the_start_up() -> None:
    maximum = MaximumAllocation(MOST, ready_ms=10, lags=True)
    maximum.nodes_changed([Node("n1", 1, "/r1", 4096, 16, 0), Node("n2", 1, "/r1", 2048, 4, 1)])

    told = [maximum.ask(now_ms) for now_ms in (10, 11, 12)]

    assert told == [MOST, MOST, Resource(4096, 8)]


def test_without_nodes_the_configured_maximum_holds() -> None:
    maximum = MaximumAllocation(MOST, ready_ms=0, lags=True)
    maximum.ask(1)
    maximum.nodes_changed([Node("n1", 1, "/r1", 4096, 16, 0)])
    maximum.nodes_changed([])

    assert fork(maximum).ask(0) == MOST
