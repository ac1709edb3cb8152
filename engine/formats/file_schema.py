"""JSON Schema of the files people write, made of their models, so that editors complete and check them.

A file names its schema in its first lines: `#:schema scenario-1.schema.json`. The number is raised when a file that
was right is refused.
"""

import ast
import inspect
import sys
import tomllib
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, Final

import msgspec
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from engine.formats.scenario_toml import value_of
from engine.scenario import acts
from engine.scenario.acts import TimedAct
from engine.scenario.catalogue import CatalogueGroup, Preview

# Reads what is said of the packaged scenarios where one is chosen.
#
# `scenarios/chooser/catalogue.toml` is written by hand; `previews.json` beside it is what playing each scenario
# showed, written by `python -m tests.previews`.


def catalogue() -> tuple[CatalogueGroup, ...]:
    text = (files("scenarios") / "chooser" / "catalogue.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["groups"], tuple[CatalogueGroup, ...])


def previews() -> dict[str, Preview]:
    return msgspec.json.decode((files("scenarios") / "chooser" / "previews.json").read_bytes(), type=dict[str, Preview])


VERSION: Final = 1
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_FILES: Final[dict[str, dict[str, Any]]] = {
    "extends": {"type": "string", "description": "The scenario that this file changes: a packaged name, or a file."},
    "set": {"type": "object", "description": "Single keys of the result: dotted key to value."},
    "allocations_file": {"type": "string", "description": "A fair-scheduler.xml beside this file."},
    "yarn_site": {"type": "string", "description": "A yarn-site.xml beside this file; `settings` go before it."},
    "workload_file": {"type": "string", "description": "More applications, one JSON object a line."},
}
"""Keys of a file that its reader replaces by what they name."""


def file_schema(model: type[BaseModel], kind: str) -> dict[str, Any]:
    """The schema of a file whose tables are those of a model. `kind` says what the file is, as in `scenario`."""
    schema = model.model_json_schema(schema_generator=_FileSchema)
    needed = [key for key in schema.pop("required", []) if key != "cluster"]
    return {
        "$schema": DIALECT,
        "$id": f"urn:schedlab:{kind}:{VERSION}",
        **schema,
        "title": f"A {kind} of schedlab",
        "properties": {**_FILES, **schema["properties"]},
        "required": needed,
        "anyOf": [{"required": ["cluster"]}, {"required": ["extends"]}],
    }


def _field_words(model: type[BaseModel]) -> dict[str, str]:  # Fields without any are left out
    found: dict[str, str] = {}
    for kind in reversed(model.__mro__):
        # The table of an act is made of the act's struct, whose name it has.
        module = acts.__name__ if kind.__base__ is TimedAct else kind.__module__
        found |= _words_of(module).get(kind.__name__, {})
    return {name: words for name, words in found.items() if name in model.model_fields}


@cache
def _words_of(module: str) -> dict[str, dict[str, str]]:
    """Class of one of our modules → the sentences below its fields, of its source."""
    if not module.startswith("engine."):
        return {}
    classes = ast.parse(inspect.getsource(sys.modules[module])).body
    return {each.name: _below_fields(each.body) for each in classes if isinstance(each, ast.ClassDef)}


def _below_fields(body: list[ast.stmt]) -> dict[str, str]:
    return {
        field.target.id: inspect.cleandoc(below.value.value)
        for field, below in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
    }


class _FileSchema(GenerateJsonSchema):  # Sentences beside fields, defaults with units, files in the place of their text
    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        made = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        properties = made.get("properties", {})
        words = _field_words(model)
        for name, field in model.model_fields.items():
            of_field = properties[field.alias or name]
            of_field.pop("title", None)
            if name in words:
                of_field["description"] = words[name]
            forms = [form for form in of_field.pop("anyOf", ()) if form != {"type": "null"}]  # TOML has no null
            of_field |= {"anyOf": forms} if len(forms) > 1 else forms[0] if forms else {}
            _write_default(of_field, name)
        if "allocations" in made.get("required", ()):
            made["required"].remove("allocations")
            properties["allocations_file"] = _FILES["allocations_file"]
        return made


def _write_default(of_field: dict[str, Any], name: str) -> None:
    if of_field.get("default", ()) is None:
        del of_field["default"]
    elif isinstance(of_field.get("default"), str | int | float):
        of_field["default"] = value_of(name, of_field["default"])
