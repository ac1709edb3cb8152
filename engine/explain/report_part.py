"""Parts of answers, and the one way they are written as plain values for `--json`; schema 1.

Every field is a key of the same name without `_ms`: instants are epoch ms in a part, and in what is written ISO 8601
with ms and the offset of a place.
"""

from datetime import tzinfo
from typing import Any, Final

import msgspec

from engine.explain.remedy import Remedy, remedy_sentence
from engine.instants import iso_text

SCHEMA: Final = 1
"""Version of the form of an answer."""
INSTANT: Final = "_ms"


class Report(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of an answer; a field that has its default is not written."""

    def written(self, zone: tzinfo | None) -> dict[str, Any]:
        """The part as plain values, with instants of a place; None is this machine's."""
        return _written(self, zone)


def _written(struct: msgspec.Struct, zone: tzinfo | None) -> dict[str, Any]:
    omits = struct.__struct_config__.omit_defaults
    found = {}
    for field in msgspec.structs.fields(struct):
        value = getattr(struct, field.name)
        if value is msgspec.UNSET or (omits and value == field.default):
            continue
        is_instant = field.name.endswith(INSTANT) and isinstance(value, int)
        found[field.encode_name.removesuffix(INSTANT)] = iso_text(value, zone) if is_instant else _value(value, zone)
    return found


def _value(value: object, zone: tzinfo | None) -> object:
    if isinstance(value, Report):
        return value.written(zone)
    if isinstance(value, Remedy):
        return remedy_sentence(value)
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value) if value.__struct_config__.array_like else _written(value, zone)
    if isinstance(value, tuple):
        as_dict = getattr(value, "_asdict", None)  # a named tuple
        return as_dict() if as_dict is not None else [_value(each, zone) for each in value]
    return value


class OtherStart(Report, frozen=True, kw_only=True):
    """When somebody starts where an assumption is otherwise."""

    application: str
    starts_ms: int | None
    """None where not as far as was looked."""


class SensitivityReport(Report, frozen=True, kw_only=True):
    """An assumption that an answer hangs on, and what comes where it is otherwise."""

    assumed: str
    """The assumption, a sentence."""
    applications: tuple[str, ...] = ()
    """Whom it is about."""
    otherwise: str = ""
    """What they do otherwise, e.g. `runs on`; empty where that cannot be played, so that nothing is certain."""
    starts: tuple[OtherStart, ...] = ()
    """Those asked about whose start is another one then."""
    never: bool = True
    """True if those without a start never start then; else not within the time that was looked ahead."""
    looked: bool = True
    """False where there was no time to play it."""
