"""The queuePlacementPolicy element of fair-scheduler.xml, as each release reads it.

Source: QueuePlacementPolicy#fromXml, Hadoop 2.7.2 and 3.4.1; PoolManager#reloadAllocs, Hadoop 1.2.1 contrib, which
stops at the first mistake; here all are collected.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from engine.errors import ConfigError, Problem, nearest
from engine.formats.fair_elements import AllocationBuilder, AnyAllocation
from engine.formats.xml import Element, parse_document
from engine.model.java_values import parse_boolean, parse_int, trim
from engine.schedulers.fair.settings import FairAllocation
from engine.schedulers.fair34.placement import RULES_34, PlacementPolicy34, Rule34, default_rule
from engine.schedulers.fair34.settings import FairAllocation34
from engine.schedulers.mr1.settings import NO_MAXIMUM, POOL_ELEMENTS, PoolAllocation, PoolAllocations
from engine.schedulers.placement import RULES, ConfiguredQueues, PlacementPolicy, Rule27, policy_problem, rooted

# Reads the allocation file of MapReduce 1's FairScheduler: pools, users and defaults.

REFUSED: Final = "AllocationConfigurationException"
DEFAULTS: Final[Mapping[str, tuple[str, Callable[[str], Any]]]] = {
    "userMaxJobsDefault": ("user_max_jobs_default", parse_int),
    "poolMaxJobsDefault": ("pool_max_jobs_default", parse_int),
    "fairSharePreemptionTimeout": ("fair_share_timeout_ms", POOL_ELEMENTS["minSharePreemptionTimeout"]),
    "defaultMinSharePreemptionTimeout": ("min_share_timeout_ms", POOL_ELEMENTS["minSharePreemptionTimeout"]),
    "defaultPoolSchedulingMode": ("default_mode", POOL_ELEMENTS["schedulingMode"]),
}
"""Element of the whole file → field of `PoolAllocations`, and how its value is read."""


class LoadedPools(msgspec.Struct, frozen=True):
    allocations: PoolAllocations
    warnings: tuple[Problem, ...]  # Elements that are ignored, in the order of lines


_UNKNOWN: Final = "unknown element: the fair scheduler of MapReduce 1 ignores it"


class _Reading:
    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.pools: dict[str, PoolAllocation] = {}
        self.users: dict[str, int] = {}
        self.fields: dict[str, Any] = {}

    def value(self, element: Element, read: Callable[[str], Any]) -> Any:
        try:
            return read(trim(element.text()))
        except ValueError as error:
            self.problems.append(Problem(str(error), self.file, element.line, element.tag))
            return None

    def ignore(self, element: Element, known: tuple[str, ...]) -> None:
        hint = nearest(element.tag, known)
        self.warnings.append(Problem(_UNKNOWN, self.file, element.line, element.tag, hint))

    def top(self, element: Element) -> None:
        if element.tag == "pool":
            name = element.attributes.get("name", "")
            self.pools[name] = _pool(self._values(element, POOL_ELEMENTS))
        elif element.tag == "user":
            found = self._values(element, {"maxRunningJobs": parse_int})
            if "maxRunningJobs" in found:
                self.users[element.attributes.get("name", "")] = found["maxRunningJobs"]
        elif element.tag in DEFAULTS:
            field, read = DEFAULTS[element.tag]
            self.fields[field] = self.value(element, read)
        else:
            self.ignore(element, ("pool", "user", *DEFAULTS))

    def _values(self, element: Element, readers: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for child in element.elements():
            if child.tag in readers:
                values[child.tag] = self.value(child, readers[child.tag])
            else:
                self.ignore(child, tuple(readers))
        return values


def _pool(values: Mapping[str, Any]) -> PoolAllocation:
    return PoolAllocation(
        (values.get("minMaps") or 0, values.get("minReduces") or 0),
        (values.get("maxMaps", NO_MAXIMUM), values.get("maxReduces", NO_MAXIMUM)),
        values.get("maxRunningJobs"),
        values.get("weight", 1.0),
        values.get("schedulingMode"),
        values.get("minSharePreemptionTimeout"),
    )


def read_pools(text: str | bytes, file: str = "") -> LoadedPools:
    """The pools a file describes. Raises ConfigError if Hadoop would refuse the file; with every problem."""
    root = parse_document(text, file).root
    if root.tag != "allocations":
        message = f"the top element is <{root.tag}>, not <allocations>"
        raise ConfigError([Problem(message, file, root.line, root.tag)], REFUSED)
    reading = _Reading(file)
    for element in root.elements():
        reading.top(element)
    if reading.problems:
        raise ConfigError(reading.problems, REFUSED)
    allocations = PoolAllocations(pools=reading.pools, user_max_jobs=reading.users, **reading.fields)
    return LoadedPools(allocations, tuple(reading.warnings))


_SCOPE = "queuePlacementPolicy"
_WITHOUT_PARENT = ("specified", "default", "reject")
_NEVER_PARENT = ("reject", "nestedUserQueue")
_SAME = {"nestedUserQueue": "user"}  # Rules of two names that are one class


def _refuse_nameless(draft: AllocationBuilder[AnyAllocation], element: Element, valid: Iterable[str]) -> None:
    tag = element.tag
    hint = f'<rule name="{tag}"/> is meant' if tag in valid else 'e.g. <rule name="specified"/>'
    draft.refuse("a rule has no name", element, key=f"{_SCOPE}.{tag}", hint=hint)


def _refuse_unknown(draft: AllocationBuilder[AnyAllocation], element: Element, name: str, valid: Iterable[str]) -> None:
    draft.refuse(f"there is no rule {name!r}", element, key=f"{_SCOPE}.rule", hint=nearest(name, valid))


def _warn_of_attributes(draft: AllocationBuilder[AnyAllocation], element: Element, name: str, create: str) -> None:
    key = f"{_SCOPE}.{name}"
    allowed = ("name", "create", "queue") if name == "default" else ("name", "create")
    for attribute in element.attributes:
        if attribute not in allowed:
            hint = nearest(attribute, allowed)
            draft.warn(f"attribute {attribute} of rule {name} has no effect", element, key=key, hint=hint)
    if create.lower() not in ("true", "false"):
        draft.warn(f'create="{create}" counts as false', element, key=key, hint='write "true" or "false"')


def read_policy_27(
    draft: AllocationBuilder[FairAllocation], element: Element, configured: ConfiguredQueues
) -> PlacementPolicy | None:
    """The policy; None when refused. Hadoop takes every child element for a rule, whatever it is called."""
    children = element.elements()
    rules = [_read_rule_27(draft, child) for child in children]
    complete = [rule for rule in rules if rule is not None]
    if len(complete) < len(rules):
        return None
    problem = policy_problem([(rule.name, rule.terminal) for rule in complete])
    problem = problem if complete else "the queue placement policy has no rule"
    if problem:
        kind = "" if complete else "IndexOutOfBoundsException"
        draft.refuse(problem, element, kind=kind, hint="end with default, reject or a rule that creates")
        return None
    for child in children:
        _warn_of_rule_27(draft, child)
    return PlacementPolicy(tuple(complete), configured)


def _read_rule_27(draft: AllocationBuilder[FairAllocation], element: Element) -> Rule27 | None:
    name = element.attributes.get("name", "")
    if not name:
        _refuse_nameless(draft, element, RULES)
        return None
    if name not in RULES:
        _refuse_unknown(draft, element, name, RULES)
        return None
    rule = Rule27(name, parse_boolean(element.attributes.get("create", "true")))
    if name == "default" and (queue := element.attributes.get("queue", "")):
        return rule._replace(queue=rooted(queue))
    if name != "nestedUserQueue":
        return rule
    child = next((child for child in element.elements() if child.tag == "rule"), None)
    if child is None:
        draft.refuse("nestedUserQueue needs a rule inside", element, key=f"{_SCOPE}.nestedUserQueue")
        return None
    nested = _read_rule_27(draft, child)
    return None if nested is None else rule._replace(nested=nested)


def _warn_of_rule_27(draft: AllocationBuilder[FairAllocation], element: Element) -> None:
    name = element.attributes["name"]
    key = f"{_SCOPE}.{name}"
    if element.tag != "rule":
        draft.warn(f"<{element.tag}> is taken for <rule>, as every element here", element, key=key)
    create = element.attributes.get("create", "true")
    _warn_of_attributes(draft, element, name, create)
    if name == "reject" and "create" in element.attributes:
        draft.warn("create has no effect on reject", element, key=key)
    if name == "default" and create.lower() == "false":
        draft.warn(
            'default with create="false" lets applications through where its queue is not in the file',
            element,
            key=key,
            hint="Hadoop then stops with an IllegalStateException",
        )
    _warn_of_content_27(draft, element, key)


def _warn_of_content_27(draft: AllocationBuilder[FairAllocation], element: Element, key: str) -> None:
    nested = element.elements()
    if element.attributes["name"] == "nestedUserQueue":
        first = next(child for child in nested if child.tag == "rule")
        _warn_of_rule_27(draft, first)
        nested = [child for child in nested if child is not first]
    for child in nested:
        draft.warn(f"<{child.tag}> inside this rule has no effect", child, key=key)


def read_policy_34(draft: AllocationBuilder[FairAllocation34], element: Element) -> PlacementPolicy34 | None:
    """The policy of a `<queuePlacementPolicy>`; None when it is refused, or has no rule and leaves all as it was."""
    if not element.children:
        draft.refuse("the queue placement policy is empty", element, hint="leave it out, or add rules")
        return None
    elements = [child for child in element.elements() if child.tag.lower() == "rule"]
    for child in element.elements():
        if child.tag.lower() != "rule":
            hint = f'<rule name="{child.tag}"/> is meant' if child.tag in RULES_34 else ""
            message = f"unknown element <{child.tag}>: Hadoop ignores it"
            draft.warn(message, child, key=f"{_SCOPE}.{child.tag}", hint=hint)
    before = len(draft.problems.found)
    rules = [rule for child in elements if (rule := _read_rule_34(draft, child)) is not None]
    if len(draft.problems.found) > before:
        return None
    problem = policy_problem([(rule.name, rule.terminal) for rule in rules])
    if problem:
        draft.refuse(problem, element, hint="end with reject or a rule that creates")
        return None
    if not _check_parents_34(draft, rules, elements):
        return None
    if not rules:
        draft.warn("a policy without rules changes nothing", element)
        return None
    return PlacementPolicy34(tuple(rules))


def _read_rule_34(draft: AllocationBuilder[FairAllocation34], element: Element) -> Rule34 | None:
    rule = _bare_rule_34(draft, element)
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
    parent = _bare_rule_34(draft, parent_element)
    return rule if parent is None else rule._replace(parent=parent)


def _bare_rule_34(draft: AllocationBuilder[FairAllocation34], element: Element) -> Rule34 | None:
    name = element.attributes.get("name", "")
    if not name:
        _refuse_nameless(draft, element, ())
        return None
    if name not in RULES_34:
        _refuse_unknown(draft, element, name, RULES_34)
        return None
    text = element.attributes.get("create", "")
    create = not text or parse_boolean(text)
    _warn_of_attributes(draft, element, name, text or "true")
    return default_rule(create, element.attributes.get("queue", "")) if name == "default" else Rule34(name, create)


def _check_parents_34(draft: AllocationBuilder[FairAllocation34], rules: list[Rule34], elements: list[Element]) -> bool:
    """Tell whether each rule may have the parent rule it has; Hadoop looks at this last and stops at the first."""
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
