"""What each file of 2.7.2 is refused for, in words, and what each of its settings comes to."""

from collections.abc import Sequence

import pytest

from engine.schedulers.capacity27.configuration import CapacityConfiguration27, QueueConfiguration27, read_configuration
from tests.engine.schedulers.capacity27.test_rules import GOOD, PREFIX


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
