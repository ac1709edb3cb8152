"""Scenarios to choose from: name and title, and in the strip what each shows."""

from typing import NamedTuple

from tui import format as text
from tui.render.line import Column, Look, Span, Spans


class ScenarioEntry(NamedTuple):
    """One scenario in the picker."""

    name: str
    title: str
    about: str
    """What it shows and what to watch; may have several lines."""


def identity(row: ScenarioEntry) -> str:
    """What the cursor holds on to."""
    return row.name


def _name(row: ScenarioEntry, look: Look, width: int) -> Span:
    return row.name, "strong"


def _title(row: ScenarioEntry, look: Look, width: int) -> Span:
    return text.plain(row.title), "plain"


COLUMNS: tuple[Column[ScenarioEntry], ...] = (
    Column("SCENARIO", 32, 0, _name),
    Column("WHAT IT SHOWS", 30, 1, _title, grow=1),
)


def details(row: ScenarioEntry, look: Look) -> list[Spans]:
    """What the strip says about one scenario."""
    return [[(text.plain(line.strip()), "plain")] for line in row.about.splitlines() or [row.title]]
