"""Who submits what, and when."""

import pytest

from engine.scenario import ApplicationSpec, MapReduceSpec, Repeat, ServiceSpec, Size
from engine.workload.arrivals import application_type, arrivals, master_of
from engine.workload.random_streams import drawn, stream
from tests.engine.workload.cases import TOPOLOGY
from tests.engine.workload.test_master import SPECS


def test_repeats_are_unrolled_and_sorted_by_time() -> None:
    """Numbers count up; at one instant the order written stays."""
    one = MapReduceSpec(type="mapreduce", user="a", maps=1, at_ms=10, number=7, repeat=Repeat(times=3, every_ms=20))
    two = ServiceSpec(type="service", user="b", instances=1, instance=Size(memory_mb=1), at_ms=30)

    assert [(arrival.at_ms, arrival.number, arrival.spec.user) for arrival in arrivals([one, two])] == [
        (10, 7, "a"),
        (30, 8, "a"),
        (30, None, "b"),
        (50, 9, "a"),
    ]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.type)
def test_every_kind_has_its_master(spec: ApplicationSpec) -> None:
    """The master knows its number and specification."""
    master = master_of(spec, 5, 0, TOPOLOGY, 0)

    assert (master.number, master.spec) == (5, spec)


def test_the_type_shown_is_the_one_written_or_the_usual_one() -> None:
    """A specification may name its type."""
    spec = MapReduceSpec(type="mapreduce", user="a", maps=1)

    assert [application_type(each) for each in (spec, spec.model_copy(update={"application_type": "HIVE"}))] == [
        "MAPREDUCE",
        "HIVE",
    ]


def test_streams_are_one_per_source() -> None:
    """The same source draws the same, another one another."""
    first, again, other = (stream(3, *source).random() for source in (("a", 1), ("a", 1), ("a", 2)))

    assert first == again != other


def test_spans_are_drawn_with_both_ends() -> None:
    """Every whole number of the span comes up, none beyond it."""
    random = stream(0)

    assert {drawn(random, (3, 5)) for _ in range(200)} == {3, 4, 5}
