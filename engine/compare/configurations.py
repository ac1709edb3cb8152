"""What a change of a configuration means: queues and what each gets, keys, who may submit, which asks are refused.

Compared is what Hadoop makes of the files, so a text that is written otherwise and means the same is no change.

Source: AdminService#refreshQueues, CapacityScheduler#reinitialize, AllocationFileLoaderService#reloadAllocations: what
takes effect when.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal

import msgspec

from engine.explain.tunable_values import TUNABLES
from engine.formats.capacity_listing import CapacityLimits, list_capacity
from engine.formats.configuration_files import ConfigurationParts
from engine.formats.fair_listing import EffectiveValue, list_allocation
from engine.formats.named_problems import CheckedConfiguration, NamedProblem
from engine.model.java_values import setting_boolean
from engine.model.request import upwards
from engine.schedulers.capacity.properties import Properties, Refusals
from engine.schedulers.capacity.view import CapacityQueueRow
from engine.schedulers.fair.settings import ADMINISTER_QUEUE, SUBMIT_APPLICATIONS, FairAllocation
from engine.schedulers.fair34.settings import FairAllocation34
from engine.schedulers.placement import AccessControlList
from engine.settings.capacity import capacity_table
from engine.settings.capacity_queue import ADMINISTER_ACL, QUEUE_MAXIMUM_MB, QUEUE_MAXIMUM_VCORES, SUBMIT_ACL
from engine.settings.capacity_scheduler import PREFIX, USER_LIMIT_FACTOR
from engine.settings.fair import PREFIX as FAIR_PREFIX
from engine.settings.fair import fair_table
from engine.settings.known import readers
from engine.settings.site import ACL_ENABLE, MAXIMUM_MB, MAXIMUM_VCORES, SCHEDULER_CLASS
from engine.settings.table import INTEGER

When = Literal["live", "refresh", "owner", "restart", "patch", "hardware"]
"""When a change takes effect; `live` is within seconds of the file's being saved."""

_REFRESHED: Final = {"yarn.admin.acl": "refresh"}
_OF_OWNERS: Final = ("mapreduce.", "spark.", "tez.", "yarn.app.mapreduce.")


class QueueRights(msgspec.Struct, frozen=True):
    """Who may submit to a queue: by a list of it or of one above it, to submit or to administer."""

    everybody: tuple[str, ...] = ()  # The lists by which everybody may; empty where only some may
    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()

    def lost(self, then: "QueueRights") -> list[str]:
        if then.everybody or (self.everybody and not then.everybody):
            return [] if then.everybody else [f"users other than {then.words()}"]
        gone = [f"user {each}" for each in sorted(self.users - then.users)]
        return gone + [f"group {each}" for each in sorted(self.groups - then.groups)]

    def allows(self, user: str, groups: Collection[str]) -> bool:
        return bool(self.everybody) or user in self.users or not self.groups.isdisjoint(groups)

    def words(self) -> str:
        if self.everybody:
            return "all users"
        users = ", ".join(sorted(self.users))
        groups = ", ".join(sorted(self.groups))
        return "; ".join(filter(None, (users, f"groups {groups}" if groups else ""))) or "no user"


class QueueMeaning(msgspec.Struct, frozen=True):
    path: str
    is_leaf: bool
    is_stopped: bool
    parts: Mapping[str, tuple[float, float]]
    """Partition (empty: the default one) → part of the cluster it is guaranteed and may have at most, from 0 to 1;
    under FairScheduler the part that its weights give while every queue asks, and 1."""
    one_user: float | None  # The most one user may have, as a part; None where it depends on other users
    rights: QueueRights
    largest: tuple[int, int]  # The largest ask that is taken [MB, vcores]
    user_limit_factor: str = ""
    minimum: str = ""  # Its minimum share in words; empty where the scheduler has none


class ConfigurationMeaning(msgspec.Struct, frozen=True):
    """What a release makes of the files of one cluster."""

    name: str
    release: str
    scheduler: str  # Simple name of the class
    queues: Mapping[str, QueueMeaning]
    values: Mapping[str, str]  # Keys as stated
    places: Mapping[str, tuple[str, int]]
    problems: tuple[NamedProblem, ...]
    effective: Mapping[str, str] = {}  # Key or element of a queue → the value in force, stated or not


class ChangedKey(msgspec.Struct, frozen=True):
    key: str
    old: str  # Empty where nothing stated it
    new: str
    when: When
    file: str
    line: int
    default: str = ""  # What holds where nothing states it, as far as that is known
    is_same: bool = False  # Whether what holds is as before: it is written otherwise, or states what held without it


class ConfigurationChange(msgspec.Struct, frozen=True):
    old: ConfigurationMeaning
    new: ConfigurationMeaning
    keys: tuple[ChangedKey, ...]  # Those that a scheduler reads, or nearly; others are counted
    other_keys: int
    appeared: tuple[NamedProblem, ...]
    gone: tuple[NamedProblem, ...]
    refused: tuple[str, ...] = ()  # Names of the sides that Hadoop refuses; then only problems are known

    @property
    def leaves(self) -> list[str]:
        return [
            path
            for path, queue in self.old.queues.items()
            if queue.is_leaf and path in self.new.queues and self.new.queues[path].is_leaf
        ]


# ---------------------------------------------------------------- what files mean


def _meaning_of(found: CheckedConfiguration) -> ConfigurationMeaning:
    parts = found.parts
    if parts is None:
        return ConfigurationMeaning(found.name, found.release, "", {}, {}, {}, found.problems)
    queues = _capacity_queues(parts) if parts.rows else _fair_queues(parts)
    return ConfigurationMeaning(
        found.name,
        found.release,
        parts.scheduler,
        {queue.path: queue for queue in queues},
        {key: text.strip() for key, text in parts.settings.values.items()},
        parts.settings.places,
        found.problems,
        {f"{prefix}{each.name}": each.text for prefix, values in _listed(parts) for each in values},
    )


def _listed(parts: ConfigurationParts) -> Iterator[tuple[str, Sequence[EffectiveValue]]]:
    """(What stands before the names, values) of every queue, and of what counts for all."""
    if parts.rows:
        for queue in list_capacity(parts.rows, parts.settings, parts.era).queues:
            yield f"{PREFIX}{queue.path}.", queue.values
    elif parts.loaded is not None:
        listing = list_allocation(parts.loaded, parts.settings.values, parts.allocation_file)
        yield "", listing.defaults
        yield from ((f"{each.path}.", each.values) for each in listing.queues)


def _capacity_queues(parts: ConfigurationParts) -> Iterator[QueueMeaning]:
    table = capacity_table(parts.era)
    values = parts.settings.values
    properties = Properties(values, Refusals(), table)
    limits = CapacityLimits(values, table)
    stopped = {row.path for row in parts.rows if row.state == "STOPPED"}
    for row in parts.rows:
        shares = {each.label: (each.capacity, min(1.0, each.maximum)) for each in row.partitions} or {"": (0.0, 1.0)}
        factor = limits.number(row, USER_LIMIT_FACTOR) if row.is_leaf else None
        yield QueueMeaning(
            row.path,
            row.is_leaf,
            not stopped.isdisjoint(upwards(row.path)),
            shares,
            None if factor is None else _one_user(shares.get("", (0.0, 1.0)), factor.number),
            _capacity_rights(parts, row.path),
            _largest(parts, properties, row),
            "" if factor is None else f"{factor.number:g}{'' if factor.key else ' (default)'}",
        )


def _one_user(share: tuple[float, float], factor: float) -> float:
    """What one user may have of a leaf; a factor of -1, of 3.x, is no limit."""
    capacity, most = share
    return most if factor < 0 else min(most, capacity * factor)


def _capacity_rights(parts: ConfigurationParts, path: str) -> QueueRights:
    # Either will do. Source: LeafQueue#submitApplication, 2.7.2, which looks at no switch; RMAppManager, 3.4.1.
    values = parts.settings.values
    has_site = parts.era != "2.7" and any(not key.startswith(PREFIX) for key in values)
    if has_site and not setting_boolean(values.get(ACL_ENABLE.name), False):
        return QueueRights((f"{ACL_ENABLE.name} is not true",))
    lists = [
        (right.of(each), AccessControlList(values.get(right.of(each), "*" if each == "root" else " ")))
        for each in [*upwards(path)][::-1]
        for right in (SUBMIT_ACL, ADMINISTER_ACL)
    ]
    return _rights([(key.removeprefix(PREFIX), acl) for key, acl in lists])


def _rights(lists: Sequence[tuple[str, AccessControlList]]) -> QueueRights:
    everybody = tuple(name for name, acl in lists if acl.all_allowed)
    if everybody:
        return QueueRights(everybody)
    users = frozenset(user for _, acl in lists for user in acl.users)
    return QueueRights((), users, frozenset(group for _, acl in lists for group in acl.groups))


def _largest(parts: ConfigurationParts, properties: Properties, row: CapacityQueueRow) -> tuple[int, int]:
    # In 3.x its own maximum or that of the nearest queue above, else the cluster's. 2.7 tells an application master the
    # maximum of its queue, and refuses only what is above the cluster's. Source: ApplicationMasterService#allocate,
    # 2.7.2; AbstractCSQueue#setupMaximumAllocation, 3.4.1.
    found = []
    for whole, own in ((MAXIMUM_MB, QUEUE_MAXIMUM_MB), (MAXIMUM_VCORES, QUEUE_MAXIMUM_VCORES)):
        most = properties.everywhere(whole)
        near = () if parts.era == "2.7" else upwards(row.path)
        key = next((own.of(each) for each in near if own.of(each) in parts.settings.values), "")
        found.append(properties.parsed(key, INTEGER, most) if key else most)
    return found[0], found[1]


def _fair_queues(parts: ConfigurationParts) -> Iterator[QueueMeaning]:
    if parts.loaded is None:
        return
    listing = list_allocation(parts.loaded, parts.settings.values, parts.allocation_file)
    properties = Properties(parts.settings.values, Refusals(), fair_table(parts.era))
    most = (properties.everywhere(MAXIMUM_MB), properties.everywhere(MAXIMUM_VCORES))
    allocation = parts.loaded.allocation
    weights = _weighted(allocation, [each.path for each in listing.queues])
    for each in listing.queues:
        yield QueueMeaning(
            each.path,
            not each.parent,
            False,
            {"": (weights[each.path], 1.0)},
            None,
            _fair_rights(allocation, each.path),
            _largest_fair(allocation, most, each.path),
            minimum=next((value.text for value in each.values if value.name == "minResources"), ""),
        )


def _weighted(allocation: FairAllocation, paths: Sequence[str]) -> Mapping[str, float]:
    weight = allocation.weight
    whole: dict[str, float] = {}
    for path in paths:
        above = path.rpartition(".")[0]
        whole[above] = whole.get(above, 0.0) + max(0.0, weight(path))
    found: dict[str, float] = {}
    for path in sorted(paths, key=lambda each: each.count(".")):
        above = path.rpartition(".")[0]
        found[path] = found.get(above, 1.0) * max(0.0, weight(path)) / whole[above] if above and whole[above] else 1.0
    return found


def _fair_rights(allocation: FairAllocation, path: str) -> QueueRights:
    # Whatever `yarn.acl.enable` says. Source: AllocationConfiguration#hasAccess, 2.7.2; FairScheduler#addApplication,
    # 3.4.1.
    names = {SUBMIT_APPLICATIONS: "aclSubmitApps", ADMINISTER_QUEUE: "aclAdministerApps"}
    above = [*upwards(path)][::-1]
    return _rights([(f"{each}.{name}", allocation.acl(each, right)) for each in above for right, name in names.items()])


def _largest_fair(allocation: FairAllocation, most: tuple[int, int], path: str) -> tuple[int, int]:
    # In 3.x that of the nearest queue that states one. Source: FSQueue#getMaximumContainerAllocation, 3.4.1.
    if isinstance(allocation, FairAllocation34):
        stated = allocation.container_maximums
        own = next((stated[each] for each in upwards(path) if each in stated), None)
        if own is not None:
            return min(most[0], own.memory_mb), min(most[1], own.vcores)
    return most


# ---------------------------------------------------------------- what differs


def change_of(old: CheckedConfiguration, new: CheckedConfiguration) -> ConfigurationChange:
    refused = tuple(each.name for each in (old, new) if each.parts is None)
    if refused:
        old, new = (msgspec.structs.replace(each, parts=None) for each in (old, new))
    before, after = _meaning_of(old), _meaning_of(new)
    stated = {**dict.fromkeys(before.values), **dict.fromkeys(after.values)}
    differing = [key for key in stated if before.values.get(key) != after.values.get(key)]
    own = (PREFIX, FAIR_PREFIX, "yarn.scheduler.", *_OF_OWNERS)
    read = [key for key in differing if readers(key) or key.startswith(own)]
    keys = [_changed_key(key, before, after) for key in read]
    marks = {_mark(each) for each in before.problems}
    still = {_mark(each) for each in (before.problems if new.name in refused else after.problems)}
    return ConfigurationChange(
        before,
        after,
        (*keys, *_changed_elements((old, before), (new, after))),
        len(differing) - len(read),
        tuple(each for each in after.problems if not each.ignored and _mark(each) not in marks),
        tuple(each for each in before.problems if not each.ignored and _mark(each) not in still),
        refused,
    )


def _mark(named: NamedProblem) -> tuple[str, str]:
    return named.rule, named.problem.key


def _changed_key(key: str, old: ConfigurationMeaning, new: ConfigurationMeaning) -> ChangedKey:
    file, line = new.places.get(key) or old.places.get(key) or ("", 0)
    at = line if key in new.places else 0
    when = _when_of(key, file, new)
    was, now = (each.effective.get(key) or each.values.get(key) or _default(key, each) for each in (old, new))
    is_same = bool(was) and _means(was) == _means(now)
    values = old.values.get(key, ""), new.values.get(key, "")
    return ChangedKey(key, *values, when, file if at else "", at, _default(key, new), is_same)


def _default(key: str, meaning: ConfigurationMeaning) -> str:
    whole = {**fair_table(meaning.release).whole, **capacity_table(meaning.release).whole}
    return whole[key].effective_default if key in whole else ""


def _means(text: str) -> float | str:
    """A value that may be written in several ways.

    >>> _means("0.50") == _means("0.5"), _means("TRUE") == _means("true")
    (True, True)
    """
    try:
        return float(text)
    except ValueError:
        return text.casefold() if text.casefold() in ("true", "false") else text


def _when_of(key: str, file: str, meaning: ConfigurationMeaning) -> When:
    # A refresh reads capacity-scheduler.xml again; the tables tell what it takes of yarn-site.xml, of which 2.7 keeps
    # what it read at its start
    family = "capacity" if meaning.scheduler == "CapacityScheduler" else "fair"
    scheduler = f"{family}-{meaning.release}"
    takes = [each.takes for each in TUNABLES if each.key == key and each.where == "whole" and each.is_of(scheduler)]
    if takes:
        return takes[0]
    if key.startswith(_OF_OWNERS):
        return "owner"
    if key == SCHEDULER_CLASS.name or not key.startswith(PREFIX):
        is_refreshed = key in _REFRESHED or (file.endswith("capacity-scheduler.xml") and meaning.release != "2.7")
        return "refresh" if is_refreshed else "restart"
    is_begun_with = key.startswith(f"{PREFIX}schedule-asynchronously") or key.endswith("resource-calculator")
    return "restart" if is_begun_with or file.endswith("yarn-site.xml") else "refresh"


def _changed_elements(
    old: tuple[CheckedConfiguration, ConfigurationMeaning], new: tuple[CheckedConfiguration, ConfigurationMeaning]
) -> Iterator[ChangedKey]:
    before, after = (_elements(each.parts) for each, _ in (old, new))
    for key in {**before, **after}:
        was, now = before.get(key, ("", "", 0)), after.get(key, ("", "", 0))
        if was[0] != now[0]:
            held, holds = (meaning.effective.get(key, "") for _, meaning in (old, new))
            is_same = bool(held) and held == holds
            yield ChangedKey(key, was[0], now[0], "live", now[1], now[2], is_same=is_same)


def _elements(parts: ConfigurationParts | None) -> Mapping[str, tuple[str, str, int]]:
    """Element that the file states, by queue and name → its value as it holds, file and line; rules by their number."""
    if parts is None or parts.loaded is None:
        return {}
    listing = list_allocation(parts.loaded, parts.settings.values, parts.allocation_file)
    lines = parts.loaded.lines
    found: dict[str, tuple[str, str, int]] = {}
    scopes = [*((each.path, each.values) for each in listing.queues), ("", listing.defaults)]
    scopes += [(f"user {each.name}", (EffectiveValue("maxRunningApps", each.text, ""),)) for each in listing.users]
    for scope, values in scopes:
        for value in values:
            if (scope, value.name) in lines:
                key = f"{scope}.{value.name}" if scope else value.name
                found[key] = (value.text, parts.allocation_file, lines[scope, value.name])
    line = lines.get(("", "queuePlacementPolicy"), 0)
    for number, rule in enumerate(listing.rules if line else (), 1):
        found[f"queuePlacementPolicy.{number}"] = (rule, parts.allocation_file, line)
    return found


# ---------------------------------------------------------------- harm


class Harm(msgspec.Struct, frozen=True):
    """Something that OLD took or did and NEW does not."""

    kind: str  # `lint`, `submits`, `asks`, `refused`, `failed`, `deadlock`, `never`, `wait`, `promise` or `warning`
    sentence: str
    queue: str = ""
    user: str = ""
    memory_mb: int = 0
    promise: str = ""  # The entry of an `--expect` file that says it is meant; empty where none can
    meant: str = ""  # Why it is meant, as that file says; empty where it counts
    workload: str = ""  # The workload it was seen in; empty where the configuration alone shows it


def refusals(change: ConfigurationChange) -> Iterator[Harm]:
    """Users and asks that OLD accepts and NEW refuses, by the configuration alone."""
    for each in change.appeared:
        if each.severity == "error":
            yield Harm("lint", f"{each.place} {each.rule}: {each.problem.message}")
    if not change.new.queues or not change.old.queues:
        return
    yield from _refused_asks(change)
    for path, queue in change.old.queues.items():
        if not queue.is_leaf or queue.is_stopped:
            continue
        now, refused = change.new.queues.get(path), f'submits = [{{ queue = "{path}", is = "refused" }}]'
        if now is None or not now.is_leaf:
            if change.new.scheduler == "CapacityScheduler":
                what = "is not a leaf queue" if now is not None else "is gone"
                words = f"{path} {what}: an application that names it is refused"
                yield Harm("submits", words, path, promise=refused)
        elif now.is_stopped:
            words = f"{path} is stopped: it refuses every application"
            yield Harm("submits", words, path, promise=refused)
        else:
            for who in queue.rights.lost(now.rights):
                user = who.removeprefix("user ") if who.startswith("user ") else ""
                name = f'user = "{user or "NAME"}"'
                promise = f'submits = [{{ {name}, queue = "{path}", is = "refused" }}]'
                yield Harm("submits", f"{who} may not submit to {path} any more", path, user, 0, promise)


def _refused_asks(change: ConfigurationChange) -> Iterator[Harm]:
    for place, unit in enumerate(("MB", "vcores")):
        smaller = {
            path: change.new.queues[path].largest[place]
            for path in change.leaves
            if change.new.queues[path].largest[place] < change.old.queues[path].largest[place]
        }
        if not smaller:
            continue
        is_all = len(smaller) == len(change.leaves) and len({*smaller.values()}) == 1
        for path, most in [("", next(iter(smaller.values())))] if is_all else smaller.items():
            where = f" in {path}" if path else ""
            size = f'memory = "{most + 1}m"' if place == 0 else f"vcores = {most + 1}"
            of_queue = f'queue = "{path}", ' if path else ""
            promise = f'asks = [{{ {of_queue}{size}, is = "refused" }}]'
            yield Harm("asks", f"asks above {most} {unit}{where}", path, "", most if place == 0 else 0, promise)
