"""Reads Hadoop properties as the real `Configuration` does and collects every refusal.

A refusal has the key and the name of the exception with which the real scheduler stops. Reading goes on with the
default, so that one pass finds all mistakes.

Differs: preemption monitors start and end as soon as `preemption` is switched; a ResourceManager starts them only
at its own start.

Source: o.a.h.conf.Configuration, CapacitySchedulerConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from engine.errors import ConfigError, Problem, RefusedError, nearest, plain_number
from engine.model.java_values import trim
from engine.model.ledger import Attempt
from engine.model.request import upwards
from engine.schedulers.interface import Setting, subject_of
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.settings.capacity import MASTER_LABEL, MASTER_LABEL_EMR, MONITORS
from engine.settings.capacity_queue import (
    ACCESSIBLE_LABELS,
    CAPACITY,
    CREATES,
    CREATES_V2,
    MAXIMUM_CAPACITY,
    ORDERING_POLICY,
    QUEUES,
    TEMPLATE,
)
from engine.settings.capacity_scheduler import (
    CONTINUE_LOOKING,
    CREATION_V2,
    MAX_PARALLEL,
    MAX_PARALLEL_OF_USERS,
    MAXIMUM_AM_PERCENT,
    MINIMUM_USER_LIMIT,
    NODE_LOCALITY_DELAY,
    PREFIX,
    USER_LIMIT_FACTOR,
)
from engine.settings.table import LABELS, Key, SettingTable, ValueKind
from engine.state import Shared, State

# Which property of capacity-scheduler.xml decides an obstacle, with its value in force.
#
# Where a property may be set for one queue and for all, the one that is set is named; where neither is, that of the
# queue, with the default.

_OF_QUEUE: Final[Mapping[Reason, Key[Any]]] = {
    Reason.QUEUE_OVER_MAXIMUM: MAXIMUM_CAPACITY,
    Reason.QUEUE_NOT_RUNNING_IT: MAX_PARALLEL,
    Reason.AM_SHARE_EXHAUSTED: MAXIMUM_AM_PERCENT,
    Reason.USER_AM_SHARE_EXHAUSTED: MAXIMUM_AM_PERCENT,
    Reason.OTHER_FIRST: ORDERING_POLICY,
}
"""Reason → the setting of the queue that decides."""

_FROM: Final[Mapping[Reason, Sequence[Key[Any]]]] = {
    Reason.QUEUE_OVER_MAXIMUM: (MAXIMUM_CAPACITY,),
    Reason.USER_OVER_LIMIT: (USER_LIMIT_FACTOR, MINIMUM_USER_LIMIT, MAXIMUM_CAPACITY),
    Reason.AM_SHARE_EXHAUSTED: (MAXIMUM_AM_PERCENT, MAXIMUM_CAPACITY),
    Reason.USER_AM_SHARE_EXHAUSTED: (MAXIMUM_AM_PERCENT, USER_LIMIT_FACTOR, MINIMUM_USER_LIMIT, MAXIMUM_CAPACITY),
}
"""Reason → the settings of a queue that its limit is computed from; of queues above only their maximum capacity.

Source: LeafQueue#computeUserLimit, #getAMResourceLimitPerPartition, #getUserAMResourceLimitPerPartition.
"""

NO_LABEL: Final = "no label"  # An empty list of labels, in words
NOT_SET: Final = "not set"  # The value of a capacity that no file states


class DecidingProperties(NamedTuple):
    values: Mapping[str, str]
    table: SettingTable  # The settings of the release

    def behind(self, attempt: Attempt, obstacle: Obstacle, *, factor_decides: bool) -> Setting | None:
        """The property that decides an obstacle in the way of an attempt; None when none does.

        Of a user above the limit, `factor_decides` says that the limit is the queue's capacity times the factor, and
        not a user's part of the queue.
        """
        reason, path = obstacle.reason, attempt.queue.path
        if reason is Reason.DELAY_SCHEDULING:
            return self._of_all(NODE_LOCALITY_DELAY)
        if reason is Reason.RESERVATION_LIMIT:
            return self._of_all(CONTINUE_LOOKING)
        if reason is Reason.LABEL_NOT_ACCESSIBLE:
            return self._inherited(obstacle.subject)
        if reason is Reason.USER_OVER_LIMIT:
            return self.of_queue(path, USER_LIMIT_FACTOR if factor_decides else MINIMUM_USER_LIMIT)
        if self.needed(path, obstacle):
            return None
        if reason is Reason.QUEUE_OVER_MAXIMUM and obstacle.partition:
            return self._in_partition(MAXIMUM_CAPACITY, obstacle.subject, obstacle.partition)
        key = _OF_QUEUE.get(reason)
        if key is None or key.name not in self.table.queue:
            return None
        subject, is_user = subject_of(obstacle, attempt)
        if is_user:
            own = parallel_of_user(self.values, subject)
            return Setting(own, self.values.get(own, ""))
        return self.of_queue(subject if subject.split(".")[0] == "root" else path, key)

    def others(self, path: str, reason: Reason, first: Setting) -> list[Setting]:
        """Further properties that the limit of a reason is computed from in a queue, and in those above it."""
        keys = _FROM.get(reason, ())
        found = [self.of_queue(path, key) for key in keys]
        while keys and (path := path.rpartition(".")[0]) != "root" and path:
            found.append(self.of_queue(path, MAXIMUM_CAPACITY))
        return [each for each in found if each != first]

    def needed(self, path: str, obstacle: Obstacle) -> list[Setting]:
        """The capacities in a partition, of a queue and of those above it, that are nothing where a limit there is."""
        label, share = obstacle.partition, obstacle.numbers[1:2]
        if obstacle.reason is not Reason.NO_CAPACITY and not (label and obstacle.reason in _FROM and share == (0,)):
            return []
        found = [self._in_partition(CAPACITY, each, label) for each in upwards(path)]
        return [each for each in reversed(found) if each.value == NOT_SET or not each.value.strip("0. ")]

    def _in_partition(self, key: Key[Any], path: str, label: str) -> Setting:
        own = key.of(path, label)
        return Setting(own, self.values.get(own, "").strip() or NOT_SET)

    def of_queue(self, path: str, key: Key[Any]) -> Setting:
        entry = self.table.queue[key.name]
        own, common = key.of(path), entry.wider
        above = path.rpartition(".")[0]
        if makes_queues(self.values, above):
            own = f"{PREFIX}{above}.{TEMPLATE}.{key}"
        elif is_made(self.values, path):
            made = [f"{PREFIX}{above}.{CREATION_V2}{part}.{key}" for part in ("leaf-template", "template")]
            own = next((each for each in made if each in self.values), own)
        if own not in self.values and common is not None and common.everywhere in self.values:
            own = common.everywhere
        number = entry.default.removesuffix(".0") if entry.shown is None else ""
        return Setting(own, self.values.get(own, number))

    def text_of(self, key: Key[Any]) -> str:
        return self.values.get(key.everywhere, self.table.whole[key.everywhere].default)

    def _of_all(self, key: Key[Any]) -> Setting:
        return Setting(key.everywhere, self.text_of(key))

    def _inherited(self, path: str) -> Setting:
        """The list of labels, which holds for the queues below as well; of the queue itself where none has it."""
        above = path
        while above and ACCESSIBLE_LABELS.of(above) not in self.values:
            above = above.rpartition(".")[0]
        key = ACCESSIBLE_LABELS.of(above or path)
        return Setting(key, self.values.get(key, "").strip() or NO_LABEL)


def makes_queues(values: Mapping[str, str], path: str) -> bool:
    """Tell whether leaves of a queue are made of its template. Source: ManagedParentQueue, Hadoop 3.4.1."""
    return values.get(CREATES.of(path), "").strip().lower() == "true"


def is_made(values: Mapping[str, str], path: str) -> bool:
    """Tell whether a queue was made on submission: what is stated of it alone is not what counts."""
    above, _, name = path.rpartition(".")
    is_listed = name in values.get(QUEUES.of(above), "").replace(" ", "").split(",")
    is_new = values.get(CREATES_V2.of(above), "").strip().lower() == "true" and not is_listed
    return makes_queues(values, above) or is_new


def factor_decides(limit_mb: int, guaranteed_mb: int, factor: float) -> bool:
    """Tell whether a user's limit is as high as the user limit factor lets it be.

    >>> factor_decides(16384, 16384, 1.0), factor_decides(8192, 16384, 1.0), factor_decides(16384, 16384, 2.0)
    (True, False, False)
    """
    return limit_mb >= int(guaranteed_mb * factor)


def parallel_of_user(values: Mapping[str, str], user: str) -> str:
    """The property that limits how many applications a user runs: that of one user, or else that of every user."""
    own = f"{PREFIX}user.{user}.{MAX_PARALLEL}"
    return own if own in values else MAX_PARALLEL_OF_USERS.everywhere


# Settings of CapacityScheduler that an operator may change while it runs, and what they mean as properties.
#
# A ResourceManager would read them from the changed file (`rmadmin -refreshQueues`) or be given them through its
# configuration API; here they are laid over the properties in force, which are then loaded as a whole.

PREEMPTION: Final = "preemption"  # The switch of the preemption monitor

_LABELS: Final = f"{LABELS}."


def keys(table: SettingTable) -> tuple[str, ...]:
    """The names of all settings that change; `queue.<path>.…` stands for one of each queue."""
    return (PREEMPTION, *(f"queue.<path>.{name}" for name in table.live))


def as_properties(values: Mapping[str, str], paths: Collection[str], table: SettingTable) -> dict[str, str]:
    """Settings as properties. Raises RefusedError with `IllegalArgumentException` for an unknown setting or queue.

    A setting is `preemption`, `queue.<path>.<name>`, or a property by its own key. As the capacities of siblings have
    to add up, that of a queue may bring others with it: `40 dev=60`.
    """
    return dict(pair for key, value in values.items() for pair in _properties(key, value, paths, table))


def _properties(key: str, value: str, paths: Collection[str], table: SettingTable) -> Iterator[tuple[str, str]]:
    if key == PREEMPTION:
        yield MONITORS.name, value
    elif key.startswith("yarn."):
        yield key, value
    elif key.startswith("queue."):
        path, suffix = _split(key.removeprefix("queue."), paths, table.live)
        own, *others = (suffix == CAPACITY.name and "[" not in value and value.split()) or [value]
        yield f"{PREFIX}{path}.{suffix}", own
        for other in others:
            name, _, share = other.partition("=")
            yield f"{PREFIX}{path.rpartition('.')[0]}.{name}.{suffix}", share
    else:
        raise _refused(f"there is no setting {key}", nearest(key, keys(table)))


def _split(words: str, paths: Collection[str], suffixes: Collection[str]) -> tuple[str, str]:
    path, _, suffix = words.partition(f".{_LABELS}")
    suffix = suffix and _LABELS + suffix
    if not suffix:
        known = [each for each in suffixes if words.endswith(f".{each}")]
        suffix = max(known, key=len) if known else words.rpartition(".")[2]
        path = words.removesuffix(f".{suffix}")
    if path not in paths:
        raise _refused(f"there is no queue {path}", nearest(path, paths))
    if suffix not in suffixes and not suffix.startswith(_LABELS):
        raise _refused(f"a queue has no setting {suffix}", nearest(suffix, suffixes))
    return path, suffix


def _refused(message: str, hint: str) -> RefusedError:
    return RefusedError("IllegalArgumentException", f"{message}; {hint}" if hint else message)


_Value = TypeVar("_Value")

NUMBER_FORMAT: Final = "NumberFormatException"
ILLEGAL_ARGUMENT: Final = "IllegalArgumentException"
ILLEGAL_STATE: Final = "IllegalStateException"
INPUT_OUTPUT: Final = "IOException"
RUNTIME: Final = "YarnRuntimeException"
CLASS_NOT_FOUND: Final = "ClassNotFoundException"
OUT_OF_BOUNDS: Final = "StringIndexOutOfBoundsException"


class Refusals(metaclass=State):
    """The problems a configuration is refused for, in the order the real scheduler would meet them."""

    noted: dict[Problem, str] = {}  # Problem → the exception's simple class name
    keys: dict[str, None] = {}  # Where something is refused

    @property
    def problems(self) -> list[Problem]:
        return list(self.noted)

    @property
    def kinds(self) -> list[str]:
        return list(self.noted.values())

    def add(self, kind: str, message: str, key: str = "", hint: str = "") -> None:
        """Note one, unless it is noted already; `kind` is the exception's simple class name."""
        self.noted.setdefault(Problem(message, key=key, hint=hint), kind)
        self.keys[key] = None

    def names(self, key: str) -> bool:
        return key in self.keys

    def add_all(self, later: "Refusals") -> None:
        self.noted |= later.noted
        self.keys |= later.keys

    def check(self) -> None:
        """Return if nothing was refused. Raises ConfigError if something was."""
        if self.noted:
            raise ConfigError(self.problems, self.kinds[0])


class Properties(metaclass=State):
    """Properties as a release reads them; `refusals` collects the texts that it refuses."""

    values: dict[str, str]
    given: Shared[dict[str, str]]  # The properties as they came; `values` may get more, as from templates
    ordered: Shared[list[str]]  # The keys given, by their letters; a dot stands just before `/`
    places: Shared[dict[str, int]]  # Where each of them stands among those given
    refusals: Refusals
    table: Shared[SettingTable]  # The settings of the release

    def __init__(self, values: Mapping[str, str], refusals: Refusals, table: SettingTable) -> None:
        self.values = dict(values)
        self.given = dict(values)
        self.ordered = sorted(values)
        self.places = {key: place for place, key in enumerate(values)}
        self.refusals = refusals
        self.table = table

    def text(self, key: str) -> str | None:
        """The text as it stands; None when the key is not set."""
        return self.values.get(key)

    def everywhere(self, key: Key[_Value]) -> _Value:
        name = key.everywhere
        if name not in self.values:
            return self.table.default(key)
        return self.parsed(name, self.table.whole[name].kind, self.table.default(key))

    def of_queue(self, key: Key[_Value], path: str, otherwise: _Value | None = None, *, label: str = "") -> _Value:
        """A setting of a queue, in the partition of a node label or in the default one.

        Where the queue states none, `otherwise` holds, else the setting of all queues where there is one, else the
        default.
        """
        entry = self.table.queue[key.name]
        if otherwise is None:
            default = self.table.queue_default(key)
            otherwise = default if entry.wider is None else self.everywhere(entry.wider)
        return self.parsed(key.of(path, label), entry.kind, otherwise)

    def parsed(self, key: str, kind: ValueKind[_Value], otherwise: _Value) -> _Value:
        """The value of a text; `otherwise` where the key is not set, or refused."""
        text = self.values.get(key)
        if text is None:
            return otherwise
        try:
            return kind.read(text, otherwise)
        except ValueError:
            self.refusals.add(NUMBER_FORMAT, f"{text!r} is not {kind.words}", key, plain_number(text.strip(), key))
            return otherwise

    def names(self, key: str) -> list[str] | None:
        """Names between commas, without blanks around them; None when there is none. Source: #getStrings."""
        text = self.values.get(key)
        names = [trim(name) for name in text.split(",") if name] if text is not None else []
        return names or None

    def starting_with(self, prefix: str) -> dict[str, str]:
        """The given properties below a prefix that ends with a dot, by the rest of their keys."""
        first = bisect_left(self.ordered, prefix)
        end = bisect_left(self.ordered, f"{prefix[:-1]}/", first)
        return {
            key[len(prefix) :]: self.given[key] for key in sorted(self.ordered[first:end], key=self.places.__getitem__)
        }


class StatedLabel(NamedTuple):
    key: str
    label: str


def master_label(properties: Properties) -> StatedLabel:
    """The node label of masters whose submission names none; empty where that is the queue's."""
    key = master_label_key(properties)
    return StatedLabel(key, trim(properties.values.get(key, "")))


def no_such_label(label: str, *stated: StatedLabel) -> str:
    """Why an ask for a label that the cluster has not is refused, and which of some keys gave it the label."""
    key = next((f" ({each.key})" for each in stated if each.label == label), "")
    return f"the cluster has no label {label}{key}"


def master_label_key(properties: Properties) -> str:
    """The key that states the node label of masters; empty where none does that is read.

    Source: RMAppManager, Hadoop 3.4.1. Differs: the name that Amazon EMR gives the key is read in both releases.
    """
    keys = [key.name for key in (MASTER_LABEL, MASTER_LABEL_EMR) if key.name in properties.table.whole]
    return next((key for key in keys if properties.values.get(key)), "")
