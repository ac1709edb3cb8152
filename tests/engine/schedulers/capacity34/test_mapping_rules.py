"""Rules that place applications in the capacity scheduler of 3.4: what is refused when it starts, and why."""

import json
from typing import Any

import pytest

from engine.errors import ConfigError
from tests.build import resource_manager

PREFIX = "yarn.scheduler.capacity."
MAPPINGS, NAMES, FORMAT, JSON = (
    "queue-mappings",
    "yarn.scheduler.queue-placement-rules.app-name",
    "mapping-rule-format",
    "mapping-rule-json",
)

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
"""Leaves a, p.x and d.y; below m leaves are made."""


def refused(more: dict[str, str]) -> tuple[str, list[tuple[str, str]]]:
    """The exception, and (key, message) of each problem; nothing where a scheduler starts."""
    try:
        resource_manager(
            "capacity-3.4",
            settings={
                **QUEUES,
                **{key if key.startswith("yarn") else f"{PREFIX}{key}": text for key, text in more.items()},
            },
        )
    except ConfigError as error:
        return error.kind, [(one.key.removeprefix(PREFIX), one.message) for one in error.problems]
    return "", []


def by_json(*rules: Any) -> dict[str, str]:
    return {FORMAT: "json", JSON: json.dumps({"rules": rules})}


def rule(**fields: Any) -> dict[str, Any]:
    return {"type": "user", "matches": "*", "policy": "user", "parentQueue": "root.m", **fields}


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        (MAPPINGS, "u:ann", "'u:ann' is not a mapping"),
        (MAPPINGS, "u:ann:a:b", "'u:ann:a:b' is not a mapping"),
        (MAPPINGS, "u: :a", "'u: :a' is not a mapping"),
        (MAPPINGS, "u:a: ", "'u:a:' is not a mapping"),
        (MAPPINGS, "x:ann:a", "'x' is neither u nor g"),
        (NAMES, "etl", "'etl' is not a mapping"),
        (NAMES, "etl:a:b", "'etl:a:b' is not a mapping"),
        (FORMAT, "xml", "'xml' is neither legacy nor json"),
    ],
)
def test_a_mapping_that_is_none_is_refused(key: str, text: str, message: str) -> None:
    assert refused({key: text}) == ("IllegalArgumentException", [(key, message)])


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
    one = rule(matches="ann")
    assert refused(by_json(one, found, one)) == ("IllegalArgumentException", [(JSON, message)])


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
    found, problems = refused({FORMAT: "json", JSON: text})
    assert (found, [key for key, _ in problems]) == (kind, [JSON])


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
    found = rule(policy="custom", customPlacement=target, fallbackResult="skip")
    for key, more in ((MAPPINGS, {MAPPINGS: f"u:ann:{target}"}), (JSON, by_json(found))):
        if target or key == JSON:
            assert refused(more) == (("YarnException", [(key, f"{target!r}: {problem}")]) if problem else ("", []))
