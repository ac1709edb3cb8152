"""Reads fair-scheduler.xml as Hadoop does: refuses what it refuses, accepts what it accepts, and says why.

Hadoop stops at the first mistake and logs it; here all of them are collected. What it ignores silently (unknown
elements and attributes) or lets stand without effect comes back as warnings.

The reading of 2.7.2 is here, that of 3.4.1 in `fair_scheduler_34`.

Source: AllocationFileLoaderService, QueuePlacementPolicy, Hadoop 2.7.2.
"""

from collections.abc import Callable, Mapping

import msgspec

from engine.errors import ConfigError, Problem, nearest
from engine.formats.fair_scheduler_34 import read_allocation_34
from engine.formats.fair_scheduler_elements import AllocationFileError, Draft, dotted
from engine.formats.fair_scheduler_lint import warn_of_values
from engine.formats.fair_scheduler_names import (
    OLD_TOP,
    QUEUE_TAGS,
    RESERVATION_TEXTS,
    TOP_NAMES,
    unknown_element_hint,
)
from engine.formats.fair_scheduler_placement import read_policy
from engine.formats.fair_scheduler_queues import QueueReader
from engine.formats.xml_tree import Element, parse_xml
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
from engine.schedulers.fair34.allocation import FairAllocation34
from engine.schedulers.placement import ConfiguredQueues, PlacementPolicy, policy_from_settings

ERAS = ("2.7", "3.4")
"""Releases of Hadoop whose reading is known."""

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


class LoadedAllocation(msgspec.Struct, frozen=True):
    """A fair-scheduler.xml that was accepted."""

    allocation: FairAllocation
    warnings: tuple[Problem, ...]
    """In the order of the file's parts: what is ignored, old, repeated or without effect."""
    lines: Mapping[tuple[str, str], int]
    """Where each value stands: (full queue name, `user NAME` or "", element's name of today) → line."""


def read_fair_scheduler(
    source: str | bytes, *, file: str = "", settings: Mapping[str, str] | None = None, era: str = "2.7"
) -> LoadedAllocation:
    """The allocation a fair-scheduler.xml describes.

    Args:
        source: The document.
        file: How to name it in problems.
        settings: Hadoop keys; they decide the placement where the file has no policy.
        era: The release whose reading is imitated, one of `ERAS`.

    Raises:
        AllocationFileError: Hadoop would refuse the file; carries every problem and the name of Hadoop's exception.
        ConfigError: The era is not known.
    """
    if era not in ERAS:
        message = f"the era {era!r} is not known; there is {', '.join(ERAS)}"
        raise ConfigError([Problem(message, key="era", hint=nearest(era, ERAS))])
    try:
        root = parse_xml(source, file, document_type=era == "2.7")
    except ConfigError as error:
        raise AllocationFileError(list(error.problems), "SAXParseException") from None
    draft = Draft(file, FairAllocation34() if era == "3.4" else None)
    if root.tag != "allocations":
        draft.refuse(f"the top element is <{root.tag}>, not <allocations>", root, hint=_other_format(root))
        draft.check()
    if era == "3.4":
        allocation: FairAllocation = read_allocation_34(draft, root, settings or {})
    else:
        allocation = _read_27(draft, root, settings or {})
    return LoadedAllocation(allocation, tuple(draft.problems.warnings), draft.lines)


def _read_27(draft: Draft, root: Element, settings: Mapping[str, str]) -> FairAllocation:
    roots = _RootDefaults()
    queues: list[Element] = []
    policy: Element | None = None
    for element in root.elements():
        if element.tag in QUEUE_TAGS:
            queues.append(element)
            _warn_old_name(draft, element)
        elif element.tag == "queuePlacementPolicy":
            draft.note_line("", element.tag, element)
            policy = element
        else:
            _read_top(draft, element, roots)
    QueueReader(draft).read(queues)
    _finish(draft, roots, policy, settings)
    warn_of_values(draft)
    return draft.allocation


class _RootDefaults:
    """The defaults that Hadoop gives to the root queue where the file does not."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: dict[str, int | float] = {
            "min_share_timeouts_ms": LONG_MAX,
            "fair_share_timeouts_ms": LONG_MAX,
            "fair_share_thresholds": 0.5,
        }


def _finish(draft: Draft, roots: _RootDefaults, policy: Element | None, settings: Mapping[str, str]) -> None:
    allocation = draft.allocation
    allocation.configured_leaves = tuple(java_hash_order(draft.leaves))
    allocation.configured_parents = tuple(java_hash_order(draft.parents))
    configured = ConfiguredQueues(draft.leaves, draft.parents)
    placement: PlacementPolicy | None
    placement = policy_from_settings(settings, configured) if policy is None else read_policy(draft, policy, configured)
    draft.check()
    assert placement is not None, "a placement policy that could not be read was refused"
    allocation.placement = placement
    for attribute, value in roots.values.items():
        getattr(allocation, attribute).setdefault("root", value)


def _read_top(draft: Draft, element: Element, roots: _RootDefaults) -> None:
    """Read one element directly below `<allocations>` that is neither a queue nor the placement policy."""
    tag = element.tag
    if tag == "user":
        _read_user(draft, element)
    elif tag in _DEFAULTS:
        attribute, parse, kind = _DEFAULTS[tag]
        _warn_old_name(draft, element)
        value = draft.value(element, tag, parse, kind)
        if value is not None:
            setattr(draft.allocation, attribute, value)
            draft.note_line("", OLD_TOP.get(tag, tag), element)
    elif tag in _ROOT_DEFAULTS:
        _read_root_default(draft, element, roots)
    elif tag in RESERVATION_TEXTS:
        draft.text(element, tag)
    else:
        hint = unknown_element_hint(tag, TOP_NAMES)
        draft.warn(f"unknown element <{tag}>: Hadoop ignores it", element, hint=hint)


def _read_root_default(draft: Draft, element: Element, roots: _RootDefaults) -> None:
    attribute, parse = _ROOT_DEFAULTS[element.tag]
    _warn_old_name(draft, element)
    if element.tag in OLD_TOP and roots.values[attribute] != LONG_MAX:
        draft.warn("has no effect, as the default is given before", element, hint=OLD_TOP[element.tag])
        return
    value = draft.value(element, element.tag, parse)
    if value is not None:
        roots.values[attribute] = value
        draft.note_line("", OLD_TOP.get(element.tag, element.tag), element)


def _read_user(draft: Draft, element: Element) -> None:
    user = element.attributes.get("name", "")
    scope = f"user {user}"
    if not user:
        draft.warn("the user has no name; the limit counts for nobody", element, hint='<user name="...">')
    for field in element.elements():
        key = dotted(scope, field.tag)
        if field.tag != "maxRunningApps":
            hint = unknown_element_hint(field.tag, ("maxRunningApps",))
            draft.warn(f"unknown element <{field.tag}>: Hadoop ignores it", field, key=key, hint=hint)
            continue
        value = draft.value(field, key, parse_int)
        if value is not None:
            draft.allocation.user_max_running_apps[user] = value
            draft.note_line(scope, field.tag, field)


def _warn_old_name(draft: Draft, element: Element) -> None:
    if element.tag in OLD_TOP:
        draft.warn(f"<{element.tag}> is an old name that Hadoop still reads", element, hint=OLD_TOP[element.tag])


def _other_format(root: Element) -> str:
    if root.tag == "configuration":
        return "this looks like a yarn-site.xml or capacity-scheduler.xml"
    return nearest(root.tag, ("allocations",))
