"""Looks as data: style names, and what each means in every palette.

Renderers say `bad` or `bar.used`, never a colour; a palette turns the name into a rich style once. The palette
`none` has no colour at all: weight and reverse video carry the difference, and words and marks carry the meaning
in every palette.
"""

from collections.abc import Mapping

from rich.style import Style
from textual.theme import Theme

STYLE_NAMES = (
    "plain",
    "dim",
    "head",
    "strong",
    "key",
    "good",
    "warn",
    "bad",
    "info",
    "bar.used",
    "bar.over",
    "bar.room",
    "bar.mark",
    "bar.reserved",
    "cursor",
    "cursor.idle",
)

_DARK = {
    "plain": "#e6e9ee on #10141a",
    "dim": "#9aa4b2",
    "head": "bold #9ecbff",
    "strong": "bold #ffffff",
    "key": "bold #ffd479",
    "good": "#6cc4f5",
    "warn": "bold #ffc857",
    "bad": "bold #ff8d8d",
    "info": "#c7b8ff",
    "bar.used": "#4aa3df",
    "bar.over": "#ffc857",
    "bar.room": "#6b7686",
    "bar.mark": "bold #ffffff",
    "bar.reserved": "bold #ff8d8d",
    "cursor": "reverse",
    "cursor.idle": "underline",
}

_LIGHT = {
    "plain": "#16191d on #fbfbfa",
    "dim": "#565f6b",
    "head": "bold #0b4f8a",
    "strong": "bold #000000",
    "key": "bold #7a4b00",
    "good": "#00528a",
    "warn": "bold #855000",
    "bad": "bold #a4161a",
    "info": "#57329e",
    "bar.used": "#1f6fb2",
    "bar.over": "#855000",
    "bar.room": "#717b88",
    "bar.mark": "bold #000000",
    "bar.reserved": "bold #a4161a",
    "cursor": "reverse",
    "cursor.idle": "underline",
}

_NONE = {
    "head": "bold",
    "strong": "bold",
    "key": "bold reverse",
    "warn": "bold",
    "bad": "bold",
    "bar.mark": "bold",
    "cursor": "reverse",
    "cursor.idle": "underline",
}

PALETTES: Mapping[str, Mapping[str, str]] = {"dark": _DARK, "light": _LIGHT, "none": _NONE}


def styles(palette: str) -> dict[str, Style]:
    """Every style name resolved in one palette, on its background; a name the palette leaves out is plain."""
    chosen = PALETTES[palette]
    plain = Style.parse(chosen.get("plain", ""))
    return {name: plain + Style.parse(chosen.get(name, "")) for name in STYLE_NAMES}


THEMES = (
    Theme(
        name="dark",
        primary="#4aa3df",
        secondary="#9ecbff",
        accent="#ffd479",
        warning="#ffc857",
        error="#ff8d8d",
        success="#6cc4f5",
        foreground="#e6e9ee",
        background="#10141a",
        surface="#10141a",
        panel="#1a2029",
        dark=True,
    ),
    Theme(
        name="light",
        primary="#1f6fb2",
        secondary="#0b4f8a",
        accent="#7a4b00",
        warning="#855000",
        error="#a4161a",
        success="#00528a",
        foreground="#16191d",
        background="#fbfbfa",
        surface="#fbfbfa",
        panel="#eceff3",
        dark=False,
    ),
)
"""The same palettes for textual's own widgets: dialogs, borders, inputs."""
