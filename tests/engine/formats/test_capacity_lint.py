"""Warnings about an accepted capacity-scheduler.xml."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ConfigError
from engine.formats.capacity_listing import CapacityLimits
from engine.formats.configuration_files import ConfigurationListing, read_files
from engine.formats.fair_files import read_fair_scheduler
from engine.formats.fair_listing import AllocationListing, QueueListing, list_allocation
from engine.formats.finding import NodeSizes
from engine.model.java_values import float32
from engine.observe.snapshot import CapacityQueueRow, PartitionUse
from engine.settings.capacity import CAPACITY_27
from engine.settings.site import MINIMUM_MB
from tests.build.capacity import CAPACITY
from tests.engine.formats.capacity_files import CLASS, TWO_QUEUES, of_values, read, refusals, write

IGNORED = "unknown property of a queue: Hadoop ignores it"


def warnings(folder: Path, *properties: tuple[str, str], era: str = "2.7") -> list[str]:
    """What is said of two queues and more properties, without the folder and the prefix of keys."""
    found = of_values(read(folder, *properties, era=era))
    return [str(each).replace(f"{folder}/", "").replace(CAPACITY, "") for each in found]


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("root.a.maximum-capactiy", "1", f"{IGNORED} (did you mean maximum-capacity?)"),
        ("root.a.acl_submit_jobs", "1", f"{IGNORED} (an old name; acl_submit_applications is meant)"),
        ("node-locality-dely", "1", "unknown property: Hadoop ignores it (did you mean node-locality-delay?)"),
        ("root.a.priority", "1", "Hadoop 2.7 ignores it (read by Hadoop 3 only)"),
        ("user.ann.max-parallel-apps", "2", "Hadoop 2.7 ignores it (read by Hadoop 3 only)"),
        ("reservation.enabled", "false", "unknown property: Hadoop ignores it"),
        ("rack-locality-additional-delay", "1", "Hadoop 2.7 ignores it (read by Hadoop 3 only)"),
        ("root.user-limit-factor", "2", "root is not a leaf queue: the property has no effect there"),
        ("root.capacity", "80", "80 has no effect: root always has 100"),
        ("root.a.state", "stopped", "root.a is stopped: it refuses every application"),
        ("root.b.state", "RUNNING", ""),
    ],
)
def test_a_property_without_effect_is_said_with_the_nearest(tmp_path: Path, key: str, value: str, told: str) -> None:
    assert warnings(tmp_path, (key, value)) == ([f"cs.xml:5: {key}: {told}"] if told else [])


@pytest.mark.parametrize(
    ("era", "key", "value", "told"),
    [
        ("3.4", "mapping-rule-json", "{}", "has no effect: mapping-rule-format is not json (mapping-rule-format=json)"),
        (
            "3.4",
            "root.a.maximum-capacity",
            "[memory=4gb]",
            "'gb' is no unit: memory has no effect (Mi, Gi; none is MB)",
        ),
        ("3.4", "root.a.maximum-capacity", "[memory=4Gi, vcores=2]", ""),
        ("3.4", "root.b.capacity", "[memory=4Gi]", "only while a queue with an amount is the last"),
        ("2.7", "root.a.accessible-node-labels.x.capacity", "60", "root have 60 % of partition x: refused once a node"),
    ],
)
def test_what_is_read_and_counts_for_nothing_is_said(tmp_path: Path, era: str, key: str, value: str, told: str) -> None:
    found = [each for each in warnings(tmp_path, (key, value), era=era) if f"{key}: " in each and told in each]
    assert bool(found) is bool(told)


def test_absolute_capacities_of_34_are_no_queue_without_applications(tmp_path: Path) -> None:
    """How many it accepts follows from the cluster, which the file does not know; a percentage of 0 is warned of."""
    absolute, said = "[memory=10240,vcores=10]", []
    for a, b, mode in ((absolute, absolute, "true"), ("0", "100", "true"), ("40", "2w", "false")):
        own = (("root.a.capacity", a), ("root.b.capacity", b), ("legacy-queue-mode.enabled", mode))
        said.append(str(of_values(read(tmp_path, *own, era="3.4"))))

    assert ["accepts no application" in words for words in said] == [False, True, False]


@pytest.mark.parametrize(("one", "other", "told"), [("40", "60", ["root.a.capacity"]), ("1w", "3w", [])])
def test_queues_are_made_beside_those_that_have_weights(tmp_path: Path, one: str, other: str, told: list[str]) -> None:
    keys = (("root.a.capacity", one), ("root.b.capacity", other), ("root.auto-queue-creation-v2.enabled", "true"))
    assert [each.split(": ")[1] for each in warnings(tmp_path, *keys, era="3.4") if "makes no queue" in each] == told


@pytest.mark.parametrize(("text", "warned"), [("0", True), ("0.01", False), ("1", False), ("1.01", True)])
def test_a_share_of_masters_that_is_no_fraction_is_said(tmp_path: Path, text: str, warned: bool) -> None:
    assert bool(warnings(tmp_path, ("root.a.maximum-am-resource-percent", text))) is warned


@pytest.mark.parametrize("more", [[], [("yarn.acl.enable", "true")]])
def test_labels_that_nobody_switched_on_are_said(tmp_path: Path, more: list[tuple[str, str]]) -> None:
    """A file of queues alone does not tell."""
    found = warnings(tmp_path, ("root.accessible-node-labels.gpu.capacity", "100"), *more)
    assert any("node labels are off" in each for each in found) is bool(more)


@pytest.mark.parametrize(("capacity", "warned"), [("0.009", True), ("0.011", False), ("[memory=0,vcores=0]", True)])
def test_a_queue_whose_part_of_all_applications_rounds_to_none_is_said(
    tmp_path: Path, capacity: str, warned: bool
) -> None:
    rest = "[memory=9,vcores=9]" if "[" in capacity else str(100 - float(capacity))
    path = write(tmp_path, ("root.queues", "a,b"), ("root.a.capacity", capacity), ("root.b.capacity", rest))
    found = [each for each in of_values(read_files([path], "3.4")) if "accepts no application" in each.message]
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


@pytest.mark.parametrize(
    ("capacity", "maximum", "vcores", "said"),
    [
        (1, "1.56", 64, ["root.a may use 1022 MB, and the smallest container has 1024 MB: nothing runs"]),
        (1, "1.5625", 64, []),
        (
            100,
            "100",
            10,
            ["root.a runs one application at a time in the cluster of 10 vcores: two masters fit from 11"],
        ),
        (100, "100", 11, []),
    ],
)
def test_maxima_and_masters_too_large_for_the_nodes_are_said(
    tmp_path: Path, capacity: int, maximum: str, vcores: int, said: list[str]
) -> None:
    """1.56 % of 64 GB are less than the smallest container; a tenth of ten vcores is one."""
    drf = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
    shares = ("root.a.capacity", f"{capacity}"), ("root.default.capacity", f"{100 - capacity}")
    own = *shares, ("root.a.maximum-capacity", maximum)
    files = [write(tmp_path, ("root.queues", "a,default"), *own, ("resource-calculator", drf))]
    found = read_files(files, "3.4", nodes=[NodeSizes(1, 65536, vcores)]).warnings

    told = [each.message for each in found if "nothing runs" in each.message or "vcores: two" in each.message]
    assert [text.partition(" vcores on")[0] for text in told if text.startswith("root.a ")] == said


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


NO_PART = "cs.xml:5: root.a.accessible-node-labels: root.a is given no capacity of the partition y: "
CLOSED_TO_A = "cs.xml:6: root.a.accessible-node-labels.x.capacity: root.a may not use the partition x (its list is "


@pytest.mark.parametrize(
    ("labels", "begins"),
    [("x", []), ("*", []), ("x,y", [NO_PART]), (" ", [f"{CLOSED_TO_A}empty)"]), ("y", [NO_PART, f"{CLOSED_TO_A}y)"])],
)
def test_a_label_without_a_capacity_or_access_is_said(tmp_path: Path, labels: str, begins: list[str]) -> None:
    """What a queue may use and has no part of, and the other way round."""
    found = warnings(
        tmp_path,
        ("root.a.accessible-node-labels", labels),
        ("root.a.accessible-node-labels.x.capacity", "100"),
        ("root.accessible-node-labels.x.capacity", "100"),
    )
    assert [each[: len(begin)] for each, begin in zip(found, begins, strict=True)] == begins


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
        ("user.ann.weight", "unknown property: Hadoop ignores it"),
        ("queue-mappings-override.enable", "'1' is neither true nor false: it counts as not stated"),
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


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from((1, 3, 10)))
def test_the_smallest_cluster_for_two_masters_is_the_first_that_has_room(part: int, percent: int, least: int) -> None:
    """Trying every size: the limit of masters is above one of the smallest containers."""
    values = {MINIMUM_MB.everywhere: str(least), f"{CAPACITY}maximum-am-resource-percent": str(percent / 40)}
    found = CapacityLimits(values, CAPACITY_27)
    share = float32(percent / 40)

    expected = next(size for size in range(40 * 40 * 12) if int(size * (part / 40)) * share > least)
    assert [found.memory_for_two(leaf(), part / 40) for _ in range(2)] == [expected] * 2


# capacity-scheduler.xml: effective values with their origins, and what is refused.


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
        (
            ("root.b.capacity", "59"),
            "cs.xml:2: root.queues: the capacities of its queues add up to 99 % instead of 100",
        ),
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
    assert [each.replace(CAPACITY, "") for each in refusals(tmp_path, *kept, change)] == [problem]


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
    assert [(each.line, each.key) for each in other.refused] == [(5, f"{CAPACITY}root.a.maximum-capacity")]
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
        (
            ("root.b.capacity", "2w"),
            "cs.xml:2: root.queues: its queues mix percent and weight (one kind for all, or "
            "legacy-queue-mode.enabled=false)",
        ),
    ],
)
def test_what_the_class_of_34_refuses_is_refused_with_its_place(
    tmp_path: Path, change: tuple[str, str], problem: str
) -> None:
    kept = [pair for pair in TWO_QUEUES if pair[0] != change[0]]
    found = [each.replace(CAPACITY, "") for each in refusals(tmp_path, *kept, change, era="3.4")]
    assert found[0] == problem


@pytest.mark.parametrize(
    "changes",
    [
        [("root.b.capacity", "NaN")],
        [("root.a.maximum-capacity", "39")],
        [("root.a.minimum-user-limit-percent", "101"), ("root.a.user-settings.ann.weight", "1")],
    ],
)
def test_what_the_class_of_34_accepts_is_accepted(tmp_path: Path, changes: list[tuple[str, str]]) -> None:
    """A user's weight is bounded by a hundred by his least part, of which more than all counts as all."""
    kept = [pair for pair in TWO_QUEUES if pair[0] != changes[0][0]]
    assert refusals(tmp_path, *kept, *changes, era="3.4") == []


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
        ("root", "aclSubmitApps", "all users", "default"),
        ("root.a.y", "aclSubmitApps", "all users", "from root (default)"),
    ],
)
def test_what_counts_and_where_it_came_from(path: str, name: str, text: str, origin: str) -> None:
    assert value_allocation_listing(path, name) == (text, origin)


def test_access_adds_up_on_the_way_to_a_closed_root() -> None:
    assert value_allocation_listing("root.a.y", "aclSubmitApps", CLOSED) == (
        "bob; alice, group dev",
        "f:9, from root.a (f:8)",
    )
    assert value_allocation_listing("root.b", "aclSubmitApps", CLOSED) == ("no user", "default")
    assert value_allocation_listing("root", "aclSubmitApps", CLOSED) == ("no user", "f:2")


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


def test_of_a_file_that_is_refused_no_queue_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        warnings(tmp_path, ("root.a.maximum-capacity", "1"))
    assert refused.value.warnings == ()
