"""Shared parts of the readers of fair-scheduler.xml: the draft, refusals in Hadoop's order, values, users.

Source: AllocationFileLoaderService, Hadoop 2.7.2; AllocationFileParser, Hadoop 3.4.1.
"""

from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

from engine.errors import ConfigError, Problems, nearest
from engine.formats.xml_tree import Element
from engine.model.java_values import parse_int, trim
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair.queue_settings import BAD_ALLOCATION, NUMBER_FORMAT, QUEUE_SETTINGS

OLD_TOP = {
    "pool": "queue",
    "defaultQueueSchedulingMode": "defaultQueueSchedulingPolicy",
    "fairSharePreemptionTimeout": "defaultFairSharePreemptionTimeout",
}
"""Old names Hadoop still reads directly below `<allocations>`, and today's."""

OLD_IN_QUEUE = {"pool": "queue", "schedulingMode": "schedulingPolicy"}
"""Old names Hadoop still reads inside a queue, and today's."""

QUEUE_TAGS = frozenset({"queue", "pool"})
"""Elements that are a queue wherever queues may stand."""

CONTAINERS = frozenset({"allocations", "queue", "pool", "queuePlacementPolicy"})
"""Elements that hold elements only."""

ACCIDENTAL_QUEUE_TAGS = frozenset({"ueue", "eue", "ue", "e"})
"""Endings of "queue", which Hadoop takes for a queue inside a queue (`"queue".endsWith(tag)`)."""

RESERVATION_TEXTS = ("reservation-planner", "reservation-agent", "reservation-policy")

TOP_NAMES = (
    "queue",
    "user",
    "userMaxAppsDefault",
    "queueMaxAppsDefault",
    "queueMaxAMShareDefault",
    "defaultFairSharePreemptionTimeout",
    "defaultMinSharePreemptionTimeout",
    "defaultFairSharePreemptionThreshold",
    "defaultQueueSchedulingPolicy",
    "queuePlacementPolicy",
    *RESERVATION_TEXTS,
)
"""What may stand directly below `<allocations>`."""

QUEUE_NAMES = (*QUEUE_SETTINGS, "aclSubmitApps", "aclAdministerApps", "reservation", "queue")
"""What may stand in a queue."""

TOP_NAMES_34 = (*TOP_NAMES, "queueMaxResourcesDefault")
"""What may stand directly below `<allocations>` for Hadoop 3.4."""

QUEUE_NAMES_34 = (
    *QUEUE_NAMES,
    "maxChildResources",
    "maxContainerAllocation",
    "allowPreemptionFrom",
    "aclAdministerReservations",
    "aclListReservations",
    "aclSubmitReservations",
)
"""What may stand in a queue for Hadoop 3.4."""

_RENAMED = {
    "userMaxJobsDefault": "a MapReduce 1 name; userMaxAppsDefault is meant",
    "poolMaxJobsDefault": "a MapReduce 1 name; queueMaxAppsDefault is meant",
    "defaultPoolSchedulingMode": "a MapReduce 1 name; defaultQueueSchedulingPolicy is meant",
    "defaultSchedulingMode": "defaultQueueSchedulingPolicy is meant",
    "maxRunningJobs": "a MapReduce 1 name; maxRunningApps is meant",
    "minMaps": "a MapReduce 1 name; YARN has minResources",
    "minReduces": "a MapReduce 1 name; YARN has minResources",
    "maxMaps": "a MapReduce 1 name; YARN has maxResources",
    "maxReduces": "a MapReduce 1 name; YARN has maxResources",
    "minShare": "a name of Spark's pools; YARN has minResources",
    "preemptable": "Hadoop 3 has allowPreemptionFrom",
    "property": "properties belong into yarn-site.xml",
    "maxChildResources": "read by Hadoop 3 only",
    "maxContainerAllocation": "read by Hadoop 3 only",
    "allowPreemptionFrom": "read by Hadoop 3 only",
    "aclListReservations": "read by Hadoop 3 only",
    "aclSubmitReservations": "read by Hadoop 3 only",
    "queueMaxResourcesDefault": "read by Hadoop 3 only",
}


def unknown_element_hint(tag: str, valid: Sequence[str]) -> str:
    """Return what is probably meant by an element Hadoop 2.7.2 does not read; empty when nothing is alike."""
    return _RENAMED.get(tag) or nearest(tag, valid)


MAX_VALUE: Final = 1_000
"""Longest value read [characters]; lists of users and groups may be longer. Differs: Hadoop reads a value of any
length; here a longer one is refused."""

_Value = TypeVar("_Value")
AnyAllocation = TypeVar("AnyAllocation", bound=FairAllocation)
"""The allocation of one release."""


class Draft(Generic[AnyAllocation]):
    """An allocation being read, what was wrong, and where each value stands.

    Problems must be added in the order Hadoop would meet them: its exception is the first one's.
    """

    __slots__ = ("allocation", "kinds", "leaves", "lines", "not_preemptable", "parents", "problems", "reservable")

    def __init__(self, file: str, allocation: AnyAllocation) -> None:
        self.allocation = allocation
        self.problems = Problems(file)
        self.kinds: list[str] = []
        self.lines: dict[tuple[str, str], int] = {}
        """(full queue name, `user NAME` or "", element) → line; the last one where repeated."""
        self.leaves: list[str] = []
        self.parents: list[str] = []
        self.reservable: list[str] = []
        """Queues with a `<reservation>` element."""
        self.not_preemptable: list[str] = []
        """Queues with `allowPreemptionFrom` false (3.4)."""

    def refuse(self, message: str, element: Element, *, key: str = "", hint: str = "", kind: str = "") -> None:
        """Note what the file is refused for; `kind` is an AllocationConfigurationException when empty."""
        self.problems.add(message, line=element.line, key=key or element.tag, hint=hint)
        self.kinds.append(kind or BAD_ALLOCATION)

    def warn(self, message: str, element: Element, *, key: str = "", hint: str = "") -> None:
        """Note what is accepted but has no effect or another one than it seems."""
        self.problems.warn(message, line=element.line, key=key or element.tag, hint=hint)

    def warn_of_value(self, message: str, scope: str, name: str, hint: str = "") -> None:
        """Note what is odd about a value that was read."""
        self.problems.warn(message, line=self.lines.get((scope, name), 0), key=dotted(scope, name), hint=hint)

    def warn_of_unknown(self, element: Element, valid: Sequence[str], key: str = "") -> None:
        """Note an element that this release does not read."""
        hint = unknown_element_hint(element.tag, valid)
        self.warn(f"unknown element <{element.tag}>: Hadoop ignores it", element, key=key, hint=hint)

    def warn_of_old_name(self, element: Element) -> None:
        """Note an element directly below `<allocations>` that has a new name."""
        if element.tag in OLD_TOP:
            self.warn(f"<{element.tag}> is an old name that Hadoop still reads", element, hint=OLD_TOP[element.tag])

    def note_line(self, scope: str, name: str, element: Element) -> None:
        """Remember where a value stands; a second one for the same place is warned about."""
        before = self.lines.get((scope, name))
        if before is not None:
            self.warn(f"given again; line {before} has no effect", element, key=dotted(scope, name))
        self.lines[scope, name] = element.line

    def check(self) -> None:
        """Return if nothing was refused.

        Raises:
            ConfigError: Something was; its kind is Hadoop's exception.
        """
        if self.problems.found:
            raise ConfigError(self.problems.found, self.kinds[0])

    def text(self, element: Element, key: str, *, as_is: bool = False) -> str | None:
        """The value of an element: its first child if that is text, trimmed unless `as_is`; None when refused."""
        first = element.children[0] if element.children else None
        if first is None:
            self.refuse("has no value", element, key=key, kind="NullPointerException")
            return None
        if not isinstance(first, str):
            self.refuse("does not begin with its value", element, key=key, kind="ClassCastException")
            return None
        if trim(element.text()) != trim(first) or element.elements():
            self.warn("only the text before the first element or CDATA border counts", element, key=key)
        return first if as_is else trim(first)

    def value(
        self, element: Element, key: str, parse: Callable[[str], _Value], kind: str = NUMBER_FORMAT
    ) -> _Value | None:
        """The parsed value of an element; None when refused."""
        text = self.text(element, key)
        if text is None:
            return None
        if len(text) > MAX_VALUE:
            self.refuse(f"has more than {MAX_VALUE:,} characters", element, key=key, kind=kind)
            return None
        try:
            return parse(text)
        except ValueError as error:
            self.refuse(str(error), element, key=key, kind=kind)
            return None


def read_user(draft: Draft[AnyAllocation], element: Element) -> None:
    """Read the limit of one user."""
    user = element.attributes.get("name", "")
    scope = f"user {user}"
    if not user:
        draft.warn("the user has no name; the limit counts for nobody", element, hint='<user name="...">')
    for field in element.elements():
        key = dotted(scope, field.tag)
        if field.tag != "maxRunningApps":
            draft.warn_of_unknown(field, ("maxRunningApps",), key)
            continue
        value = draft.value(field, key, parse_int)
        if value is not None:
            draft.allocation.user_max_running_apps[user] = value
            draft.note_line(scope, field.tag, field)


def dotted(scope: str, name: str) -> str:
    """The key of a value for messages: `root.a.weight`, `user alice.maxRunningApps` or `userMaxAppsDefault`."""
    return f"{scope}.{name}" if scope else name
