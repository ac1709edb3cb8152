"""Limits of a leaf of the capacity scheduler: its applications, those of one user, its masters."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formats.capacity_listing import CapacityLimits, SourcedNumber, default_partition
from engine.schedulers.capacity.view import CapacityQueueRow, PartitionUse
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.capacity_scheduler import MAXIMUM_AM_PERCENT, MINIMUM_USER_LIMIT, USER_LIMIT_FACTOR
from engine.settings.site import MINIMUM_MB
from engine.settings.table import SettingTable

OWN = "yarn.scheduler.capacity."


def leaf(capacity: float = 0.5, label: str = "", *more: PartitionUse) -> CapacityQueueRow:
    """The leaf root.a with its part of one partition, and of others."""
    none = (0, 0)
    return CapacityQueueRow(
        path="root.a",
        depth=1,
        is_leaf=True,
        policy="fifo",
        used=none,
        applications_running=0,
        applications_pending=0,
        guaranteed=none,
        used_capacity=0.0,
        state="RUNNING",
        user_limit=none,
        am_used=none,
        am_limit=none,
        partitions=(PartitionUse(label, capacity, 0.75, none, none, none), *more),
    )


def limits(values: Mapping[str, str] | None = None, table: SettingTable = CAPACITY_27) -> CapacityLimits:
    """Those of properties without their prefix; others are as by default."""
    return CapacityLimits({OWN + key: value for key, value in (values or {}).items()}, table)


@pytest.mark.parametrize(
    ("table", "values", "found"),
    [
        (CAPACITY_27, {}, SourcedNumber(5000, "")),
        (CAPACITY_34, {}, SourcedNumber(5000, "")),
        (CAPACITY_27, {"maximum-applications": "7"}, SourcedNumber(3, "")),
        (CAPACITY_34, {"maximum-applications": "7"}, SourcedNumber(3, "")),
        (CAPACITY_27, {"root.a.maximum-applications": "0"}, SourcedNumber(0, f"{OWN}root.a.maximum-applications")),
        (CAPACITY_34, {"root.a.maximum-applications": "9"}, SourcedNumber(9, f"{OWN}root.a.maximum-applications")),
        (CAPACITY_27, {"global-queue-max-application": "4"}, SourcedNumber(5000, "")),
        (CAPACITY_34, {"global-queue-max-application": "1"}, SourcedNumber(1, f"{OWN}global-queue-max-application")),
        (CAPACITY_34, {"global-queue-max-application": "0"}, SourcedNumber(5000, "")),
        (
            CAPACITY_34,
            {"global-queue-max-application": "4", "maximum-applications": "3"},
            SourcedNumber(3, f"{OWN}global-queue-max-application"),
        ),
    ],
)
def test_a_leaf_takes_its_own_limit_or_its_part_of_all(
    table: SettingTable, values: dict[str, str], found: SourcedNumber
) -> None:
    """Rounded down; in 3.4 that of every queue comes first, up to that of all."""
    assert limits(values, table).applications(leaf()) == found


def test_the_largest_part_of_a_partition_counts_in_3_4() -> None:
    none = (0, 0)
    row = leaf(0.25, "", PartitionUse("gpu", 0.5, 1.0, none, none, none))

    assert [limits({}, table).applications(row).number for table in (CAPACITY_27, CAPACITY_34)] == [2500, 5000]
    assert limits({}, CAPACITY_34).applications(leaf(0.5, "gpu")).number == 5000
    assert limits({}, CAPACITY_27).applications(leaf(0.5, "gpu")).number == 0


def test_parts_are_those_of_the_default_partition() -> None:
    assert default_partition(leaf(0.5)) == (0.5, 0.75)
    assert default_partition(leaf(0.5, "gpu")) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("table", "values", "most"),
    [
        (CAPACITY_27, {}, 10),
        (CAPACITY_27, {"root.a.minimum-user-limit-percent": "25"}, 2),
        (CAPACITY_27, {"root.a.minimum-user-limit-percent": "30", "root.a.user-limit-factor": "0.5"}, 1),
        (CAPACITY_27, {"root.a.minimum-user-limit-percent": "9"}, 0),
        (CAPACITY_27, {"root.a.user-limit-factor": "2.5"}, 25),
        (CAPACITY_34, {"root.a.user-limit-factor": "-1", "root.a.minimum-user-limit-percent": "25"}, 10),
        (CAPACITY_34, {"root.a.user-limit-factor": "3"}, 30),
    ],
)
def test_a_user_takes_a_part_of_what_the_leaf_does(table: SettingTable, values: dict[str, str], most: int) -> None:
    """Times the factor, rounded down; a factor of -1 is no limit in 3.4."""
    found = limits({"root.a.maximum-applications": "10", **values}, table).applications_of_user(leaf())

    assert (found, type(found)) == (most, int)


def test_a_number_is_told_with_what_states_it() -> None:
    row = leaf()
    assert limits().number(row, USER_LIMIT_FACTOR) == SourcedNumber(1.0, "")
    assert limits().number(row, MINIMUM_USER_LIMIT) == SourcedNumber(100.0, "")
    one = limits({"maximum-am-resource-percent": "0.25"})
    assert [one.number(row, MAXIMUM_AM_PERCENT) for _ in range(2)] == [
        SourcedNumber(0.25, f"{OWN}maximum-am-resource-percent")
    ] * 2
    both = {"root.a.maximum-am-resource-percent": "0.5", "maximum-am-resource-percent": "0.25"}
    assert limits(both).number(row, MAXIMUM_AM_PERCENT) == SourcedNumber(
        0.5, f"{OWN}root.a.maximum-am-resource-percent"
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from((1, 3, 10)))
def test_the_smallest_cluster_for_two_masters_is_the_first_that_has_room(part: int, percent: int, least: int) -> None:
    """Trying every size: the limit of masters is above one of the smallest containers."""
    values = {MINIMUM_MB.everywhere: str(least), f"{OWN}maximum-am-resource-percent": str(percent / 40)}
    found = CapacityLimits(values, CAPACITY_27)
    share = found.number(leaf(), MAXIMUM_AM_PERCENT).number

    expected = next(size for size in range(40 * 40 * 12) if int(size * (part / 40)) * share > least)
    assert [found.memory_for_two(leaf(), part / 40) for _ in range(2)] == [expected] * 2


@pytest.mark.parametrize(("percent", "part"), [("0", 0.5), ("0.5", 0.0), ("1e300", 1e300), ("0.1", 1e-300)])
def test_where_masters_have_nothing_no_cluster_is_large_enough(percent: str, part: float) -> None:
    assert limits({"maximum-am-resource-percent": percent}).memory_for_two(leaf(), part) is None
