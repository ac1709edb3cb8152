"""Rules that place applications: both forms as they are read, what is refused, and which paths a rule may mean."""

import json
from typing import Any

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.schedulers.capacity.properties import Properties, Refusals
from engine.schedulers.capacity34.dynamic_queues import CapacityTree
from engine.schedulers.capacity34.placement import (
    JSON_RULES,
    MAPPINGS,
    PLACE_DEFAULT,
    REJECT,
    SKIP,
    MappingRule,
    check_rules,
    path_problem,
    read_rules,
)
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from engine.settings.capacity import CAPACITY_34, NAME_MAPPINGS
from tests.build import resource_manager

PREFIX = "yarn.scheduler.capacity."
FORMAT = f"{PREFIX}mapping-rule-format"


def read(values: dict[str, str]) -> tuple[list[MappingRule], list[tuple[str, str, str]]]:
    """The rules of some properties, and (exception, message, key) of each refusal."""
    properties = Properties(values, Refusals(), CAPACITY_34)
    rules = read_rules(properties)
    noted = properties.refusals.noted.items()
    return rules, [(kind, problem.message, problem.key) for problem, kind in noted]


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        (MAPPINGS, "u:ann", "'u:ann' is not a mapping"),
        (MAPPINGS, "u:ann:a:b", "'u:ann:a:b' is not a mapping"),
        (MAPPINGS, "u: :a", "'u: :a' is not a mapping"),
        (MAPPINGS, "u:a: ", "'u:a:' is not a mapping"),
        (MAPPINGS, "x:ann:a", "'x' is neither u nor g"),
        (NAME_MAPPINGS.name, "etl", "'etl' is not a mapping"),
        (NAME_MAPPINGS.name, "etl:a:b", "'etl:a:b' is not a mapping"),
        (FORMAT, "xml", "'xml' is neither legacy nor json"),
    ],
)
def test_a_mapping_that_is_none_is_refused(key: str, text: str, message: str) -> None:
    rules, refused = read({key: text})
    assert (rules, refused) == ([], [("IllegalArgumentException", message, key)])


def rule(**fields: Any) -> dict[str, Any]:
    return {"type": "user", "matches": "*", "policy": "user", **fields}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, MappingRule("all", "*", "%user")),
        ({"matches": "ann"}, MappingRule("user", "ann", "%user")),
        ({"type": "application", "matches": "*"}, MappingRule("application", "*", "%user")),
        (
            {"type": "group", "matches": "staff", "policy": "primaryGroup"},
            MappingRule("group", "staff", "%primary_group"),
        ),
        (
            {"policy": "primaryGroupUser", "parentQueue": "root.p"},
            MappingRule("all", "*", "root.p.%primary_group.%user"),
        ),
        ({"policy": "applicationName", "create": False}, MappingRule("all", "*", "%application", create=False)),
        ({"create": None, "fallbackResult": "reject"}, MappingRule("all", "*", "%user", True, REJECT)),
        ({"fallbackResult": None}, None),
        ({"policy": "reject", "fallbackResult": "placeDefault"}, MappingRule("all", "*", None, rejects=True)),
        ({"policy": "setDefaultQueue", "value": "root.a"}, MappingRule("all", "*", None, new_default="root.a")),
        (
            {"policy": "defaultQueue", "fallbackResult": "placeDefault", "create": True},
            MappingRule("all", "*", "%default", False, PLACE_DEFAULT),
        ),
        ({"policy": "specified", "parentQueue": "root.p"}, MappingRule("all", "*", "%specified")),
        ({"policy": "custom", "customPlacement": "root.%user"}, MappingRule("all", "*", "root.%user", True, SKIP)),
    ],
)
def test_a_rule_in_json_says_where_to_place(fields: dict[str, Any], expected: MappingRule | None) -> None:
    """Its policy is a path with variables, below a parent where it names one."""
    rules, refused = read({FORMAT: "json", JSON_RULES: json.dumps({"rules": [rule(**fields)]})})
    assert rules == ([] if expected is None else [expected])
    assert bool(refused) == (expected is None)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (7, "a rule is not an object"),
        (rule(policy=""), "a rule has no policy"),
        ({"policy": "user", "matches": "*"}, "a rule has no type"),
        ({"policy": "user", "type": "user"}, "a rule has no matches"),
        (rule(policy="guess"), "there is no policy 'guess'"),
        (rule(type="host"), "'host' is not a type of rule"),
        (rule(type="group"), "a rule for groups cannot match *"),
        (rule(policy="custom"), "a custom rule has no customPlacement"),
        (rule(policy="setDefaultQueue"), "a setDefaultQueue rule has no value"),
        (rule(fallbackResult="wait"), "'wait' is not a fallbackResult"),
    ],
)
def test_a_rule_that_is_none_is_refused_alone(found: Any, message: str) -> None:
    text = json.dumps({"rules": [rule(matches="ann"), found, rule(matches="bob")]})
    rules, refused = read({FORMAT: "json", JSON_RULES: text})
    assert [each.matches for each in rules] == ["ann", "bob"]
    assert refused == [("IllegalArgumentException", message, JSON_RULES)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"rules": [', "JsonEOFException"),
        ('{"rules": [}', "JsonParseException"),
        ('{"rules": NaN}', "JsonParseException"),
        ("[1]", "MismatchedInputException"),
    ],
)
def test_what_is_no_json_is_refused_as_by_the_parser(text: str, kind: str) -> None:
    rules, refused = read({FORMAT: "json", JSON_RULES: text})
    assert (rules, [(each[0], each[2]) for each in refused]) == ([], [(kind, JSON_RULES)])


QUEUES = {
    f"{PREFIX}{key}": value
    for key, value in {
        "root.queues": "a,p,m,d",
        "root.a.capacity": "25",
        "root.p.capacity": "25",
        "root.p.queues": "x",
        "root.p.x.capacity": "100",
        "root.m.capacity": "25",
        "root.m.auto-create-child-queue.enabled": "true",
        "root.m.leaf-queue-template.capacity": "10",
        "root.d.capacity": "25",
        "root.d.queues": "y",
        "root.d.y.capacity": "100",
    }.items()
}


def tree() -> CapacityTree:
    """Leaves a, p.x and d.y; below m leaves are made."""
    rm: ResourceManager = resource_manager("capacity-3.4", settings=QUEUES)
    policy = rm.scheduler.policy
    assert isinstance(policy, CapacityScheduler34)
    return policy.tree


@pytest.mark.parametrize(
    ("path", "full", "problem"),
    [
        ("a", "root.a", ""),
        ("x", "root.p.x", ""),
        ("p.x", "root.p.x", ""),
        ("root.p.x", "root.p.x", ""),
        ("m.new", "root.m.new", ""),
        ("gone", "gone", "its first part 'gone' does not exist"),
        ("gone.x", "gone.x", "its first part 'gone' does not exist"),
        ("p.new", "root.p.new", "queues are not created below its parent"),
        ("a.new", "root.a.new", "queues are not created below its parent"),
        ("p.new.leaf", "root.p.new.leaf", "its parent is not there and cannot be made"),
        ("m.new.leaf", "root.m.new.leaf", "its parent is not there and cannot be made"),
    ],
)
def test_a_path_means_a_queue_that_is_there_or_can_be_made(path: str, full: str, problem: str) -> None:
    one = tree()
    assert path_problem(one.names, one.properties, path) == (full, problem)


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("a", ""),
        ("root.p", "it is not a leaf"),
        ("", "the path is empty"),
        ("root..a", "a part is empty"),
        ("%user", ""),
        ("m.%user", ""),
        ("p.%user", ""),
        ("a.%user", "a leaf has no queues below it"),
        ("gone.%user", "its first part 'gone' does not exist"),
        ("m.new.%user", ""),
        ("p.new.%user", "no parent on the path could have such a queue"),
        ("p.new.other.%user", "no parent on the path could have such a queue"),
    ],
)
def test_a_target_has_to_be_one_that_could_be_there(target: str, problem: str) -> None:
    """As far as it has no variables; the key of the refusal is that of the rule's form."""
    one = tree()
    for fallback, key in ((PLACE_DEFAULT, MAPPINGS), (SKIP, JSON_RULES)):
        one.properties.refusals = Refusals()
        check_rules([MappingRule("all", "*", target, fallback=fallback)], one.names, one.properties)
        found = [(kind, each.message, each.key) for each, kind in one.properties.refusals.noted.items()]
        assert found == ([("YarnException", f"{target!r}: {problem}", key)] if problem else [])
