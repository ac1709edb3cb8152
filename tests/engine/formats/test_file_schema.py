"""The JSON Schema of a file: its head, what each field says of itself, and forms that a TOML file can have."""

from collections.abc import Iterator
from typing import Any

from engine.formats.file_schema import DIALECT, field_words, file_schema
from engine.scenario import MapReduceSpec, Scenario
from engine.scenario.expectations import Expectation


def tables(value: object) -> Iterator[dict[str, Any]]:
    """Every table of a schema."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from tables(each)


def test_a_schema_says_which_file_it_is_of() -> None:
    """A cluster is needed, or a file that has one; other files may be named."""
    schema = file_schema(Scenario, "scenario")

    assert {key: schema[key] for key in ("$schema", "$id", "title", "required", "anyOf")} == {
        "$schema": DIALECT,
        "$id": "urn:schedlab:scenario:1",
        "title": "A scenario of schedlab",
        "required": [],
        "anyOf": [{"required": ["cluster"]}, {"required": ["extends"]}],
    }
    files = {"extends", "set", "allocations_file", "yarn_site", "workload_file"}
    assert files | {"cluster", "workload"} <= schema["properties"].keys()


def test_fields_say_what_stands_below_them() -> None:
    """Those of the classes above, too; a field with nothing below has no words."""
    words = field_words(Expectation)
    assert words["within_ms"] == "Comes true within so long after `since`."
    assert "state" not in words
    assert words.keys() <= Expectation.model_fields.keys()
    assert field_words(MapReduceSpec).keys() >= {"number", "slow_start"}
    schema = file_schema(Scenario, "scenario")
    of_field = schema["$defs"]["Expectation"]["properties"]["within"]
    assert of_field["description"] == words["within_ms"]


def test_a_schema_has_what_a_file_can_have() -> None:
    """No null, no single form in a list of forms, no titles of fields; defaults have their units."""
    schema = file_schema(Scenario, "scenario")

    for table in tables(schema):
        assert {"type": "null"} not in table.get("anyOf", ())
        assert len(table.get("anyOf", (1, 2))) > 1
        assert table.get("default", 0) is not None
    properties = [
        schema["properties"],
        *(each["properties"] for each in schema["$defs"].values() if "properties" in each),
    ]
    assert all("title" not in field for each in properties for field in each.values())
    assert schema["properties"]["duration"]["default"] == "1h"
    assert schema["$defs"]["Expectation"]["properties"]["since"]["default"] == "0s"


def test_a_field_that_may_be_missing_has_the_form_of_its_value() -> None:
    """One form as it is, several as a choice."""
    properties = file_schema(Scenario, "scenario")["$defs"]["StandaloneSpec"]["properties"]

    assert properties["cores_max"]["type"] == "integer"
    assert properties["driver"]["$ref"] == "#/$defs/Size"
    assert all({"type", "$ref", "anyOf", "const", "enum", "oneOf"} & each.keys() for each in properties.values())
