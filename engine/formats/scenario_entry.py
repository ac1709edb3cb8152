"""Writes one entry of a scenario file: `[[workload]]` and a line for each key."""

from collections.abc import Container
from typing import Any, Final

import tomli_w
from pydantic import BaseModel

from engine.formats.scenario_toml import table_of, value_of

_WIDTH: Final = 100
"""A list that is longer stands one item a line."""


def entry(header: str, part: BaseModel) -> list[str]:
    """The lines of an entry, what is as by default left out.

    >>> from engine.scenario.cluster import NodeSpec
    >>> entry("cluster.nodes", NodeSpec(host="n1", memory=2048, vcores=2))
    ['[[cluster.nodes]]', 'host = "n1"', 'memory = "2g"', 'vcores = 2']
    """
    lines = [f"[[{header}]]"]
    for key, value in sorted(table_of(part), key=lambda pair: pair[0] != "type"):  # what it is goes first
        lines += _pair(key, value)
    return lines


def defaults(part: BaseModel, *, without: Container[str] = ()) -> list[str]:
    """The keys an entry leaves out, with what they are then; those that are then nothing are left out.

    `without` names keys that mean nothing to this entry.
    """
    stated = {key for key, _ in table_of(part)}
    plain = type(part).model_construct()
    found = []
    for name, field in type(part).model_fields.items():
        key, value = field.alias or name, getattr(plain, name, None)
        if key not in stated and key not in without and not field.is_required() and value not in (None, "", (), False):
            found += _pair(key, value_of(name, value))
    return found


def _pair(key: str, value: Any) -> list[str]:
    whole = f"{key} = {_inline(value)}"
    if len(whole) <= _WIDTH or not isinstance(value, list):
        return [whole]
    return [f"{key} = [", *(f"  {_inline(item)}," for item in value), "]"]


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{key} = {_inline(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_inline(item) for item in value)}]"
    return tomli_w.dumps({"k": value}).removeprefix("k = ").rstrip("\n")
