"""The queuePlacementPolicy element of fair-scheduler.xml. Source: QueuePlacementPolicy#fromXml, Hadoop 3.4.1."""

from engine.errors import nearest
from engine.formats.fair_scheduler_elements import Draft
from engine.formats.xml_tree import Element
from engine.model.java_values import parse_boolean
from engine.schedulers.fair34.placement import RULES_34, PlacementPolicy34, Rule34, default_rule, policy_problem_34

_SCOPE = "queuePlacementPolicy"
_WITHOUT_PARENT = ("specified", "default", "reject")
_NEVER_PARENT = ("reject", "nestedUserQueue")
_SAME = {"nestedUserQueue": "user"}
"""Rules of two names that are one class."""


def read_policy_34(draft: Draft, element: Element) -> PlacementPolicy34 | None:
    """The policy of a `<queuePlacementPolicy>`; None when it is refused, or has no rule and leaves all as it was."""
    if not element.children:
        draft.refuse("the queue placement policy is empty", element, hint="leave it out, or add rules")
        return None
    rules: list[Rule34] = []
    elements = [child for child in element.elements() if child.tag.lower() == "rule"]
    for child in element.elements():
        if child.tag.lower() != "rule":
            hint = f'<rule name="{child.tag}"/> is meant' if child.tag in RULES_34 else ""
            message = f"unknown element <{child.tag}>: Hadoop ignores it"
            draft.warn(message, child, key=f"{_SCOPE}.{child.tag}", hint=hint)
    before = len(draft.problems.found)
    for child in elements:
        rule = _read_rule(draft, child)
        if rule is not None:
            rules.append(rule)
    if len(draft.problems.found) > before:
        return None
    problem = policy_problem_34(rules)
    if problem:
        draft.refuse(problem, element, hint="end with reject or a rule that creates")
        return None
    if not _check_parents(draft, rules, elements):
        return None
    if not rules:
        draft.warn("a policy without rules changes nothing", element)
        return None
    return PlacementPolicy34(rules)


def _read_rule(draft: Draft, element: Element) -> Rule34 | None:
    """A rule with its parent rule, of which the last one inside counts."""
    rule = _bare_rule(draft, element)
    if rule is None:
        return None
    inside = [child for child in element.elements() if child.tag.lower() == "rule"]
    parent_element = inside[-1] if inside else None
    for child in element.elements():
        if child is not parent_element:
            draft.warn(f"<{child.tag}> inside this rule has no effect", child, key=f"{_SCOPE}.{rule.name}")
    if parent_element is None:
        if rule.name == "nestedUserQueue":
            draft.refuse("nestedUserQueue needs a rule inside", element, key=f"{_SCOPE}.nestedUserQueue")
        return rule
    name = parent_element.attributes.get("name", "")
    if name in _NEVER_PARENT:
        draft.refuse(f"{name} cannot be the parent rule of another", parent_element, key=f"{_SCOPE}.{rule.name}")
        return None
    parent = _bare_rule(draft, parent_element)
    return rule if parent is None else rule._replace(parent=parent)


def _bare_rule(draft: Draft, element: Element) -> Rule34 | None:
    name = element.attributes.get("name", "")
    if not name:
        draft.refuse("a rule has no name", element, key=f"{_SCOPE}.rule", hint='e.g. <rule name="specified"/>')
        return None
    if name not in RULES_34:
        draft.refuse(f"there is no rule {name!r}", element, key=f"{_SCOPE}.rule", hint=nearest(name, RULES_34))
        return None
    text = element.attributes.get("create", "")
    create = not text or parse_boolean(text)
    key = f"{_SCOPE}.{name}"
    if text.lower() not in ("", "true", "false"):
        draft.warn(f'create="{text}" counts as false', element, key=key, hint='write "true" or "false"')
    allowed = ("name", "create", "queue") if name == "default" else ("name", "create")
    for attribute in element.attributes:
        if attribute not in allowed:
            hint = nearest(attribute, allowed)
            draft.warn(f"attribute {attribute} of rule {name} has no effect", element, key=key, hint=hint)
    return default_rule(create, element.attributes.get("queue", "")) if name == "default" else Rule34(name, create)


def _check_parents(draft: Draft, rules: list[Rule34], elements: list[Element]) -> bool:
    """Whether each rule may have the parent rule it has; Hadoop looks at this last and stops at the first."""
    for rule, element in zip(rules, elements, strict=True):
        if rule.parent is None:
            continue
        if rule.name in _WITHOUT_PARENT:
            draft.refuse(f"{rule.name} may have no parent rule", element, key=f"{_SCOPE}.{rule.name}")
            return False
        if _SAME.get(rule.name, rule.name) == rule.parent.name:
            message = f"{rule.name} and its parent rule {rule.parent.name} are of the same kind"
            draft.refuse(message, element, key=f"{_SCOPE}.{rule.name}")
            return False
    return True
