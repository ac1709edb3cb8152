"""Reads the elements of fair-scheduler.xml as Hadoop 3.4.1 does.

Default values are read after queues and placement rules, and only where they count.

Source: AllocationFileParser, AllocationFileLoaderService, Hadoop 3.4.1.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from engine.formats.fair_scheduler_elements import (
    OLD_TOP,
    QUEUE_TAGS,
    RESERVATION_TEXTS,
    TOP_NAMES_34,
    Draft,
    read_user,
)
from engine.formats.fair_scheduler_lint import warn_of_values_34
from engine.formats.fair_scheduler_placement import read_policy_34
from engine.formats.fair_scheduler_queues import QUEUES_34, QueueReader
from engine.formats.xml_tree import Element
from engine.model.identity import java_hash_order
from engine.model.java_values import LONG_MAX, parse_int
from engine.schedulers.fair.queue_settings import (
    BAD_ALLOCATION,
    NUMBER_FORMAT,
    parse_am_share,
    parse_policy,
    parse_threshold,
    parse_timeout,
)
from engine.schedulers.fair34.allocation import FairAllocation34
from engine.schedulers.fair34.placement import policy_from_settings_34
from engine.schedulers.fair34.resources import UNLIMITED, parse_amount

_Value = TypeVar("_Value")

_POLICY_TAGS = ("defaultQueueSchedulingPolicy", "defaultQueueSchedulingMode")
_TEXTS = (
    "queueMaxResourcesDefault",
    "userMaxAppsDefault",
    "defaultFairSharePreemptionTimeout",
    "fairSharePreemptionTimeout",
    "defaultMinSharePreemptionTimeout",
    "queueMaxAppsDefault",
    "defaultFairSharePreemptionThreshold",
    "queueMaxAMShareDefault",
    *RESERVATION_TEXTS,
)


def read_allocation_34(file: str, root: Element, settings: Mapping[str, str]) -> Draft[FairAllocation34]:
    """The allocation below `<allocations>`.

    `settings` are Hadoop keys; they decide the placement where the file has no policy.

    Raises:
        ConfigError: Hadoop would refuse the file.
    """
    draft = Draft(file, FairAllocation34())
    allocation = draft.allocation
    top = _TopElements(draft)
    top.read(root)
    QueueReader(draft, QUEUES_34).read(top.queues)
    policy = None if top.policy is None else read_policy_34(draft, top.policy)
    allocation.placement_34 = policy or policy_from_settings_34(settings)
    top.set_root_defaults(allocation)
    top.set_defaults(allocation)
    allocation.configured_leaves = tuple(java_hash_order(draft.leaves))
    allocation.configured_parents = tuple(java_hash_order(draft.parents))
    allocation.reservable = frozenset(draft.reservable)
    allocation.not_preemptable = frozenset(draft.not_preemptable)
    draft.check()
    warn_of_values_34(draft, settings)
    return draft


class _TopElements:
    """The elements directly below `<allocations>`."""

    def __init__(self, draft: Draft[FairAllocation34]) -> None:
        self.draft = draft
        self.queues: list[Element] = []
        self.policy: Element | None = None
        self.texts: dict[str, Element] = {}
        """The last element of each name whose text is read later."""

    def read(self, root: Element) -> None:
        """Sort the elements; the default policy and users are read at once."""
        for element in root.elements():
            self.draft.warn_of_old_name(element)
            if element.tag == "queuePlacementPolicy":
                self.draft.note_line("", element.tag, element)
                self.policy = element
            elif element.tag in _POLICY_TAGS:
                self._default_policy(element)
            elif element.tag in QUEUE_TAGS:
                self.queues.append(element)
            elif element.tag == "user":
                read_user(self.draft, element)
            elif element.tag in _TEXTS:
                self._text(element)
            else:
                self.draft.warn_of_unknown(element, TOP_NAMES_34)

    def set_root_defaults(self, allocation: FairAllocation34) -> None:
        """Give root the timeouts and the threshold it does not state; only then are they parsed."""
        if "root" not in allocation.min_share_timeouts_ms:
            timeout = self._value("defaultMinSharePreemptionTimeout", parse_timeout, LONG_MAX)
            allocation.min_share_timeouts_ms["root"] = timeout
        old, new = "fairSharePreemptionTimeout", "defaultFairSharePreemptionTimeout"
        if "root" not in allocation.fair_share_timeouts_ms:
            timeout = self._value(old if old in self.texts and new not in self.texts else new, parse_timeout, LONG_MAX)
            allocation.fair_share_timeouts_ms["root"] = timeout
        if "root" not in allocation.fair_share_thresholds:
            threshold = self._value("defaultFairSharePreemptionThreshold", parse_threshold, 0.5)
            allocation.fair_share_thresholds["root"] = threshold

    def set_defaults(self, allocation: FairAllocation34) -> None:
        """Read the limits that count for every queue or user that states none."""
        allocation.user_max_apps_default = self._value(
            "userMaxAppsDefault", parse_int, allocation.user_max_apps_default
        )
        allocation.maximum_default = self._value("queueMaxResourcesDefault", parse_amount, UNLIMITED, BAD_ALLOCATION)
        allocation.queue_max_apps_default = self._value(
            "queueMaxAppsDefault", parse_int, allocation.queue_max_apps_default
        )
        allocation.max_am_share_default = self._value("queueMaxAMShareDefault", parse_am_share, 0.5)

    def _default_policy(self, element: Element) -> None:
        policy = self.draft.value(element, element.tag, _default_policy, BAD_ALLOCATION)
        if policy is None:
            return
        self.draft.allocation.default_policy = policy
        self.draft.note_line("", "defaultQueueSchedulingPolicy", element)

    def _text(self, element: Element) -> None:
        if self.draft.text(element, element.tag) is None:
            return
        self.texts[element.tag] = element
        if element.tag not in RESERVATION_TEXTS:
            self.draft.note_line("", OLD_TOP.get(element.tag, element.tag), element)

    def _value(self, tag: str, parse: Callable[[str], _Value], default: _Value, kind: str = NUMBER_FORMAT) -> _Value:
        """The value of a text, or the default where there is none or it was refused."""
        element = self.texts.get(tag)
        if element is None:
            return default
        value = self.draft.value(element, tag, parse, kind)
        return default if value is None else value


def _default_policy(text: str) -> str:
    """A policy by name; FIFO is for leaf queues only, but its class is not found out, and taken."""
    if text.lower() == "fifo":
        raise ValueError("fifo cannot be the default; choose fair or drf")
    return parse_policy(text)
