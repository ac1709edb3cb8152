"""The settings of the fair scheduler in yarn-site.xml, typed and with the defaults of the release's code.

Source: FairSchedulerConfiguration, FairScheduler#initScheduler, AllocationConfiguration,
AllocationFileLoaderService#loadQueue, FairSchedulerConfiguration#parseResourceConfigValue, SchedulingPolicy#parse,
Hadoop 2.7.2.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, NamedTuple, Self, TypeVar

import msgspec
from msgspec.structs import replace

from engine.errors import Problem
from engine.model.java_values import (
    INT_MAX,
    divide,
    float32,
    parse_double,
    parse_float,
    parse_int,
    parse_long,
    trim,
    wrap_long,
)
from engine.model.request import NONE, UNBOUNDED, Resource, upwards
from engine.schedulers.placement import (
    EVERYBODY,
    NOBODY,
    AccessControlList,
    ConfiguredQueues,
    PlacementPolicy,
    policy_from_settings,
)
from engine.schedulers.settings import HadoopSettings, allocation_bounds
from engine.settings import fair as keys
from engine.settings.site import PORT_IN_NODE_NAME
from engine.settings.table import SettingTable

# The contents of a fair-scheduler.xml: limits, weights, timeouts, ACLs, policies, placement, by full queue name.
#
# The values are as the file has them; what a queue inherits is asked of the queue, since Hadoop copies the inherited
# timeouts into a queue only when the file is loaded or the queue is created.

SUBMIT_APPLICATIONS = "SUBMIT_APPLICATIONS"  # The right to submit to a queue. Source: QueueACL.

ADMINISTER_QUEUE = "ADMINISTER_QUEUE"
"""The right to kill and move applications of a queue; it includes submitting. Source: QueueACL."""

POLICIES = ("fair", "fifo", "drf")  # Scheduling policies a queue may have


class FairAllocation(msgspec.Struct, kw_only=True):
    """One loaded allocation file; without arguments, what Hadoop has before any file is loaded.

    The dicts hold only what the file states for a queue. The Struct is mutable so that one setting of one queue can
    be changed on a `copy`; a loaded allocation is never changed in place.
    """

    min_resources: dict[str, Resource] = {}
    max_resources: dict[str, Resource] = {}
    weights: dict[str, float] = {}  # Rounded to float32
    max_running_apps: dict[str, int] = {}
    user_max_running_apps: dict[str, int] = {}  # By user
    max_am_shares: dict[str, float] = {}
    """Share of a leaf's fair share for application masters, float32; negative switches the limit off."""
    min_share_timeouts_ms: dict[str, int] = {}
    fair_share_timeouts_ms: dict[str, int] = {}
    fair_share_thresholds: dict[str, float] = {}  # Between 0 and 1, float32
    policies: dict[str, str] = {}  # `fair`, `fifo` or `drf`
    acls: dict[str, dict[str, AccessControlList]] = {}  # By queue, then by right
    user_max_apps_default: int = INT_MAX
    queue_max_apps_default: int = INT_MAX
    max_am_share_default: float = 0.5
    default_policy: str = "fair"
    placement: PlacementPolicy = msgspec.field(default_factory=lambda: policy_from_settings({}, ConfiguredQueues()))
    configured_leaves: tuple[str, ...] = ()
    """Leaves of the file in the order Hadoop creates them, which is that of a Java HashSet."""
    configured_parents: tuple[str, ...] = ()  # Parents of the file in that order; made after the leaves

    def min_share(self, queue: str) -> Resource:
        """Return the minimum share of a queue; nothing when not set."""
        return self.min_resources.get(queue, NONE)

    def max_share(self, queue: str) -> Resource:
        """Return the maximum share of a queue; unbounded when not set."""
        return self.max_resources.get(queue, UNBOUNDED)

    def weight(self, queue: str) -> float:
        """The queue's weight among its siblings, 1.0 when not set; may be 0 or negative."""
        return self.weights.get(queue, 1.0)

    def queue_max_apps(self, queue: str) -> int:
        """Return how many applications may run in the queue and below; the default holds for parents and root too."""
        return self.max_running_apps.get(queue, self.queue_max_apps_default)

    def user_max_apps(self, user: str) -> int:
        return self.user_max_running_apps.get(user, self.user_max_apps_default)

    def max_am_share(self, queue: str) -> float:
        """The share of a leaf that application masters may take; negative means no limit."""
        return self.max_am_shares.get(queue, self.max_am_share_default)

    def policy(self, queue: str) -> str:
        return self.policies.get(queue, self.default_policy)

    def min_share_timeout_ms(self, queue: str) -> int:
        """Return how long the queue may stay below its minimum before it preempts; -1 means that of its parent."""
        return self.min_share_timeouts_ms.get(queue, -1)

    def fair_share_timeout_ms(self, queue: str) -> int:
        """Return how long it may stay below its fair-share threshold before it preempts; -1 means its parent's."""
        return self.fair_share_timeouts_ms.get(queue, -1)

    def fair_share_threshold(self, queue: str) -> float:
        """Below which part of its fair share the queue is starved; negative means its parent's."""
        return self.fair_share_thresholds.get(queue, -1.0)

    def acl(self, queue: str, right: str) -> AccessControlList:
        """The queue's own list for a right: everyone for root and no one elsewhere when not set."""
        own = self.acls.get(queue, {}).get(right)
        if own is not None:
            return own
        return EVERYBODY if queue == "root" else NOBODY

    def has_access(self, queue: str, right: str, user: str, groups: Sequence[str]) -> bool:
        """Tell whether the queue or any queue above it gives the user the right.

        It is asked for submitting and for administering separately; either one lets an application in. The switch
        `yarn.acl.enable` has no effect here. Source: AllocationConfiguration#hasAccess, Hadoop 2.7.2.
        """
        return any(self.acl(each, right).allows(user, groups) for each in upwards(queue))

    def copy(self) -> Self:
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return replace(self, **{name: dict(value) for name, value in values.items() if isinstance(value, dict)})


def default_allocation(settings: Mapping[str, str]) -> FairAllocation:
    """The allocation of a scheduler without an allocation file.

    No queue has a timeout then, root included. Source: AllocationConfiguration(Configuration), Hadoop 2.7.2.
    """
    return FairAllocation(placement=policy_from_settings(settings, ConfiguredQueues()))


RESERVATION_RULES = ("strict", "limited", "off")
"""`strict` is 2.7.2's: a node is held for the application whose ask does not fit. The others are ours, see
`assignment`."""


class FairSettings(msgspec.Struct, kw_only=True, eq=False):
    """Settings of one fair scheduler; the switches an operator may throw are changed in place."""

    is_copied_whole: ClassVar[bool] = True

    minimum: Resource
    maximum: Resource
    increment: Resource
    continuous: bool
    continuous_sleep_ms: int
    locality_thresholds: tuple[float, float]
    """Missed opportunities, as a fraction of the nodes, before a rack and before any node will do; negative is off."""
    locality_delays: tuple[float, float]  # The same in ms, used instead with continuous scheduling
    ignores_locality: bool  # Whether any locality is allowed at once, so that delay scheduling keeps no state
    preemption: bool
    utilization_threshold: float
    preemption_interval_ms: int
    wait_before_kill_ms: int
    assign_multiple: bool
    max_assign: int  # Most containers per offer with `assign_multiple`; not above 0 is no limit
    size_based_weight: bool
    update_interval_ms: int
    port_in_node_name: bool
    reservation_rule: str
    reservable_nodes: float  # Part of the nodes one application may hold under the rule `limited`

    def is_busy(self, used: tuple[int, int], total: tuple[int, int]) -> bool:
        """Tell whether preemption's threshold of memory or vcores is passed. Source: #shouldAttemptPreemption."""
        memory = float32(divide(float32(used[0]), float32(total[0])))
        vcores = float32(divide(float32(used[1]), float32(total[1])))
        if math.isnan(memory) or math.isnan(vcores):  # Java's Math.max gives NaN, and NaN is not above anything
            return False
        return self.utilization_threshold < max(memory, vcores)

    def take_over(self, other: "FairSettings") -> None:
        """Become equal to another, in place: the parts of a scheduler share one object."""
        for field in self.__struct_fields__:
            setattr(self, field, getattr(other, field))


def fair_settings(values: Mapping[str, str], table: SettingTable = keys.FAIR_27) -> FairSettings:
    """The settings of a release. Raises ConfigError with every value that cannot be read or contradicts another."""
    settings = HadoopSettings(values, table)
    minimum, maximum = allocation_bounds(settings)
    # Differs: an interval of 0 lets Hadoop compute shares without a pause; here it is refused.
    update_interval_ms = settings.value(keys.UPDATE_INTERVAL)
    if update_interval_ms == 0:
        settings.problems.append(Problem("0 is not greater than 0", key=keys.UPDATE_INTERVAL.name))
    continuous = settings.value(keys.CONTINUOUS)
    thresholds = (
        min(settings.value(keys.NODE_THRESHOLD), 1.0),
        min(settings.value(keys.RACK_THRESHOLD), 1.0),
    )
    delays = (
        settings.value(keys.NODE_DELAY),
        settings.value(keys.RACK_DELAY),
    )
    result = FairSettings(
        minimum=minimum,
        maximum=maximum,
        increment=Resource(
            settings.value(keys.INCREMENT_MB),
            settings.value(keys.INCREMENT_VCORES),
        ),
        continuous=continuous,
        continuous_sleep_ms=settings.value(keys.CONTINUOUS_SLEEP),
        locality_thresholds=thresholds,
        locality_delays=delays,
        ignores_locality=any(bound < 0 for bound in (delays if continuous else thresholds)),
        preemption=settings.value(keys.PREEMPTION),
        utilization_threshold=settings.value(keys.UTILIZATION_THRESHOLD),
        preemption_interval_ms=settings.value(keys.PREEMPTION_INTERVAL),
        wait_before_kill_ms=settings.value(keys.WAIT_BEFORE_KILL),
        assign_multiple=settings.value(keys.ASSIGN_MULTIPLE),
        max_assign=settings.value(keys.MAX_ASSIGN),
        size_based_weight=settings.value(keys.SIZE_BASED_WEIGHT),
        update_interval_ms=update_interval_ms if update_interval_ms >= 0 else table.default(keys.UPDATE_INTERVAL),
        port_in_node_name=settings.value(PORT_IN_NODE_NAME),
        reservation_rule=settings.choice(keys.RESERVATION_RULE, RESERVATION_RULES),
        reservable_nodes=settings.value(keys.RESERVABLE_NODES),
    )
    settings.check()
    return result


# The settings of one queue by their names in an allocation file: how each is read and where it is kept. The same names
# serve the file and a change at run time (`queue.root.a.weight`).

_Allocation = TypeVar("_Allocation", bound=FairAllocation)

_MEMORY = re.compile(r"(?<![0-9])([0-9]+)[ \t\n\x0b\f\r]*mb")
_VCORES = re.compile(r"(?<![0-9])([0-9]+)[ \t\n\x0b\f\r]*vcores")
_PACKAGE = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies"
_POLICY_CLASSES = {
    f"{_PACKAGE}.FairSharePolicy": "fair",
    f"{_PACKAGE}.FifoPolicy": "fifo",
    f"{_PACKAGE}.DominantResourceFairnessPolicy": "drf",
}

NUMBER_FORMAT = "NumberFormatException"
BAD_ALLOCATION = "AllocationConfigurationException"


class QueueElement(NamedTuple):
    attribute: str  # The dict of `FairAllocation` that keeps it by queue
    parse: Callable[[str], object]  # From trimmed text; raises ValueError
    refusal: str  # The exception by which Hadoop refuses a bad value


def parse_resources(text: str) -> Resource:
    """Memory and vcores of a text like `1024 mb, 2 vcores`, in any case and order.

    Both must be there. Whatever stands around the first number with each unit is ignored, as in Hadoop: `-5 mb` means 5
    MB and `1.5 mb` means 5 MB too. Raises ValueError if a unit is missing or its number is no int32.
    """
    return Resource(_amount(_MEMORY, text, "mb"), _amount(_VCORES, text, "vcores"))


def _amount(pattern: re.Pattern[str], text: str, unit: str) -> int:
    found = pattern.search(text.lower())
    if not found:
        raise ValueError(f"{text!r} has no number of {unit}; the form is '1024 mb, 2 vcores'")
    return parse_int(found.group(1))


def parse_policy(text: str) -> str:
    """`fair`, `fifo` or `drf`, by name in any case or by Hadoop's class name; raises ValueError.

    `Differs:` a scheduling policy of one's own, named by its class, is refused; Hadoop loads it.
    """
    name = _POLICY_CLASSES.get(text, text.lower())
    if name not in POLICIES:
        raise ValueError(f"{text!r} is not a scheduling policy; there are {', '.join(POLICIES)}")
    return name


def parse_timeout(text: str) -> int:
    """Seconds as milliseconds; overflows as Java's long does. Raises ValueError if it is no whole number of seconds."""
    return wrap_long(parse_long(text) * 1000)


def parse_threshold(text: str) -> float:
    """A part of the fair share, cut to 0 to 1. Raises ValueError if it is no number."""
    return max(min(parse_float(text), 1.0), 0.0)


def parse_am_share(text: str) -> float:
    """A share for application masters, cut to at most 1; negative is no limit. Raises ValueError if it is no number."""
    return min(parse_float(text), 1.0)


def parse_weight(text: str) -> float:
    """A weight as float32, also 0 or a negative one; raises ValueError.

    `Differs:` a weight that is infinite or no number is refused; Hadoop takes it, and may then never end computing
    shares.
    """
    weight = float32(parse_double(text))
    if not math.isfinite(weight):
        raise ValueError(f"{text!r} is not a finite weight; a ResourceManager may never end computing shares with it")
    return weight


QUEUE_SETTINGS: dict[str, QueueElement] = {
    "minResources": QueueElement("min_resources", parse_resources, BAD_ALLOCATION),
    "maxResources": QueueElement("max_resources", parse_resources, BAD_ALLOCATION),
    "maxRunningApps": QueueElement("max_running_apps", parse_int, NUMBER_FORMAT),
    "maxAMShare": QueueElement("max_am_shares", parse_am_share, NUMBER_FORMAT),
    "weight": QueueElement("weights", parse_weight, NUMBER_FORMAT),
    "minSharePreemptionTimeout": QueueElement("min_share_timeouts_ms", parse_timeout, NUMBER_FORMAT),
    "fairSharePreemptionTimeout": QueueElement("fair_share_timeouts_ms", parse_timeout, NUMBER_FORMAT),
    "fairSharePreemptionThreshold": QueueElement("fair_share_thresholds", parse_threshold, NUMBER_FORMAT),
    "schedulingPolicy": QueueElement("policies", parse_policy, BAD_ALLOCATION),
}
"""Every setting of a queue that is one value, by its element name."""


def set_queue_setting(allocation: FairAllocation, queue: str, name: str, text: str) -> None:
    """Give one queue one setting, in place; raises KeyError for an unknown name, ValueError for a text it cannot be."""
    setting = QUEUE_SETTINGS[name]
    values: dict[str, object] = getattr(allocation, setting.attribute)
    values[queue] = setting.parse(trim(text))


def with_queue_setting(allocation: _Allocation, queue: str, name: str, text: str) -> _Allocation:
    """A copy of the allocation in which one queue has one setting changed; raises as `set_queue_setting`.

    >>> with_queue_setting(FairAllocation(), "root.a", "weight", "2.0").weight("root.a")
    2.0
    """
    changed = allocation.copy()
    set_queue_setting(changed, queue, name, text)
    return changed
