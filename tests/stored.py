"""Stored texts: what a screen or a command says, kept in a file below `tests/cases/screens`.

`make cases` writes them anew and shows each difference; read them before the commit.
"""

import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "cases" / "screens"
READ: set[str] = set()
"""Which of them this process has read, for `tests/conftest.py`."""


def golden(name: str, actual: str) -> str:
    """The stored text of this name; writes it first when asked to."""
    path = GOLDEN / f"{name}.txt"
    READ.add(f"{name}.txt")
    if os.environ.get("SCHEDLAB_WRITE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(actual + "\n", encoding="utf-8")
    return path.read_text(encoding="utf-8").removesuffix("\n")
