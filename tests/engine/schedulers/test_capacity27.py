"""Rules of the capacity scheduler of 2.7: calculators, settings, limits, queues."""

from collections.abc import Sequence

import pytest

from engine.control_plane.protocol import SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import RefusedError
from engine.schedulers.capacity27.configuration import CapacityConfiguration27, QueueConfiguration27, read_configuration
from engine.schedulers.capacity27.scheduler import CapacityScheduler27
from engine.schedulers.obstacle_texts import Obstacle, Reason
from tests.build import START_MS, ask, attempt_of, fetch, heartbeat, resource_manager, submit
from tests.build.capacity import CAPACITY, SETTINGS, changed, properties

# Reading the properties of 2.7.2: what the real class would refuse, in its order.

GOOD = {
    f"{CAPACITY}root.queues": "a,b",
    f"{CAPACITY}root.a.capacity": "40",
    f"{CAPACITY}root.b.capacity": "60",
    f"{CAPACITY}root.b.maximum-capacity": "75",
}


def test_a_good_configuration_is_read_whole() -> None:
    configuration, properties = read_configuration(GOOD, [])
    a, b = configuration.root.children

    assert properties.refusals.problems == []
    assert [queue.path for queue in (a, b)] == ["root.a", "root.b"]
    assert [round(queue.capacities[""].absolute, 4) for queue in (a, b)] == [0.4, 0.6]
    assert [queue.capacities[""].absolute_maximum for queue in (a, b)] == [1.0, 0.75]


def test_a_capacity_that_is_no_number_passes_the_bounds() -> None:
    """The real class asks whether it is below 0 or above 100, and NaN is neither."""
    only = {f"{CAPACITY}root.queues": "a", f"{CAPACITY}root.a.capacity": "NaN"}
    assert read_configuration(only, [])[1].refusals.kinds == []


def test_a_limit_without_end_is_the_largest_number() -> None:
    values = GOOD | {f"{CAPACITY}root.a.user-limit-factor": "Infinity"}
    leaf = next(each.leaf for each in read_configuration(values, [])[0].root.children if each.path == "root.a")
    assert leaf is not None
    assert leaf.maximum_applications_per_user == 2**31 - 1


# The tree of queues of 2.7.2: found by short names, loaded anew, kept where a file would take something away.

MONITOR = "yarn.resourcemanager.scheduler.monitor."
ALL = ["root", "root.a", "root.p", "root.p.x", "root.p.y"]


def manager(**more: str) -> ResourceManager:
    """A cluster of 24 GB with the queues a, p.x and p.y, which is stopped."""
    return resource_manager("capacity-2.7", settings={**SETTINGS, **properties(more)})


@pytest.mark.parametrize(
    ("queue", "words"),
    [
        ("a", ""),
        ("x", ""),
        ("root.p.x", "there is no queue root.p.x; 2.7.2 knows it as x"),
        ("root.gone", "there is no queue root.gone"),
        ("gone", "there is no queue gone"),
        ("p", "p is not a leaf queue"),
        ("root", "root is not a leaf queue"),
    ],
)
def test_a_leaf_is_known_by_its_short_name(queue: str, words: str) -> None:
    policy = manager().scheduler.policy
    assert isinstance(policy, CapacityScheduler27)
    if not words:
        assert policy.tree.leaf(queue).path.rpartition(".")[2] == queue
        return
    with pytest.raises(RefusedError) as refused:
        policy.tree.leaf(queue)
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"root__queues": "p", "root__p__capacity": "100"},
            "the queue root.a is missing; a reload cannot remove queues",
        ),
        (
            {
                "root__queues": "p",
                "root__p__capacity": "100",
                "root__p__queues": "x,y,a",
                "root__p__x__capacity": "25",
                "root__p__y__capacity": "25",
                "root__p__a__capacity": "50",
            },
            "a reload cannot move the queue root.a to root.p.a",
        ),
        (
            {"root__a__queues": "z", "root__a__z__capacity": "100"},
            "the queue root.a cannot become another kind of queue",
        ),
        ({"root__a__maximum_allocation_mb": "8191"}, "the maximum allocation of root.a cannot become smaller"),
        ({"root__a__maximum_allocation_vcores": "31"}, "the maximum allocation of root.a cannot become smaller"),
    ],
)
def test_a_reload_takes_nothing_away(more: dict[str, str], words: str) -> None:
    rm = manager()
    assert changed(rm, **more) == ("IOException", words)
    assert [row.path for row in rm.scheduler.policy.view().queues()] == ALL


@pytest.mark.parametrize(("maximum", "live"), [("100", 2), ("75", 1)])
def test_the_limit_of_a_queue_follows_a_reload(maximum: str, live: int) -> None:
    rm = resource_manager(
        "capacity-2.7", nodes=1, settings={**SETTINGS, **properties({"root__a__user_limit_factor": "9"})}
    )
    assert changed(rm, root__a__maximum_capacity=maximum) == ("", "")
    number = submit(rm, "a")
    ask(rm, number, 2, 4096)
    heartbeat(rm)
    heartbeat(rm)
    assert len(attempt_of(rm, number).live) == live


def test_the_largest_container_follows_a_reload() -> None:
    key = "yarn.scheduler.maximum-allocation-mb"
    rm = resource_manager("capacity-2.7", nodes=1, memory_mb=16_384, settings={key: "8192"})
    number = submit(rm)
    assert ask(rm, number, 1, 8193).rejected == "InvalidResourceRequestException"
    assert rm.handle(SettingsChanged({key: "8193"}), START_MS).rejected == ""
    assert ask(rm, number, 1, 8193).rejected == ""


def test_who_has_reserved_a_node_is_named() -> None:
    """Not the first application, nor its first container."""
    rm = resource_manager("capacity-2.7", nodes=2, settings=properties({"root__default__user_limit_factor": "9"}))
    first, second = submit(rm), submit(rm)
    for number in (first, second):
        ask(rm, number, 1, 5120)
        heartbeat(rm)
        fetch(rm, number)
    ask(rm, first, 1)
    found = rm.scheduler.policy.obstacle_on(attempt_of(rm, first), rm.cluster.nodes["n1:1"], START_MS)
    assert found == Obstacle(Reason.NODE_RESERVED, (5120, 3072), f"application_{START_MS}_0002")


# What each file of 2.7.2 is refused for, in words, and what each of its settings comes to.


def read(
    changes: dict[str, str], labels: Sequence[str] = ()
) -> tuple[CapacityConfiguration27, list[tuple[str, str, str]]]:
    """The configuration, and (exception, key, message) of what is refused; keys that start with `yarn` are whole."""
    more = {key if key.startswith("yarn") else f"{CAPACITY}{key}": value for key, value in changes.items()}
    configuration, properties = read_configuration(GOOD | more, labels)
    refusals = properties.refusals
    found = zip(refusals.kinds, refusals.problems, strict=True)
    return configuration, [(kind, one.key.removeprefix(CAPACITY), one.message) for kind, one in found]


def queue(changes: dict[str, str], path: str = "root.a") -> QueueConfiguration27:
    configuration, refused = read(changes)
    assert refused == []
    below = [configuration.root]
    for one in below:
        below += one.children
    return next(one for one in below if one.path == path)


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
        ({"root.a.state": "off"}, ("IllegalArgumentException", "root.a.state", "'off' is neither RUNNING nor STOPPED")),
        ({"root.queues": "a,b,c"}, ("IllegalArgumentException", "root.c.capacity", "the queue is given no capacity")),
        ({"root.a.capacity": "-1"}, ("IllegalArgumentException", "root.a.capacity", "-1 is not between 0 and 100")),
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
            ("IllegalArgumentException", "root.queues", "the capacities of its queues add up to 101 % instead of 100"),
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
            ("StringIndexOutOfBoundsException", "root.a.accessible-node-labels.x", "names no setting of a partition"),
        ),
        (
            {"queue-mappings": "u:jo"},
            (
                "IllegalArgumentException",
                "queue-mappings",
                "'u:jo' is not a mapping like u:user:queue or g:group:queue",
            ),
        ),
        (
            {"queue-mappings": "u:jo:root"},
            ("IOException", "queue-mappings", "'root' is not there or is not a leaf queue"),
        ),
        (
            {"resource-calculator": "Other"},
            ("ClassNotFoundException", "resource-calculator", "there is no class 'Other'"),
        ),
        (
            {f"{MONITOR}enable": "true", f"{MONITOR}policies": "Other"},
            ("ClassNotFoundException", f"{MONITOR}policies", "there is no monitor policy 'Other'"),
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
    assert refusal in read(changes)[1]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("root.a.capacity", "40.04"),
        ("root.a.maximum-allocation-mb", "8192"),
        ("schedule-asynchronously.scheduling-interval-ms", "7"),
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
    assert read({key: text})[1] == []


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
    assert queue(changes).preemption_disabled is disabled
