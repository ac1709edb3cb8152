"""Scenarios to choose from: name and title, and in the strip what each shows."""

import re
from textwrap import wrap
from typing import NamedTuple

from tui import format as text
from tui.render.line import Column, Look, Span, Spans
from tui.render.noun import NO_SOURCE, Noun


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
    Column("SCENARIO", 34, 0, _name),
    Column("WHAT IT SHOWS", 30, 1, _title, grow=1),
)


def details(row: ScenarioEntry, look: Look) -> list[Spans]:
    """The title; `about_lines` says the rest at a width."""
    return [[(text.plain(row.title), "strong")]]


def filled(paragraph: str, width: int) -> list[Spans]:
    """A paragraph filled to a width."""
    words = " ".join(text.plain(paragraph).split())
    return [[(line, "plain")] for line in wrap(words, max(10, width))]


def about_lines(row: ScenarioEntry, width: int) -> list[Spans]:
    """What a scenario shows, its paragraphs filled to a width."""
    lines: list[Spans] = []
    for paragraph in re.split(r"\n\s*\n", row.about.strip() or row.title):
        lines += [*filled(paragraph, width), []]
    return lines[:-1]


NOUN = Noun("scenarios", "Scenarios", NO_SOURCE, COLUMNS, identity, details, "No scenario was found.")
