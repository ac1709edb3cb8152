"""capacity-scheduler.xml: effective values with their origins, and what is refused."""

from pathlib import Path

import pytest

from engine.formats.configuration_files import ConfigurationListing
from engine.formats.fair_files import read_fair_scheduler
from engine.formats.fair_listing import AllocationListing, QueueListing, list_allocation
from tests.engine.formats.capacity_files import PREFIX, TWO_QUEUES, read, refusals

NESTED = (("root.a.queues", "x"), ("root.a.x.capacity", "50"), ("root.a.queues", "x,y"), ("root.a.y.capacity", "50"))
"""Lines 5 to 8: two queues below root.a."""


def value(view: ConfigurationListing, path: str, name: str, occurrence: int = 0) -> tuple[str, str]:
    """The text and the origin of a value of a queue, without the folder."""
    assert view.capacity is not None
    queue = next(queue for queue in view.capacity.queues if queue.path == path)
    found = [each for each in queue.values if each.name.strip() == name][occurrence]
    return found.text, found.origin.replace(view_folder(found.origin), "")


def view_folder(origin: str) -> str:
    """The folder in the first place that an origin names."""
    start = origin.find("/")
    return origin[start : origin.rfind("/") + 1] if start >= 0 else "/"


def test_absolute_capacities_are_multiplied_down_the_tree(tmp_path: Path) -> None:
    """Half of 40 % is 20 % of the cluster, and 50 % of at most 80 % is 40 %."""
    limits = (("root.a.maximum-capacity", "80"), ("root.a.x.maximum-capacity", "50"))
    view = read(tmp_path, *NESTED, *limits)
    assert value(view, "root.a.x", "absolute capacity") == ("20 %", "computed")
    assert value(view, "root.a.x", "absolute maximum-capacity") == ("40 %", "computed")


def test_rights_of_a_queue_include_those_of_the_queues_above(tmp_path: Path) -> None:
    acl = "acl_submit_applications"
    view = read(tmp_path, (f"root.{acl}", "alice"), (f"root.a.{acl}", "bob"))
    text, origin = value(view, "root.a", acl)
    assert text == "bob; alice"
    assert origin.endswith("cs.xml:5")
    assert value(view, "root.b", acl) == ("alice", "from root, cs.xml:5")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("root.b.capacity", "59"), "cs.xml:2: root.queues: the capacities of its queues add up to 99 %"),
        (
            ("root.b.maximum-capacity", "59"),
            "cs.xml:5: root.b.maximum-capacity: its capacity of 60 % is above its maximum of 59 %",
        ),
        (("root.a.state", "STOP"), "cs.xml:5: root.a.state: 'STOP' is neither RUNNING nor STOPPED"),
        (("root.a.user-limit-factor", "x"), "cs.xml:5: root.a.user-limit-factor: 'x' is not a number"),
        (
            ("root.a.minimum-user-limit-percent", "33.3"),
            "cs.xml:5: root.a.minimum-user-limit-percent: '33.3' is not a whole number",
        ),
    ],
)
def test_what_the_class_refuses_is_refused_with_its_place(
    tmp_path: Path, change: tuple[str, str], problem: str
) -> None:
    """Once, at the line of the property; sums at the list of the queues."""
    kept = [pair for pair in TWO_QUEUES if pair[0] != change[0]]
    assert [each.replace(PREFIX, "") for each in refusals(tmp_path, *kept, change)] == [problem]


@pytest.mark.parametrize(
    "change", [("root.b.maximum-capacity", "60"), ("root.a.state", "stopped"), ("root.a.user-limit-factor", "0")]
)
def test_what_the_class_accepts_is_accepted(tmp_path: Path, change: tuple[str, str]) -> None:
    """A maximum that equals the capacity, a state in small letters, a factor of zero."""
    assert refusals(tmp_path, *TWO_QUEUES, change) == []


# ---------------------------------------------------------------- limits that follow from several properties


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ((), ("4000", "computed")),
        ((("maximum-applications", "101"),), ("40", "computed")),
        ((("root.a.maximum-applications", "7"),), ("7", "cs.xml:5")),
        ((("root.a.maximum-applications", "-1"),), ("4000", "computed")),
    ],
)
def test_the_applications_of_a_leaf_are_counted(
    tmp_path: Path, properties: tuple[tuple[str, str], ...], expected: tuple[str, str]
) -> None:
    """Its own limit, or its part of the limit of all, rounded down; a negative limit is none."""
    assert value(read(tmp_path, *properties), "root.a", "maximum-applications") == expected


# ---------------------------------------------------------------- the other release


def test_what_the_other_release_reads_differently_is_listed(tmp_path: Path) -> None:
    other = read(tmp_path, ("root.b.state", "STOPPED"), ("root.maximum-allocation-mb", "4096"), era="3.4").other_era
    assert other is not None
    assert (other.era, other.refused) == ("2.7", ())
    found = {each.name: (each.here, each.there, each.queues) for each in other.values}
    assert found["maximum-allocation-vcores"] == ("4", "32", ("root", "root.a", "root.b"))
    assert found["maximum-allocation-mb"] == ("4096", "8192", ("root.a", "root.b"))
    assert found["node-locality-delay"] == ("40", "-1", ())


def test_what_the_other_release_refuses_is_listed(tmp_path: Path) -> None:
    other = read(tmp_path, ("root.a.maximum-capacity", "39"), era="3.4").other_era
    assert other is not None
    assert [(each.line, each.key) for each in other.refused] == [(5, f"{PREFIX}root.a.maximum-capacity")]
    assert other.values == ()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            ("root.ordering-policy", "fair"),
            "cs.xml:5: root.ordering-policy: there is no class 'fair' that orders queues (utilization or "
            "priority-utilization; fair and fifo order the applications of a leaf)",
        ),
        (
            ("root.a.accessible-node-labels.x", "50"),
            "cs.xml:5: root.a.accessible-node-labels.x: names no property of a partition",
        ),
        (
            ("root.a.multi-node-sorting.policy", "none"),
            "cs.xml:5: root.a.multi-node-sorting.policy: 'none' needs a property multi-node-sorting.policy.none.class",
        ),
        (
            ("root.b.capacity", "59"),
            "cs.xml:2: root.queues: the capacities of its queues add up to 99 % instead of 100",
        ),
        (("root.b.capacity", "-1"), "cs.xml:4: root.b.capacity: -1 is not between 0 and 100"),
    ],
)
def test_what_the_class_of_34_refuses_is_refused_with_its_place(
    tmp_path: Path, change: tuple[str, str], problem: str
) -> None:
    kept = [pair for pair in TWO_QUEUES if pair[0] != change[0]]
    found = [each.replace(PREFIX, "") for each in refusals(tmp_path, *kept, change, era="3.4")]
    assert found[0] == problem


@pytest.mark.parametrize("change", [("root.b.capacity", "NaN"), ("root.a.maximum-capacity", "39")])
def test_what_the_class_of_34_accepts_is_accepted(tmp_path: Path, change: tuple[str, str]) -> None:
    kept = [pair for pair in TWO_QUEUES if pair[0] != change[0]]
    assert refusals(tmp_path, *kept, change, era="3.4") == []


# Effective values of queues and where they came from.

FILE = """<allocations>
<queue name="b"><queue name="x"><weight>2</weight><maxAMShare>-1</maxAMShare></queue></queue>
<queue name="a">
<minSharePreemptionTimeout>30</minSharePreemptionTimeout>
<fairSharePreemptionThreshold>0.25</fairSharePreemptionThreshold>
<maxResources>2048 mb, 2 vcores</maxResources>
<schedulingPolicy>fifo</schedulingPolicy>
<aclSubmitApps>alice dev</aclSubmitApps>
<queue name="y"><maxRunningApps>5</maxRunningApps><aclSubmitApps>bob</aclSubmitApps></queue>
</queue>
<queueMaxAppsDefault>9</queueMaxAppsDefault>
<defaultFairSharePreemptionTimeout>60</defaultFairSharePreemptionTimeout>
<user name="carol"><maxRunningApps>3</maxRunningApps></user>
</allocations>"""
CLOSED = FILE.replace("\n<queue name", '\n<queue name="root"><aclSubmitApps> </aclSubmitApps><queue name', 1).replace(
    "<queueMax", "</queue><queueMax"
)


def view(text: str = FILE, file: str = "f") -> AllocationListing:
    return list_allocation(read_fair_scheduler(text, file=file), {}, file)


def queue(path: str, text: str = FILE) -> QueueListing:
    return next(queue for queue in view(text).queues if queue.path == path)


def value_allocation_listing(path: str, name: str, text: str = FILE) -> tuple[str, str]:
    return next((value.text, value.origin) for value in queue(path, text).values if value.name == name)


@pytest.mark.parametrize(
    ("path", "name", "text", "origin"),
    [
        ("root.b.x", "weight", "2", "f:2"),
        ("root.a", "weight", "1", "default"),
        ("root.a", "maxResources", "2048 mb, 2 vcores", "f:6"),
        ("root.b", "maxResources", "no limit", "default"),
        ("root.b", "minResources", "none", "default"),
        ("root.a.y", "maxRunningApps", "5", "f:9"),
        ("root.b", "maxRunningApps", "9", "from queueMaxAppsDefault (f:11)"),
        ("root.b.x", "maxAMShare", "no limit", "f:2"),
        ("root.a.y", "maxAMShare", "0.5", "default"),
        ("root.a", "schedulingPolicy", "fair", "default, as fifo (f:7) is for leaf queues"),
        ("root.a.y", "schedulingPolicy", "fair", "default"),
        ("root.a.y", "minSharePreemptionTimeout", "30s", "from root.a (f:4)"),
        ("root.a", "minSharePreemptionTimeout", "30s", "f:4"),
        ("root.b", "minSharePreemptionTimeout", "never", "default"),
        ("root.b.x", "fairSharePreemptionTimeout", "1m", "from defaultFairSharePreemptionTimeout (f:12)"),
        ("root.a.y", "fairSharePreemptionThreshold", "0.25", "from root.a (f:5)"),
        ("root", "aclSubmitApps", "everybody", "default"),
        ("root.a.y", "aclSubmitApps", "everybody", "from root (default)"),
    ],
)
def test_what_counts_and_where_it_came_from(path: str, name: str, text: str, origin: str) -> None:
    assert value_allocation_listing(path, name) == (text, origin)


def test_access_adds_up_on_the_way_to_a_closed_root() -> None:
    assert value_allocation_listing("root.a.y", "aclSubmitApps", CLOSED) == (
        "bob; alice, group dev",
        "f:9, from root.a (f:8)",
    )
    assert value_allocation_listing("root.b", "aclSubmitApps", CLOSED) == ("nobody", "default")
    assert value_allocation_listing("root", "aclSubmitApps", CLOSED) == ("nobody", "f:2")


def test_limits_of_all_and_of_single_users() -> None:
    shown = view()

    assert [(value.name, value.text, value.origin) for value in shown.defaults] == [
        ("userMaxAppsDefault", "no limit", "default"),
        ("queueMaxAppsDefault", "9", "f:11"),
        ("queueMaxAMShareDefault", "0.5", "default"),
        ("defaultQueueSchedulingPolicy", "fair", "default"),
    ]
    assert [(value.name, value.text, value.origin) for value in shown.users] == [("carol", "3", "f:13")]


def test_placement_rules_in_words() -> None:
    own = FILE.replace(
        "</allocations>", '<queuePlacementPolicy><rule name="reject"/></queuePlacementPolicy></allocations>'
    )

    assert (view().rules, view().rules_origin) == (("specified", "user"), "from the settings")
    assert (view(own).rules, view(own).rules_origin) == (("reject",), "f:14")
