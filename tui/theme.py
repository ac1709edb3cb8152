"""The palettes as styles for our own panes, and as themes for textual's dialogs, borders and inputs."""

from collections.abc import Mapping
from typing import Final

from rich.style import Style
from textual.theme import Theme

from tui.palettes import PALETTES, STYLE_NAMES


def styles(palette: str) -> dict[str, Style]:
    """Every style name resolved in one palette, on its background; a name the palette leaves out is plain."""
    chosen = PALETTES[palette]
    plain = Style.parse(chosen.get("plain", ""))
    return {name: plain + Style.parse(chosen.get(name, "")) for name in STYLE_NAMES}


def _colour(palette: Mapping[str, str], name: str) -> str:
    return palette[name].split(" on ")[0].split()[-1]


def _theme(name: str, panel: str, *, dark: bool) -> Theme:
    """A palette for textual's widgets; dialogs lie on `panel`."""
    palette = PALETTES[name]
    background = palette["plain"].split(" on ")[1]
    return Theme(
        name=name,
        primary=_colour(palette, "bar.used"),
        secondary=_colour(palette, "head"),
        accent=_colour(palette, "key"),
        warning=_colour(palette, "warn"),
        error=_colour(palette, "bad"),
        success=_colour(palette, "good"),
        foreground=_colour(palette, "plain"),
        background=background,
        surface=background,
        panel=panel,
        dark=dark,
    )


_SIXTEEN: Final = Theme(
    name="16",
    ansi=True,
    primary="ansi_bright_cyan",
    secondary="ansi_bright_cyan",
    accent="ansi_bright_yellow",
    warning="ansi_bright_yellow",
    error="ansi_bright_red",
    success="ansi_bright_cyan",
    foreground="ansi_bright_white",
    background="ansi_black",
    surface="ansi_black",
    panel="ansi_black",
    boost="ansi_black",
    dark=True,
    variables={
        "ansi-background": "ansi_black",
        "ansi-foreground": "ansi_bright_white",
        "text": "ansi_bright_white",
        "text-muted": "ansi_white",
        "text-disabled": "ansi_white",
        "foreground-muted": "ansi_white",
        "border": "ansi_bright_cyan",
        "border-blurred": "ansi_white",
        "block-cursor-foreground": "ansi_black",
        "block-cursor-background": "ansi_white",
        "input-cursor-background": "ansi_bright_white",
        "input-cursor-foreground": "ansi_black",
        "input-selection-background": "ansi_cyan",
        "input-selection-foreground": "ansi_black",
        "scrollbar": "ansi_white",
        "scrollbar-background": "ansi_black",
    },
)

THEMES: Final = (
    _theme("dark", "#1a2029", dark=True),
    _theme("light", "#f5f7f9", dark=False),
    _theme("high-contrast", "#000000", dark=True),
    _theme("colour-blind", "#1a2029", dark=True),
    _SIXTEEN,
)
"""One for each palette with colours, under its name."""
