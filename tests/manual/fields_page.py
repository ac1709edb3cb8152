"""The pages of the fields of scenarios and drills, of the schemas that editors use."""

import re
from collections.abc import Mapping
from typing import Any

from engine.formats.file_schema import file_schema
from engine.scenario import MEASURES, Scenario
from engine.training.drill import drill_model
from tests.manual.markdown import cell, code, page, table

SCENARIO = """\
A scenario is a TOML file. A duration is `"1h30m"` or a number of seconds, an instant `"09:00"`, `"+30m"` or seconds
after the start, memory `"64g"` or a number of MB. `schedlab check --schema scenario` prints the JSON Schema of it;
editors complete and check a file that names it in a line `#:schema scenario-1.schema.json`."""
DRILL = """\
A drill is a scenario with a table `[drill]`. Its instants count from `begins`. All other keys are those of a
[scenario](scenario.md)."""


def scenario_page() -> str:
    """The tables of a scenario, each with its fields."""
    return page("Fields of a scenario", SCENARIO, *_tables(file_schema(Scenario, "scenario"), "Scenario"))


def drill_page() -> str:
    known = file_schema(Scenario, "scenario")["$defs"]
    schema = file_schema(drill_model(), "drill")
    own = {name: each for name, each in schema["$defs"].items() if name not in known}
    text = page("Fields of a drill", DRILL, *_tables({**schema, "$defs": own}, ""))
    here = {name.lower() for name in own}
    return re.sub(r"\]\(#(\w+)\)", lambda found: found[0] if found[1] in here else f"](scenario.md#{found[1]})", text)


def _tables(schema: Mapping[str, Any], top: str) -> list[str]:
    found = [_table(top, schema)] if top else []
    return [*found, *(_table(name, each) for name, each in schema["$defs"].items())]


def _table(name: str, schema: Mapping[str, Any]) -> str:
    needed = schema.get("required", ())
    rows = [
        (code(key), _form(each), "required" if key in needed else _default(each), _meaning(each))
        for key, each in schema["properties"].items()
    ]
    words = schema.get("description", "").replace("<", "&lt;")
    return "\n".join([f"## {name}", "", words, "", table(("key", "value", "default", "meaning"), rows)])


def _meaning(schema: Mapping[str, Any]) -> str:
    """Its sentences, and the tables that may stand there, each by the word that tells which."""
    items = schema.get("items", schema)
    choices = items.get("discriminator", {}).get("mapping", {})
    links = ", ".join(f"[`{word}`](#{_name(place)})" for word, place in choices.items())
    return " ".join([cell(schema.get("description", "")), *([f"One of {links}."] if links else [])])


def _name(place: str) -> str:
    return place.rpartition("/")[2].lower()


def _default(schema: Mapping[str, Any]) -> str:
    if schema.get("default", "") in ("", [], {}):
        return ""
    return code(str(schema["default"]).replace("{", "{ ").replace("}", " }").replace("'", ""))


def _form(schema: Mapping[str, Any]) -> str:
    """What may be written there, in a few words."""
    if "$ref" in schema:
        return f"[{schema['$ref'].rpartition('/')[2]}](#{_name(schema['$ref'])})"
    if "enum" in schema or "const" in schema:
        return ", ".join(code(str(each)) for each in schema.get("enum", [schema.get("const")]))
    if "discriminator" in schema:
        return f"table, told by {code(schema['discriminator']['propertyName'])}"
    if schema.get("type") == "array":
        return f"list: {_form(schema.get('items', {}))}"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_form(each) for each in schema["anyOf"]))
    kind = str(schema.get("type", "any"))
    return "table" if kind == "object" else kind


def measures_page() -> str:
    """What expectations, goals, clues and alarms may ask."""
    parts = [
        f"## of {subject}\n\n" + table(("what", "meaning"), ((code(key), cell(words)) for key, words in each.items()))
        for subject, each in MEASURES.items()
    ]
    about = "What an expectation of a scenario, a goal or a clue of a drill may name in `what`, by the subject in `of`."
    return page("Measures", about, *parts)
