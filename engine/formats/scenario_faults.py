"""Words the faults that pydantic finds in a scenario as problems of its file.

The models refuse with paths through Python types; here they become problems with file, line, dotted key and the
nearest valid name.
"""

import re
import types
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from engine.errors import LISTED_UP_TO, Problem, nearest, quoted
from engine.formats.scenario_layers import Layers
from engine.formats.toml_lines import Path
from engine.scenario.timed_acts import OneOf

_MESSAGES: Final[Mapping[str, str]] = {
    "int_type": "is not a whole number",
    "int_parsing": "is not a whole number",
    "int_from_float": "is not a whole number",
    "float_type": "is not a number",
    "float_parsing": "is not a number",
    "string_type": "is not a text",
    "string_too_short": "is empty",
    "bool_type": "is neither true nor false",
    "bool_parsing": "is neither true nor false",
    "tuple_type": "is not a list",
    "dict_type": "is not a table",
    "model_type": "is not a table",
    "model_attributes_type": "is not a table",
    "timezone_aware": "has no time zone; write 2017-11-11T08:30:00+08:00",
    "datetime_type": "is no date and time; write 2017-11-11T08:30:00+08:00",
    "datetime_parsing": "is no date and time; write 2017-11-11T08:30:00+08:00",
    "datetime_from_date_parsing": "is no date and time; write 2017-11-11T08:30:00+08:00",
    "datetime_object_invalid": "is no date and time; write 2017-11-11T08:30:00+08:00",
    "finite_number": "is no finite number",
    "greater_than_equal": "is less than {ge}",
    "greater_than": "is not more than {gt}",
    "less_than_equal": "is more than {le}",
    "less_than": "is not less than {lt}",
}
"""pydantic's error type → what we say, with the bound it names."""


def problems_of(error: ValidationError, layers: Layers, model: type[BaseModel]) -> list[Problem]:
    """Every fault of a validation, in the order of the file, each place once."""
    found: dict[tuple[Path, str], Problem] = {}
    for detail in error.errors(include_url=False):
        path = _document_path(detail["loc"], layers.data, is_missing=detail["type"] == "missing")
        message, hint = _words(dict(detail), path, model, seeks_hint=len(found) < LISTED_UP_TO)
        key = ".".join(str(part) for part in path)
        origin = layers.origin(path)
        found.setdefault((path, message), Problem(message, origin.file, origin.line, key, hint))
    return sorted(found.values(), key=lambda problem: (problem.file, problem.line))


def _document_path(loc: tuple[int | str, ...], data: object, *, is_missing: bool) -> Path:
    """The part of an error's place that exists in the document, without the names of types and variants in it."""
    path: Path = ()
    for index, part in enumerate(loc):
        if _holds(data, part):
            data = data[part]  # type: ignore[index]  # just seen to hold it
        elif is_missing and index == len(loc) - 1:
            return (*path, part)
        else:
            continue
        path = (*path, part)
    return path


def _holds(data: object, part: int | str) -> bool:
    if isinstance(data, list):
        return isinstance(part, int) and part < len(data)
    return isinstance(data, dict) and part in data


def _words(detail: dict[str, Any], path: Path, model: type[BaseModel], *, seeks_hint: bool) -> tuple[str, str]:
    """(message, hint) for one error; nobody reads the hints of those that are only counted."""
    kind, value, context = detail["type"], detail.get("input"), detail.get("ctx", {})
    last = str(path[-1]) if path else ""
    if kind == "extra_forbidden":
        return "is no key of this table", nearest(last, _keys(model, detail["loc"][:-1])) if seeks_hint else ""
    if kind == "missing":
        return "is missing", ""
    if kind == "union_tag_not_found":
        return f"has no {str(context['discriminator']).strip(chr(39))}", ""
    if kind in ("union_tag_invalid", "literal_error"):
        valid = re.findall(r"'([^']*)'", str(context.get("expected_tags") or context.get("expected")))
        given = context["tag"] if "tag" in context else value if isinstance(value, str) else quoted(value)
        return f"{quoted(given)} is not one of {', '.join(valid)}", nearest(given, valid)
    if kind in ("value_error", "assertion_error"):
        return str(context["error"]), ""
    if kind in _MESSAGES:
        return f"{quoted(value)} {_MESSAGES[kind].format(**context)}", ""
    return f"{quoted(value)} is refused: {detail['msg'][:1].lower()}{detail['msg'][1:]}", ""


def _keys(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """The keys of the table at an error's place, in a file's spelling."""
    here: Any = model
    for part in loc:
        here = _inside(here, part)
    if isinstance(here, type) and issubclass(here, BaseModel):
        return [field.alias or name for name, field in here.model_fields.items()]
    return []


def _inside(annotation: Any, part: int | str) -> Any:
    """The type one step further along an error's place."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, field in annotation.model_fields.items():
            if part in (name, field.alias):
                return _plain(field.annotation)
        return None
    origin = get_origin(annotation)
    if origin is tuple:
        return _plain(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return next((_plain(member) for member in get_args(annotation) if part in _tags(member)), None)
    return None


def _plain(annotation: Any) -> Any:
    """A type without its constraints, and without the None it may be."""
    if get_origin(annotation) is Annotated:
        kind, *constraints = get_args(annotation)
        return _plain(next((each.tables for each in constraints if isinstance(each, OneOf)), kind))
    if get_origin(annotation) in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not types.NoneType]
        return _plain(members[0]) if len(members) == 1 else annotation
    return annotation


def _tags(member: Any) -> tuple[object, ...]:
    """The values of the key that tells this variant from its siblings."""
    for name in ("type", "do"):
        field = getattr(member, "model_fields", {}).get(name)
        if field is not None and get_origin(field.annotation) is Literal:
            return get_args(field.annotation)
    return ()
