"""The colours of the screens as data: tokens, and what each is in every palette.

Renderers name a token, never a colour, and may add weight and background: `faint`, `bold accent`, `data on raise`,
`bold onbadge on alarm`. `theme` turns such a name into a style. Words and glyphs carry the meaning in every palette;
colour repeats it. `16` uses the terminal's own sixteen colours; `none` has no colour: weight and reverse video
carry the difference.
"""

import os
from collections.abc import Mapping, MutableMapping
from typing import Final

TOKENS: Final[Mapping[str, str]] = {
    "text": "values",
    "soft": "sentences, units",
    "faint": "heads, repeated values",
    "strong": "headlines, ids that are selected, verdicts; bold",
    "accent": "what the user points at: cursor, focused frame, keys",
    "alarm": "the one worst state",
    "watch": "the second degree",
    "good": "in order, solved",
    "data": "meters, lines of plots, RUNNING",
    "held": "reserved",
    "q1": "the first top-level queue",
    "q2": "the second",
    "q3": "the third",
    "q4": "the fourth",
    "q5": "the fifth",
    "q6": "all others",
    "room": "free room, bars of waiting",
    "line": "frames, tracks",
    "grid": "gridlines",
    "onbadge": "words on a filled badge",
    "behind": "the picture behind a dialog",
}
"""Foreground token → what it is for."""
SURFACES: Final[Mapping[str, str]] = {
    "bg": "everything",
    "panel": "dialogs",
    "raise": "the cursor row",
    "fill": "under a plot, the top",
    "fill2": "the middle",
    "fill3": "the bottom",
}
"""Background token → what lies on it."""
HUES: Final = ("q1", "q2", "q3", "q4", "q5", "q6")
"""Tokens of the top-level queues; the last is that of all others."""
BADGES: Final = ("accent", "alarm", "watch")
"""Tokens that are also the background of a badge."""

_DARK: Final = {
    "text": "#d3dae4",
    "soft": "#a3aebc",
    "faint": "#8b97a6",
    "strong": "#f4f7fb",
    "accent": "#5ad1d6",
    "alarm": "#ff8178",
    "watch": "#e5b454",
    "good": "#86d19a",
    "data": "#6aa5de",
    "held": "#c3a2f2",
    "q1": "#6aa5de",
    "q2": "#5fbf8f",
    "q3": "#dd8fb6",
    "q4": "#d6cfae",
    "q5": "#8fa0ea",
    "q6": "#9aa5b2",
    "room": "#5a6878",
    "line": "#3a4654",
    "grid": "#35414e",
    "onbadge": "#12161b",
    "behind": "#4a5562",
    "bg": "#0f1318",
    "panel": "#161c24",
    "raise": "#202b38",
    "fill": "#1a3049",
    "fill2": "#152639",
    "fill3": "#121d2a",
}

_LIGHT: Final = {
    "text": "#22272e",
    "soft": "#4a535e",
    "faint": "#59626d",
    "strong": "#000000",
    "accent": "#00616b",
    "alarm": "#b3161c",
    "watch": "#7d4e00",
    "good": "#1f6b35",
    "data": "#2464a4",
    "held": "#6a35ad",
    "q1": "#2464a4",
    "q2": "#3b7022",
    "q3": "#a63a78",
    "q4": "#6b6440",
    "q5": "#4a55c0",
    "q6": "#5f6872",
    "room": "#828c97",
    "line": "#b9bfc7",
    "grid": "#cdd2d8",
    "onbadge": "#ffffff",
    "behind": "#b0b5bc",
    "bg": "#fbfaf8",
    "panel": "#f1efeb",
    "raise": "#dfe8f2",
    "fill": "#d3e3f5",
    "fill2": "#e2ecf7",
    "fill3": "#eef3f8",
}

_HIGH_CONTRAST: Final = {
    "text": "#ffffff",
    "soft": "#e4e4e4",
    "faint": "#cfcfcf",
    "strong": "#ffffff",
    "accent": "#4ff2ff",
    "alarm": "#ffa39c",
    "watch": "#ffdf5c",
    "good": "#8dffad",
    "data": "#8ccbff",
    "held": "#dcc2ff",
    "q1": "#8ccbff",
    "q2": "#b4f58f",
    "q3": "#ffb3d9",
    "q4": "#ffc680",
    "q5": "#b8c1ff",
    "q6": "#d0d0d0",
    "room": "#9a9a9a",
    "line": "#9a9a9a",
    "grid": "#5a5a5a",
    "onbadge": "#000000",
    "behind": "#4a5562",
    "bg": "#000000",
    "panel": "#000000",
    "raise": "#003a5c",
    "fill": "#00304f",
    "fill2": "#00213a",
    "fill3": "#001425",
}

_COLOUR_BLIND: Final = {
    **_DARK,
    "accent": "#f4f7fb",
    "alarm": "#ff9a3d",
    "watch": "#f0e442",
    "good": "#56b4e9",
    "data": "#56b4e9",
    "held": "#cfc4ff",
    "q1": "#56b4e9",
    "q2": "#38bd98",
    "q3": "#d98fbe",
    "q4": "#d5dbe3",
}

_SIXTEEN: Final = {
    "text": "white",
    "soft": "white",
    "faint": "white",
    "strong": "bright_white",
    "accent": "bright_cyan",
    "alarm": "bright_red",
    "watch": "bright_yellow",
    "good": "bright_green",
    "data": "bright_blue",
    "held": "bright_magenta",
    "q1": "bright_blue",
    "q2": "green",
    "q3": "bright_magenta",
    "q4": "yellow",
    "q5": "cyan",
    "q6": "white",
    "room": "bright_black",
    "line": "bright_black",
    "grid": "bright_black",
    "onbadge": "black",
    "behind": "bright_black",
    "bg": "black",
    "panel": "black",
    "raise": "white",
    "fill": "black",
    "fill2": "black",
    "fill3": "black",
}

PALETTES: Final[Mapping[str, Mapping[str, str]]] = {
    "dark": _DARK,
    "light": _LIGHT,
    "high-contrast": _HIGH_CONTRAST,
    "colour-blind": _COLOUR_BLIND,
    "16": _SIXTEEN,
    "none": {},
}
"""Name of a palette → token → colour, as rich writes it."""


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
