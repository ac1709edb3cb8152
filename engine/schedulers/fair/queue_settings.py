"""The settings of one queue by their names in an allocation file: how each is read and where it is kept.

The same names serve the file and a change at run time (`queue.root.a.weight`).

Source: AllocationFileLoaderService#loadQueue, FairSchedulerConfiguration#parseResourceConfigValue,
SchedulingPolicy#parse, Hadoop 2.7.2.
"""

import math
import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from engine.model.java_values import float32, parse_double, parse_float, parse_int, parse_long, trim, wrap_long
from engine.model.request import Resource
from engine.schedulers.fair.settings import POLICIES, FairAllocation

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
    """One setting a queue may have."""

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
    """`fair`, `fifo` or `drf`, by name in any case or by Hadoop's class name.

    Raises ValueError if it is none of them. `Differs:` a scheduling policy of one's own, named by its class, is
    refused; Hadoop loads it.
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
    """A weight as float32; neither 0 nor a negative one is refused.

    Raises ValueError if it is no number, or not a finite one. `Differs:` a weight that is infinite or no number is
    refused; Hadoop takes it, and may then never end computing shares.
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
    """Give one queue one setting, in place; meant for an allocation being built or a copy.

    Raises KeyError if no setting has this name, ValueError if the text is no value of it; nothing is changed.
    """
    setting = QUEUE_SETTINGS[name]
    values: dict[str, object] = getattr(allocation, setting.attribute)
    values[queue] = setting.parse(trim(text))


def with_queue_setting(allocation: _Allocation, queue: str, name: str, text: str) -> _Allocation:
    """A copy of the allocation in which one queue has one setting changed.

    >>> with_queue_setting(FairAllocation(), "root.a", "weight", "2.0").weight("root.a")
    2.0

    Raises:
        KeyError: No setting has this name.
        ValueError: The text is no value of it.
    """
    changed = allocation.copy()
    set_queue_setting(changed, queue, name, text)
    return changed
