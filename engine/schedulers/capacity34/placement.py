"""Places an application in a queue by the mapping rules.

Source: CSMappingPlacementRule, VariableContext, MappingRuleMatchers, Hadoop 3.4.1.
"""

from collections.abc import Sequence

from engine.errors import RefusedError
from engine.schedulers.capacity.properties import Properties
from engine.schedulers.capacity34.mapping_rules import (
    PLACE_DEFAULT,
    REJECT,
    YARN,
    MappingRule,
    check_rules,
    path_problem,
    read_rules,
)
from engine.schedulers.capacity34.tree import QueueNames
from engine.settings.capacity_scheduler import MAPPINGS_OVERRIDE
from engine.state import Shared, State

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
        """The full path of the queue; None where the rules leave the application in the queue it asked for.

        Raises:
            RefusedError: A rule rejects it.
        """
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
        """Tell whether a rule is about this application."""
        wanted = self.fill(rule.matches)
        if rule.kind == "group":
            return wanted in self.groups
        if rule.kind == "user":
            return wanted == self.user
        return rule.kind == "all" or wanted == self.values["%application"]

    def fill(self, text: str) -> str:
        """A text with its variables replaced, longer names first."""
        for name in sorted(self.values, key=len, reverse=True):
            text = text.replace(name, self.values[name])
        return text

    def fill_path(self, path: str) -> str:
        """A path with the parts that are variables replaced."""
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
