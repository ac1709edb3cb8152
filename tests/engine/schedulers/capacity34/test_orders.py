"""Orders of the capacity scheduler of 3.4: of applications, queues, workflows and priorities."""

from collections.abc import Mapping
from math import log, log1p

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control_plane.protocol import ApplicationMasterHeartbeat, ApplicationSubmitted, NodeHeartbeat, Pass
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import ConfigError, RefusedError
from engine.model.decision import Allocated, Killed, Reserved
from engine.schedulers.capacity34.queue import CapacityAttempt
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from tests.build import ONE_QUEUE, START_MS, ask, attempt_of, fetch, heartbeat, resource_manager, submit
from tests.build.capacity import CAPACITY, SETTINGS

# In which order applications are offered a node.

EVENTS = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(("ask", "end", "offer", "offer"))), min_size=20, max_size=60
)


@given(EVENTS, st.booleans())
def test_the_next_container_goes_to_whoever_uses_least(events: list[tuple[int, str]], size_based: bool) -> None:
    """In proportion to its demand where sizes count; of equals who started first. Containers are of three sizes."""
    leaf = f"{CAPACITY}root.default."
    ordering = {"ordering-policy": "fair", "ordering-policy.fair.enable-size-based-weight": str(size_based).lower()}
    more = {f"{leaf}{key}": value for key, value in {**ordering, "user-limit-factor": "10"}.items()}
    settings = {**ONE_QUEUE, **more, f"{CAPACITY}maximum-am-resource-percent": "1"}
    rm = resource_manager("capacity-3.4", nodes=1, memory_mb=2**20, vcores=512, settings=settings)
    for later_ms in range(6):
        rm.handle(ApplicationSubmitted("ann", None), START_MS + later_ms)
    wants = dict.fromkeys(rm.cluster.applications, 0)

    def key(number: int) -> tuple[float, int]:
        used_mb, size_mb = attempt_of(rm, number).used_memory_mb, 1024 * (1 + number % 3)
        weight = log1p(used_mb + wants[number] * size_mb) / log(2) if size_based and used_mb else 1.0
        return used_mb / weight, number

    for place, event in events:
        number = list(wants)[place]
        live = attempt_of(rm, number).live
        if event == "ask":
            wants[number] += (2, 100)[place % 2]
            ask(rm, number, wants[number], 1024 * (1 + number % 3))
        elif event == "end" and live:
            fetch(rm, number)  # else it is asked for again
            rm.handle(ApplicationMasterHeartbeat(number, releases=(next(iter(live.values())).id,)), START_MS)
        else:
            waiting = sorted((each for each in wants if wants[each]), key=key)
            given_to = [each.container[0] for each in heartbeat(rm).decisions if isinstance(each, Allocated)]
            assert given_to == waiting[:1]
            for each in given_to:
                wants[each] -= 1


# Priorities by the workflow that an application's tags name.

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

ACL = f"{CAPACITY}root.a.acl_application_max_priority"
GROUPS = (
    "[user=ann max_priority=8 default_priority=5] [user=zoe group=ops max_priority=3 default_priority=2]"
    " [user=* max_priority=1]"
)
OPEN = {"yarn.cluster.max-application-priority": "9", f"{CAPACITY}root.acl_submit_applications": "*"}
ENABLED = {**OPEN, "yarn.acl.enable": "true"}


def manager(*settings: dict[str, str]) -> ResourceManager:
    """With the queues a, p.x and p.y; bob is in the group ops."""
    conf = dict(SETTINGS)
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
    rm = manager(OPEN, {f"{CAPACITY}root.a.default-application-priority": "4"})
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
        "ann may not have an application of priority 9 (yarn.scheduler.capacity.root.a.acl_application_max_priority)",
    )


CLOSED = {
    "yarn.acl.enable": "true",
    f"{CAPACITY}root.acl_submit_applications": " ",
    f"{CAPACITY}root.acl_administer_queue": " ",
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
    found = priority_given(manager(CLOSED, {f"{CAPACITY}{key}": text}), "ann", None, queue)
    path = {"a": "root.a", "x": "root.p.x"}.get(queue, queue)
    key = f"{CAPACITY}{path}.acl_submit_applications"
    assert found == (0 if may else f"ann may not submit to {queue} ({key})")


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
        f"{CAPACITY}root.queues": "d",
        f"{CAPACITY}root.d.capacity": "1w",
        f"{CAPACITY}root.d.auto-queue-creation-v2.enabled": "true",
        f"{CAPACITY}root.d.auto-queue-creation-v2.{key}": text,
    }
    rm = resource_manager("capacity-3.4", settings=settings)
    right = f"{CAPACITY}root.d.auto-queue-creation-v2.leaf-template.acl_submit_applications"
    assert priority_given(rm, "ann", None, "root.d.x") == (0 if may else f"ann may not submit to root.d.x ({right})")


# Capacities of the capacity scheduler of 3.4: vectors, calculators, ideal shares, sorted nodes.


def _guarantees(capacities: Mapping[str, str], maximums: Mapping[str, str] | None = None) -> dict[str, tuple[int, ...]]:
    settings = {
        f"{CAPACITY}legacy-queue-mode.enabled": "false",
        f"{CAPACITY}root.queues": ",".join(capacities),
        **{f"{CAPACITY}root.{name}.capacity": text for name, text in capacities.items()},
        **{f"{CAPACITY}root.{name}.maximum-capacity": text for name, text in (maximums or {}).items()},
    }
    scheduler = resource_manager("capacity-3.4", nodes=2, settings=settings).scheduler.policy
    assert isinstance(scheduler, CapacityScheduler34), "of this release"
    return {queue.name: queue.share("").effective_minimum for queue in scheduler.tree.root.children}


def test_absolute_amounts_come_first_then_percentages_of_the_rest_then_weights() -> None:
    """Of 16 GB, 4 GB are fixed, half of the other 12 is 6, and two weights share what is left."""
    found = _guarantees({"a": "[memory=4096,vcores=4]", "b": "50", "c": "1w", "d": "2w"})

    assert found == {"a": (4096, 4), "b": (6144, 6), "c": (2048, 2), "d": (4096, 4)}
    assert _guarantees({"a": "[memory=4096]", "b": "100"}) == {"a": (4096, 0), "b": (12288, 16)}


def test_absolute_amounts_shrink_where_the_parent_has_less() -> None:
    found = _guarantees({"a": "[memory=16384,vcores=8]", "b": "[memory=8192,vcores=4]"})

    assert found == {"a": (10922, 8), "b": (5461, 4)}


def test_a_guarantee_is_no_more_than_the_maximum() -> None:
    found = _guarantees({"a": "75", "b": "25"}, {"a": "[memory=4096,vcores=16]"})

    assert found["a"] == (4096, 12)


def test_percentages_need_not_add_up() -> None:
    """The last queue gets what the others have left, and not what it says."""
    found = _guarantees({"a": "75", "b": "50"})

    assert found == {"a": (12288, 12), "b": (4096, 4)}


# How much queues should have, and what a tick of preemption makes of it.

MONITOR = "yarn.resourcemanager.monitor.capacity.preemption."
PREEMPTS = {
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
    f"{MONITOR}total_preemption_per_round": "1.0",
    f"{MONITOR}natural_termination_factor": "1.0",
    f"{MONITOR}max_wait_before_kill": "15000",
    f"{CAPACITY}root.queues": "a,b",
    f"{CAPACITY}root.a.capacity": "50",
    f"{CAPACITY}root.b.capacity": "50",
    f"{CAPACITY}root.a.user-limit-factor": "2",
    f"{CAPACITY}maximum-am-resource-percent": "1",
    f"{CAPACITY}per-node-heartbeat.maximum-offswitch-assignments": "100",
}


def _full_of_a(settings: Mapping[str, str] = PREEMPTS) -> tuple[ResourceManager, int]:
    """One node of eight containers, all of which queue a has, and an application of b that wants four."""
    rm = resource_manager("capacity-3.4", nodes=1, settings=settings)
    first, second = submit(rm, "a"), submit(rm, "b", user="bob")
    ask(rm, first, 8)
    heartbeat(rm)
    fetch(rm, first)
    ask(rm, second, 4)
    return rm, first


def _tick(rm: ResourceManager, after_ms: int) -> list[object]:
    return list(rm.run_pass("preempt", START_MS + after_ms).decisions)


def test_a_lazy_scheduler_ends_containers_only_for_somebody_who_takes_their_place() -> None:
    rm, _ = _full_of_a({**PREEMPTS, f"{CAPACITY}lazy-preemption-enabled": "true"})
    _tick(rm, 0)
    assert _tick(rm, 15_000) == []

    decisions = heartbeat(rm, now_ms=START_MS + 16_000).decisions

    assert sum(isinstance(each, Killed) for each in decisions) == 4


# Multi-node placement: which node of a partition an application is given something on.

SORTING = f"{CAPACITY}multi-node-sorting.policy"
BY_USE = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy"
SORTED = {
    f"{CAPACITY}multi-node-placement-enabled": "true",
    f"{CAPACITY}maximum-am-resource-percent": "1",
    f"{CAPACITY}root.default.user-limit-factor": "4",
    SORTING: "default",
    f"{SORTING}.names": "default",
    f"{SORTING}.default.class": BY_USE,
    f"{SORTING}.default.sorting-interval.ms": "0",
}


def _cluster(containers: int, settings: Mapping[str, str] = SORTED, memory_mb: int = 2048) -> ResourceManager:
    """Three nodes of 8 GB, and an application that wants containers."""
    rm = resource_manager("capacity-3.4", nodes=3, settings=settings)
    ask(rm, submit(rm), containers, memory_mb)
    return rm


def _given(rm: ResourceManager, node: int, after_ms: int = 0) -> list[str]:
    decisions = heartbeat(rm, node, START_MS + after_ms).decisions
    return [each.node for each in decisions if isinstance(each, Allocated)]


def test_the_least_used_node_is_taken_whoever_beats() -> None:
    rm = _cluster(4)

    assert [_given(rm, 3) for _ in range(4)] == [["n1:1"], ["n2:1"], ["n3:1"], ["n1:1"]]


def test_a_silent_node_gets_nothing() -> None:
    rm = _cluster(4)
    rm.handle(NodeHeartbeat("n2:1"), START_MS)

    assert _given(rm, 3, 2000) == ["n2:1"]
    assert _given(rm, 3, 2001) == ["n3:1"]


def test_a_queue_without_a_policy_looks_at_one_node() -> None:
    rm = _cluster(8, {key: text for key, text in SORTED.items() if key != SORTING})

    taken = {node for _ in range(6) for node in _given(rm, 3)}

    assert len(taken) == 1


def test_a_reservation_is_made_on_the_last_node_alone() -> None:
    rm = _cluster(4, memory_mb=5120)
    given = [_given(rm, 1) for _ in range(3)]

    decisions = heartbeat(rm, 1).decisions

    assert all(given)
    assert [each.node for each in decisions if isinstance(each, Reserved)] == ["n3:1"]


def test_nodes_sorted_now_and_then_keep_their_order_in_between() -> None:
    """With an interval the use of nodes counts as of the last pass; before the first there is none."""
    rm = _cluster(4, {**SORTED, f"{SORTING}.default.sorting-interval.ms": "700"})
    before = _given(rm, 3)

    rm.run_pass("sort_nodes", START_MS)

    assert Pass("sort_nodes", 700) in rm.passes()
    assert before == []
    assert [_given(rm, 3) for _ in range(2)] == [["n1:1"], ["n1:1"]]
    rm.run_pass("sort_nodes", START_MS)
    assert _given(rm, 3) == ["n2:1"]


def test_an_interval_below_zero_is_refused() -> None:
    with pytest.raises(ConfigError):
        _cluster(1, {**SORTED, f"{SORTING}.default.sorting-interval.ms": "-1"})
    with pytest.raises(ConfigError):
        _cluster(1, {**SORTED, f"{SORTING}.names": "mine"})
