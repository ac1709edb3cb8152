"""Looks as data: style names, and what each means in every palette.

Renderers say `bad` or `bar.used`, never a colour; a palette turns the name into a style once. Words and marks carry
the meaning in every palette: colour only repeats it, and no palette sets red against green alone. `16` uses nothing
but the terminal's own sixteen colours; `none` has no colour at all, weight and reverse video carry the difference.
"""

import os
from collections.abc import Mapping, MutableMapping
from typing import Final

STYLE_NAMES: Final = (
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

_DARK: Final = {
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

_LIGHT: Final = {
    "plain": "#16191d on #fbfbfa",
    "dim": "#565f6b",
    "head": "bold #0b4f8a",
    "strong": "bold #000000",
    "key": "bold #7a4b00",
    "good": "#00528a",
    "warn": "bold #855000",
    "bad": "bold #a4161a",
    "info": "#57329e",
    "bar.used": "#1a639f",
    "bar.over": "#855000",
    "bar.room": "#717b88",
    "bar.mark": "bold #000000",
    "bar.reserved": "bold #a4161a",
    "cursor": "reverse",
    "cursor.idle": "underline",
}

_HIGH_CONTRAST: Final = {
    "plain": "#ffffff on #000000",
    "dim": "#d6d6d6",
    "head": "bold #7fd4ff",
    "strong": "bold #ffffff",
    "key": "bold #ffe14d",
    "good": "#7fd4ff",
    "warn": "bold #ffe14d",
    "bad": "bold #ffb0b0",
    "info": "#e0d0ff",
    "bar.used": "#7fd4ff",
    "bar.over": "#ffe14d",
    "bar.room": "#a8a8a8",
    "bar.mark": "bold #ffffff",
    "bar.reserved": "bold #ffb0b0",
    "cursor": "bold reverse",
    "cursor.idle": "bold underline",
}

_COLOUR_BLIND: Final = {
    "plain": "#eceff4 on #10141a",
    "dim": "#9aa4b2",
    "head": "bold #56b4e9",
    "strong": "bold #ffffff",
    "key": "bold #f0e442",
    "good": "#56b4e9",
    "warn": "bold #f0e442",
    "bad": "bold #f5a13a",
    "info": "#d7b3cf",
    "bar.used": "#56b4e9",
    "bar.over": "#f0e442",
    "bar.room": "#76808e",
    "bar.mark": "bold #ffffff",
    "bar.reserved": "bold #f5a13a",
    "cursor": "reverse",
    "cursor.idle": "underline",
}

_SIXTEEN: Final = {
    "plain": "bright_white on black",
    "dim": "white",
    "head": "bold bright_cyan",
    "strong": "bold bright_white",
    "key": "bold bright_yellow",
    "good": "bright_cyan",
    "warn": "bold bright_yellow",
    "bad": "bold bright_red",
    "info": "bright_magenta",
    "bar.used": "bright_cyan",
    "bar.over": "bright_yellow",
    "bar.room": "white",
    "bar.mark": "bold bright_white",
    "bar.reserved": "bold bright_red",
    "cursor": "reverse",
    "cursor.idle": "underline",
}

_NONE: Final = {
    "head": "bold",
    "strong": "bold",
    "key": "bold reverse",
    "warn": "bold",
    "bad": "bold",
    "bar.mark": "bold",
    "cursor": "reverse",
    "cursor.idle": "underline",
}

PALETTES: Final[Mapping[str, Mapping[str, str]]] = {
    "dark": _DARK,
    "light": _LIGHT,
    "high-contrast": _HIGH_CONTRAST,
    "colour-blind": _COLOUR_BLIND,
    "16": _SIXTEEN,
    "none": _NONE,
}
"""Name of a look → style name → style, as rich writes it; `plain` also names the background."""


def palette_of(wanted: str | None, environment: Mapping[str, str] = os.environ) -> str:
    """The palette to use: the one wanted, else none where `NO_COLOR` says so, else the dark one.

    >>> palette_of(None, {"NO_COLOR": "1"}), palette_of(None, {"NO_COLOR": ""}), palette_of("light", {"NO_COLOR": "1"})
    ('none', 'dark', 'light')
    """
    return wanted or ("none" if environment.get("NO_COLOR") else "dark")


def take_colour_wish(palette: str, environment: MutableMapping[str, str] = os.environ) -> None:
    """Make textual obey the palette: it takes colours away when `NO_COLOR` is there, also when that is empty."""
    if palette == "none":
        environment["NO_COLOR"] = "1"
    else:
        environment.pop("NO_COLOR", None)
