"""Warnings about an accepted capacity-scheduler.xml."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formats.capacity_listing import CapacityLimits, SourcedNumber
from engine.formats.configuration_files import read_files
from engine.schedulers.capacity.view import CapacityQueueRow, PartitionUse
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.capacity_scheduler import MAXIMUM_AM_PERCENT
from engine.settings.site import MINIMUM_MB
from engine.settings.table import SettingTable
from tests.engine.formats.capacity_files import CLASS, TWO_QUEUES, of_values, read, write

OWN = "yarn.scheduler.capacity."


def warnings(folder: Path, *properties: tuple[str, str], era: str = "2.7") -> list[str]:
    """What is said of two queues and more properties, without the folder and the prefix of keys."""
    found = of_values(read(folder, *properties, era=era))
    return [str(each).replace(f"{folder}/", "").replace(OWN, "") for each in found]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("maximum-capactiy", "did you mean maximum-capacity?"),
        ("reservble", "did you mean reservable?"),
        ("acl_submit_jobs", "an old name; acl_submit_applications is meant"),
    ],
)
def test_a_misspelt_property_has_the_nearest_name(tmp_path: Path, name: str, hint: str) -> None:
    expected = f"cs.xml:5: root.a.{name}: unknown property of a queue: Hadoop ignores it ({hint})"
    assert warnings(tmp_path, (f"root.a.{name}", "1")) == [expected]


def test_absolute_capacities_of_34_are_no_queue_without_applications(tmp_path: Path) -> None:
    """How many it accepts follows from the cluster, which the file does not know; a percentage of 0 is warned of."""
    absolute, none = "[memory=10240,vcores=10]", "0"
    said = [
        [str(each) for each in of_values(read(tmp_path, ("root.a.capacity", a), ("root.b.capacity", b), era="3.4"))]
        for a, b in ((absolute, absolute), (none, "100"))
    ]

    assert [any("accepts no application" in line for line in lines) for lines in said] == [False, True]


def test_a_misspelt_property_of_the_scheduler_has_the_nearest_name(tmp_path: Path) -> None:
    expected = "cs.xml:5: node-locality-dely: unknown property: Hadoop ignores it (did you mean node-locality-delay?)"
    assert warnings(tmp_path, ("node-locality-dely", "1")) == [expected]


def test_a_property_of_hadoop_3_is_said_to_be_one(tmp_path: Path) -> None:
    expected = [
        "cs.xml:5: root.a.priority: Hadoop 2.7 ignores it (read by Hadoop 3 only)",
        "cs.xml:6: rack-locality-additional-delay: Hadoop 2.7 ignores it (read by Hadoop 3 only)",
    ]
    assert warnings(tmp_path, ("root.a.priority", "1"), ("rack-locality-additional-delay", "1")) == expected


def test_a_queue_named_without_root_is_said(tmp_path: Path) -> None:
    expected = "cs.xml:5: a.state: names a queue without `root.`: Hadoop ignores it (did you mean root.a.state?)"
    assert warnings(tmp_path, ("a.state", "STOPPED")) == [expected]


def test_a_queue_in_no_list_is_said(tmp_path: Path) -> None:
    found = warnings(tmp_path, ("root.aa.capacity", "10"))
    assert found == ["cs.xml:5: root.aa.capacity: the queue root.aa is in no list of queues (did you mean root.a?)"]


def test_a_property_of_leaves_on_a_parent_is_said(tmp_path: Path) -> None:
    expected = "cs.xml:5: root.user-limit-factor: root is not a leaf queue: the property has no effect there"
    assert warnings(tmp_path, ("root.user-limit-factor", "2")) == [expected]


def test_a_stopped_queue_is_said(tmp_path: Path) -> None:
    assert warnings(tmp_path, ("root.a.state", "stopped"), ("root.b.state", "RUNNING")) == [
        "cs.xml:5: root.a.state: root.a is stopped: it refuses every application"
    ]


@pytest.mark.parametrize(("text", "warned"), [("0", True), ("0.01", False), ("1", False), ("1.01", True)])
def test_a_share_of_masters_that_is_no_fraction_is_said(tmp_path: Path, text: str, warned: bool) -> None:
    assert bool(warnings(tmp_path, ("root.a.maximum-am-resource-percent", text))) is warned


@pytest.mark.parametrize(("capacity", "warned"), [("0.009", True), ("0.011", False)])
def test_a_queue_whose_part_of_all_applications_rounds_to_none_is_said(
    tmp_path: Path, capacity: str, warned: bool
) -> None:
    rest = str(100 - float(capacity))
    path = write(tmp_path, ("root.queues", "a,b"), ("root.a.capacity", capacity), ("root.b.capacity", rest))
    found = [each for each in of_values(read_files([path])) if "accepts no application" in each.message]
    assert [each.line for each in found] == ([3] if warned else [])


@pytest.mark.parametrize(("factor", "warned"), [("0", True), ("-1", True), ("0.00024", True), ("0.00025", False)])
def test_a_user_limit_that_lets_no_user_submit_is_said(tmp_path: Path, factor: str, warned: bool) -> None:
    """Of 4,000 applications a user may have less than one; the real class refuses them all."""
    found = warnings(tmp_path, ("root.a.user-limit-factor", factor))
    assert any("accepts no application: a user may have 4000" in each for each in found) is warned


@pytest.mark.parametrize(("factor", "warned"), [("0.99", True), ("1", False)])
def test_a_factor_that_leaves_free_space_unused_is_said(tmp_path: Path, factor: str, warned: bool) -> None:
    expected = [
        "cs.xml:5: root.a.user-limit-factor: "
        "one user of root.a may use 99 % of its capacity, even where the rest is free"
    ]
    assert warnings(tmp_path, ("root.a.user-limit-factor", factor)) == (expected if warned else [])


@pytest.mark.parametrize(("maximum", "warned"), [("40", True), ("41", False)])
def test_a_factor_without_room_above_the_capacity_is_said(tmp_path: Path, maximum: str, warned: bool) -> None:
    expected = ["cs.xml:5: root.a.user-limit-factor: root.a has no room above its capacity, so 2 has no effect"]
    found = warnings(tmp_path, ("root.a.user-limit-factor", "2"), ("root.a.maximum-capacity", maximum))
    assert found == (expected if warned else [])
    assert warnings(tmp_path, ("root.a.user-limit-factor", "1"), ("root.a.maximum-capacity", maximum)) == []


@pytest.mark.parametrize(
    ("percent", "message"),
    [
        ("99", None),
        ("100", "100 lets one user fill root.a; the next ones wait until containers end"),
        ("101", "101 % is more than the whole queue"),
    ],
)
def test_a_user_limit_of_the_whole_queue_is_said(tmp_path: Path, percent: str, message: str | None) -> None:
    found = of_values(read(tmp_path, ("root.a.minimum-user-limit-percent", percent)))
    assert [each.message for each in found] == ([message] if message else [])


def test_queues_that_one_user_may_fill_are_said_once(tmp_path: Path) -> None:
    name = "minimum-user-limit-percent"
    found = of_values(read(tmp_path, (f"root.a.{name}", "100"), (f"root.b.{name}", "100")))
    expected = "100 lets one user fill root.a and 1 more; the next ones wait until containers end"
    assert [(each.line, each.message) for each in found] == [(5, expected)]
    stopped = of_values(read(tmp_path, (f"root.a.{name}", "100"), ("root.a.state", "STOPPED")))
    assert [each.message for each in stopped] == ["root.a is stopped: it refuses every application"]


@pytest.mark.parametrize(("labels", "warned"), [("x", False), ("*", False), ("x,y", True), (" ", True), ("y", True)])
def test_a_label_without_a_capacity_or_access_is_said(tmp_path: Path, labels: str, warned: bool) -> None:
    """What a queue may use and has no part of, and the other way round."""
    found = warnings(
        tmp_path,
        ("root.accessible-node-labels.x.capacity", "100"),
        ("root.a.accessible-node-labels", labels),
        ("root.a.accessible-node-labels.x.capacity", "100"),
    )
    assert bool(found) is warned
    given = "cs.xml:6: root.a.accessible-node-labels: root.a is given no capacity of the partition y: "
    assert any(each.startswith(given) for each in found) is ("y" in labels)


def test_a_capacity_of_a_partition_that_no_queue_above_has_is_said(tmp_path: Path) -> None:
    own = ("root.a.accessible-node-labels.x.capacity", "100")
    expected = (
        "cs.xml:5: root.a.accessible-node-labels.x.capacity: 100 % has no effect: no parent queue has capacity in "
        "partition x (state root.accessible-node-labels.x.capacity, 100)"
    )
    assert warnings(tmp_path, own) == [expected]
    assert of_values(read(tmp_path, own, ("root.b.accessible-node-labels.x.capacity", "0"), era="3.4")) == []


@pytest.mark.parametrize(
    ("hosts", "effect"), [(9, "in the cluster of 9216 MB: two masters fit from 10240 MB on"), (10, None)]
)
def test_a_share_of_masters_for_one_application_is_said(tmp_path: Path, hosts: int, effect: str | None) -> None:
    """Where the size of the cluster is known: hosts of the table of racks, and the memory of a node."""
    (tmp_path / "racks").write_text("".join(f"n{number} /r1\n" for number in range(hosts)))
    site = write(tmp_path, ("yarn.nodemanager.resource.memory-mb", "1024"), name="site.xml")
    queues = write(tmp_path, ("root.queues", "a"), ("root.a.capacity", "100"))
    found = [each.message for each in of_values(read_files([site, queues, tmp_path / "racks"]))]
    assert found == ([f"root.a runs one application at a time {effect}"] if effect else [])


def test_a_share_of_masters_for_one_application_while_others_are_busy_is_said(tmp_path: Path) -> None:
    """40 % of 11 GB have room for one, all of it has for two."""
    (tmp_path / "racks").write_text("".join(f"n{number} /r1\n" for number in range(11)))
    site = write(tmp_path, ("yarn.nodemanager.resource.memory-mb", "1024"), name="site.xml")
    found = of_values(read_files([site, write(tmp_path, *TWO_QUEUES), tmp_path / "racks"]))
    assert [each.message for each in found] == [
        f"root.{name} runs one application at a time in the cluster of 11264 MB while other queues are busy"
        for name in ("a", "b")
    ]


def test_reservations_are_said_not_to_be_simulated(tmp_path: Path) -> None:
    found = of_values(read(tmp_path, ("root.a.reservable", "true")))
    assert [each.message for each in found] == ["reservations are not simulated: root.a is an ordinary leaf queue here"]


@pytest.mark.parametrize(("labels", "warned"), [("x", False), ("*", False), ("y", True), (" ", True)])
def test_a_capacity_of_a_partition_that_is_closed_to_the_queue_is_said(
    tmp_path: Path, labels: str, warned: bool
) -> None:
    found = warnings(
        tmp_path,
        ("root.a.accessible-node-labels", labels),
        ("root.a.accessible-node-labels.x.capacity", "100"),
        ("root.accessible-node-labels.x.capacity", "100"),
    )
    found = [each for each in found if "may not use" in each]
    shown = f"its list is {labels}" if labels.strip() else "its list is empty"
    expected = [f"cs.xml:6: root.a.accessible-node-labels.x.capacity: root.a may not use the partition x ({shown})"]
    assert found == (expected if warned else [])


def test_a_file_beside_another_scheduler_has_one_warning(tmp_path: Path) -> None:
    """At the setting that chooses the other, and nothing of what the file says."""
    (tmp_path / "fair-scheduler.xml").write_text("<allocations/>")
    found = warnings(tmp_path, ("root.a.sate", "STOPPED"), (CLASS, "org.example.FairScheduler"))
    expected = f"cs.xml:6: {CLASS}: FairScheduler is chosen; it does not read the properties of the capacity scheduler"
    assert found == [expected]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("root.c.capacity", "the queue root.c is in no list of queues (did you mean root.b?)"),
        ("root.c.d.capacity", "the queue root.c.d is in no list of queues (did you mean root.b?)"),
        ("root.a.x.capacity", "the queue root.a.x is in no list of queues (did you mean root.a?)"),
        ("root.a.ordering-policy.fair.enable-size-based-weight", "Hadoop 2.7 ignores it (read by Hadoop 3 only)"),
        ("root.a.accessible-node-labels.x.maximum-capacity", ""),
        ("root", "unknown property: Hadoop ignores it"),
        ("b.capacity", "names a queue without `root.`: Hadoop ignores it (did you mean root.b.capacity?)"),
        ("b.capactiy", "unknown property: Hadoop ignores it"),
        ("user.ann.weight", ""),
        ("queue-mappings-override.enable", ""),
    ],
)
def test_a_key_belongs_to_the_longest_queue_there_is(tmp_path: Path, key: str, message: str) -> None:
    found = [each.partition(": ")[2] for each in warnings(tmp_path, (key, "1"))]
    assert [each.removeprefix(f"{key}: ") for each in found] == ([message] if message else [])


# Limits of a leaf of the capacity scheduler: its applications, those of one user, its masters.


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


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from((1, 3, 10)))
def test_the_smallest_cluster_for_two_masters_is_the_first_that_has_room(part: int, percent: int, least: int) -> None:
    """Trying every size: the limit of masters is above one of the smallest containers."""
    values = {MINIMUM_MB.everywhere: str(least), f"{OWN}maximum-am-resource-percent": str(percent / 40)}
    found = CapacityLimits(values, CAPACITY_27)
    share = found.number(leaf(), MAXIMUM_AM_PERCENT).number

    expected = next(size for size in range(40 * 40 * 12) if int(size * (part / 40)) * share > least)
    assert [found.memory_for_two(leaf(), part / 40) for _ in range(2)] == [expected] * 2
