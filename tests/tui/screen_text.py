"""What stands on screen as text, and golden screens to compare it with.

Run the tests with `SCHEDLAB_WRITE_GOLDEN=1` to write the golden screens anew, then read them.
"""

import os
from pathlib import Path
from typing import Any

from textual.app import App

GOLDEN = Path(__file__).parent / "golden"


def screen_lines(app: App[Any]) -> list[str]:
    """Every line of the terminal, without styles and trailing blanks."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def screen_text(app: App[Any]) -> str:
    """The whole terminal as one text."""
    return "\n".join(screen_lines(app))


def golden(name: str, actual: str) -> str:
    """The stored screen of this name; writes it first when asked to."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("SCHEDLAB_WRITE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(actual + "\n", encoding="utf-8")
    return path.read_text(encoding="utf-8").removesuffix("\n")
