"""What the mouse points at: the action of a place in the header, the field of a column's head. Pure functions."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from tui.render.line import PlacedColumn, Spans, length

_CALLS: Final = (
    (re.compile(r"PAST"), "board.leave"),
    (re.compile(r"PAUSED|END|STOPPED|^\S x[\d.]|^\S max$"), "clock.toggle_pause"),
    (re.compile(r"^P |^preemption "), "cluster_acts.toggle_preemption"),
    (re.compile(r"^R |^reservation "), "cluster_acts.cycle_reservation"),
    (re.compile(r"^O |^spread-out "), "cluster_acts.toggle_spread_out"),
    (re.compile(r"^! "), "program.alerts"),
    (re.compile(r"^ \S.* \[$"), "navigation.show('nodes')"),
    (re.compile(r"^apps $"), "navigation.show('applications')"),
    (re.compile(r"^\s*(nodes|workers) $"), "navigation.show('nodes')"),
    (re.compile(r"^\s*(cont|exec) $"), "navigation.show('containers')"),
    (re.compile(r"^\s*reserved $"), "navigation.show('reservations')"),
)
"""What a span of the header says → what a click on it, or on what follows it, does."""


def header_call(spans: Spans, cell: int) -> str:
    """The action a click on a cell of a header line means; empty where it means none."""
    call, end = "", 0
    for words, style in spans:
        call = next((each for pattern, each in _CALLS if pattern.search(words)), call)
        is_between = not words.strip(" |") and style in {"dim", "plain"}
        end += length([(words, style)])
        if cell < end:
            return "" if is_between else call
        call = "" if is_between else call
    return ""


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
