"""What is remembered of applications from records alone."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from engine.model.cluster import FINISHED_REMEMBERED
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.serve.past import ApplicationPast, PreemptedContainer
from engine.simulation.records import Submitted

MASTER, TASK = (1, 1, 1), (1, 1, 2)
QUEUE = "root.a"
Instant = tuple[int, Sequence[Any]]  # Any: records of several kinds


def moved(state: str, number: int = 1, queue: str = "", detail: str = "") -> ApplicationTransitioned:
    """An application's new state."""
    return ApplicationTransitioned(number, state, queue, detail)


def given(container: tuple[int, int, int], locality: str = "OFF_SWITCH") -> Allocated:
    """A container of 512 MB and 3 vcores."""
    return Allocated(container, "n1:1", 1, 512, 3, locality)


def past(*instants: Instant) -> ApplicationPast:
    """What is remembered after these."""
    found = ApplicationPast()
    for time_ms, records in instants:
        found.records(time_ms, records)
    return found


SUBMITTED = Submitted(1, "one", "ann", "a", "YARN")
BEGUN: Instant = (10, [SUBMITTED, moved("ACCEPTED", queue=QUEUE)])


def attempts(found: ApplicationPast) -> list[tuple[object, ...]]:
    """The attempts of the application, field by field."""
    return [
        (one.number, one.started_ms, one.finished_ms, one.state, one.first, one.node, one.launched_ms)
        for one in found.of(1).attempts
    ]


def counts(found: ApplicationPast) -> Counter[tuple[str, str, str]]:
    """What was counted, without containers."""
    return Counter({key: count for key, count in found.counts.items() if key[0].startswith("Apps")})


def test_an_attempt_begins_with_its_admission_and_ends_with_the_application() -> None:
    """It is launched with its first container, and runs when its master has registered."""
    steps = [BEGUN]
    assert attempts(past(*steps)) == [(1, 10, 0, "SCHEDULED", None, "", 0)]
    steps.append((20, [given(MASTER), given(TASK)]))
    assert attempts(past(*steps)) == [(1, 10, 0, "LAUNCHED", MASTER, "n1:1", 20)]
    steps.append((30, [moved("RUNNING")]))
    assert attempts(past(*steps)) == [(1, 10, 0, "RUNNING", MASTER, "n1:1", 20)]
    steps.append((40, [moved("FINISHED")]))
    found = past(*steps)

    assert attempts(found) == [(1, 10, 40, "FINISHED", MASTER, "n1:1", 20)]
    assert (found.of(1).user, found.of(1).queue) == ("ann", QUEUE)
    assert counts(found) == {("AppsSubmitted", QUEUE, "ann"): 1, ("AppsCompleted", QUEUE, "ann"): 1}


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


def test_an_application_that_is_recovered_goes_on_with_its_attempt() -> None:
    """It is not counted again."""
    found = past(BEGUN, (20, [given(MASTER), moved("ACCEPTED", detail="recovered")]), (30, [moved("RUNNING")]))

    assert attempts(found) == [(1, 10, 0, "RUNNING", MASTER, "n1:1", 20)]
    assert counts(found) == {("AppsSubmitted", QUEUE, "ann"): 1}


@pytest.mark.parametrize(
    ("state", "what"), [("FINISHED", "AppsCompleted"), ("FAILED", "AppsFailed"), ("KILLED", "AppsKilled")]
)
def test_an_end_counts_where_there_was_an_attempt(state: str, what: str) -> None:
    """One that was refused before has none."""
    assert counts(past(BEGUN, (20, [moved(state)])))[what, QUEUE, "ann"] == 1
    assert counts(past((0, [SUBMITTED]), (20, [moved(state)]))) == {}
    assert attempts(past(BEGUN, (20, [moved(state)]), (30, [moved("RUNNING")])))[0][2:4] == (20, state)


def test_a_queue_that_is_not_named_stays() -> None:
    """What comes after a move counts in the new one."""
    found = past(BEGUN, (20, [moved("RUNNING", queue="root.b")]), (30, [moved("FINISHED")]))

    assert found.of(1).queue == "root.b"
    assert counts(found) == {("AppsSubmitted", QUEUE, "ann"): 1, ("AppsCompleted", "root.b", "ann"): 1}


def test_containers_are_counted_by_place_and_once_when_they_end() -> None:
    """One that nobody gave is passed over."""
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


def test_a_preempted_container_is_counted_with_its_size_and_time() -> None:
    """Whole seconds; twice as long twice as much."""
    found = past(BEGUN, (20, [given(TASK)]), (7019, [Killed(TASK, "n1:1", "PREEMPTED")]))
    taken = {key[0]: count for key, count in found.counts.items() if key[0].endswith("Preempted")}

    assert found.of(1).preempted == [PreemptedContainer(TASK, 512, 3, 6999)]
    assert taken == {
        "AggregateContainersPreempted": 1,
        "AggregateMemoryMBPreempted": 512,
        "AggregateVcoresPreempted": 3,
        "AggregateMemoryMBSecondsPreempted": 512 * 6999 // 1000,
        "AggregateVcoreSecondsPreempted": 3 * 6999 // 1000,
    }


def test_only_submissions_that_were_taken_are_remembered() -> None:
    """Whatever was heard of them before; nothing is known of any other."""
    found = past((0, [moved("NEW")]), (1, [SUBMITTED, Submitted(0, "", "bob", "a", "YARN", "refused")]))

    assert {number: each.user for number, each in found.applications.items()} == {1: "ann"}
    assert (found.of(7).user, found.of(7).attempts, found.of(7).queue) == ("", [], "")


def test_of_those_that_ended_the_latest_are_remembered() -> None:
    """As many as a ResourceManager does; those that live stay."""
    found = past(BEGUN)
    for number in range(2, FINISHED_REMEMBERED + 2):
        found.records(number, [moved("FINISHED", number)])
    assert len(found.applications) == FINISHED_REMEMBERED + 1
    found.records(9, [moved("FINISHED", FINISHED_REMEMBERED + 2)])

    assert sorted(found.applications) == [1, *range(3, FINISHED_REMEMBERED + 3)]
