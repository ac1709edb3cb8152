"""Queue elements of fair-scheduler.xml. Source: AllocationFileQueueParser, Hadoop 3.4.1."""

from typing import NamedTuple

from engine.formats.fair_scheduler_elements import Draft, dotted
from engine.formats.fair_scheduler_names import QUEUE_NAMES_34
from engine.formats.fair_scheduler_queues import Content, QueueReader
from engine.formats.xml_tree import Element
from engine.model.java_values import parse_boolean
from engine.model.resource import NONE, Resource
from engine.schedulers.fair.queue_settings import BAD_ALLOCATION, QUEUE_SETTINGS, QueueSetting
from engine.schedulers.fair34.placement import trimmed
from engine.schedulers.fair34.resources import UNBOUNDED_34, parse_amount

RESERVATION_RIGHTS = ("aclAdministerReservations", "aclListReservations", "aclSubmitReservations")


def parse_minimum(text: str) -> Resource:
    """A minimum; what the form `name=value` leaves out is 0, and parts of the cluster count as nothing.

    Raises:
        ValueError: It is no amount.
    """
    return parse_amount(text, 0).fixed or NONE


def parse_container_maximum(text: str) -> Resource:
    """The largest container; parts of the cluster count as no limit.

    Raises:
        ValueError: It is no amount.
    """
    return parse_amount(text).fixed or UNBOUNDED_34


SETTINGS_34: dict[str, QueueSetting] = {
    **QUEUE_SETTINGS,
    "minResources": QueueSetting("min_resources", parse_minimum, BAD_ALLOCATION),
    "maxResources": QueueSetting("maximums", parse_amount, BAD_ALLOCATION),
    "maxChildResources": QueueSetting("child_maximums", parse_amount, BAD_ALLOCATION),
    "maxContainerAllocation": QueueSetting("container_maximums", parse_container_maximum, BAD_ALLOCATION),
}
"""Settings of a queue that are one value, kept by a `FairAllocation34`."""


class _Spelling(NamedTuple):
    """A setting that takes amounts only, and what parts of the cluster mean there."""

    name: str
    meaning: str


_AMOUNTS_ONLY = (_Spelling("minResources", "none"), _Spelling("maxContainerAllocation", "no limit"))


class QueueReader34(QueueReader):
    """Reads queues as 3.4.1 does: names are trimmed, parents may be typed, and there are more settings."""

    settings = SETTINGS_34
    names = QUEUE_NAMES_34

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self.not_preemptable: dict[str, None] = {}
        """Queues with `allowPreemptionFrom` false, in order."""

    def name_of(self, element: Element, parent: str) -> str:
        """A queue's own name without the blanks around it."""
        name = trimmed(element.attributes.get("name", ""))
        if not name:
            self.draft.refuse("the queue has no name", element, key=f"{parent}.", hint='<queue name="...">')
        return name

    def finish(self, queue: str, element: Element, content: Content) -> None:
        """Note whether the queue is a leaf or a parent; a parent has neither reservations nor a share for masters."""
        draft = self.draft
        parent = content.has_queues or element.attributes.get("type") == "parent"
        if not parent:
            if content.reservation is None:
                draft.leaves.append(queue)
            return
        wrong = content.reservation or content.share
        if wrong is not None:
            message = f'a queue with child queues or type="parent" cannot have <{wrong.tag}>'
            draft.refuse(message, wrong, key=dotted(queue, wrong.tag))
        draft.parents.append(queue)

    def other(self, queue: str, field: Element) -> bool:
        """Read what 2.7 does not know."""
        key = dotted(queue, field.tag)
        if field.tag == "allowPreemptionFrom":
            text = self.draft.text(field, key)
            if text is not None:
                self._preemption(queue, field, text)
            return True
        if field.tag in RESERVATION_RIGHTS:
            self.draft.text(field, key, as_is=True)
            return True
        return False

    def _preemption(self, queue: str, field: Element, text: str) -> None:
        self.draft.note_line(queue, field.tag, field)
        if not parse_boolean(text):
            # A later true does not take the queue off the list.
            self.not_preemptable[queue] = None
        if text.lower() not in ("true", "false"):
            key = dotted(queue, field.tag)
            self.draft.warn(f"{text!r} counts as false", field, key=key, hint='write "true" or "false"')

    def _setting(self, queue: str, name: str, field: Element) -> None:
        super()._setting(queue, name, field)
        for spelling in _AMOUNTS_ONLY:
            if name == spelling.name and "%" in field.text():
                message = f"a percentage counts as {spelling.meaning} here"
                self.draft.warn(message, field, key=dotted(queue, name))
