"""Marks values of rows that a live cluster's server does not state: inferred, older than the header, unknown."""

from typing import Any

from engine.observe.snapshot import SECTIONS, Header, Snapshot, Unknown
from tui import format as text
from tui.picture import RunState
from tui.render.noun import Noun

_ASKED_RARELY = frozenset({"applications", "containers", "nodes", "reservations", "users"})
"""Sections that are as old as `Header.pages_ms`."""


def inferred_words(name: str, header: Header) -> str:
    """Return what the title of a pane says where some of its rows are inferred."""
    if name == "nodes" and name not in header.inferred and "containers" in header.inferred:
        return "blocks inferred"
    if name not in header.inferred:
        return ""
    return "holders inferred" if name == "applications" else "inferred"


def age_words(name: str, header: Header) -> str:
    """Return how old the rows of a pane are, where they are older than the header; empty where they are not."""
    if name not in _ASKED_RARELY or header.pages_ms is None:
        return ""
    return f"{text.age(header.pages_ms, header.time_ms)} old"


def nothing_words(noun: Noun[Any], snapshot: Snapshot) -> str:
    """Return the text of a pane without rows."""
    reserved = snapshot.header.nodes_reserved
    if snapshot.dialect != "yarn":
        return noun.words.nothing
    if noun.name in SECTIONS and noun.name not in snapshot.sections:
        return f"Which {noun.name} there are, the server does not say."
    if noun.name == "reservations" and isinstance(reserved, int) and reserved:
        return f"{text.plural(reserved, 'node')} reserved; for whom, the server does not say."
    if noun.name == "reservations" and isinstance(reserved, Unknown):
        return "The server does not say what is reserved."
    return noun.words.nothing


def watched_from(run: RunState) -> int | None:
    """Return when a live cluster was first asked [epoch ms]; None of any other, and of what was recorded of one."""
    return None if run.reception is None or run.track is None else run.track.start_ms
