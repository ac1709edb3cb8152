"""Queue elements of fair-scheduler.xml. Source: AllocationFileLoaderService#loadQueue, Hadoop 2.7.2."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import nearest
from engine.formats.fair_scheduler_elements import Draft, dotted
from engine.formats.fair_scheduler_names import (
    ACCIDENTAL_QUEUE_TAGS,
    OLD_IN_QUEUE,
    QUEUE_NAMES,
    QUEUE_TAGS,
    unknown_element_hint,
)
from engine.formats.xml_tree import Element
from engine.model.java_values import trim
from engine.schedulers.acl import AccessControlList
from engine.schedulers.fair.allocation import ADMINISTER_QUEUE, SUBMIT_APPLICATIONS
from engine.schedulers.fair.queue_settings import QUEUE_SETTINGS, QueueSetting

_RIGHTS = {"aclSubmitApps": SUBMIT_APPLICATIONS, "aclAdministerApps": ADMINISTER_QUEUE}
_ATTRIBUTES = ("name", "type")


class Content:
    """What the children of one queue element say about the queue's kind and rights."""

    __slots__ = ("acls", "has_queues", "reservation", "share")

    def __init__(self) -> None:
        self.acls: dict[str, AccessControlList] = {}
        self.has_queues = False
        self.reservation: Element | None = None
        self.share: Element | None = None
        """The last `maxAMShare`."""


class QueueReader:
    """Reads queues into a draft, children before the queue itself is finished."""

    settings: Mapping[str, QueueSetting] = QUEUE_SETTINGS
    """The settings of a queue that are one value."""
    names: Sequence[str] = QUEUE_NAMES
    """What may stand in a queue."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft

    def read(self, elements: list[Element]) -> None:
        """Read the queues directly below `<allocations>`; a `root` among them holds all others."""
        for element in elements:
            parent = "root"
            if element.attributes.get("name", "").lower() == "root":
                if len(elements) > 1:
                    message = "where the root queue is given, no other queue may stand beside it"
                    self.draft.refuse(message, element, key="root")
                parent = ""
            self._queue(parent, element)

    def name_of(self, element: Element, parent: str) -> str:
        """A queue's own name, below this parent."""
        name = element.attributes.get("name", "")
        if not name:
            self.draft.warn("the queue has no name; Hadoop makes one with an empty name", element, key=f"{parent}.")
        return name

    def finish(self, queue: str, element: Element, content: Content) -> None:
        """Note whether the queue is a leaf or a parent."""
        typed = element.attributes.get("type") == "parent"
        parent = content.has_queues or content.reservation is not None
        if parent and typed:
            self.draft.refuse(
                'type="parent" together with child queues or a reservation is not supported',
                element,
                key=queue,
                hint="a queue with child queues is a parent by itself",
            )
        (self.draft.parents if parent or typed else self.draft.leaves).append(queue)

    def other(self, queue: str, field: Element) -> bool:
        """Read an element that other releases do not know; False when this one does not either."""
        return False

    def _queue(self, parent: str, element: Element) -> None:
        draft = self.draft
        own = self.name_of(element, parent)
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
        self.finish(queue, element, content)
        draft.allocation.acls[queue] = content.acls

    def _field(self, queue: str, field: Element, content: Content) -> None:
        """Read one child of a queue element."""
        draft, tag = self.draft, field.tag
        name = OLD_IN_QUEUE.get(tag, tag) if tag not in QUEUE_TAGS else tag
        if tag in OLD_IN_QUEUE:
            message = f"<{tag}> is an old name that Hadoop still reads"
            draft.warn(message, field, key=dotted(queue, tag), hint=OLD_IN_QUEUE[tag])
        if name in self.settings:
            self._setting(queue, name, field)
            content.share = field if name == "maxAMShare" else content.share
        elif tag in _RIGHTS:
            self._acl(queue, field, content)
        elif tag == "reservation":
            content.reservation = field
            draft.allocation.reservable |= {queue}
            draft.lines[queue, tag] = field.line
            draft.parents.append(queue)
        elif tag in QUEUE_TAGS or tag in ACCIDENTAL_QUEUE_TAGS:
            if tag in ACCIDENTAL_QUEUE_TAGS:
                draft.warn(f"<{tag}> is taken for <queue>, as it ends like it", field, key=dotted(queue, tag))
            content.has_queues = True
            self._queue(queue, field)
        elif not self.other(queue, field):
            hint = unknown_element_hint(tag, self.names)
            draft.warn(f"unknown element <{tag}>: Hadoop ignores it", field, key=dotted(queue, tag), hint=hint)

    def _setting(self, queue: str, name: str, field: Element) -> None:
        setting = self.settings[name]
        value = self.draft.value(field, dotted(queue, field.tag), setting.parse, setting.refusal)
        if value is None:
            return
        values: dict[str, Any] = getattr(self.draft.allocation, setting.attribute)
        values[queue] = value
        self.draft.note_line(queue, name, field)

    def _acl(self, queue: str, field: Element, content: Content) -> None:
        key = dotted(queue, field.tag)
        text = self.draft.text(field, key, as_is=True)
        if text is None:
            return
        self.draft.note_line(queue, field.tag, field)
        content.acls[_RIGHTS[field.tag]] = AccessControlList(text)
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
