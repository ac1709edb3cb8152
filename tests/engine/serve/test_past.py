"""What is remembered of applications from records alone."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.serve.served import ApplicationPast
from engine.simulation.records import Submitted

MASTER, TASK = (1, 1, 1), (1, 1, 2)
QUEUE = "root.a"
Instant = tuple[int, Sequence[Any]]  # Any: records of several kinds


def moved(state: str, number: int = 1, queue: str = "", detail: str = "") -> ApplicationTransitioned:
    return ApplicationTransitioned(number, state, queue, detail)


def given(container: tuple[int, int, int], locality: str = "OFF_SWITCH") -> Allocated:
    return Allocated(container, "n1:1", 1, 512, 3, locality)


def past(*instants: Instant) -> ApplicationPast:
    found = ApplicationPast()
    for time_ms, records in instants:
        found.records(time_ms, records)
    return found


SUBMITTED = Submitted(1, "one", "ann", "a", "YARN")
BEGUN: Instant = (10, [SUBMITTED, moved("ACCEPTED", queue=QUEUE)])


def attempts(found: ApplicationPast) -> list[tuple[object, ...]]:
    return [
        (one.number, one.started_ms, one.finished_ms, one.state, one.first, one.node, one.launched_ms)
        for one in found.of(1).attempts
    ]


def counts(found: ApplicationPast) -> Counter[tuple[str, str, str]]:
    return Counter({key: count for key, count in found.counts.items() if key[0].startswith("Apps")})


def test_a_second_attempt_ends_the_first_as_failed_and_is_no_second_submission() -> None:
    """Its number is the next, and containers are of the attempt that they name."""
    second = (1, 2, 1)
    steps = [BEGUN, (20, [given(MASTER)]), (30, [moved("ACCEPTED")]), (40, [given(second)]), (50, [given(TASK)])]
    found = past(*steps, (60, [moved("RUNNING")]))

    assert attempts(found) == [
        (1, 10, 30, "FAILED", MASTER, "n1:1", 20),
        (2, 30, 0, "RUNNING", second, "n1:1", 40),
    ]
    assert counts(found) == {("AppsSubmitted", QUEUE, "ann"): 1}


def test_containers_are_counted_by_place_and_once_when_they_end() -> None:
    others = [(1, 1, number) for number in (3, 4)]
    found = past(
        BEGUN,
        (
            20,
            [given(TASK, "NODE_LOCAL"), given(others[0], "RACK_LOCAL"), given(others[1]), given(MASTER, "NODE_LOCAL")],
        ),
        (30, [Completed(TASK, "n1:1", 0), Killed(others[0], "n1:1", "RELEASED"), Completed((1, 1, 9), "n1:1", 0)]),
        (40, [Completed(TASK, "n1:1", 0)]),
    )
    containers = {key[0]: count for key, count in found.counts.items() if key[0].startswith("Aggregate")}

    assert containers == {
        "AggregateContainersAllocated": 4,
        "AggregateNodeLocalContainersAllocated": 2,
        "AggregateRackLocalContainersAllocated": 1,
        "AggregateOffSwitchContainersAllocated": 1,
        "AggregateContainersReleased": 2,
    }
    assert found.of(1).preempted == []
