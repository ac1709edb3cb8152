"""Warnings about an accepted capacity-scheduler.xml."""

from pathlib import Path

import pytest

from engine.formats.configuration_files import read_files
from tests.engine.formats.capacity_files import CLASS, TWO_QUEUES, read, write

OWN = "yarn.scheduler.capacity."


def warnings(folder: Path, *properties: tuple[str, str]) -> list[str]:
    """What is said of two queues and more properties, without the folder and the prefix of keys."""
    return [str(each).replace(f"{folder}/", "").replace(OWN, "") for each in read(folder, *properties).warnings]


def test_two_plain_queues_have_no_warnings(tmp_path: Path) -> None:
    """Nothing is said where nothing is odd."""
    assert warnings(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("maximum-capactiy", "maximum-capacity"), ("acl_submit_jobs", "acl_submit_applications")],
)
def test_a_misspelt_property_has_the_nearest_name(tmp_path: Path, name: str, nearest: str) -> None:
    """With file and line."""
    expected = f"cs.xml:5: root.a.{name}: unknown property of a queue: Hadoop ignores it (did you mean {nearest}?)"
    assert warnings(tmp_path, (f"root.a.{name}", "1")) == [expected]


def test_a_misspelt_property_of_the_scheduler_has_the_nearest_name(tmp_path: Path) -> None:
    """Of those without a queue."""
    expected = "cs.xml:5: node-locality-dely: unknown property: Hadoop ignores it (did you mean node-locality-delay?)"
    assert warnings(tmp_path, ("node-locality-dely", "1")) == [expected]


def test_a_property_of_hadoop_3_is_said_to_be_one(tmp_path: Path) -> None:
    """Of a queue, and of the scheduler."""
    expected = [
        "cs.xml:5: root.a.priority: Hadoop 2.7 ignores it (read by Hadoop 3 only)",
        "cs.xml:6: rack-locality-additional-delay: Hadoop 2.7 ignores it (read by Hadoop 3 only)",
    ]
    assert warnings(tmp_path, ("root.a.priority", "1"), ("rack-locality-additional-delay", "1")) == expected


def test_a_queue_named_without_root_is_said(tmp_path: Path) -> None:
    """With the name it should have."""
    expected = "cs.xml:5: a.state: names a queue without `root.`: Hadoop ignores it (did you mean root.a.state?)"
    assert warnings(tmp_path, ("a.state", "STOPPED")) == [expected]


def test_a_queue_in_no_list_is_said(tmp_path: Path) -> None:
    """Its properties configure nothing; perhaps another queue was meant."""
    found = warnings(tmp_path, ("root.aa.capacity", "10"))
    assert found == ["cs.xml:5: root.aa.capacity: the queue root.aa is in no list of queues (did you mean root.a?)"]


def test_a_property_of_leaves_on_a_parent_is_said(tmp_path: Path) -> None:
    """Root is no leaf."""
    expected = "cs.xml:5: root.user-limit-factor: root is not a leaf queue: the property has no effect there"
    assert warnings(tmp_path, ("root.user-limit-factor", "2")) == [expected]


def test_a_stopped_queue_is_said(tmp_path: Path) -> None:
    """In whatever letters; a running one is not."""
    assert warnings(tmp_path, ("root.a.state", "stopped"), ("root.b.state", "RUNNING")) == [
        "cs.xml:5: root.a.state: root.a is stopped: it refuses every application"
    ]


@pytest.mark.parametrize(("text", "warned"), [("0", True), ("0.01", False), ("1", False), ("1.01", True)])
def test_a_share_of_masters_that_is_no_fraction_is_said(tmp_path: Path, text: str, warned: bool) -> None:
    """None, or more than everything."""
    assert bool(warnings(tmp_path, ("root.a.maximum-am-resource-percent", text))) is warned


def test_a_share_of_masters_for_all_queues_is_said_once(tmp_path: Path) -> None:
    """Not once for every queue that falls back to it."""
    expected = (
        "cs.xml:5: maximum-am-resource-percent: each queue without a limit of its own runs one application at a time: "
        "no second application master fits in 0 %"
    )
    assert warnings(tmp_path, ("maximum-am-resource-percent", "0")) == [expected]


@pytest.mark.parametrize(("text", "warned"), [("0", True), ("1", False)])
def test_a_queue_for_no_applications_is_said(tmp_path: Path, text: str, warned: bool) -> None:
    """By its own limit."""
    expected = ["cs.xml:5: root.a.maximum-applications: root.a accepts no application"]
    assert warnings(tmp_path, ("root.a.maximum-applications", text)) == (expected if warned else [])


@pytest.mark.parametrize(("capacity", "warned"), [("0.009", True), ("0.011", False)])
def test_a_queue_whose_part_of_all_applications_rounds_to_none_is_said(
    tmp_path: Path, capacity: str, warned: bool
) -> None:
    """Of 10,000 applications less than one."""
    rest = str(100 - float(capacity))
    path = write(tmp_path, ("root.queues", "a,b"), ("root.a.capacity", capacity), ("root.b.capacity", rest))
    found = [each for each in read_files([path]).warnings if "accepts no application" in each.message]
    assert [each.line for each in found] == ([3] if warned else [])


@pytest.mark.parametrize(("factor", "warned"), [("0", True), ("-1", True), ("0.00024", True), ("0.00025", False)])
def test_a_user_limit_that_lets_no_user_submit_is_said(tmp_path: Path, factor: str, warned: bool) -> None:
    """Of 4,000 applications a user may have less than one; the real class refuses them all."""
    found = warnings(tmp_path, ("root.a.user-limit-factor", factor))
    assert any("accepts no application: a user may have 4000" in each for each in found) is warned


@pytest.mark.parametrize(("factor", "warned"), [("0.99", True), ("1", False)])
def test_a_factor_that_leaves_free_space_unused_is_said(tmp_path: Path, factor: str, warned: bool) -> None:
    """Below one."""
    expected = [
        "cs.xml:5: root.a.user-limit-factor: "
        "one user of root.a may use 99 % of its capacity, even where the rest is free"
    ]
    assert warnings(tmp_path, ("root.a.user-limit-factor", factor)) == (expected if warned else [])


@pytest.mark.parametrize(("maximum", "warned"), [("40", True), ("41", False)])
def test_a_factor_without_room_above_the_capacity_is_said(tmp_path: Path, maximum: str, warned: bool) -> None:
    """The maximum equals the capacity."""
    expected = ["cs.xml:5: root.a.user-limit-factor: root.a has no room above its capacity, so 2 has no effect"]
    found = warnings(tmp_path, ("root.a.user-limit-factor", "2"), ("root.a.maximum-capacity", maximum))
    assert found == (expected if warned else [])


@pytest.mark.parametrize(("percent", "warned"), [("100", False), ("101", True)])
def test_a_user_limit_above_the_whole_queue_is_said(tmp_path: Path, percent: str, warned: bool) -> None:
    """Above 100 %."""
    expected = [f"cs.xml:5: root.a.minimum-user-limit-percent: {percent} % is more than the whole queue"]
    assert warnings(tmp_path, ("root.a.minimum-user-limit-percent", percent)) == (expected if warned else [])


@pytest.mark.parametrize(("labels", "warned"), [("x", False), ("*", False), ("y", True), (" ", True)])
def test_a_capacity_of_a_partition_that_is_closed_to_the_queue_is_said(
    tmp_path: Path, labels: str, warned: bool
) -> None:
    """Its list of labels does not name the partition."""
    found = warnings(
        tmp_path, ("root.a.accessible-node-labels", labels), ("root.a.accessible-node-labels.x.capacity", "100")
    )
    shown = f"its list is {labels}" if labels.strip() else "its list is empty"
    expected = [f"cs.xml:6: root.a.accessible-node-labels.x.capacity: root.a may not use the partition x ({shown})"]
    assert found == (expected if warned else [])


def test_a_file_beside_another_scheduler_has_one_warning(tmp_path: Path) -> None:
    """At the setting that chooses the other, and nothing of what the file says."""
    (tmp_path / "fair-scheduler.xml").write_text("<allocations/>")
    found = warnings(tmp_path, ("root.a.sate", "STOPPED"), (CLASS, "org.example.FairScheduler"))
    expected = f"cs.xml:6: {CLASS}: FairScheduler is chosen; it does not read the properties of the capacity scheduler"
    assert found == [expected]


def test_warnings_are_in_the_order_of_files_and_lines(tmp_path: Path) -> None:
    """Also those of different kinds."""
    site = write(tmp_path, ("yarn.scheduler.fair.prempt", "1"), name="site.xml")
    queues = write(tmp_path, *TWO_QUEUES, ("root.a.state", "STOPPED"), ("root.a.sate", "1"), ("root.a.capacity", "40"))
    found = [(Path(each.file).name, each.line) for each in read_files([site, queues]).warnings]
    assert found == [("site.xml", 2), ("cs.xml", 5), ("cs.xml", 6), ("cs.xml", 7)]
