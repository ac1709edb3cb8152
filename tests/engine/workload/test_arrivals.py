"""Who submits what, and when."""

import pytest

from engine.control_plane.protocol import ApplicationSubmitted
from engine.model.request import Resource
from engine.scenario import ApplicationSpec, MapReduceSpec, Repeat, ServiceSpec, Size
from engine.workload.services import arrivals, master_of, submission_of
from tests.engine.workload.cases import TOPOLOGY
from tests.engine.workload.test_master import SPECS


def test_repeats_are_unrolled_and_sorted_by_time() -> None:
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
    master = master_of(spec, 5, 0, TOPOLOGY, 0)

    assert (master.number, master.spec) == (5, spec)


def test_a_submission_says_what_is_written() -> None:
    spec = MapReduceSpec(
        type="mapreduce",
        user="ann",
        queue="root.a",
        name="etl",
        maps=1,
        am=Size(memory_mb=512, vcores=2),
        priority=3,
        max_attempts=4,
        tags=("x", "y"),
        attempt_failures_validity_interval_ms=77,
    )

    assert submission_of(spec, 9) == ApplicationSubmitted(
        *("ann", "root.a", Resource(512, 2), 9, "etl", "MAPREDUCE", 3),
        max_attempts=4,
        tags=("x", "y"),
        failures_validity_ms=77,
    )
    assert submission_of(spec.model_copy(update={"am": None}), 9).am is None


@pytest.mark.parametrize("keeps", [True, False])
def test_only_a_service_keeps_its_containers(keeps: bool) -> None:
    service = ServiceSpec(
        type="service",
        user="b",
        instances=1,
        instance=Size(memory_mb=1),
        keep_containers_across_application_attempts=keeps,
    )

    assert submission_of(service, 1).keeps_containers is keeps
    assert not submission_of(MapReduceSpec(type="mapreduce", user="a", maps=1), 1).keeps_containers


def test_a_repeated_application_without_a_number_gets_the_next_free_ones() -> None:
    spec = MapReduceSpec(type="mapreduce", user="a", maps=1, at_ms=5, repeat=Repeat(times=2, every_ms=3))

    assert [(each.at_ms, each.number) for each in arrivals([spec])] == [(5, None), (8, None)]
    assert [(each.at_ms, each.number) for each in arrivals([spec.model_copy(update={"repeat": None})])] == [(5, None)]
