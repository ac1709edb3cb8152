"""Reads the elements of fair-scheduler.xml as Hadoop 2.7.2 does.

Default values are read where they stand, before queues and placement rules.

Source: AllocationFileLoaderService, Hadoop 2.7.2.
"""

from collections.abc import Callable, Mapping

from engine.formats.fair_scheduler_elements import OLD_TOP, QUEUE_TAGS, RESERVATION_TEXTS, TOP_NAMES, Draft, read_user
from engine.formats.fair_scheduler_lint import warn_of_values_27
from engine.formats.fair_scheduler_placement import read_policy_27
from engine.formats.fair_scheduler_queues import QUEUES_27, QueueReader
from engine.formats.xml_tree import Element
from engine.model.identity import java_hash_order
from engine.model.java_values import LONG_MAX, parse_int
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair.queue_settings import (
    BAD_ALLOCATION,
    NUMBER_FORMAT,
    parse_am_share,
    parse_policy,
    parse_threshold,
    parse_timeout,
)
from engine.schedulers.placement import ConfiguredQueues, PlacementPolicy, policy_from_settings

_DEFAULTS: dict[str, tuple[str, Callable[[str], object], str]] = {
    "userMaxAppsDefault": ("user_max_apps_default", parse_int, NUMBER_FORMAT),
    "queueMaxAppsDefault": ("queue_max_apps_default", parse_int, NUMBER_FORMAT),
    "queueMaxAMShareDefault": ("max_am_share_default", parse_am_share, NUMBER_FORMAT),
    "defaultQueueSchedulingPolicy": ("default_policy", parse_policy, BAD_ALLOCATION),
    "defaultQueueSchedulingMode": ("default_policy", parse_policy, BAD_ALLOCATION),
}
_ROOT_DEFAULTS: dict[str, tuple[str, Callable[[str], int | float]]] = {
    "defaultMinSharePreemptionTimeout": ("min_share_timeouts_ms", parse_timeout),
    "defaultFairSharePreemptionTimeout": ("fair_share_timeouts_ms", parse_timeout),
    "fairSharePreemptionTimeout": ("fair_share_timeouts_ms", parse_timeout),
    "defaultFairSharePreemptionThreshold": ("fair_share_thresholds", parse_threshold),
}


def read_allocation_27(file: str, root: Element, settings: Mapping[str, str]) -> Draft[FairAllocation]:
    """The allocation below `<allocations>`.

    `settings` are Hadoop keys; they decide the placement where the file has no policy.

    Raises:
        ConfigError: Hadoop would refuse the file.
    """
    draft = Draft(file, FairAllocation())
    root_values: dict[str, int | float] = {
        "min_share_timeouts_ms": LONG_MAX,
        "fair_share_timeouts_ms": LONG_MAX,
        "fair_share_thresholds": 0.5,
    }
    queues: list[Element] = []
    policy: Element | None = None
    for element in root.elements():
        draft.warn_of_old_name(element)
        if element.tag in QUEUE_TAGS:
            queues.append(element)
        elif element.tag == "queuePlacementPolicy":
            draft.note_line("", element.tag, element)
            policy = element
        elif element.tag in _ROOT_DEFAULTS:
            _read_root_default(draft, element, root_values)
        else:
            _read_other(draft, element)
    QueueReader(draft, QUEUES_27).read(queues)
    _finish(draft, policy, settings)
    for attribute, value in root_values.items():
        getattr(draft.allocation, attribute).setdefault("root", value)
    warn_of_values_27(draft, settings)
    return draft


def _finish(draft: Draft[FairAllocation], policy: Element | None, settings: Mapping[str, str]) -> None:
    allocation = draft.allocation
    allocation.configured_leaves = tuple(java_hash_order(draft.leaves))
    allocation.configured_parents = tuple(java_hash_order(draft.parents))
    allocation.reservable = frozenset(draft.reservable)
    configured = ConfiguredQueues(draft.leaves, draft.parents)
    placement: PlacementPolicy | None
    if policy is None:
        placement = policy_from_settings(settings, configured)
    else:
        placement = read_policy_27(draft, policy, configured)
    draft.check()
    assert placement is not None, "a placement policy that could not be read was refused"
    allocation.placement = placement


def _read_other(draft: Draft[FairAllocation], element: Element) -> None:
    """Read a user, a default value or an element that is neither."""
    tag = element.tag
    if tag == "user":
        read_user(draft, element)
    elif tag in _DEFAULTS:
        attribute, parse, kind = _DEFAULTS[tag]
        value = draft.value(element, tag, parse, kind)
        if value is not None:
            setattr(draft.allocation, attribute, value)
            draft.note_line("", OLD_TOP.get(tag, tag), element)
    elif tag in RESERVATION_TEXTS:
        draft.text(element, tag)
    else:
        draft.warn_of_unknown(element, TOP_NAMES)


def _read_root_default(draft: Draft[FairAllocation], element: Element, values: dict[str, int | float]) -> None:
    """Read a default that Hadoop gives to the root queue where the file does not."""
    attribute, parse = _ROOT_DEFAULTS[element.tag]
    if element.tag in OLD_TOP and values[attribute] != LONG_MAX:
        draft.warn("has no effect, as the default is given before", element, hint=OLD_TOP[element.tag])
        return
    value = draft.value(element, element.tag, parse)
    if value is not None:
        values[attribute] = value
        draft.note_line("", OLD_TOP.get(element.tag, element.tag), element)
