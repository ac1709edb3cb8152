"""Settings of queues whose least value that helps is looked for: those of the queue an application waits in, and above.

Values are counted in the unit in which an operator would write them: MB and vcores, tenths of a weight, hundredths of
a share.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.remedy import Family, Remedy, only
from engine.model.java_number import INT_MAX
from engine.model.queue import upwards
from engine.scenario.acts import SetQueueSetting, SetSetting
from engine.schedulers.capacity.deciding_properties import parallel_of_user
from engine.schedulers.fair.allocation import POLICIES, FairAllocation
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.capacity_queue import MAXIMUM_CAPACITY, ORDERING_POLICY
from engine.settings.capacity_scheduler import MAX_PARALLEL, MAXIMUM_AM_PERCENT, MINIMUM_USER_LIMIT, USER_LIMIT_FACTOR
from engine.settings.table import Key

HEAVIEST: Final = 10_000
"""The largest weight tried [tenths]."""

LONGEST_S: Final = 3_600
"""Preemption time-outs above this are taken to be this [s]."""

MOST_FACTOR: Final = 1_000
"""The largest user-limit-factor tried [tenths]."""


def queue_families(view: YarnClusterView, path: str) -> Iterator[Family]:
    """Every setting of a queue, and of those above it, that may be changed while the cluster runs."""
    allocation, properties = view.policy.allocation(), view.policy.properties()
    for each in [*upwards(path)][:-1]:  # the root is left as it is
        if isinstance(allocation, FairAllocation):
            yield from _fair(view, allocation, each, is_leaf=each == path)
        elif properties:
            yield from _capacity(view, properties, each, is_leaf=each == path)


def user_families(view: YarnClusterView, user: str) -> Iterator[Family]:
    """Return the limit of a property on the applications that a user runs at a time."""
    properties = view.policy.properties()
    key = parallel_of_user(properties, user)
    now = properties.get(key, "")
    if now.isdecimal() and int(now) < INT_MAX:
        most = int(now) + len(view.applications())
        yield Family("setting", lambda value: Remedy(SetSetting(key, str(value[0]))), (int(now),), (most,))


class _Value(NamedTuple):
    """The place where a value of a queue is written."""

    queue: str
    key: str
    """Its element in an allocation file; the last part of the property."""
    property: str = ""
    """The whole property; empty for an element."""

    def remedy(self, value: str) -> Remedy:
        act = SetSetting(self.property, value) if self.property else SetQueueSetting(self.queue, self.key, value)
        return Remedy(act, queue=self.queue, setting=self.key)

    def resources(self, value: tuple[int, ...]) -> Remedy:
        return self.remedy(f"{value[0]} mb, {value[1]} vcores")

    def tenths(self, value: tuple[int, ...]) -> Remedy:
        return self.remedy(f"{value[0] / 10:g}")

    def share(self, value: tuple[int, ...]) -> Remedy:
        return self.remedy(f"{value[0] / 100:g}")

    def number(self, value: tuple[int, ...]) -> Remedy:
        return self.remedy(str(value[0]))

    def sooner(self, value: tuple[int, ...]) -> Remedy:
        return self.remedy(str(LONGEST_S - value[0]))


def _fair(view: YarnClusterView, allocation: FairAllocation, path: str, *, is_leaf: bool) -> Iterator[Family]:
    figures, live = view.figures(), len(view.applications())
    total, kind = figures.total, "queue-setting"
    most, least = allocation.max_share(path), allocation.min_share(path)
    if most.memory_mb < total[0] or most.vcores < total[1]:
        lows = (min(most.memory_mb, total[0]), min(most.vcores, total[1]))
        yield Family(kind, _Value(path, "maxResources").resources, lows, total)
    running = allocation.queue_max_apps(path)
    if running < INT_MAX:
        yield Family(kind, _Value(path, "maxRunningApps").number, (running,), (running + live,))
    share = allocation.max_am_share(path)
    if is_leaf and 0 <= share < 1:
        yield Family(kind, _Value(path, "maxAMShare").share, (int(share * 100),), (100,))
        yield only(_Value(path, "maxAMShare").remedy("-1"))
    yield Family(kind, _Value(path, "minResources").resources, (least.memory_mb, least.vcores), total)
    weight = int(allocation.weight(path) * 10)
    if weight < HEAVIEST:
        yield Family(kind, _Value(path, "weight").tenths, (weight,), (HEAVIEST,))
    if view.modes().preemption is True:
        yield from _timeouts(allocation, path)
    if is_leaf:
        for policy in POLICIES:
            if policy != allocation.policy(path):
                yield only(_Value(path, "schedulingPolicy").remedy(policy))


def _timeouts(allocation: FairAllocation, path: str) -> Iterator[Family]:
    """Preemption sooner; as larger values have to help more, seconds are counted from `LONGEST_S` down."""
    for key, timeout_ms in (
        ("minSharePreemptionTimeout", allocation.min_share_timeout_ms(path)),
        ("fairSharePreemptionTimeout", allocation.fair_share_timeout_ms(path)),
    ):
        seconds = LONGEST_S if timeout_ms < 0 else min(timeout_ms // 1000, LONGEST_S)
        if seconds > 1:
            yield Family("queue-setting", _Value(path, key).sooner, (LONGEST_S - seconds,), (LONGEST_S - 1,))


def _property(path: str, key: Key[Any]) -> _Value:
    """A setting of a queue of the CapacityScheduler."""
    return _Value(path, key.name, key.of(path))


def _capacity(view: YarnClusterView, properties: Mapping[str, str], path: str, *, is_leaf: bool) -> Iterator[Family]:
    orders = f"queue.<path>.{ORDERING_POLICY}" in view.policy.settings()
    table = CAPACITY_34 if orders else CAPACITY_27

    def now(key: Key[Any], scale: int) -> int | None:
        """Return the value in force in units of the search; None where it is no plain number, or not read."""
        entry = table.queue.get(key.name)
        if entry is None:
            return None
        wide = entry.default if entry.wider is None else properties.get(entry.wider.everywhere, entry.default)
        try:
            return int(float(properties.get(key.of(path), wide)) * scale)
        except ValueError:
            return None

    kind = "queue-setting"
    for key, scale, most in (
        (MAXIMUM_CAPACITY, 1, 100),
        (MAXIMUM_AM_PERCENT, 100, 100),
        (USER_LIMIT_FACTOR, 10, MOST_FACTOR),
        (MINIMUM_USER_LIMIT, 1, 100),
    ):
        low = now(key, scale)
        if low is None or not 0 <= low < most or not (is_leaf or key is MAXIMUM_CAPACITY):
            continue
        found = _property(path, key)
        make = {1: found.number, 10: found.tenths, 100: found.share}[scale]
        yield Family(kind, make, (low,), (most,))
    if is_leaf and orders:
        order = properties.get(ORDERING_POLICY.of(path), table.queue_default(ORDERING_POLICY))
        yield only(_property(path, ORDERING_POLICY).remedy("fair" if order == "fifo" else "fifo"))
    parallel = now(MAX_PARALLEL, 1)
    if parallel is not None and parallel < INT_MAX:
        yield Family(
            kind,
            _property(path, MAX_PARALLEL).number,
            (parallel,),
            (parallel + len(view.applications()),),
        )


def job_tracker_families(view: JobTrackerView, path: str) -> Iterator[Family]:
    """The limits of a pool or queue that an operator may raise while the JobTracker runs."""
    for each in view.task_scheduler.raisable(path):
        yield Family("queue-setting", _Value(path, each.key).number, (each.now,), (each.most,))
