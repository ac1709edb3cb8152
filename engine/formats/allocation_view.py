"""What a loaded fair-scheduler.xml means: every queue with its effective values and where each came from."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from engine.formats.fair_scheduler_lint_34 import queues_made
from engine.formats.fair_scheduler_xml import LoadedAllocation
from engine.model.cluster import Cluster
from engine.model.java_number import INT_MAX
from engine.model.java_values import LONG_MAX
from engine.model.resource import NONE, Resource
from engine.schedulers.fair.allocation import (
    ADMINISTER_QUEUE,
    SUBMIT_APPLICATIONS,
    FairAllocation,
    default_allocation,
)
from engine.schedulers.fair.tree import QueueTree
from engine.schedulers.fair34.allocation import FairAllocation34
from engine.schedulers.fair34.placement import Rule34
from engine.schedulers.fair34.resources import Amount34
from engine.schedulers.placement import Default, NestedUserQueue, Rule
from engine.units import format_duration

DEFAULT = "default"

_WITHOUT_FILE = {
    "minSharePreemptionTimeout": LONG_MAX,
    "fairSharePreemptionTimeout": LONG_MAX,
    "fairSharePreemptionThreshold": 0.5,
}
"""What holds where no file was loaded. Source: FSQueue, Hadoop 2.7.2."""

Where = Callable[[str, str, int], str]
"""(full queue name or "", element's name, line) → how to name the place."""


class EffectiveValue(msgspec.Struct, frozen=True):
    """One effective value."""

    name: str
    text: str
    origin: str
    """`FILE:LINE` where it is stated, `default`, or `from …` what it is inherited from."""


class QueueView(msgspec.Struct, frozen=True):
    """One queue as the scheduler makes it."""

    path: str
    parent: bool
    place: str
    """`FILE:LINE` of its element; `default` for root.default, `implied` for others that the file does not name."""
    values: tuple[EffectiveValue, ...]


class AllocationView(msgspec.Struct, frozen=True):
    """A loaded allocation file."""

    queues: tuple[QueueView, ...]
    """Parents before their children, siblings in the order of the file."""
    defaults: tuple[EffectiveValue, ...]
    """Limits that count for every queue or user that states none."""
    users: tuple[EffectiveValue, ...]
    """Limits of single users."""
    rules: tuple[str, ...]
    """The placement rules in words, in order."""
    rules_origin: str


def view_allocation(loaded: LoadedAllocation, settings: Mapping[str, str], file: str = "") -> AllocationView:
    """The queues, limits and rules of a loaded file.

    Args:
        loaded: The file.
        settings: Hadoop keys, which decide the placement where the file does not.
        file: How to name it in origins.
    """
    if isinstance(loaded.allocation, FairAllocation34):
        viewer: _Viewer = _Viewer34(loaded, loaded.allocation, file)
        rules = tuple(rule_in_words_34(rule) for rule in loaded.allocation.placement_34.rules)
    else:
        tree = QueueTree(Cluster(1), default_allocation(settings), 0)
        tree.load(loaded.allocation, 0)
        viewer = _Viewer(loaded, file, {path: not queue.is_leaf for path, queue in tree.queues.items()})
        rules = tuple(rule_in_words(rule) for rule in loaded.allocation.placement.rules)
    policy = ("", "queuePlacementPolicy")
    return AllocationView(
        queues=tuple(viewer.queue(path, parent=viewer.parents[path]) for path in viewer.ordered()),
        defaults=viewer.defaults(),
        users=viewer.users(),
        rules=rules,
        rules_origin=viewer.place(*policy) if policy in loaded.lines else "from the settings",
    )


def view_queue(loaded: LoadedAllocation, path: str, *, parent: bool, where: Where) -> QueueView:
    """One queue, also one that the file does not name.

    Args:
        loaded: The file.
        path: The queue's full name.
        parent: Whether it has queues below it.
        where: How to name the place of a value that the file states.
    """
    if isinstance(loaded.allocation, FairAllocation34):
        return _Viewer34(loaded, loaded.allocation, "", where).queue(path, parent=parent)
    return _Viewer(loaded, "", {}, where).queue(path, parent=parent)


def rule_in_words(rule: Rule) -> str:
    """A placement rule as one phrase.

    >>> rule_in_words(NestedUserQueue(Default("dev"), create=False))
    'nestedUserQueue of (default: root.dev), only into queues of the file'
    """
    words = rule.name
    if isinstance(rule, Default):
        words += f": {rule.queue}"
    if isinstance(rule, NestedUserQueue):
        words += f" of ({rule_in_words(rule.nested)})"
    return words if rule.create else f"{words}, only into queues of the file"


def rule_in_words_34(rule: Rule34) -> str:
    """A placement rule of 3.4 as one phrase.

    >>> rule_in_words_34(Rule34("user", parent=Rule34("primaryGroup", create=False)))
    'user below (primaryGroup, only into queues of the file)'
    """
    words = f"{rule.name}: {rule.queue}" if rule.name == "default" else rule.name
    if rule.parent is not None:
        words += f" below ({rule_in_words_34(rule.parent)})"
    return words if rule.create else f"{words}, only into queues of the file"


class _Viewer:
    """Looks up values and their origins."""

    def __init__(
        self, loaded: LoadedAllocation, file: str, parents: Mapping[str, bool], where: Where | None = None
    ) -> None:
        self.allocation: FairAllocation = loaded.allocation
        self.lines = loaded.lines
        self.file = file
        self.parents = parents
        self.where = where

    def place(self, scope: str, name: str) -> str:
        """`FILE:LINE` of a value that the file states."""
        line = self.lines[scope, name]
        if self.where is not None:
            return self.where(scope, name, line)
        return f"{self.file}:{line}" if self.file else f"line {line}"

    def ordered(self) -> list[str]:
        """All queues, siblings as they stand in the file, those it does not name at the end."""

        def key(path: str) -> list[tuple[int, str]]:
            parts = path.split(".")
            prefixes = [".".join(parts[: end + 1]) for end in range(len(parts))]
            return [(self.lines.get((prefix, "queue"), INT_MAX), prefix) for prefix in prefixes[1:]]

        return sorted(self.parents, key=key)

    def queue(self, path: str, *, parent: bool) -> QueueView:
        """One queue with all its values."""
        allocation = self.allocation
        values = [
            self._own(path, "weight", f"{allocation.weight(path):g}"),
            self._own(path, "minResources", amount(allocation.min_share(path))),
            *self._limits(path),
            self._or_default(path, "maxRunningApps", count(allocation.queue_max_apps(path)), "queueMaxAppsDefault"),
            self._policy(path, parent),
            self._inherited(path, "minSharePreemptionTimeout", allocation.min_share_timeouts_ms, timeout),
            self._inherited(path, "fairSharePreemptionTimeout", allocation.fair_share_timeouts_ms, timeout),
            self._inherited(path, "fairSharePreemptionThreshold", allocation.fair_share_thresholds, "{:g}".format),
        ]
        if not parent:
            share = allocation.max_am_share(path)
            text = "no limit" if share < 0 else f"{share:g}"
            values.append(self._or_default(path, "maxAMShare", text, "queueMaxAMShareDefault"))
        values += self._rights(path)
        if (path, "queue") in self.lines:
            place = self.place(path, "queue")
        else:
            place = DEFAULT if path in ("root", "root.default") else "implied"
        return QueueView(path, parent, place, tuple(values))

    def defaults(self) -> tuple[EffectiveValue, ...]:
        """Limits that count where none is stated."""
        return (
            self._own("", "userMaxAppsDefault", count(self.allocation.user_max_apps_default)),
            self._own("", "queueMaxAppsDefault", count(self.allocation.queue_max_apps_default)),
            self._own("", "queueMaxAMShareDefault", f"{self.allocation.max_am_share_default:g}"),
            self._own("", "defaultQueueSchedulingPolicy", self.allocation.default_policy),
        )

    def users(self) -> tuple[EffectiveValue, ...]:
        """Limits of single users, by name."""
        limits = sorted(self.allocation.user_max_running_apps.items())
        return tuple(
            EffectiveValue(user, count(limit), self.place(f"user {user}", "maxRunningApps")) for user, limit in limits
        )

    def _limits(self, path: str) -> list[EffectiveValue]:
        return [self._own(path, "maxResources", amount(self.allocation.max_share(path)))]

    def _rights(self, path: str) -> list[EffectiveValue]:
        return [
            self._access(path, "aclSubmitApps", SUBMIT_APPLICATIONS),
            self._access(path, "aclAdministerApps", ADMINISTER_QUEUE),
        ]

    def _own(self, path: str, name: str, text: str) -> EffectiveValue:
        return EffectiveValue(name, text, self.place(path, name) if (path, name) in self.lines else DEFAULT)

    def _or_default(self, path: str, name: str, text: str, default: str) -> EffectiveValue:
        if (path, name) not in self.lines and ("", default) in self.lines:
            return EffectiveValue(name, text, f"from {default} ({self.place('', default)})")
        return self._own(path, name, text)

    def _policy(self, path: str, parent: bool) -> EffectiveValue:
        policy = self.allocation.policy(path)
        value = self._or_default(path, "schedulingPolicy", policy, "defaultQueueSchedulingPolicy")
        if parent and policy == "fifo":
            return EffectiveValue("schedulingPolicy", "fair", f"{DEFAULT}, as fifo ({value.origin}) is for leaf queues")
        return value

    def _inherited(
        self, path: str, name: str, values: Mapping[str, int | float], show: Callable[[int | float], str]
    ) -> EffectiveValue:
        """A value that comes from the nearest queue above which states it, in the end from root's default."""
        for queue in above(path):
            if (queue, name) in self.lines:
                place = self.place(queue, name)
                return EffectiveValue(name, show(values[queue]), place if queue == path else f"from {queue} ({place})")
        default = f"default{name[0].upper()}{name[1:]}"
        origin = f"from {default} ({self.place('', default)})" if ("", default) in self.lines else DEFAULT
        return EffectiveValue(name, show(values.get("root", _WITHOUT_FILE[name])), origin)

    def _access(self, path: str, name: str, right: str) -> EffectiveValue:
        """Who has a right: whoever any queue from here to root gives it."""
        allowed: list[str] = []
        origins: list[str] = []
        for queue in above(path):
            acl = self.allocation.acl(queue, right)
            stated = (queue, name) in self.lines
            origin = self.place(queue, name) if stated else DEFAULT
            if acl.all_allowed:
                return EffectiveValue(name, "everybody", origin if queue == path else f"from {queue} ({origin})")
            if stated and (acl.users or acl.groups):
                allowed.append(people(acl.users, acl.groups))
                origins.append(origin if queue == path else f"from {queue} ({origin})")
        return EffectiveValue(
            name, "; ".join(allowed) or "nobody", ", ".join(origins) or self._own(path, name, "").origin
        )


class _Viewer34(_Viewer):
    """Adds what Hadoop 3.4 reads besides."""

    def __init__(
        self, loaded: LoadedAllocation, allocation: FairAllocation34, file: str, where: Where | None = None
    ) -> None:
        super().__init__(loaded, file, queues_made(allocation), where)
        self.allocation_34 = allocation

    def defaults(self) -> tuple[EffectiveValue, ...]:
        """Limits that count where none is stated."""
        maximum = part(self.allocation_34.maximum_default)
        return (*super().defaults(), self._own("", "queueMaxResourcesDefault", maximum))

    def _limits(self, path: str) -> list[EffectiveValue]:
        allocation = self.allocation_34
        maximum = part(allocation.maximum_of(path))
        values = [self._or_default(path, "maxResources", maximum, "queueMaxResourcesDefault")]
        below = allocation.child_maximums.get(path)
        if below is not None:
            values.append(self._own(path, "maxChildResources", part(below)))
        container = allocation.container_maximums.get(path)
        if container is not None:
            values.append(self._own(path, "maxContainerAllocation", amount(container)))
        return values

    def _rights(self, path: str) -> list[EffectiveValue]:
        protected = path in self.allocation_34.not_preemptable
        return [self._own(path, "allowPreemptionFrom", "false" if protected else "true"), *super()._rights(path)]


def above(path: str) -> list[str]:
    """The queue itself and those above it, up to the first part of its name.

    >>> above("root.a.b")
    ['root.a.b', 'root.a', 'root']
    """
    parts = path.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)]


def amount(resource: Resource) -> str:
    """Memory and vcores as a file writes them.

    >>> amount(Resource(1024, 2)), amount(Resource(INT_MAX, INT_MAX)), amount(Resource(LONG_MAX, 4))
    ('1024 mb, 2 vcores', 'no limit', 'any memory, 4 vcores')
    """
    if resource == NONE:
        return "none"
    memory = "any memory" if resource.memory_mb in (INT_MAX, LONG_MAX) else f"{resource.memory_mb} mb"
    vcores = "any vcores" if resource.vcores == INT_MAX else f"{resource.vcores} vcores"
    return "no limit" if (memory, vcores) == ("any memory", "any vcores") else f"{memory}, {vcores}"


def part(limit: Amount34) -> str:
    """An amount, or parts of the cluster.

    >>> part(Amount34(None, (0.5, 0.25)))
    '50% memory, 25% cpu'
    """
    if limit.fixed is not None:
        return amount(limit.fixed)
    memory, vcores = (f"{share * 100:g}%" for share in limit.parts)
    return memory if memory == vcores else f"{memory} memory, {vcores} cpu"


def count(limit: int) -> str:
    """A number of applications."""
    return "no limit" if limit == INT_MAX else str(limit)


def timeout(value_ms: int | float) -> str:
    """How long a queue waits before it preempts."""
    if value_ms == LONG_MAX:
        return "never"
    return format_duration(int(value_ms)) if value_ms >= 0 else f"{value_ms} ms"


def people(users: Sequence[str], groups: Sequence[str]) -> str:
    """Users and groups in words."""
    parts = [*users, *(f"group {group}" for group in groups)]
    return ", ".join(parts)
