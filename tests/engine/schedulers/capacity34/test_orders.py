"""Orders of the capacity scheduler of 3.4: of applications, queues, workflows and priorities."""

from math import log, log1p
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control_plane.protocol import ApplicationSubmitted
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import RefusedError
from engine.schedulers.capacity34.capacities import charge_path
from engine.schedulers.capacity34.order import FairOrder, PartitionedOrder, children_in_order, make_order
from engine.schedulers.capacity34.queue import ApplicationOrder, CapacityAttempt
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from tests.build import START_MS, attempt_of, resource_manager, submit
from tests.engine.schedulers.test_capacity import PREFIX as PRIORITY_PREFIX
from tests.engine.schedulers.test_capacity import SETTINGS as PRIORITY_SETTINGS

PREFIX = "yarn.scheduler.capacity.root.default."
COUNT = 5


def attempts() -> list[CapacityAttempt]:
    """Attempts of applications 1 to 5, in order of their start."""
    rm = resource_manager(
        "capacity-3.4", settings={f"{PREFIX}user-limit-factor": "10", f"{PREFIX}maximum-am-resource-percent": "1"}
    )
    found = [attempt_of(rm, submit(rm)) for _ in range(COUNT)]
    for started_ms, each in enumerate(found):
        assert isinstance(each, CapacityAttempt)
        each.started_ms = started_ms
    return [each for each in found if isinstance(each, CapacityAttempt)]


class Settings:
    """What an order reads of a leaf's settings."""

    def __init__(self, order: str = "fair", size_based: bool = False, partitions: tuple[str, ...] = ()) -> None:
        self.order, self.size_based, self.order_partitions = order, size_based, partitions


def made(**settings: Any) -> ApplicationOrder:
    one: Any = Settings(**settings)
    return make_order(one)


def numbers(found: Any) -> list[int]:
    return [each.application.number for each in found]


AMOUNTS = st.tuples(st.integers(0, 4), st.integers(0, 4))
LOADS = st.lists(AMOUNTS, min_size=COUNT, max_size=COUNT)


def use(attempt: CapacityAttempt, load: tuple[int, int]) -> None:
    """Let an application use and want so many GB, in two partitions."""
    used, wanted = load
    attempt.used_in = {"": (1024 * used, 1), "gpu": (512 * used, 1)}
    attempt.pending_in = {"": (1024 * wanted, 1)}


@given(LOADS, LOADS, st.booleans())
def test_whoever_uses_least_is_first(
    first: list[tuple[int, int]], then: list[tuple[int, int]], size_based: bool
) -> None:
    """In proportion to its demand where sizes count; of equals who started first. Looking does not change it."""
    order, all_of = made(size_based=size_based), attempts()
    assert isinstance(order, FairOrder)
    for loads in (first, then):
        for attempt, load in zip(all_of, loads, strict=True):
            use(attempt, load)
            if attempt not in order:
                order.add(attempt)
            order.usage_changed(attempt)

        def key(attempt: CapacityAttempt) -> tuple[float, int]:
            used_mb = sum(memory for memory, _ in attempt.used_in.values())
            demand_mb = used_mb + attempt.pending_in[""][0]
            weight = log1p(demand_mb) / log(2) if size_based and used_mb else 1.0
            return used_mb / weight, attempt.started_ms

        expected = numbers(sorted(all_of, key=key))
        assert numbers(order.peek("")) == expected
        assert numbers(order.peek("")) == expected
        assert numbers(order.for_assignment("")) == expected
        assert numbers(order) == expected
        assert numbers(order.for_preemption()) == expected[::-1]


def test_partitions_have_orders_of_their_own() -> None:
    order, all_of = made(order="fifo-with-partitions", partitions=("gpu",)), attempts()
    assert isinstance(order, PartitionedOrder)
    for attempt, label in zip(all_of, ("gpu", "", "ssd", "gpu", ""), strict=True):
        attempt.label = label
    for attempt in reversed(all_of):
        order.add(attempt)
    assert numbers(order.for_assignment("gpu")) == numbers(order.peek("gpu")) == [1, 4]
    assert numbers(order.for_assignment("")) == numbers(order.peek("ssd")) == [2, 3, 5]
    assert (numbers(order), numbers(order.for_preemption()), len(order)) == ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], 5)
    assert (order.remove(all_of[3]), order.remove(all_of[3]), all_of[0] in order, all_of[3] in order) == (
        True,
        False,
        True,
        False,
    )


# In which order the children of a parent are offered a node.

QUEUE_PREFIX = "yarn.scheduler.capacity.root."
QUEUES = "abcd"
SETTINGS = {f"{QUEUE_PREFIX}queues": ",".join(QUEUES)} | {f"{QUEUE_PREFIX}{name}.capacity": "25" for name in QUEUES}

CHARGES = st.tuples(st.integers(0, 3), st.integers(-3, 3))
CHANGES = st.sampled_from((
    {f"{QUEUE_PREFIX}a.capacity": "10", f"{QUEUE_PREFIX}b.capacity": "40"},
    {f"{QUEUE_PREFIX}a.capacity": "0", f"{QUEUE_PREFIX}b.capacity": "50"},
    {f"{QUEUE_PREFIX}a.capacity": "25", f"{QUEUE_PREFIX}b.capacity": "25"},
    {"yarn.scheduler.capacity.root.ordering-policy": "priority-utilization", f"{QUEUE_PREFIX}c.priority": "2"},
))  # fmt: skip


@settings(max_examples=60)
@given(st.lists(st.tuples(CHARGES | CHANGES | st.none(), st.booleans()), max_size=30))
def test_the_kept_order_is_the_one_made_anew(
    events: list[tuple[tuple[int, int] | dict[str, str] | None, bool]],
) -> None:
    rm = resource_manager("capacity-3.4", nodes=1, settings=SETTINGS)
    policy = rm.scheduler.policy
    assert isinstance(policy, CapacityScheduler34)
    space = policy.space
    for event, looks in events:
        root = policy.tree.root
        if isinstance(event, tuple):
            charge_path(root.children[event[0]], "", (event[1] * 1024, event[1]), space)
        elif event is None:
            node = next(iter(policy.cluster.nodes.values()))
            rm.scheduler.resize_node(node, node.total_memory_mb + 1024, node.total_vcores)
        else:
            policy.change_settings(event)
        if looks:
            kept, orders, root.orders = list(children_in_order(root, "", space)), root.orders, None

            assert kept == list(children_in_order(root, "", space))
            root.orders = orders


# Priorities by the workflow that an application's tags name.

CAPACITY = "yarn.scheduler.capacity."
WORKFLOW_SETTINGS = {
    f"{CAPACITY}root.queues": "a",
    f"{CAPACITY}root.a.capacity": "100",
    f"{CAPACITY}root.a.queues": "b,c",
    f"{CAPACITY}root.a.b.capacity": "50",
    f"{CAPACITY}root.a.c.capacity": "50",
    f"{CAPACITY}workflow-priority-mappings-override.enable": "true",
    f"{CAPACITY}workflow-priority-mappings": "Nightly:root.a:3, nightly:root.a.b:7, huge:root.a:99, top:root:5",
    "yarn.cluster.max-application-priority": "9",
}


def _priority(queue: str, *tags: str, given: int | None = 1) -> int:
    rm = resource_manager("capacity-3.4", nodes=1, settings=WORKFLOW_SETTINGS)
    answer = rm.handle(ApplicationSubmitted("ann", queue, priority=given, tags=tags), START_MS)
    assert answer.application is not None, "it was taken"
    attempt = rm.cluster.applications[answer.application].attempt
    assert isinstance(attempt, CapacityAttempt), "of this scheduler"
    return attempt.priority


@pytest.mark.parametrize(
    ("queue", "tags", "priority"),
    [
        ("b", ("workflowid:nightly",), 7),
        ("c", ("workflowid:NIGHTLY",), 3),
        ("c", ("workflowid:huge",), 9),
        ("c", ("workflowid:top",), 1),
        ("c", ("nightly",), 1),
        ("c", ("workflowid:huge", "workflowid:other"), 1),
    ],
)
def test_the_nearest_queue_with_a_mapping_says_the_priority(queue: str, tags: tuple[str, ...], priority: int) -> None:
    """The root's mappings do not count, the cluster's maximum does, and of several tags the last one in order."""
    assert _priority(queue, *tags) == priority


# Priorities and rights of applications in capacity-3.4: what a user may have or gets unasked, who may submit.

ACL = f"{PRIORITY_PREFIX}root.a.acl_application_max_priority"
GROUPS = (
    "[user=ann max_priority=8 default_priority=5] [user=zoe group=ops max_priority=3 default_priority=2]"
    " [user=* max_priority=1]"
)
OPEN = {"yarn.cluster.max-application-priority": "9", f"{PRIORITY_PREFIX}root.acl_submit_applications": "*"}
ENABLED = {**OPEN, "yarn.acl.enable": "true"}


def manager(*settings: dict[str, str]) -> ResourceManager:
    """With the queues a, p.x and p.y; bob is in the group ops."""
    conf = dict(PRIORITY_SETTINGS)
    for each in settings:
        conf |= each
    return resource_manager("capacity-3.4", settings=conf, groups={"bob": ["ops"]})


def priority_given(rm: ResourceManager, user: str, priority: int | None, queue: str = "a") -> int | str:
    """The priority of an application that is submitted, or the words with which it is refused."""
    submission = ApplicationSubmitted(user, queue, priority=priority)
    answer = rm.handle(submission, START_MS)
    if answer.rejected:
        return answer.detail
    assert answer.application is not None
    return rm.cluster.applications[answer.application].priority


@pytest.mark.parametrize(("asked", "priority"), [(None, 4), (0, 0), (3, 3), (9, 9), (10, 9)])
def test_a_priority_ends_at_that_of_the_cluster(asked: int | None, priority: int) -> None:
    """Who asks for none has the default of the queue, another queue's is 0."""
    rm = manager(OPEN, {f"{PRIORITY_PREFIX}root.a.default-application-priority": "4"})
    assert priority_given(rm, "ann", asked) == priority
    assert priority_given(rm, "ann", None, "x") == 0


def test_a_priority_may_be_changed_within_the_rights() -> None:
    rm = manager(ENABLED, {ACL: GROUPS})
    number = submit(rm, "a", user="ann")
    policy, application = rm.scheduler.policy, rm.cluster.applications[number]
    assert isinstance(policy, CapacityScheduler34)
    policy.admission.change_priority(application, 8)
    assert application.attempt is not None
    with pytest.raises(RefusedError) as refused:
        policy.admission.change_priority(application, 9)
    assert (refused.value.kind, str(refused.value)) == (
        "AccessControlException",
        "ann may not have an application of priority 9",
    )


CLOSED = {
    "yarn.acl.enable": "true",
    f"{PRIORITY_PREFIX}root.acl_submit_applications": " ",
    f"{PRIORITY_PREFIX}root.acl_administer_queue": " ",
}


@pytest.mark.parametrize(
    ("key", "text", "queue", "may"),
    [
        ("root.a.acl_submit_applications", "ann", "a", True),
        ("root.a.acl_administer_queue", "ann", "a", True),
        ("root.a.acl_submit_applications", "bob", "a", False),
        ("root.a.acl_submit_applications", "ann", "x", False),
        ("root.a.acl_submit_applications", " ann", "a", True),
        ("root.p.acl_submit_applications", "ann", "x", True),
        ("root.acl_administer_queue", "ann", "x", True),
        ("root.p.x.acl_administer_queue", "*", "root.p.x", True),
    ],
)
def test_a_right_to_a_queue_holds_for_all_below(key: str, text: str, queue: str, may: bool) -> None:
    """Either right lets an application in; a user of no known group is in one of the own name."""
    found = priority_given(manager(CLOSED, {f"{PRIORITY_PREFIX}{key}": text}), "ann", None, queue)
    assert found == (0 if may else f"ann may not submit to {queue}")


@pytest.mark.parametrize(
    ("key", "text", "may"),
    [
        ("template.acl_submit_applications", "ann", True),
        ("leaf-template.acl_submit_applications", "ann", True),
        ("leaf-template.acl_administer_queue", "ann", True),
        ("template.acl_submit_applications", "bob", False),
        ("parent-template.acl_submit_applications", "ann", False),
    ],
)
def test_rights_to_a_queue_that_would_be_made_stand_in_templates(key: str, text: str, may: bool) -> None:
    settings = {
        **CLOSED,
        f"{PRIORITY_PREFIX}root.queues": "d",
        f"{PRIORITY_PREFIX}root.d.capacity": "1w",
        f"{PRIORITY_PREFIX}root.d.auto-queue-creation-v2.enabled": "true",
        f"{PRIORITY_PREFIX}root.d.auto-queue-creation-v2.{key}": text,
    }
    rm = resource_manager("capacity-3.4", settings=settings)
    assert priority_given(rm, "ann", None, "root.d.x") == (0 if may else "ann may not submit to root.d.x")
