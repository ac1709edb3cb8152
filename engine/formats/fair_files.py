"""Reads the elements of fair-scheduler.xml as Hadoop 2.7.2 and 3.4.1 do.

Default values are read after queues and placement rules, and only where they count.

Source: AllocationFileLoaderService, Hadoop 2.7.2 and 3.4.1; AllocationFileParser, Hadoop 3.4.1.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, TypeVar

import msgspec

from engine.errors import ConfigError, Problem, nearest
from engine.formats.fair_elements import (
    CONTAINERS,
    OLD_IN_QUEUE,
    OLD_TOP,
    QUEUE_TAGS,
    QUEUES_27,
    QUEUES_34,
    RESERVATION_TEXTS,
    TOP_NAMES,
    TOP_NAMES_34,
    AllocationBuilder,
    QueueReader,
    read_user,
)
from engine.formats.fair_placement import read_policy_27, read_policy_34
from engine.formats.fair_scheduler_lint import warn_of_values_27, warn_of_values_34
from engine.formats.xml import Element, XmlDocument, parse_document, stray_text
from engine.model.java_values import LONG_MAX, parse_int
from engine.schedulers.fair.settings import (
    BAD_ALLOCATION,
    NUMBER_FORMAT,
    FairAllocation,
    parse_am_share,
    parse_policy,
    parse_threshold,
    parse_timeout,
)
from engine.schedulers.fair34.placement import policy_from_settings_34
from engine.schedulers.fair34.settings import UNLIMITED, FairAllocation34, parse_amount
from engine.schedulers.placement import ConfiguredQueues, policy_from_settings

# Reads the elements of fair-scheduler.xml as Hadoop 2.7.2 does.
#
# Default values are read where they stand, before queues and placement rules.

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


def _read_allocation_27(file: str, root: Element, settings: Mapping[str, str]) -> AllocationBuilder[FairAllocation]:
    draft = AllocationBuilder(file, FairAllocation())
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


def _finish(draft: AllocationBuilder[FairAllocation], policy: Element | None, settings: Mapping[str, str]) -> None:
    draft.keep_queues()
    configured = ConfiguredQueues(draft.leaves, draft.parents)
    placement = None if policy is None else read_policy_27(draft, policy, configured)
    draft.check()
    draft.allocation.placement = placement or policy_from_settings(settings, configured)


def _read_other(draft: AllocationBuilder[FairAllocation], element: Element) -> None:
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


def _read_root_default(
    draft: AllocationBuilder[FairAllocation], element: Element, values: dict[str, int | float]
) -> None:
    attribute, parse = _ROOT_DEFAULTS[element.tag]
    if element.tag in OLD_TOP and values[attribute] != LONG_MAX:
        draft.warn("has no effect, as the default is given before", element, hint=OLD_TOP[element.tag])
        return
    value = draft.value(element, element.tag, parse)
    if value is not None:
        values[attribute] = value
        draft.note_line("", OLD_TOP.get(element.tag, element.tag), element)


_Value = TypeVar("_Value")

_POLICY_TAGS = ("defaultQueueSchedulingPolicy", "defaultQueueSchedulingMode")


def _read_allocation_34(file: str, root: Element, settings: Mapping[str, str]) -> AllocationBuilder[FairAllocation34]:
    draft = AllocationBuilder(file, FairAllocation34())
    allocation = draft.allocation
    top = _TopElements(draft)
    top.read(root)
    QueueReader(draft, QUEUES_34).read(top.queues)
    policy = None if top.policy is None else read_policy_34(draft, top.policy)
    allocation.placement_34 = policy or policy_from_settings_34(settings)
    top.set_root_defaults(allocation)
    top.set_defaults(allocation)
    draft.keep_queues()
    allocation.not_preemptable = frozenset(draft.not_preemptable)
    draft.check()
    warn_of_values_34(draft, settings)
    return draft


class _TopElements:
    def __init__(self, draft: AllocationBuilder[FairAllocation34]) -> None:
        self.draft = draft
        self.queues: list[Element] = []
        self.policy: Element | None = None
        self.texts: dict[str, Element] = {}  # the last element of each name whose text is read later

    def read(self, root: Element) -> None:
        """Sort the elements; the default policy and users are read at once, other texts later."""
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
            elif element.tag in TOP_NAMES_34 or element.tag in OLD_TOP:
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
        if policy is not None:
            self.draft.allocation.default_policy = policy
            self.draft.note_line("", "defaultQueueSchedulingPolicy", element)

    def _text(self, element: Element) -> None:
        if self.draft.text(element, element.tag) is None:
            return
        self.texts[element.tag] = element
        if element.tag not in RESERVATION_TEXTS:
            self.draft.note_line("", OLD_TOP.get(element.tag, element.tag), element)

    def _value(self, tag: str, parse: Callable[[str], _Value], default: _Value, kind: str = NUMBER_FORMAT) -> _Value:
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


# Reads fair-scheduler.xml as Hadoop does: refuses what it refuses, accepts what it accepts, and says why.
#
# Hadoop stops at the first mistake and logs it; here all of them are collected. What it ignores silently (unknown
# elements and attributes) or lets stand without effect comes back as warnings. Each release has a reader of its own.

_SPARK: Final = frozenset({"minShare"})
_MAPREDUCE: Final = frozenset(
    {
        "minMaps", "minReduces", "maxMaps", "maxReduces", "maxRunningJobs", "userMaxJobsDefault", "poolMaxJobsDefault",
        "defaultPoolSchedulingMode", "defaultMaxTotalInitedTasks", "maxTotalInitedTasks", "systemPools",
    }
)  # fmt: skip
_OF_YARN: Final = frozenset(
    {"queue", "minResources", "maxResources", "maxRunningApps", "queuePlacementPolicy", "maxAMShare"}
)
_OLD: Final = frozenset({*OLD_TOP, *OLD_IN_QUEUE})


def _headlined(root: Element, warnings: Sequence[Problem], file: str) -> list[Problem]:
    # Those that follow from its being another's are put into one at its top
    tags = Counter(element.tag for element in _all(root))
    owner, foreign = _owner(tags)
    if not owner:
        return list(warnings)
    ignored = [f"{tag} ({count})" if count > 1 else tag for tag, count in tags.items() if tag in foreign]
    read = [tag for tag in tags if tag in ("weight", "schedulingMode", "user")]
    pools = "its pool" if tags["pool"] == 1 else f"its {tags['pool']} pools"
    message = f"this is a file of {owner}, not of YARN: {pools} would become queues"
    parts = (("ignored", ignored), ("read", read))
    hint = "; ".join(f"{what}: {', '.join(names)}" for what, names in parts if names)
    headline = Problem(message, file, root.line, root.tag, hint)
    return [headline, *(each for each in warnings if each.key.rpartition(".")[2] not in foreign | _OLD)]


def _owner(tags: Counter[str]) -> tuple[str, frozenset[str]]:
    """Whose file it is, and the elements that only it reads; empty for YARN's."""
    if "pool" not in tags or tags.keys() & _OF_YARN:
        return "", frozenset()
    if tags.keys() & _MAPREDUCE:
        return "MapReduce 1's fair scheduler", _MAPREDUCE
    if tags.keys() <= {"allocations", "pool", "schedulingMode", "weight", "minShare"}:
        return "Spark's fair pools", _SPARK
    return "", frozenset()


def _all(element: Element) -> Iterator[Element]:
    yield element
    for child in element.elements():
        yield from _all(child)


# Any: each reader fills the allocation of its own release.
_READERS: Final[Mapping[str, Callable[[str, Any, Mapping[str, str]], AllocationBuilder[Any]]]] = {
    "2.7": _read_allocation_27,
    "3.4": _read_allocation_34,
}

ERAS: Final = tuple(_READERS)  # Releases of Hadoop whose reading is known


class LoadedAllocation(msgspec.Struct, frozen=True):
    allocation: FairAllocation
    warnings: tuple[Problem, ...]  # In the order of lines: what is ignored, old, repeated or without effect
    lines: Mapping[tuple[str, str], int]
    """Where each value stands: (full queue name, `user NAME` or "", element's name of today) → line."""


def read_fair_scheduler(
    source: str | bytes | XmlDocument, *, file: str = "", settings: Mapping[str, str] | None = None, era: str = "2.7"
) -> LoadedAllocation:
    """The allocation a fair-scheduler.xml describes.

    `settings` are Hadoop keys; they decide the placement where the file has no policy. `era` is the release whose
    reading is imitated, one of `ERAS`. Raises ConfigError if Hadoop would refuse the file: every problem, its kind the
    name of Hadoop's exception. Or the era is not known.
    """
    if era not in ERAS:
        message = f"the era {era!r} is not known; there is {', '.join(ERAS)}"
        raise ConfigError.of(message, key="era", hint=nearest(era, ERAS))
    try:
        document = source if isinstance(source, XmlDocument) else parse_document(source, file)
    except ConfigError as error:
        raise ConfigError(error.problems, "SAXParseException") from None
    if document.has_document_type and era == "3.4":
        raise ConfigError([Problem("has a document type; Hadoop 3 refuses it", file, 1)], "SAXParseException")
    root = document.root
    if root.tag != "allocations":
        message = f"the top element is <{root.tag}>, not <allocations>"
        looks_like = "this looks like a yarn-site.xml or capacity-scheduler.xml"
        hint = looks_like if root.tag == "configuration" else nearest(root.tag, ("allocations",))
        raise ConfigError([Problem(message, file, root.line, root.tag, hint)], BAD_ALLOCATION)
    draft = _READERS[era](file, root, settings or {})
    found = [*_headlined(root, draft.problems.warnings, file), *stray_text(root, CONTAINERS)]
    warnings = sorted(found, key=attrgetter("line"))
    return LoadedAllocation(draft.allocation, tuple(warnings), draft.lines)
