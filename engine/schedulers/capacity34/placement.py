"""Places an application in a queue by the mapping rules.

Source: CSMappingPlacementRule, VariableContext, MappingRuleMatchers, CapacitySchedulerConfiguration#getMappingRules,
MappingRule, MappingRuleCreator, MappingRuleValidationContextImpl, MappingRuleValidationHelper, Hadoop 3.4.1.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from engine.errors import RefusedError
from engine.model.java_values import trim
from engine.schedulers.capacity.properties import ILLEGAL_ARGUMENT, Properties
from engine.schedulers.capacity34.made_queues import may_create_below
from engine.schedulers.capacity34.queue import CapacityQueue
from engine.schedulers.capacity34.tree import QueueNames
from engine.settings.capacity import NAME_MAPPINGS
from engine.settings.capacity_scheduler import MAPPINGS_OVERRIDE, QUEUE_MAPPINGS, RULE_FORMAT, RULE_JSON
from engine.state import Shared, State

# Rules that place an application in a queue: the older `u:user:queue` list and the JSON form, read and checked.

MAPPINGS: Final = QUEUE_MAPPINGS.everywhere
JSON_RULES: Final = RULE_JSON.everywhere
VARIABLES: Final = ("%user", "%primary_group", "%secondary_group", "%application", "%specified", "%default")
YARN: Final = "YarnException"

SKIP: Final = "skip"
REJECT: Final = "reject"
PLACE_DEFAULT: Final = "placeDefault"
TARGETS: Final = {
    "primaryGroup": "%primary_group",
    "secondaryGroup": "%secondary_group",
    "primaryGroupUser": "%primary_group.%user",
    "secondaryGroupUser": "%secondary_group.%user",
    "user": "%user",
    "applicationName": "%application",
}
"""Policies of the JSON form that place below a parent → the path there."""


class MappingRule(NamedTuple):
    kind: str  # `all`, `user`, `group` or `application`: what `matches` is compared with
    matches: str
    target: str | None  # The path to place in, with variables; None for a rule that does not place
    create: bool = True  # Whether the queue may be made
    fallback: str = SKIP  # What follows where the queue is not there: the next rule, a refusal, or the default queue
    new_default: str | None = None  # What the default queue becomes for later rules
    rejects: bool = False


def read_rules(properties: Properties) -> list[MappingRule]:
    style = properties.text(RULE_FORMAT.everywhere) or properties.table.default(RULE_FORMAT)
    if style == "legacy":
        return _older_rules(properties)
    if style == "json":
        return _json_rules(properties)
    key = RULE_FORMAT.everywhere
    properties.refusals.add(ILLEGAL_ARGUMENT, f"{style!r} is neither legacy nor json", key)
    return []


def _parts(text: str) -> list[str]:
    return [trim(part) for part in text.split(":") if part]


def _older_rules(properties: Properties) -> list[MappingRule]:
    rules = []
    for text in properties.names(MAPPINGS) or []:
        parts = _parts(text)
        if not text:
            continue
        if len(parts) != 3 or not parts[1] or not parts[2]:
            properties.refusals.add(ILLEGAL_ARGUMENT, f"{text!r} is not a mapping", MAPPINGS)
        elif parts[0] not in ("u", "g"):
            properties.refusals.add(ILLEGAL_ARGUMENT, f"{parts[0]!r} is neither u nor g", MAPPINGS)
        else:
            kind = "group" if parts[0] == "g" else "all" if parts[1] == "%user" else "user"
            rules.append(MappingRule(kind, parts[1], parts[2], fallback=PLACE_DEFAULT))
    for text in properties.names(NAME_MAPPINGS.name) or []:
        parts = _parts(text)
        if len(parts) != 2 or not parts[1]:
            properties.refusals.add(ILLEGAL_ARGUMENT, f"{text!r} is not a mapping", NAME_MAPPINGS.name)
        else:
            rules.append(MappingRule("application", parts[0], parts[1], fallback=PLACE_DEFAULT))
    return rules


def _json_rules(properties: Properties) -> list[MappingRule]:
    text = properties.text(JSON_RULES) or ""
    if not text:
        return []
    try:
        found, _ = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode(text.lstrip())
    except json.JSONDecodeError as error:
        kind = "JsonEOFException" if error.pos >= len(text.rstrip()) else "JsonParseException"
        properties.refusals.add(kind, f"no JSON: {error}", JSON_RULES)
        return []
    if not isinstance(found, dict):
        properties.refusals.add("MismatchedInputException", "is not an object with rules", JSON_RULES)
    rules: list[MappingRule] = []
    for each in found.get("rules", []) if isinstance(found, dict) else []:
        problem = _json_problem(each)
        if problem:
            properties.refusals.add(ILLEGAL_ARGUMENT, problem, JSON_RULES)
        else:
            rules.append(_json_rule(each))
    return rules


def _refuse_constant(name: str) -> None:
    raise json.JSONDecodeError(f"{name} is not a value", name, 0)


def _json_problem(rule: Any) -> str:
    if not isinstance(rule, dict):
        return "a rule is not an object"
    policy = rule.get("policy")
    known = {*TARGETS, "defaultQueue", "reject", "specified", "custom", "setDefaultQueue"}
    for name in ("policy", "type", "matches"):
        if not rule.get(name):
            return f"a rule has no {name}"
    if policy not in known:
        return f"there is no policy {policy!r}"
    if rule["type"] not in ("user", "group", "application"):
        return f"{rule['type']!r} is not a type of rule"
    if rule["type"] == "group" and rule["matches"] == "*":
        return "a rule for groups cannot match *"
    if policy == "custom" and rule.get("customPlacement") is None:
        return "a custom rule has no customPlacement"
    if policy == "setDefaultQueue" and rule.get("value") is None:
        return "a setDefaultQueue rule has no value"
    if rule.get("fallbackResult", SKIP) not in (SKIP, REJECT, PLACE_DEFAULT):
        return f"{rule['fallbackResult']!r} is not a fallbackResult"
    return ""


def _json_rule(rule: dict[str, Any]) -> MappingRule:
    policy, matches = rule["policy"], rule["matches"]
    kind = "all" if rule["type"] == "user" and matches == "*" else rule["type"]
    fallback, create = rule.get("fallbackResult") or SKIP, rule.get("create")
    create = True if create is None else bool(create)
    if policy == "reject":
        return MappingRule(kind, matches, None, rejects=True)
    if policy == "setDefaultQueue":
        return MappingRule(kind, matches, None, fallback=fallback, new_default=rule["value"])
    if policy == "defaultQueue":
        return MappingRule(kind, matches, "%default", False, fallback)
    if policy in TARGETS:
        parent = rule.get("parentQueue")
        target = TARGETS[policy] if parent is None else f"{parent}.{TARGETS[policy]}"
    else:
        target = "%specified" if policy == "specified" else rule["customPlacement"]
    return MappingRule(kind, matches, target, create, fallback)


# ---------------------------------------------------------------- checks against the tree


def path_problem(names: QueueNames, properties: Properties, path: str) -> tuple[str, str]:
    """The full path a rule means, and why no application could be placed there; empty when one could.

    Source: MappingRuleValidationHelper#normalizeQueuePathRoot, #validateQueuePathAutoCreation.
    """
    first, dot, rest = path.partition(".")
    start = names.get(first)
    if start is None:
        return path, f"its first part {first!r} {'is ambiguous' if names.is_ambiguous(first) else 'does not exist'}"
    path = start.path + dot + rest
    if names.get(path) is not None:
        return path, ""
    parent_path = path.rpartition(".")[0]
    grandparent_path = parent_path.rpartition(".")[0]
    if not parent_path:
        return path, "it has no parent"
    parent = names.get(parent_path)
    if parent is None:
        grandparent = names.get(grandparent_path)
        if grandparent is not None and grandparent.leaf is None and may_create_below(grandparent, properties):
            return path, ""
        return path, "its parent is not there and cannot be made"
    return path, "" if creates_queues(parent, properties) else "queues are not created below its parent"


def creates_queues(queue: CapacityQueue | None, properties: Properties) -> bool:
    if queue is None or queue.leaf is not None:
        return False
    return queue.template is not None or may_create_below(queue, properties)


def check_rules(rules: list[MappingRule], names: QueueNames, properties: Properties) -> None:
    """Check that each rule can ever place an application; refusals are noted. Source: MappingRule#validate."""
    variables = set(VARIABLES)
    for rule in rules:
        if rule.target is not None:
            problem = _target_problem(rule.target, names, properties, variables)
            if problem:
                key = MAPPINGS if rule.fallback == PLACE_DEFAULT else JSON_RULES
                properties.refusals.add(YARN, f"{rule.target!r}: {problem}", key)


def _target_problem(target: str, names: QueueNames, properties: Properties, variables: set[str]) -> str:
    if not target:
        return "the path is empty"
    parts = target.split(".")
    while parts and not parts[-1]:
        parts.pop()
    if "" in parts:
        return "a part is empty"
    if not any(part in variables for part in parts):
        path, problem = path_problem(names, properties, target)
        queue = names.get(path)
        return problem or ("it is not a leaf" if queue is not None and queue.leaf is None else "")
    fixed: list[str] = []
    for part in parts:
        if part in variables:
            break
        fixed.append(part)
    return _fixed_part_problem(fixed, names, properties) if fixed else ""


def _fixed_part_problem(fixed: list[str], names: QueueNames, properties: Properties) -> str:
    start = names.get(fixed[0])
    if start is None:
        return f"its first part {fixed[0]!r} does not exist"
    path = ".".join([start.path, *fixed[1:]])
    queue = names.get(path)
    if queue is not None:
        return "a leaf has no queues below it" if queue.leaf is not None else ""
    if len(fixed) > 1 and creates_queues(names.get(path.rpartition(".")[0]), properties):
        return ""
    return "no parent on the path could have such a queue"


DEFAULT_QUEUE = "default"


class Placement(metaclass=State):
    """The rules in force, and the queues they look at."""

    names: QueueNames
    properties: Properties
    rules: Shared[list[MappingRule]]
    overrides: bool

    def __init__(self, properties: Properties, names: QueueNames) -> None:
        self.names = names
        self.properties = properties
        self.rules = read_rules(properties)
        self.overrides = properties.everywhere(MAPPINGS_OVERRIDE)
        check_rules(self.rules, names, properties)

    def place(self, requested: str, user: str, groups: Sequence[str], application: str) -> str | None:
        """The full path; None where it stays in the queue it asked for. Raises RefusedError if a rule rejects it."""
        if requested != DEFAULT_QUEUE and not self.overrides:
            return None
        variables = _Variables(self.names, requested, user, groups, application)
        for rule in self.rules:
            if not variables.match(rule):
                continue
            answer = self._follow(rule, variables)
            if answer == REJECT:
                raise RefusedError(YARN, "rejected by a mapping rule")
            if answer == PLACE_DEFAULT:
                return self._default(variables)
            if answer is not None:
                return answer
        return None

    def _follow(self, rule: MappingRule, variables: "_Variables") -> str | None:
        """A path, `reject`, `placeDefault`, or None for the next rule."""
        if rule.rejects:
            return REJECT
        if rule.new_default is not None:
            variables.values["%default"] = variables.fill(rule.new_default)
            return None
        path = self._existing(variables.fill_path(rule.target or ""), rule.create)
        if path is not None:
            return path
        return rule.fallback if rule.fallback in (REJECT, PLACE_DEFAULT) else None

    def _default(self, variables: "_Variables") -> str:
        path = self._existing(variables.fill_path("%default"), create=False)
        if path is None:
            raise RefusedError(YARN, "rejected by a mapping rule, as its default queue is not there")
        return path

    def _existing(self, path: str, create: bool) -> str | None:
        """The full path where there is a leaf or one may be made; None where not."""
        parts = path.split(".")
        while len(parts) > 1 and not parts[-1]:
            parts.pop()
        if "" in parts or path.endswith("."):
            return None
        if "." not in path:
            queue = self.names.get(path)
            return queue.path if queue is not None and queue.leaf is not None else None
        full, problem = path_problem(self.names, self.properties, path)
        if problem:
            return None
        queue = self.names.get(full)
        if queue is None:
            return full if create else None
        named = self.names.by_path.get(full)
        return full if named is None or named.leaf is not None else None


class _Variables:
    """The values of the rules' variables, for one application."""

    def __init__(self, names: QueueNames, requested: str, user: str, groups: Sequence[str], application: str) -> None:
        self.names = names
        self.user = user
        self.groups = groups
        cleaned = [group.replace(".", "_dot_") for group in groups]
        self.secondary_groups = cleaned[1:]
        self.values = {
            "%user": user.replace(".", "_dot_"),
            "%specified": "" if requested == DEFAULT_QUEUE else requested,
            "%application": application,
            "%default": "root.default",
        }
        if groups:
            self.values["%primary_group"] = cleaned[0]
            if not self.secondary_groups:
                self.values["%secondary_group"] = ""

    def match(self, rule: MappingRule) -> bool:
        wanted = self.fill(rule.matches)
        if rule.kind == "group":
            return wanted in self.groups
        if rule.kind == "user":
            return wanted == self.user
        return rule.kind == "all" or wanted == self.values["%application"]

    def fill(self, text: str) -> str:
        for name in sorted(self.values, key=len, reverse=True):
            text = text.replace(name, self.values[name])
        return text

    def fill_path(self, path: str) -> str:
        parts = path.split(".")
        while len(parts) > 1 and not parts[-1]:
            parts.pop()
        for index, part in enumerate(parts):
            if part in self.values:
                parts[index] = self.values[part]
            elif part == "%secondary_group" and self.groups:
                prefix = "".join(f"{before}." for before in parts[:index])
                found = (group for group in self.secondary_groups if self.names.get(prefix + group) is not None)
                parts[index] = next(found, "")
        return ".".join(parts)
