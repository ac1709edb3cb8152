"""Reads reports back from what `--json` writes, so that tests can write answers by hand as a user sees them."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, TypeVar

import msgspec
from pydantic import TypeAdapter

from engine.explain.obstacles import ReportBase
from engine.scenario import TimedAct
from engine.scenario.acts import Act, ScriptedAct

Kind = TypeVar("Kind", bound=ReportBase)

_ISO: Final = re.compile(r"\d{4}-\d\d-\d\dT")
_COUNTED: Final = re.compile(r"(?:\d+ of \d+ (node|worker)s: )?(.*)")
_INSTANTS: Final = frozenset(
    {"at", "from", "looked_until", "last_allocation", "over", "expected_start", "waiting_since", "returns", "formed"}
    | {"inevitable", "latest", "starts", "expected", "first", "last", "until", "promised", "finished"}
)


_ACT: Final[TypeAdapter[TimedAct]] = TypeAdapter(ScriptedAct)


def read_act(table: Mapping[str, Any]) -> Act:
    return _ACT.validate_python({"at": 0, **table}).act


def report_of(kind: type[Kind], written: dict[str, Any]) -> Kind:
    return msgspec.convert(_fields(written), kind, strict=False)


def _fields(written: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in written.items():
        if key == "sentence":
            count, answer = _COUNTED.match(value).groups()  # type: ignore[union-attr]  # it always matches
            found.update(answer=answer, noun=count or "")
        elif key == "step":
            act = {name: each for name, each in value.items() if name != "at"}
            found[key] = {"act": msgspec.to_builtins(read_act(act)), "at_s": value["at"]}
        elif key == "decided_by" and value is not None:
            found[key] = [value["key"], value["value"]]
        elif key in _INSTANTS and not isinstance(value, list):
            found[f"{key}_ms"] = _instant(value)
        else:
            found[key] = _value(value)
    return found


def _value(value: object) -> object:
    if isinstance(value, dict):
        return _fields(value)
    return [_value(each) for each in value] if isinstance(value, list) else value


def _instant(value: object) -> object:
    is_written = isinstance(value, str) and _ISO.match(value)
    return round(datetime.fromisoformat(str(value)).timestamp() * 1000) if is_written else value
