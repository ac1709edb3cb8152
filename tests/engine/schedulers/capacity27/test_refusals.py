"""What each file of 2.7.2 is refused for, in words, and what each of its settings comes to."""

from collections.abc import Sequence

import pytest

from engine.model.java_number import float32
from engine.schedulers.capacity27.configuration import (
    CapacityConfiguration27,
    LeafConfiguration27,
    PartitionCapacity,
    QueueConfiguration27,
    QueueMapping27,
)
from engine.schedulers.capacity27.configuration_reader import read_configuration
from tests.engine.schedulers.capacity27.test_configuration_reader import GOOD, PREFIX


def read(
    changes: dict[str, str], labels: Sequence[str] = ()
) -> tuple[CapacityConfiguration27, list[tuple[str, str, str]]]:
    """The configuration, and (exception, key, message) of what is refused; keys that start with `yarn` are whole."""
    more = {key if key.startswith("yarn") else f"{PREFIX}{key}": value for key, value in changes.items()}
    configuration, properties = read_configuration(GOOD | more, labels)
    refusals = properties.refusals
    found = zip(refusals.kinds, refusals.problems, strict=True)
    return configuration, [(kind, one.key.removeprefix(PREFIX), one.message) for kind, one in found]


def queue(changes: dict[str, str], path: str = "root.a") -> QueueConfiguration27:
    """One queue of a file that is taken."""
    configuration, refused = read(changes)
    assert refused == []
    below = [configuration.root]
    for one in below:
        below += one.children
    return next(one for one in below if one.path == path)


def leaf(changes: dict[str, str]) -> LeafConfiguration27:
    """The leaf's part of root.a."""
    found = queue(changes).leaf
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"root.queues": ""}, ("IllegalStateException", "root.queues", "root has no queues")),
        (
            {"root.b.queues": "c", "root.b.c.capacity": "100", "root.b.reservable": "true"},
            ("IllegalStateException", "root.b.reservable", "only a leaf queue can be reservable"),
        ),
        (
            {"root.b.queues": "a", "root.b.a.capacity": "100"},
            ("IOException", "root.b.a", "two leaf queues are named a"),
        ),
        (
            {"root.a.state": "off"},
            ("IllegalArgumentException", "root.a.state", "'off' is neither RUNNING nor STOPPED"),
        ),
        (
            {"root.queues": "a,b,c"},
            ("IllegalArgumentException", "root.c.capacity", "the queue is given no capacity"),
        ),
        (
            {"root.a.capacity": "-1"},
            ("IllegalArgumentException", "root.a.capacity", "-1 is not between 0 and 100"),
        ),
        (
            {"root.a.capacity": "100.5"},
            ("IllegalArgumentException", "root.a.capacity", "100.5 is not between 0 and 100"),
        ),
        (
            {"root.b.maximum-capacity": "50"},
            (
                "IllegalArgumentException",
                "root.b.maximum-capacity",
                "its capacity of 60 % is above its maximum of 50 %",
            ),
        ),
        (
            {"root.a.capacity": "41"},
            ("IllegalArgumentException", "root.queues", "the capacities of its queues add up to 101 %"),
        ),
        (
            {"root.a.maximum-allocation-mb": "8193"},
            (
                "IllegalArgumentException",
                "root.a.maximum-allocation-mb",
                "8193 is above the cluster's maximum allocation of 8192",
            ),
        ),
        (
            {"root.a.maximum-allocation-vcores": "33"},
            (
                "IllegalArgumentException",
                "root.a.maximum-allocation-vcores",
                "33 is above the cluster's maximum allocation of 32",
            ),
        ),
        (
            {"root.a.accessible-node-labels": "x", "root.a.default-node-label-expression": "y"},
            (
                "IOException",
                "root.a.default-node-label-expression",
                "the default partition 'y' is not accessible to the queue",
            ),
        ),
        (
            {
                "root.b.queues": "c",
                "root.b.c.capacity": "100",
                "root.b.accessible-node-labels": "x",
                "root.b.c.accessible-node-labels": "y",
            },
            ("IOException", "root.b.c.accessible-node-labels", "it may use partitions that its parent may not"),
        ),
        (
            {"root.a.accessible-node-labels.x": "1"},
            (
                "StringIndexOutOfBoundsException",
                "root.a.accessible-node-labels.x",
                "names no setting of a partition",
            ),
        ),
        (
            {"queue-mappings": "u:jo"},
            (
                "IllegalArgumentException",
                "queue-mappings",
                "'u:jo' is no mapping like u:user:queue or g:group:queue",
            ),
        ),
        (
            {"queue-mappings": "u:jo:root"},
            ("IOException", "queue-mappings", "'root' is not there or is no leaf queue"),
        ),
        (
            {"resource-calculator": "Other"},
            ("ClassNotFoundException", "resource-calculator", "there is no class 'Other'"),
        ),
        (
            {"yarn.scheduler.minimum-allocation-vcores": "33"},
            (
                "YarnRuntimeException",
                "yarn.scheduler.minimum-allocation-vcores",
                "the smallest container of 33 vcores is not between 1 and the largest, 32",
            ),
        ),
        (
            {"yarn.scheduler.minimum-allocation-mb": "0"},
            (
                "YarnRuntimeException",
                "yarn.scheduler.minimum-allocation-mb",
                "the smallest container of 0 memory is not between 1 and the largest, 8192",
            ),
        ),
    ],
)
def test_a_refusal_names_its_key_and_says_why(changes: dict[str, str], refusal: tuple[str, str, str]) -> None:
    """It is the only one, apart from what follows from it."""
    assert refusal in read(changes)[1]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("root.a.maximum-capacity", "40"),
        ("root.a.maximum-capacity", "-1"),
        ("root.a.maximum-capacity", "100"),
        ("root.a.maximum-allocation-vcores", "32"),
        ("root.a.maximum-allocation-vcores", "-1"),
        ("root.a.state", "stopped"),
        ("yarn.scheduler.minimum-allocation-vcores", "32"),
        ("yarn.scheduler.minimum-allocation-mb", "1"),
        ("queue-mappings", " , u:jo:a, g:ops:%user ,u:jo:%primary_group,"),
    ],
)
def test_what_lies_on_a_boundary_is_taken(key: str, text: str) -> None:
    """At each end of what is allowed."""
    assert read({key: text})[1] == []


def test_a_maximum_of_minus_one_is_the_whole_parent() -> None:
    """Like one that is not given; 0 is nothing, which a capacity of 0 may have."""
    whole = PartitionCapacity(float32(0.4), 1.0, float32(0.4), 1.0)
    assert [queue({"root.a.maximum-capacity": text}).capacities for text in ("-1", "100")] == [{"": whole}] * 2
    assert queue({}).capacities == {"": whole}
    nothing = {"root.a.capacity": "0", "root.b.capacity": "100", "root.b.maximum-capacity": "100"}
    zero = queue({**nothing, "root.a.maximum-capacity": "0"}).capacities
    assert zero == {"": PartitionCapacity(0.0, 0.0, 0.0, 0.0)}


def test_capacities_multiply_down_the_tree() -> None:
    """Those of the parent and its maximum, each with its own."""
    more = {"root.b.queues": "c,d", "root.b.c.capacity": "25", "root.b.d.capacity": "75"}
    found = queue({**more, "root.b.c.maximum-capacity": "50"}, "root.b.c").capacities[""]
    assert found == PartitionCapacity(0.25, 0.5, float32(0.25 * float32(0.6)), 0.375)


@pytest.mark.parametrize(("total", "is_taken"), [("59.96", True), ("59.94", False), ("60.04", True), ("60.06", False)])
def test_capacities_add_up_to_a_hundred_within_a_twentieth(total: str, is_taken: bool) -> None:
    """Below and above."""
    assert (read({"root.b.capacity": total})[1] == []) == is_taken


LABELLED = {
    "root.accessible-node-labels.x.capacity": "100",
    "root.a.accessible-node-labels.x.capacity": "30",
    "root.b.accessible-node-labels.x.capacity": "70",
    "root.a.accessible-node-labels.x.maximum-capacity": "45",
}


def test_a_partition_has_capacities_of_its_own() -> None:
    """Its sum is checked where the cluster knows the label, and named."""
    configuration, refused = read(LABELLED, ["x"])
    a, b = configuration.root.children
    assert refused == []
    assert (a.capacities["x"].absolute, a.capacities["x"].absolute_maximum) == (float32(0.3), float32(0.45))
    assert (b.capacities["x"].of_parent, b.capacities["x"].maximum_of_parent) == (float32(0.7), 1.0)
    wrong = {**LABELLED, "root.b.accessible-node-labels.x.capacity": "60"}
    message = "the capacities of its queues add up to 90 % in partition x"
    assert read(wrong, ["x"])[1] == [("IllegalArgumentException", "root.queues", message)]
    assert read(wrong, [])[1] == []


def test_a_capacity_above_its_maximum_names_its_partition() -> None:
    """At the maximum of the default one."""
    wrong = {**LABELLED, "root.a.accessible-node-labels.x.maximum-capacity": "29"}
    message = "its capacity of partition x of 30 % is above its maximum of 29 %"
    assert ("IllegalArgumentException", "root.a.maximum-capacity", message) in read(wrong, ["x"])[1]


@pytest.mark.parametrize(
    ("changes", "accessible", "default"),
    [
        ({}, {"*"}, ""),
        ({"root.default-node-label-expression": "x"}, {"*"}, "x"),
        ({"root.a.accessible-node-labels": " x , y,"}, {"x", "y"}, ""),
        ({"root.a.accessible-node-labels": "x,*"}, {"*"}, ""),
        ({"root.a.accessible-node-labels": "x", "root.default-node-label-expression": "x"}, {"x"}, ""),
        ({"root.a.accessible-node-labels": "x", "root.a.default-node-label-expression": " x "}, {"x"}, "x"),
    ],
)
def test_partitions_come_from_the_parent(changes: dict[str, str], accessible: set[str], default: str) -> None:
    """A queue that may use less than its parent has no default partition from it."""
    found = queue(changes)
    assert (set(found.accessible), found.default_label) == (accessible, default)


def test_a_leaf_takes_its_part_of_the_applications() -> None:
    """Of all there may be, cut to whole ones; of one user by the smallest limit and the factor."""
    assert leaf({}) == LeafConfiguration27(100, 1.0, 4000, 4000, float32(0.1))
    changes = {"root.a.minimum-user-limit-percent": "25", "root.a.user-limit-factor": "1.5"}
    assert leaf(changes) == LeafConfiguration27(25, 1.5, 4000, 1500, float32(0.1))
    assert leaf({"maximum-applications": "7"})[2:4] == (2, 2)
    assert leaf({"maximum-applications": "7", "root.a.maximum-applications": "9"})[2:4] == (9, 9)
    assert leaf({"root.a.maximum-applications": "0"})[2:4] == (0, 0)


@pytest.mark.parametrize(
    ("changes", "disabled"),
    [
        ({}, True),
        ({"root.disable_preemption": "false"}, True),
        ({"yarn.resourcemanager.scheduler.monitor.enable": "true"}, False),
        ({"yarn.resourcemanager.scheduler.monitor.enable": "true", "root.disable_preemption": "true"}, True),
        (
            {
                "yarn.resourcemanager.scheduler.monitor.enable": "true",
                "root.disable_preemption": "true",
                "root.a.disable_preemption": "false",
            },
            False,
        ),
    ],
)
def test_preemption_is_switched_off_for_a_queue_and_below(changes: dict[str, str], disabled: bool) -> None:
    """Without a monitor nothing is ever preempted."""
    assert queue(changes).preemption_disabled is disabled


def test_rights_and_states_are_of_the_queue_alone() -> None:
    """Everybody has a right to root, nobody to another queue, unless it says so."""
    changed = {"root.a.state": "STOPPED", "root.a.acl_submit_applications": "ann", "root.acl_administer_queue": "bob"}
    root, a = queue(changed, "root"), queue(changed)
    assert [str(one) for one in (root.submit_acl, root.administer_acl)] == ["*", "bob "]
    assert [str(one) for one in (a.submit_acl, a.administer_acl)] == ["ann ", " "]
    assert (root.is_running, a.is_running, a.maximum) == (True, False, (8192, 32))
    assert queue({"root.a.maximum-allocation-mb": "2048"}).maximum == (2048, 32)


@pytest.mark.parametrize(("text", "delay"), [(None, 0), ("-1", 0), ("0", 0), ("1", 1), ("-2", 0)])
def test_a_delay_is_not_negative(text: str | None, delay: int) -> None:
    """None, unless the file says otherwise. Source: CapacitySchedulerConfiguration#getNodeLocalityDelay."""
    changes = {} if text is None else {"node-locality-delay": text}
    assert read(changes)[0].node_locality_delay == delay


def test_the_whole_file_is_read() -> None:
    """With its mappings, each once."""
    configuration, refused = read(
        {
            "queue-mappings": "u:jo:a, g:ops:%user,u:jo:a",
            "queue-mappings-override.enable": "true",
            "resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
            "yarn.scheduler.minimum-allocation-mb": "512",
            "yarn.scheduler.maximum-allocation-vcores": "6",
        }
    )
    assert refused == []
    assert configuration[:3] == ((512, 1), (8192, 6), "dominant")
    assert configuration.mappings == (QueueMapping27(False, "jo", "a"), QueueMapping27(True, "ops", "%user"))
    assert (configuration.mappings_override, configuration.refused_mappings) == (True, ())
    assert (read({})[0].mappings_override, read({})[0].mappings, read({})[0].calculator) == (False, (), "memory")


def test_refused_mappings_are_told_apart() -> None:
    """From what is refused of the queues."""
    configuration, refused = read({"queue-mappings": "u:jo:gone", "root.a.state": "off"})
    assert [one.message for one in configuration.refused_mappings] == ["'gone' is not there or is no leaf queue"]
    assert len(refused) == 2
