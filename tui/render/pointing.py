"""What the mouse points at: the field of a column's head. Pure functions."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from tui.render.line import PlacedColumn

_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "#CONT": ("containers",),
    "#EXEC": ("containers",),
    "#PEND": ("pending",),
    "#RCONT": ("reserved",),
    "#RES": ("reserved",),
    "ASK": ("pending",),
    "CONT": ("container", "containers"),
    "CORES": ("vcores", "cores"),
    "CORES OF ALL": ("vcores",),
    "EXEC": ("containers",),
    "GOT/WANTS": ("vcores",),
    "MEM": ("memory",),
    "MEMORY": ("memory", "used"),
    "PRIO": ("priority",),
    "RES": ("rmemory",),
    "RESERVED BY": ("app",),
    "RUN/WAIT": ("waiting",),
    "SIZE": ("size", "memory"),
    "USED": ("used", "memory"),
    "VC": ("vcores",),
    "VC/FAIR": ("vcores",),
    "WAITS": ("wait",),
    "WORKER": ("node",),
}
"""Title of a column → the fields it may show, the first that a pane has counts; other titles are fields themselves."""


def column_at(placed: Sequence[PlacedColumn[Any]], cell: int) -> str:
    """The title of the column at a cell; empty beside the columns."""
    end = 0
    for one in placed:
        end += one.width + 1
        if 0 <= cell < end:
            return one.column.title
    return ""


def field_of(title: str, fields: Collection[str]) -> str:
    """The field to sort by for a column's title; empty where there is none.

    >>> field_of("MEM", ["app", "memory"]), field_of("APP", ["app"]), field_of("HEARD", ["node"])
    ('memory', 'app', '')
    """
    some = (*_FIELDS.get(title, ()), title.lower())
    return next((name for name in some if name in fields), "")
