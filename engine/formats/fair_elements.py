"""Queue elements of fair-scheduler.xml, as each release reads them.

Source: AllocationFileLoaderService#loadQueue, Hadoop 2.7.2; AllocationFileParser, AllocationFileQueueParser, Hadoop
3.4.1.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec

from engine.errors import ConfigError, Problems, nearest
from engine.formats.xml import Element
from engine.model.identity import java_hash_order
from engine.model.java_values import parse_boolean, parse_float, parse_int, trim
from engine.model.request import NONE
from engine.schedulers.fair.settings import (
    ADMINISTER_QUEUE,
    BAD_ALLOCATION,
    NUMBER_FORMAT,
    QUEUE_SETTINGS,
    SUBMIT_APPLICATIONS,
    FairAllocation,
    QueueElement,
    parse_am_share,
    parse_threshold,
)
from engine.schedulers.fair34.placement import trimmed
from engine.schedulers.fair34.settings import UNBOUNDED_34, FairAllocation34, parse_amount
from engine.schedulers.placement import AccessControlList

# Shared parts of the readers of fair-scheduler.xml: the draft, refusals in Hadoop's order, values, users.

OLD_TOP = {
    "pool": "queue",
    "defaultQueueSchedulingMode": "defaultQueueSchedulingPolicy",
    "fairSharePreemptionTimeout": "defaultFairSharePreemptionTimeout",
}
"""Old names Hadoop still reads directly below `<allocations>`, and today's."""

OLD_IN_QUEUE = {"pool": "queue", "schedulingMode": "schedulingPolicy"}
"""Old names Hadoop still reads inside a queue, and today's."""

QUEUE_TAGS = frozenset({"queue", "pool"})  # Elements that are a queue wherever queues may stand
CONTAINERS = frozenset({"allocations", "queue", "pool", "queuePlacementPolicy"})  # Elements that hold elements only

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

TOP_NAMES_34 = (*TOP_NAMES, "queueMaxResourcesDefault")  # What may stand directly below `<allocations>` for Hadoop 3.4

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
    "property": "properties belong in yarn-site.xml",
    **dict.fromkeys(("maxChildResources", "maxContainerAllocation", "allowPreemptionFrom"), "read by Hadoop 3 only"),
    **dict.fromkeys(("aclListReservations", "aclSubmitReservations"), "read by Hadoop 3 only"),
    "queueMaxResourcesDefault": "read by Hadoop 3 only",
}


MAX_VALUE: Final = 1_000
"""Longest value read [characters]; lists of users and groups may be longer. Differs: a
value in fair-scheduler.xml may have at most 1,000 characters; Hadoop has no limit."""

_Value = TypeVar("_Value")
AnyAllocation = TypeVar("AnyAllocation", bound=FairAllocation)  # The allocation of one release


class AllocationBuilder(Generic[AnyAllocation]):
    """An allocation being read, what was wrong, and where each value stands.

    Problems must be added in the order Hadoop would meet them: its exception is the first one's.
    """

    __slots__ = ("allocation", "kinds", "leaves", "lines", "not_preemptable", "parents", "problems")

    def __init__(self, file: str, allocation: AnyAllocation) -> None:
        self.allocation = allocation
        self.problems = Problems(file)
        self.kinds: list[str] = []
        self.lines: dict[tuple[str, str], int] = {}
        """(full queue name, `user NAME` or "", element) → line; the last one where repeated."""
        self.leaves: list[str] = []
        self.parents: list[str] = []
        self.not_preemptable: list[str] = []  # queues with `allowPreemptionFrom` false (3.4)

    def refuse(self, message: str, element: Element, *, key: str = "", hint: str = "", kind: str = "") -> None:
        """Note what the file is refused for; `kind` is an AllocationConfigurationException when empty."""
        self.problems.add(message, line=element.line, key=key or element.tag, hint=hint)
        self.kinds.append(kind or BAD_ALLOCATION)

    def warn(self, message: str, element: Element, *, key: str = "", hint: str = "") -> None:
        """Note what is accepted but has no effect or another one than it seems."""
        self.problems.warn(message, line=element.line, key=key or element.tag, hint=hint)

    def warn_of_value(self, message: str, scope: str, name: str, hint: str = "") -> None:
        self.problems.warn(message, line=self.lines.get((scope, name), 0), key=dotted(scope, name), hint=hint)

    def warn_of_unknown(self, element: Element, valid: Sequence[str], key: str = "") -> None:
        hint = _RENAMED.get(element.tag) or nearest(element.tag, valid)
        self.warn(f"unknown element <{element.tag}>: Hadoop ignores it", element, key=key, hint=hint)

    def warn_of_old_name(self, element: Element) -> None:
        if element.tag in OLD_TOP:
            self.warn(f"<{element.tag}> is an old name that Hadoop still reads", element, hint=OLD_TOP[element.tag])

    def note_line(self, scope: str, name: str, element: Element) -> None:
        """Remember where a value stands; a second one for the same place is warned about."""
        before = self.lines.get((scope, name))
        if before is not None:
            self.warn(f"given again; line {before} has no effect", element, key=dotted(scope, name))
        self.lines[scope, name] = element.line

    def keep_queues(self) -> None:
        self.allocation.configured_leaves = tuple(java_hash_order(self.leaves))
        self.allocation.configured_parents = tuple(java_hash_order(self.parents))

    def check(self) -> None:
        """Return if nothing was refused. Raises ConfigError if something was; its kind is Hadoop's exception."""
        if self.problems.found:
            raise ConfigError(self.problems.found, self.kinds[0], self.problems.warnings)

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
        text = self.text(element, key)
        if text is None:
            return None
        if len(text) > MAX_VALUE:
            self.refuse(f"has more than {MAX_VALUE:,} characters", element, key=key, kind=kind)
            return None
        try:
            found = parse(text)
        except ValueError as error:
            self.refuse(str(error), element, key=key, kind=kind)
            return None
        if parse in _FRACTIONS and (stated := parse_float(text)) > 1:
            hint = f"{stated / 100:g}" if 2 <= stated <= 100 else "1"
            self.warn(f"{trim(text)} counts as 1: it is a fraction from 0 to 1", element, key=key, hint=hint)
        return found


_FRACTIONS: Final = (parse_am_share, parse_threshold)  # What cuts a larger number to 1


def read_user(draft: AllocationBuilder[AnyAllocation], element: Element) -> None:
    user = element.attributes.get("name", "")
    scope = f"user {user}"
    if not user:
        draft.warn("the user has no name; the limit applies to no user", element, hint='<user name="...">')
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


RESERVATION_RIGHTS = ("aclAdministerReservations", "aclListReservations", "aclSubmitReservations")
RIGHTS = {"aclSubmitApps": SUBMIT_APPLICATIONS, "aclAdministerApps": ADMINISTER_QUEUE}  # Element → the right it gives
_ATTRIBUTES = ("name", "type")
_AMOUNTS_ONLY_34 = {"minResources": "none", "maxContainerAllocation": "no limit"}
"""Setting of 3.4 that takes amounts only → what parts of the cluster mean there."""


class Content(msgspec.Struct):
    """The queue's kind and rights, as the children of its element state them."""

    acls: dict[str, AccessControlList] = {}
    has_queues: bool = False
    reservation: Element | None = None
    share: Element | None = None  # The last `maxAMShare`


class QueueRules(NamedTuple, Generic[AnyAllocation]):
    settings: Mapping[str, QueueElement]  # The settings of a queue that are one value
    names: Sequence[str]  # What may stand in a queue
    name_of: Callable[[AllocationBuilder[AnyAllocation], Element, str], str]
    """(draft, element, parent) → the queue's own name."""
    finish: Callable[[AllocationBuilder[AnyAllocation], str, Element, Content], None]
    """Notes whether the queue is a leaf or a parent."""
    read_other: Callable[[AllocationBuilder[AnyAllocation], str, Element], bool]
    """Reads an element that other releases do not know; False when this one does not either."""
    check_setting: Callable[[AllocationBuilder[AnyAllocation], str, str, Element], None]
    """Warns of a setting that was read."""


class QueueReader(Generic[AnyAllocation]):
    """Reads queues into a draft, children before the queue itself is finished."""

    def __init__(self, draft: AllocationBuilder[AnyAllocation], rules: QueueRules[AnyAllocation]) -> None:
        self.draft = draft
        self.rules = rules

    def read(self, elements: list[Element]) -> None:
        for element in elements:
            parent = "root"
            if element.attributes.get("name", "").lower() == "root":
                if len(elements) > 1:
                    message = "where the root queue is given, no other queue may stand beside it"
                    self.draft.refuse(message, element, key="root")
                parent = ""
            self._queue(parent, element)

    def _queue(self, parent: str, element: Element) -> None:
        draft = self.draft
        own = self.rules.name_of(draft, element, parent)
        queue = f"{parent}.{own}" if parent else own
        if "." in own:
            message = f"the queue name {own!r} must not contain a period"
            draft.refuse(message, element, key=queue, hint="nest queues instead")
        self._check_attributes(queue, element)
        before = draft.lines.get((queue, "queue"))
        if before is not None:
            message = f"the queue stands at line {before} too; values given again replace the earlier ones"
            draft.warn(message, element, key=queue)
        draft.lines[queue, "queue"] = element.line
        content = Content()
        for child in element.elements():
            self._field(queue, child, content)
        self.rules.finish(draft, queue, element, content)
        draft.allocation.acls[queue] = content.acls

    def _field(self, queue: str, field: Element, content: Content) -> None:
        draft, tag = self.draft, field.tag
        name = OLD_IN_QUEUE.get(tag, tag) if tag not in QUEUE_TAGS else tag
        if tag in OLD_IN_QUEUE:
            message = f"<{tag}> is an old name that Hadoop still reads"
            draft.warn(message, field, key=dotted(queue, tag), hint=OLD_IN_QUEUE[tag])
        if name in self.rules.settings:
            self._setting(queue, name, field)
            content.share = field if name == "maxAMShare" else content.share
        elif tag in RIGHTS:
            self._acl(queue, field, content)
        elif tag == "reservation":
            content.reservation = field
            draft.lines[queue, tag] = field.line
            draft.parents.append(queue)
        elif tag in QUEUE_TAGS or tag in ACCIDENTAL_QUEUE_TAGS:
            if tag in ACCIDENTAL_QUEUE_TAGS:
                draft.warn(f"<{tag}> is taken for <queue>, as it ends like it", field, key=dotted(queue, tag))
            content.has_queues = True
            self._queue(queue, field)
        elif not self.rules.read_other(draft, queue, field):
            draft.warn_of_unknown(field, self.rules.names, dotted(queue, tag))

    def _setting(self, queue: str, name: str, field: Element) -> None:
        setting = self.rules.settings[name]
        value = self.draft.value(field, dotted(queue, field.tag), setting.parse, setting.refusal)
        if value is not None:
            values: dict[str, Any] = getattr(self.draft.allocation, setting.attribute)
            values[queue] = value
            self.draft.note_line(queue, name, field)
        self.rules.check_setting(self.draft, queue, name, field)

    def _acl(self, queue: str, field: Element, content: Content) -> None:
        key = dotted(queue, field.tag)
        text = self.draft.text(field, key, as_is=True)
        if text is None:
            return
        self.draft.note_line(queue, field.tag, field)
        content.acls[RIGHTS[field.tag]] = AccessControlList(text)
        users, blank, groups = trim(text).partition(" ")
        if blank and users.endswith(","):
            hint = "the first blank ends the users; write no blank after a comma"
            self.draft.warn(f"{trim(groups)!r} counts as groups", field, key=key, hint=hint)

    def _check_attributes(self, queue: str, element: Element) -> None:
        for name in element.attributes:
            if name not in _ATTRIBUTES:
                message = f"unknown attribute {name}: Hadoop ignores it"
                self.draft.warn(message, element, key=queue, hint=nearest(name, _ATTRIBUTES))
        kind = element.attributes.get("type", "parent")
        if kind != "parent":
            message = f'type="{kind}" has no effect'
            self.draft.warn(message, element, key=queue, hint='only type="parent" is known')


def _name_27(draft: AllocationBuilder[FairAllocation], element: Element, parent: str) -> str:
    name = element.attributes.get("name", "")
    if not name:
        draft.warn("the queue has no name; Hadoop makes one with an empty name", element, key=f"{parent}.")
    return name


def _finish_27(draft: AllocationBuilder[FairAllocation], queue: str, element: Element, content: Content) -> None:
    is_typed = element.attributes.get("type") == "parent"
    is_parent = content.has_queues or content.reservation is not None
    if is_parent and is_typed:
        message = 'type="parent" together with child queues or a reservation is not supported'
        draft.refuse(message, element, key=queue, hint="a queue with child queues is a parent by itself")
    (draft.parents if is_parent or is_typed else draft.leaves).append(queue)


def _name_34(draft: AllocationBuilder[FairAllocation34], element: Element, parent: str) -> str:
    name = trimmed(element.attributes.get("name", ""))
    if not name:
        draft.refuse("the queue has no name", element, key=f"{parent}.", hint='<queue name="...">')
    return name


def _finish_34(draft: AllocationBuilder[FairAllocation34], queue: str, element: Element, content: Content) -> None:
    if not content.has_queues and element.attributes.get("type") != "parent":
        if content.reservation is None:
            draft.leaves.append(queue)
        return
    wrong = content.reservation or content.share
    if wrong is not None:
        message = f'a queue with child queues or type="parent" cannot have <{wrong.tag}>'
        draft.refuse(message, wrong, key=dotted(queue, wrong.tag))
    draft.parents.append(queue)


def _read_other_34(draft: AllocationBuilder[FairAllocation34], queue: str, field: Element) -> bool:
    key = dotted(queue, field.tag)
    if field.tag in RESERVATION_RIGHTS:
        draft.text(field, key)
        return True
    if field.tag != "allowPreemptionFrom":
        return False
    text = draft.text(field, key)
    if text is not None:
        draft.note_line(queue, field.tag, field)
        if not parse_boolean(text):
            # A later true does not take the queue off the list.
            draft.not_preemptable.append(queue)
        if text.lower() not in ("true", "false"):
            draft.warn(f"{text!r} counts as false", field, key=key, hint='write "true" or "false"')
    return True


def _check_setting_34(draft: AllocationBuilder[FairAllocation34], queue: str, name: str, field: Element) -> None:
    if name in _AMOUNTS_ONLY_34 and "%" in field.text():
        message = f"a percentage counts as {_AMOUNTS_ONLY_34[name]} here"
        draft.warn(message, field, key=dotted(queue, name))


SETTINGS_34: dict[str, QueueElement] = {
    **QUEUE_SETTINGS,
    # Of a minimum what `name=value` leaves out is 0, as are parts of the cluster; those are no limit of a container.
    "minResources": QueueElement("min_resources", lambda text: parse_amount(text, 0).fixed or NONE, BAD_ALLOCATION),
    "maxResources": QueueElement("maximums", parse_amount, BAD_ALLOCATION),
    "maxChildResources": QueueElement("child_maximums", parse_amount, BAD_ALLOCATION),
    "maxContainerAllocation": QueueElement(
        "container_maximums", lambda text: parse_amount(text).fixed or UNBOUNDED_34, BAD_ALLOCATION
    ),
}
"""Settings of a queue that are one value, kept by a `FairAllocation34`."""

QUEUES_27 = QueueRules(
    QUEUE_SETTINGS,
    QUEUE_NAMES,
    _name_27,
    _finish_27,
    read_other=lambda draft, queue, field: False,
    check_setting=lambda draft, queue, name, field: None,
)
"""Queues as 2.7.2 reads them."""

QUEUES_34 = QueueRules(SETTINGS_34, QUEUE_NAMES_34, _name_34, _finish_34, _read_other_34, _check_setting_34)
"""Queues as 3.4.1 reads them: names are trimmed, parents may be typed, and there are more settings."""
