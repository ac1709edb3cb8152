"""Checks a value against the part of JSON Schema that our schemas use."""

from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}
_USED = frozenset(
    {"$defs", "$id", "$ref", "$schema", "additionalProperties", "anyOf", "const", "default", "description"}
    | {"discriminator", "enum", "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxItems", "maximum"}
    | {
        "minItems",
        "minLength",
        "minimum",
        "oneOf",
        "properties",
        "required",
        "title",
        "type",
        "prefixItems",
        "maxLength",
    }
)


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], place: str = "") -> list[str]:
    """Each fault of a value with its place; empty where it is right. A keyword that is not known here is an error."""
    assert schema.keys() <= _USED, schema.keys() - _USED
    if "$ref" in schema:
        return faults(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, place)
    found = [f"{place}: {word}" for word, is_right in _plain(value, schema).items() if not is_right]
    for word in ("anyOf", "oneOf"):
        if word in schema:
            fits = [faults(value, each, root, place) for each in schema[word]]
            nearest = min(fits, key=len)
            found += nearest if all(fits) else []
    if isinstance(value, dict):
        found += _of_table(value, schema, root, place)
    if isinstance(value, list) and "items" in schema:
        found += [one for n, each in enumerate(value) for one in faults(each, schema["items"], root, f"{place}.{n}")]
    return found


def _plain(value: Any, schema: dict[str, Any]) -> dict[str, bool]:
    kind = schema.get("type")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    has_type = kind is None or (isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)))
    return {
        f"is no {kind}": has_type,
        "const": value == schema.get("const", value),
        "enum": value in schema.get("enum", [value]),
        "minimum": not is_number or value >= schema.get("minimum", value),
        "exclusiveMinimum": not is_number or value > schema.get("exclusiveMinimum", value - 1),
        "maximum": not is_number or value <= schema.get("maximum", value),
        "exclusiveMaximum": not is_number or value < schema.get("exclusiveMaximum", value + 1),
        "minLength": not isinstance(value, str) or len(value) >= schema.get("minLength", 0),
        "minItems": not isinstance(value, list) or len(value) >= schema.get("minItems", 0),
        "maxItems": not isinstance(value, list) or len(value) <= schema.get("maxItems", len(value)),
    }


def _of_table(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], place: str) -> list[str]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    found = [f"{place}.{key}: is missing" for key in schema.get("required", ()) if key not in value]
    for key, each in value.items():
        if key in known:
            found += faults(each, known[key], root, f"{place}.{key}")
        elif isinstance(others, dict):
            found += faults(each, others, root, f"{place}.{key}")
        elif not others:
            found.append(f"{place}.{key}: is not known")
    return found
