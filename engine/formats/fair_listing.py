"""Lists the meaning of a loaded fair-scheduler.xml: every queue with its effective values and their origins."""

from collections.abc import Callable, Iterable, Mapping
from xml.sax.saxutils import escape, quoteattr

import msgspec

from engine.formats.fair_elements import RIGHTS, SETTINGS_34
from engine.formats.fair_files import LoadedAllocation
from engine.formats.fair_scheduler_lint import queues_made
from engine.model.cluster import Cluster
from engine.model.java_values import INT_MAX, LONG_MAX
from engine.model.request import NONE, Resource, upwards
from engine.schedulers.fair.settings import QUEUE_SETTINGS, FairAllocation, default_allocation
from engine.schedulers.fair27.queue_manager import QueueManager27
from engine.schedulers.fair34.placement import Rule34, with_root
from engine.schedulers.fair34.settings import Amount34, FairAllocation34
from engine.schedulers.placement import Rule27
from engine.units import format_duration

DEFAULT = "default"

_WITHOUT_FILE = {
    "minSharePreemptionTimeout": LONG_MAX,
    "fairSharePreemptionTimeout": LONG_MAX,
    "fairSharePreemptionThreshold": 0.5,
}
"""What holds where no file was loaded. Source: FSQueue, Hadoop 2.7.2."""

Where = Callable[[str, str, int], str]  # (full queue name or "", element's name, line) → how to name the place


class EffectiveValue(msgspec.Struct, frozen=True):
    name: str
    text: str
    origin: str  # `FILE:LINE` where it is stated, `default`, or `from …` what it is inherited from


class QueueListing(msgspec.Struct, frozen=True):
    path: str
    parent: bool
    place: str
    """`FILE:LINE` of its element; `default` for root.default, `implied` for others that the file does not name."""
    values: tuple[EffectiveValue, ...]


class AllocationListing(msgspec.Struct, frozen=True):
    queues: tuple[QueueListing, ...]  # Parents before their children, siblings in the order of the file
    defaults: tuple[EffectiveValue, ...]  # Limits that count for every queue or user that states none
    users: tuple[EffectiveValue, ...]  # Limits of single users
    rules: tuple[str, ...]  # The placement rules in words, in order
    rules_origin: str
    not_made: tuple[str, ...]  # Queues of the file that the scheduler does not make


def list_allocation(loaded: LoadedAllocation, settings: Mapping[str, str], file: str = "") -> AllocationListing:
    """The queues, limits and rules of a file; the settings decide the placement where it does not."""
    if isinstance(loaded.allocation, FairAllocation34):
        parents = queues_made(loaded.allocation)
        rules = tuple(rule_in_words(rule) for rule in loaded.allocation.placement_34.rules)
    else:
        queues = QueueManager27(Cluster(1), default_allocation(settings), 0)
        queues.knows_shares = False
        queues.load(loaded.allocation, 0)
        parents = {path: not queue.is_leaf for path, queue in queues.tree.queues.items()}
        rules = tuple(rule_in_words(rule) for rule in loaded.allocation.placement.rules)
    lister = _Lister(loaded, file)
    policy = ("", "queuePlacementPolicy")
    named = {queue for queue, name in loaded.lines if name == "queue"}
    return AllocationListing(
        queues=tuple(lister.queue(path, parent=parents[path]) for path in lister.in_order_of_file(parents)),
        defaults=lister.defaults(),
        users=lister.users(),
        rules=rules,
        not_made=tuple(sorted(queue for queue in named if with_root(queue) not in parents)),
        rules_origin=lister.place(*policy) if policy in loaded.lines else "from the settings",
    )


class _Lister:
    def __init__(self, loaded: LoadedAllocation, file: str, where: Where | None = None) -> None:
        self.allocation = loaded.allocation
        self.lines = loaded.lines
        self.file = file
        self.where = where

    @property
    def allocation_34(self) -> FairAllocation34 | None:
        return self.allocation if isinstance(self.allocation, FairAllocation34) else None

    def place(self, scope: str, name: str) -> str:
        line = self.lines[scope, name]
        if self.where is not None:
            return self.where(scope, name, line)
        return f"{self.file}:{line}" if self.file else f"line {line}"

    def in_order_of_file(self, queues: Iterable[str]) -> list[str]:
        def key(path: str) -> list[tuple[int, str]]:
            below_root = [*upwards(path)][:-1]
            return [(self.lines.get((each, "queue"), INT_MAX), each) for each in reversed(below_root)]

        return sorted(queues, key=key)

    def queue(self, path: str, *, parent: bool) -> QueueListing:
        allocation, newer = self.allocation, self.allocation_34
        most = amount(allocation.max_share(path))
        values = [
            self.own(path, "weight", f"{allocation.weight(path):g}"),
            self.own(path, "minResources", amount(allocation.min_share(path))),
            *([self.own(path, "maxResources", most)] if newer is None else _limits_34(self, newer, path)),
            self.own_or_default(path, "maxRunningApps", count(allocation.queue_max_apps(path)), "queueMaxAppsDefault"),
            self._policy(path, parent),
            self._inherited(path, "minSharePreemptionTimeout", allocation.min_share_timeouts_ms, timeout),
            self._inherited(path, "fairSharePreemptionTimeout", allocation.fair_share_timeouts_ms, timeout),
            self._inherited(path, "fairSharePreemptionThreshold", allocation.fair_share_thresholds, "{:g}".format),
        ]
        if not parent:
            share = allocation.max_am_share(path)
            text = "no limit" if share < 0 else f"{share:g}"
            values.append(self.own_or_default(path, "maxAMShare", text, "queueMaxAMShareDefault"))
        if newer is not None:
            values.append(_preemption_34(self, newer, path))
        values += [self._access(path, name, right) for name, right in RIGHTS.items()]
        if (path, "queue") in self.lines:
            place = self.place(path, "queue")
        else:
            place = DEFAULT if path in ("root", "root.default") else "implied"
        return QueueListing(path, parent, place, tuple(values))

    def defaults(self) -> tuple[EffectiveValue, ...]:
        newer = self.allocation_34
        common = (
            self.own("", "userMaxAppsDefault", count(self.allocation.user_max_apps_default)),
            self.own("", "queueMaxAppsDefault", count(self.allocation.queue_max_apps_default)),
            self.own("", "queueMaxAMShareDefault", f"{self.allocation.max_am_share_default:g}"),
            self.own("", "defaultQueueSchedulingPolicy", self.allocation.default_policy),
        )
        if newer is None:
            return common
        return (*common, self.own("", "queueMaxResourcesDefault", part(newer.maximum_default)))

    def users(self) -> tuple[EffectiveValue, ...]:
        limits = sorted(self.allocation.user_max_running_apps.items())
        return tuple(
            EffectiveValue(user, count(limit), self.place(f"user {user}", "maxRunningApps")) for user, limit in limits
        )

    def own(self, path: str, name: str, text: str) -> EffectiveValue:
        return EffectiveValue(name, text, self.place(path, name) if (path, name) in self.lines else DEFAULT)

    def own_or_default(self, path: str, name: str, text: str, default: str) -> EffectiveValue:
        if (path, name) not in self.lines and ("", default) in self.lines:
            return EffectiveValue(name, text, f"from {default} ({self.place('', default)})")
        return self.own(path, name, text)

    def _policy(self, path: str, parent: bool) -> EffectiveValue:
        policy = self.allocation.policy(path)
        value = self.own_or_default(path, "schedulingPolicy", policy, "defaultQueueSchedulingPolicy")
        if parent and policy == "fifo":
            return EffectiveValue("schedulingPolicy", "fair", f"{DEFAULT}, as fifo ({value.origin}) is for leaf queues")
        return value

    def _inherited(
        self, path: str, name: str, values: Mapping[str, int | float], show: Callable[[int | float], str]
    ) -> EffectiveValue:
        """A value that comes from the nearest queue above which states it, in the end from root's default."""
        for queue in upwards(path):
            if (queue, name) in self.lines:
                place = self.place(queue, name)
                return EffectiveValue(name, show(values[queue]), place if queue == path else f"from {queue} ({place})")
        default = f"default{name[0].upper()}{name[1:]}"
        origin = f"from {default} ({self.place('', default)})" if ("", default) in self.lines else DEFAULT
        return EffectiveValue(name, show(values.get("root", _WITHOUT_FILE[name])), origin)

    def _access(self, path: str, name: str, right: str) -> EffectiveValue:
        """Return the users and groups with a right: everyone to whom a queue from here to root gives it."""
        allowed: list[str] = []
        said: set[str] = set()
        origins: list[str] = []
        for queue in upwards(path):
            acl = self.allocation.acl(queue, right)
            stated = (queue, name) in self.lines
            origin = self.place(queue, name) if stated else DEFAULT
            if acl.all_allowed:
                return EffectiveValue(name, "all users", origin if queue == path else f"from {queue} ({origin})")
            named = [*acl.users, *map("group {}".format, acl.groups)]
            new = ", ".join(name for name in named if name not in said)
            if stated and new:
                said.update(named)
                allowed.append(new)
                origins.append(origin if queue == path else f"from {queue} ({origin})")
        return EffectiveValue(
            name, "; ".join(allowed) or "no user", ", ".join(origins) or self.own(path, name, "").origin
        )


def _limits_34(lister: _Lister, allocation: FairAllocation34, path: str) -> list[EffectiveValue]:
    maximum = part(allocation.maximum_of(path))
    values = [lister.own_or_default(path, "maxResources", maximum, "queueMaxResourcesDefault")]
    below = allocation.child_maximums.get(path)
    if below is not None:
        values.append(lister.own(path, "maxChildResources", part(below)))
    container = allocation.container_maximums.get(path)
    if container is not None:
        values.append(lister.own(path, "maxContainerAllocation", amount(container)))
    return values


def _preemption_34(lister: _Lister, allocation: FairAllocation34, path: str) -> EffectiveValue:
    """Return whether containers may be taken from a queue: not where it or any queue above it forbids that."""
    name = "allowPreemptionFrom"
    forbids = next((queue for queue in upwards(path) if queue in allocation.not_preemptable), None)
    if forbids is None:
        return lister.own(path, name, "true")
    place = lister.own(forbids, name, "").origin
    return EffectiveValue(name, "false", place if forbids == path else f"from {forbids} ({place})")


def rule_in_words(rule: Rule27 | Rule34) -> str:
    """A placement rule as one phrase.

    >>> rule_in_words(Rule27("nestedUserQueue", False, Rule27("default", queue="root.dev")))
    'nestedUserQueue of (default: root.dev), only into queues of the file'
    >>> rule_in_words(Rule34("user", parent=Rule34("primaryGroup", create=False)))
    'user below (primaryGroup, only into queues of the file)'
    """
    words = f"{rule.name}: {rule.queue}" if rule.name == "default" else rule.name
    inner, where = (rule.parent, "below") if isinstance(rule, Rule34) else (rule.nested, "of")
    words += "" if inner is None else f" {where} ({rule_in_words(inner)})"
    return words if rule.create else f"{words}, only into queues of the file"


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
    return "no limit" if limit == INT_MAX else str(limit)


def timeout(value_ms: int | float) -> str:
    if value_ms == LONG_MAX:
        return "never"
    return format_duration(int(value_ms)) if value_ms >= 0 else f"{value_ms} ms"


# Writes one queue of a running fair scheduler as an element of an allocation file, each value with its origin.

CHANGED = "changed while it ran"  # The origin of a value that an operator has set since the file was loaded

_WIDTH = 76


def queue_definition(
    path: str, live: FairAllocation, loaded: LoadedAllocation | None, where: Where, *, parent: bool
) -> list[str]:
    """The lines of a queue's element: what it is given itself stands in elements, everything else in comments.

    The queue need not be in the file; `where` names the place of a value that the file states.
    """
    changed = {} if loaded is None else _changed(live, loaded.allocation)
    lines = {} if loaded is None else dict(loaded.lines)

    def place(scope: str, name: str, line: int) -> str:
        return CHANGED if (scope, name) in changed else where(scope, name, line)

    listing = _Lister(LoadedAllocation(live, (), {**lines, **changed}), "", place).queue(path, parent=parent)
    kind = ' type="parent"' if parent else ""
    head = f"<queue name={quoteattr(path.rpartition('.')[2])}{kind}>"
    stated, others = [], []
    for value in listing.values:
        own = path, value.name
        if own in changed or own in lines:
            text = f"  <{value.name}>{escape(_written(value, path, live))}</{value.name}>"
            stated.append((text, place(*own, lines.get(own, 0))))
        else:
            others.append((f"  {value.name} {value.text}", value.origin))
    return [head, *_commented(stated), *_comments(others), "</queue>"]


def _changed(live: FairAllocation, file: FairAllocation) -> Mapping[tuple[str, str], int]:
    settings = SETTINGS_34 if isinstance(live, FairAllocation34) else QUEUE_SETTINGS
    found = {}
    for element, setting in settings.items():
        now, before = getattr(live, setting.attribute), getattr(file, setting.attribute)
        found.update({(queue, element): 0 for queue, value in now.items() if before.get(queue) != value})
    return found


def _written(value: EffectiveValue, path: str, live: FairAllocation) -> str:
    if value.name in RIGHTS:
        return str(live.acl(path, RIGHTS[value.name]))
    if value.name == "allowPreemptionFrom" and isinstance(live, FairAllocation34):
        return "false" if path in live.not_preemptable else "true"
    settings = SETTINGS_34 if isinstance(live, FairAllocation34) else QUEUE_SETTINGS
    kept = getattr(live, settings[value.name].attribute).get(path)
    if isinstance(kept, Amount34):
        kept = kept.fixed
    if isinstance(kept, Resource):
        return f"{kept.memory_mb} mb, {kept.vcores} vcores"
    if value.name.endswith("Timeout"):
        return str(kept // 1000)
    if isinstance(kept, float):
        return f"{kept:g}"
    return str(kept) if isinstance(kept, int) else value.text


def _commented(rows: list[tuple[str, str]]) -> list[str]:
    """Elements with their origins in a column beside them, or right behind them where that would be too wide."""
    width = max((len(text) for text, _ in rows), default=0)
    longest = max((len(origin) for _, origin in rows), default=0)
    column = width if width + longest + len("  <!--  -->") <= _WIDTH else 0
    return [f"{text.ljust(column)}  <!-- {_plain(origin)} -->" for text, origin in rows]


def _comments(rows: list[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    width = max(len(text) for text, _ in rows)
    return ["  <!-- not given here:", *(f"  {text.ljust(width)}  {_plain(origin)}" for text, origin in rows), "  -->"]


def _plain(origin: str) -> str:
    return origin.replace("--", "- -")
