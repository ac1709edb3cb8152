"""Kinds of values: how an attribute of a row is compared, shown in a table, and typed into a filter."""

from collections.abc import Callable
from typing import Any, NamedTuple

from engine.observe.snapshot import Unknown, known
from engine.units import parse_duration, parse_memory, parse_whole
from tui import format as text
from tui import glyphs
from tui.render.hue import hue_of
from tui.render.line import Look, Spans
from tui.render.table import Cell

Value = str | int | None  # None is nothing to compare: it matches no comparison and is sorted last


class FieldKind(NamedTuple):
    """Compares, shows and reads the values of a field."""

    value: Callable[[Any, Look], Value]
    """What an attribute of a row is compared by."""
    cell: Callable[[Any, Look], Cell]
    """An attribute as a table shows it."""
    parse: Callable[[str], int] | None = None
    """Reads the bound of a comparison; None for words, which are searched."""
    firsts: tuple[str, str] = ("A first", "Z first")
    """What stands first in an order, and in the order turned round."""


def at(amounts: Any, place: int) -> int | None:
    """One dimension of an amount; None where there is no such dimension."""
    return amounts[place] if isinstance(amounts, tuple) and len(amounts) > place else None


def since(instant_ms: Any, look: Look) -> int | None:
    """Tells how long ago [ms]; None where the instant is not known."""
    return look.now_ms - instant_ms if isinstance(instant_ms, int) else None


def queue_cell(path: str, look: Look) -> Spans:
    """A queue with the dot in its hue."""
    return [(f"{glyphs.QUEUE_DOT} ", hue_of(path, look)), (text.plain(text.short_queue(path)), "text")]


def share_cell(amounts: Any, look: Look) -> tuple[str, str]:
    """The first dimension of an amount; `?` where it is not known, a dash where there is none."""
    if isinstance(amounts, Unknown):
        return "?", "faint"
    return (text.dimension(look.dimensions[0], amounts[0]) if amounts else glyphs.NONE), "text"


def _as_it_is(value: Any, look: Look) -> Value:
    words: Value = value
    return words


TEXT = FieldKind(_as_it_is, lambda value, look: (text.plain(value), "text"))  # Words
ID = FieldKind(_as_it_is, lambda value, look: (text.short_id(value), "text"), firsts=("lowest first", "highest first"))
"""The id of an application; a table shows its number."""
NODE_NAME = FieldKind(_as_it_is, lambda value, look: (look.node_name(value), "text"))
"""The id of a node; a table leaves out its port, and what all names begin with."""
PATH = FieldKind(_as_it_is, queue_cell)  # The path of a queue
_MOST = ("most first", "least first")
COUNT = FieldKind(lambda value, look: known(value), lambda value, look: (text.count(value), "text"), parse_whole, _MOST)
"""A number."""
SOME = COUNT._replace(cell=lambda value, look: ("" if value == 0 else text.count(value), "text"))
"""A number; a table leaves out none."""
MEMORY = FieldKind(lambda value, look: at(value, 0), share_cell, parse_memory, _MOST)
"""The first dimension of an amount [MB]."""
SECOND = FieldKind(
    lambda value, look: at(value, 1),
    lambda value, look: (str(value[1]) if len(value) > 1 else "", "text"),
    parse_whole,
    _MOST,
)
"""The second dimension of an amount."""
AMOUNTS = MEMORY._replace(cell=lambda value, look: (text.amounts(value, look.dimensions), "text"))
"""An amount: compared by its first dimension [MB], shown with all."""
SPAN = FieldKind(
    since,
    lambda value, look: (text.age(value, look.now_ms), "text"),
    parse_duration,
    ("longest first", "shortest first"),
)
"""How long ago an instant is [ms]."""
