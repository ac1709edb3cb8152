"""Pieces of Markdown."""

from collections.abc import Iterable, Sequence
from typing import Final

NOTICE: Final = "<!-- Written by `python -m tests.manual`; change the program, not this page. -->\n"


def cell(text: str) -> str:
    """A text as a cell of a table.

    >>> cell("<x> of  the table")
    '&lt;x> of the table'
    """
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())


def code(text: str) -> str:
    """A text as code in a cell; nothing of nothing.

    >>> code("a"), code("")
    ('`a`', '')
    """
    return f"`{text}`".replace("|", "\\|") if text else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *lines, ""]) if lines else ""


def page(title: str, about: str, *parts: str) -> str:
    """A page of the reference: its title, a sentence or two, and its parts; empty ones are left out."""
    return "\n".join([NOTICE, f"# {title}", "", about, "", *(part for part in parts if part)])
