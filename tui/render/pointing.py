"""What the mouse points at: the field of a column's head. Pure functions."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from tui import glyphs
from tui.render.arrangement import Arrangement
from tui.render.field import TEXT, Criteria
from tui.render.table import Column, PlacedColumn

_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "ASKED": ("pending",),
    "ASKS": ("pending",),
    "HAS": ("containers",),
    "SHARE": ("memory", "share"),
    "SHORT": ("short",),
    "VCORES": ("vcores",),
    "CONT": ("container", "containers"),
    "CORES": ("vcores", "cores"),
    "CORES OF ALL": ("vcores",),
    "EXEC": ("containers",),
    "MEM": ("memory",),
    "MEMORY": ("memory", "used"),
    "PRIO": ("priority",),
    "RESERVED": ("reserved", "rmemory"),
    "RESERVED BY": ("app",),
    "RELEASED BY": ("released",),
    "RUN/WAIT": ("waiting",),
    "SIZE": ("size", "memory"),
    "USED": ("used", "memory"),
    "VC/FAIR": ("vcores",),
    "WAITS": ("wait",),
    "WORKER": ("node",),
}
"""Title of a column → the fields it may show, the first that a pane has counts; other titles are fields themselves."""


def column_at(placed: Sequence[PlacedColumn[Any]], cell: int) -> str:
    """The title of the column at a cell; empty beside the columns."""
    end = 0
    for one in placed:
        end += one.gap + one.width
        if 0 <= cell < end:
            return one.column.title
    return ""


def sorted_by(columns: Sequence[Column[Any]], criteria: Criteria, arrangement: Arrangement) -> tuple[str, str]:
    """The title of the column that rows are sorted by, and the arrow that says which way; empty where nobody sorts."""
    field = next((one for one in criteria.fields if one.name == arrangement.sort), None)
    if field is None:
        return "", glyphs.UP if arrangement.reverse else ""
    titles = (column.title for column in columns)
    title = next((title for title in titles if field_of(title, [field.name])), "")
    is_downward = (field.kind != TEXT) != arrangement.reverse
    return title, glyphs.DOWN if is_downward else glyphs.UP


def field_of(title: str, fields: Collection[str]) -> str:
    """The field to sort by for a column's title; empty where there is none.

    >>> field_of("MEM", ["app", "memory"]), field_of("APP", ["app"]), field_of("HEARD", ["node"])
    ('memory', 'app', '')
    """
    some = (*_FIELDS.get(title, ()), title.lower())
    return next((name for name in some if name in fields), "")
