"""The queuePlacementPolicy element of fair-scheduler.xml. Source: QueuePlacementPolicy#fromXml, Hadoop 2.7.2."""

from engine.errors import nearest
from engine.formats.fair_scheduler_elements import Draft
from engine.formats.xml_tree import Element
from engine.model.java_values import parse_boolean
from engine.schedulers.placement import (
    RULES,
    ConfiguredQueues,
    Default,
    NestedUserQueue,
    PlacementPolicy,
    PrimaryGroup,
    Reject,
    Rule,
    SecondaryGroupExistingQueue,
    Specified,
    User,
    policy_problem,
)

_SIMPLE: dict[str, type[Specified | User | PrimaryGroup | SecondaryGroupExistingQueue | Reject]] = {
    rule.name: rule for rule in (Specified, User, PrimaryGroup, SecondaryGroupExistingQueue, Reject)
}
_SCOPE = "queuePlacementPolicy"


def read_policy(draft: Draft, element: Element, configured: ConfiguredQueues) -> PlacementPolicy | None:
    """The policy of a `<queuePlacementPolicy>`; None when it is refused.

    Hadoop takes every child element for a rule, whatever it is called.
    """
    children = element.elements()
    rules = [_read_rule(draft, child) for child in children]
    complete = [rule for rule in rules if rule is not None]
    if len(complete) < len(rules):
        return None
    problem = policy_problem(complete)
    if problem:
        kind = "" if complete else "IndexOutOfBoundsException"
        draft.refuse(problem, element, kind=kind, hint="end with default, reject or a rule that creates")
        return None
    for child in children:
        _warn_of_rule(draft, child)
    return PlacementPolicy(complete, configured)


def _read_rule(draft: Draft, element: Element) -> Rule | None:
    name = element.attributes.get("name", "")
    if not name:
        hint = f'<rule name="{element.tag}"/> is meant' if element.tag in RULES else 'e.g. <rule name="specified"/>'
        draft.refuse("a rule has no name", element, key=f"{_SCOPE}.{element.tag}", hint=hint)
        return None
    create = parse_boolean(element.attributes.get("create", "true"))
    if name in _SIMPLE:
        return _SIMPLE[name](create)
    if name == Default.name:
        return Default(element.attributes.get("queue", ""), create)
    if name == NestedUserQueue.name:
        return _read_nested(draft, element, create)
    draft.refuse(f"there is no rule {name!r}", element, key=f"{_SCOPE}.rule", hint=nearest(name, RULES))
    return None


def _read_nested(draft: Draft, element: Element, create: bool) -> Rule | None:
    child = next((child for child in element.elements() if child.tag == "rule"), None)
    if child is None:
        draft.refuse("nestedUserQueue needs a rule inside", element, key=f"{_SCOPE}.nestedUserQueue")
        return None
    nested = _read_rule(draft, child)
    return None if nested is None else NestedUserQueue(nested, create)


def _warn_of_rule(draft: Draft, element: Element) -> None:
    """Say what of an accepted rule has no effect."""
    name = element.attributes["name"]
    key = f"{_SCOPE}.{name}"
    if element.tag != "rule":
        draft.warn(f"<{element.tag}> is taken for <rule>, as every element here", element, key=key)
    allowed = ("name", "create", "queue") if name == Default.name else ("name", "create")
    for attribute in element.attributes:
        if attribute not in allowed:
            hint = nearest(attribute, allowed)
            draft.warn(f"attribute {attribute} of rule {name} has no effect", element, key=key, hint=hint)
    create = element.attributes.get("create", "true")
    if create.lower() not in ("true", "false"):
        draft.warn(f'create="{create}" counts as false', element, key=key, hint='write "true" or "false"')
    elif name == Reject.name and "create" in element.attributes:
        draft.warn("create has no effect on reject", element, key=key)
    elif name == Default.name and not parse_boolean(create):
        draft.warn(
            'default with create="false" lets applications through where its queue is not in the file',
            element,
            key=key,
            hint="Hadoop then stops with an IllegalStateException",
        )
    _warn_of_content(draft, element, key)


def _warn_of_content(draft: Draft, element: Element, key: str) -> None:
    nested = element.elements()
    if element.attributes["name"] == NestedUserQueue.name:
        first = next(child for child in nested if child.tag == "rule")
        _warn_of_rule(draft, first)
        nested = [child for child in nested if child is not first]
    for child in nested:
        draft.warn(f"<{child.tag}> inside this rule has no effect", child, key=key)
