"""Reads tables of settings: a line for each, and under it, further in, the sentence that explains it.

node-locality-delay | integer | -1 | offers | CapacitySchedulerConfiguration#getNodeLocalityDelay | shown=none
The offers that an ask lets pass while it waits for its node; -1 waits for none.
"""

from collections.abc import Mapping
from typing import Any, Final

from engine.settings.table import DOUBLE, FLAG, INTEGER, LONG, SINGLE, TEXT, Key, SettingEntry, ValueKind

_KINDS: Final[Mapping[str, ValueKind[Any]]] = {
    "text": TEXT,
    "flag": FLAG,
    "integer": INTEGER,
    "long": LONG,
    "single": SINGLE,
    "double": DOUBLE,
}


def rows(table: str, prefix: str = "", short: Mapping[str, str] | None = None) -> tuple[SettingEntry, ...]:
    """The settings of a table; `short` are beginnings of names and sources that it writes as `$a`."""
    for sign, text in (short or {}).items():
        table = table.replace(sign, text)
    lines = table.strip("\n").split("\n")
    entries: list[SettingEntry] = []
    while lines:
        name, kind, default, unit, source, *more = map(str.strip, lines.pop(0).split("|"))
        meaning = []
        while lines and lines[0].startswith("    "):
            meaning.append(lines.pop(0).strip())
        options: dict[str, Any] = dict(one.split("=", 1) for one in more)
        options |= {key: False for key in ("listed",) if key in options}
        entry = SettingEntry(
            Key(name, prefix), default, " ".join(meaning), unit, _KINDS[kind], source=source, **options
        )
        entries.append(entry)
    return tuple(entries)
