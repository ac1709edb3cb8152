"""The queues of each YARN scheduler's answer as rows of a snapshot.

The running and the waiting applications of a queue are counted: the servers' own counts differ between releases in what
they call active. FairScheduler does not say weights nor since when a queue is starved.

Source: FairSchedulerQueueInfo, CapacitySchedulerQueueInfo, FifoSchedulerInfo, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.grouping import grouped
from engine.live.yarn_answers import (
    MOST_OBJECTS,
    Amount,
    Percent,
    RestAnswer,
    SchedulerAnswer,
    many,
    read,
    read_objects,
)
from engine.model.lifecycle import still_live
from engine.model.request import upwards
from engine.observe.snapshot import (
    UNKNOWN,
    Amounts,
    ApplicationRow,
    CapacityQueueRow,
    PartitionUse,
    QueueRow,
    Unknown,
    summed,
)

FIFO_QUEUE: Final = "default"  # The one queue of FifoScheduler


class _FairQueue(RestAnswer, frozen=True, kw_only=True):
    queue_name: str
    scheduling_policy: str = ""
    min_resources: Amount
    max_resources: Amount
    used_resources: Amount
    fair_resources: Amount
    cluster_resources: Amount
    steady_fair_resources: Amount | None = None
    demand_resources: Amount | None = None
    reserved_resources: Amount | None = None
    child_queues: "tuple[_FairQueue, ...]" = ()


class _FairBody(RestAnswer, frozen=True, kw_only=True):
    root_queue: _FairQueue


class _Capacity(RestAnswer, frozen=True, kw_only=True):  # Of a partition; capacities are percentages
    partition_name: str | None = ""
    absolute_capacity: Percent = 0.0
    absolute_max_capacity: Percent = 0.0
    effective_min_resource: Amount | None = None
    effective_max_resource: Amount | None = None


class _Capacities(RestAnswer, frozen=True, kw_only=True):
    queue_capacities_by_partition: tuple[_Capacity, ...] | _Capacity | None = None


class _Usage(RestAnswer, frozen=True, kw_only=True):
    partition_name: str | None = ""
    used: Amount | None = None
    reserved: Amount | None = None


class _Usages(RestAnswer, frozen=True, kw_only=True):
    resource_usages_by_partition: tuple[_Usage, ...] | _Usage | None = None


class _User(RestAnswer, frozen=True, kw_only=True):
    user_resource_limit: Amount | None = None


class _Users(RestAnswer, frozen=True, kw_only=True):
    user: tuple[_User, ...] | _User | None = None


class _Queues(RestAnswer, frozen=True, kw_only=True):
    queue: "tuple[_CapacityQueue, ...] | _CapacityQueue | None" = None


class _CapacityQueue(RestAnswer, frozen=True, kw_only=True):
    queue_name: str
    used_capacity: Percent = 0.0
    absolute_capacity: Percent = 100.0
    absolute_max_capacity: Percent = 100.0
    state: str = "RUNNING"
    ordering_policy_info: str = ""
    resources_used: Amount | None = None
    used_am_resource: Amount | None = None
    am_resource_limit: Amount | None = msgspec.field(name="AMResourceLimit", default=None)
    capacities: _Capacities | None = None
    resources: _Usages | None = None
    users: _Users | None = None
    queues: _Queues | None = None

    @property
    def children(self) -> "Sequence[_CapacityQueue]":
        return () if self.queues is None else many(self.queues.queue)


def queue_rows(answer: SchedulerAnswer, total: Amounts, reserved: Mapping[str, Amounts]) -> list[QueueRow]:
    """All queues without their applications, parents before their children, siblings by name; none of a FIFO scheduler.

    `reserved` has the path of a queue → what is reserved in it, for answers that do not say.
    """
    if answer.kind == "fairScheduler":
        root = read_objects(bytes(answer.body), _FairBody, _with_children).root_queue
        return list(_fair_rows(root, 0, reserved))
    if answer.kind == "capacityScheduler":
        return list(_capacity_rows(read(bytes(answer.body), _CapacityQueue, MOST_OBJECTS), "root", 0, total))
    return []


def with_members(
    answer: SchedulerAnswer, queues: Sequence[QueueRow], applications: Iterable[ApplicationRow]
) -> Sequence[QueueRow]:
    """The queues with their live applications and those below counted; a FIFO scheduler has one queue for all."""
    live = still_live(applications)
    if answer.kind == "fifoScheduler":
        queues = [
            QueueRow(
                path=FIFO_QUEUE,
                depth=0,
                is_leaf=True,
                policy="fifo",
                used=summed(row.used for row in live),
                max_share=None,
                reserved=(0, 0),
                applications_running=0,
                applications_pending=0,
            )
        ]
        members = {FIFO_QUEUE: live}
    else:
        members = grouped((path, row) for row in live for path in upwards(row.queue))
    return [_with_members(queue, members.get(queue.path, ())) for queue in queues]


def _with_members(queue: QueueRow, members: Sequence[ApplicationRow]) -> QueueRow:
    running = sum(row.state == "RUNNING" for row in members)
    return msgspec.structs.replace(
        queue,
        applications_running=running,
        applications_pending=len(members) - running,
        containers=sum(row.containers for row in members),
    )


def _with_children(pairs: list[tuple[str, Any]]) -> dict[str, object]:
    # 3.x gives an object with a list. 2.7 gives a list below the root, and repeats the name below other queues
    found = dict(pairs)
    if "childQueues" in found:
        values = [value for name, value in pairs if name == "childQueues"]
        below = [value["queue"] if isinstance(value, dict) and "queue" in value else value for value in values]
        found["childQueues"] = [queue for value in below for queue in many(value)]
    return found


def _fair_rows(queue: _FairQueue, depth: int, reserved: Mapping[str, Amounts]) -> Iterator[QueueRow]:
    most = queue.max_resources.pair
    yield QueueRow(
        path=queue.queue_name,
        depth=depth,
        is_leaf=not queue.child_queues,
        policy=queue.scheduling_policy,
        used=queue.used_resources.pair,
        demand=UNKNOWN if queue.demand_resources is None else queue.demand_resources.pair,
        fair_share=queue.fair_resources.pair,
        steady_share=UNKNOWN if queue.steady_fair_resources is None else queue.steady_fair_resources.pair,
        min_share=queue.min_resources.pair,
        # A server cuts a maximum down to the cluster; one of that size limits nothing now.
        max_share=None if most == queue.cluster_resources.pair else most,
        reserved=reserved.get(queue.queue_name, UNKNOWN)
        if queue.reserved_resources is None
        else queue.reserved_resources.pair,
        applications_running=0,
        applications_pending=0,
    )
    for child in sorted(queue.child_queues, key=lambda each: each.queue_name):
        yield from _fair_rows(child, depth + 1, reserved)


def _capacity_rows(queue: _CapacityQueue, path: str, depth: int, total: Amounts) -> Iterator[CapacityQueueRow]:
    under = [
        list(_capacity_rows(child, f"{path}.{child.queue_name}", depth + 1, total))
        for child in sorted(queue.children, key=lambda each: each.queue_name)
    ]
    partitions = _partitions(queue, total, [rows[0] for rows in under])
    default = next((each for each in partitions if not each.label), None)
    yield CapacityQueueRow(
        path=path,
        depth=depth,
        is_leaf=not queue.children,
        policy=queue.ordering_policy_info,
        used=_used(queue, [rows[0].used for rows in under]),
        max_share=_part(total, queue.absolute_max_capacity) if default is None else default.limit,
        reserved=_reserved(queue),
        applications_running=0,
        applications_pending=0,
        guaranteed=_part(total, queue.absolute_capacity) if default is None else default.guaranteed,
        used_capacity=queue.used_capacity / 100,
        state=queue.state,
        user_limit=_user_limit(queue),
        am_used=None if queue.used_am_resource is None else queue.used_am_resource.pair,
        am_limit=None if queue.am_resource_limit is None else queue.am_resource_limit.pair,
        partitions=partitions,
    )
    for rows in under:
        yield from rows


def _used(queue: _CapacityQueue, under: Sequence[Amounts]) -> Amounts:
    """Return what a queue uses; the root does not say, and is the sum of its children."""
    if queue.resources_used is not None:
        return queue.resources_used.pair
    return sum(each[0] for each in under), sum(each[1] for each in under)


def _reserved(queue: _CapacityQueue) -> Amounts | Unknown:
    usages = () if queue.resources is None else many(queue.resources.resource_usages_by_partition)
    parts = [each.reserved.pair for each in usages if each.reserved is not None]
    return (sum(each[0] for each in parts), sum(each[1] for each in parts)) if parts else UNKNOWN


def _user_limit(queue: _CapacityQueue) -> Amounts | None:
    """The largest of its users' limits; a queue without a user does not say one."""
    users = () if queue.users is None else many(queue.users.user)
    return max((each.user_resource_limit.pair for each in users if each.user_resource_limit is not None), default=None)


def _partitions(queue: _CapacityQueue, total: Amounts, under: Sequence[CapacityQueueRow]) -> tuple[PartitionUse, ...]:
    """Return a queue's partitions; the root does not say what is used of one, which is the sum of its children."""
    capacities = () if queue.capacities is None else many(queue.capacities.queue_capacities_by_partition)
    usages = () if queue.resources is None else many(queue.resources.resource_usages_by_partition)
    used = {each.partition_name or "": each.used.pair for each in usages if each.used is not None}
    if queue.resources is None:
        for each in (part for row in under for part in row.partitions):
            before = used.get(each.label, (0, 0))
            used[each.label] = before[0] + each.used[0], before[1] + each.used[1]
    return tuple(
        PartitionUse(
            label=(label := each.partition_name or ""),
            capacity=each.absolute_capacity / 100,
            maximum=each.absolute_max_capacity / 100,
            guaranteed=_effective(each.effective_min_resource, total, each.absolute_capacity),
            limit=_effective(each.effective_max_resource, total, each.absolute_max_capacity),
            used=used.get(label, (0, 0)),
        )
        for each in sorted(capacities, key=lambda one: one.partition_name or "")
    )


def _effective(amount: Amount | None, total: Amounts, percent: float) -> Amounts:
    return _part(total, percent) if amount is None else amount.pair


def _part(total: Amounts, percent: float) -> Amounts:
    return tuple(int(each * percent / 100) for each in total)
