"""Queue elements of fair-scheduler.xml. Source: AllocationFileLoaderService#loadQueue, Hadoop 2.7.2."""

from engine.formats.fair_scheduler_elements import Draft, dotted
from engine.formats.fair_scheduler_names import (
    ACCIDENTAL_QUEUE_TAGS,
    OLD_IN_QUEUE,
    QUEUE_NAMES,
    QUEUE_TAGS,
    unknown_element_hint,
)
from engine.formats.problems import nearest
from engine.formats.xml_tree import Element
from engine.model.java_values import trim
from engine.schedulers.acl import AccessControlList
from engine.schedulers.fair.allocation import ADMINISTER_QUEUE, SUBMIT_APPLICATIONS
from engine.schedulers.fair.queue_settings import QUEUE_SETTINGS, set_queue_setting

_RIGHTS = {"aclSubmitApps": SUBMIT_APPLICATIONS, "aclAdministerApps": ADMINISTER_QUEUE}
_ATTRIBUTES = ("name", "type")


def read_queues(draft: Draft, elements: list[Element]) -> None:
    """Read the queues directly below `<allocations>`; a `root` among them holds all others."""
    for element in elements:
        parent = "root"
        if element.attributes.get("name", "").lower() == "root":
            if len(elements) > 1:
                draft.refuse("where the root queue is given, no other queue may stand beside it", element, key="root")
            parent = ""
        _read_queue(draft, parent, element)


def _read_queue(draft: Draft, parent: str, element: Element) -> None:
    own = element.attributes.get("name", "")
    queue = f"{parent}.{own}" if parent else own
    if "." in own:
        draft.refuse(
            f"the queue name {own!r} must not contain a period", element, key=queue, hint="nest queues instead"
        )
    _check_attributes(draft, queue, element)
    if (queue, "queue") in draft.lines:
        draft.warn(
            f"the queue stands at line {draft.lines[queue, 'queue']} too; values given again replace the earlier ones",
            element,
            key=queue,
        )
    draft.lines[queue, "queue"] = element.line
    acls: dict[str, AccessControlList] = {}
    parent_by_content = False
    for child in element.elements():
        parent_by_content = _read_field(draft, queue, child, acls) or parent_by_content
    typed = element.attributes.get("type") == "parent"
    if parent_by_content and typed:
        draft.refuse(
            'type="parent" together with child queues or a reservation is not supported',
            element,
            key=queue,
            hint="a queue with child queues is a parent by itself",
        )
    (draft.parents if parent_by_content or typed else draft.leaves).append(queue)
    draft.allocation.acls[queue] = acls


def _read_field(draft: Draft, queue: str, field: Element, acls: dict[str, AccessControlList]) -> bool:
    """Read one child of a queue element; whether it makes the queue a parent."""
    tag = field.tag
    name = OLD_IN_QUEUE.get(tag, tag) if tag not in QUEUE_TAGS else tag
    key = dotted(queue, tag)
    if name in QUEUE_SETTINGS:
        _warn_old_name(draft, field, key)
        _read_setting(draft, queue, name, field)
    elif tag in _RIGHTS:
        text = draft.text(field, key, as_is=True)
        if text is not None:
            draft.note_line(queue, tag, field)
            acls[_RIGHTS[tag]] = AccessControlList(text)
            _warn_of_blank(draft, text, field, key)
    elif tag == "reservation":
        draft.allocation.reservable |= {queue}
        draft.lines[queue, tag] = field.line
        draft.parents.append(queue)
        return True
    elif tag in QUEUE_TAGS or tag in ACCIDENTAL_QUEUE_TAGS:
        _warn_old_name(draft, field, key)
        if tag in ACCIDENTAL_QUEUE_TAGS:
            draft.warn(f"<{tag}> is taken for <queue>, as it ends like it", field, key=key)
        _read_queue(draft, queue, field)
        return True
    else:
        hint = unknown_element_hint(tag, QUEUE_NAMES)
        draft.warn(f"unknown element <{tag}>: Hadoop ignores it", field, key=key, hint=hint)
    return False


def _warn_of_blank(draft: Draft, text: str, field: Element, key: str) -> None:
    """Say that `alice, bob` names the user alice and the group bob."""
    users, blank, groups = trim(text).partition(" ")
    if blank and users.endswith(","):
        hint = "the first blank ends the users; write no blank after a comma"
        draft.warn(f"{trim(groups)!r} counts as groups", field, key=key, hint=hint)


def _read_setting(draft: Draft, queue: str, name: str, field: Element) -> None:
    key = dotted(queue, field.tag)
    text = draft.text(field, key)
    if text is None:
        return
    try:
        set_queue_setting(draft.allocation, queue, name, text)
    except ValueError as error:
        draft.refuse(str(error), field, key=key, kind=QUEUE_SETTINGS[name].refusal)
        return
    draft.note_line(queue, name, field)


def _warn_old_name(draft: Draft, field: Element, key: str) -> None:
    if field.tag in OLD_IN_QUEUE:
        draft.warn(
            f"<{field.tag}> is an old name that Hadoop still reads", field, key=key, hint=OLD_IN_QUEUE[field.tag]
        )


def _check_attributes(draft: Draft, queue: str, element: Element) -> None:
    if not element.attributes.get("name"):
        draft.warn("the queue has no name; Hadoop makes one with an empty name", element, key=queue)
    for name in element.attributes:
        if name not in _ATTRIBUTES:
            hint = nearest(name, _ATTRIBUTES)
            draft.warn(f"unknown attribute {name}: Hadoop ignores it", element, key=queue, hint=hint)
    kind = element.attributes.get("type", "parent")
    if kind != "parent":
        draft.warn(f'type="{kind}" has no effect', element, key=queue, hint='only type="parent" is known')
