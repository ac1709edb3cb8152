"""The palettes as styles for our own panes, and as themes for textual's dialogs, borders and inputs."""

from collections.abc import Mapping
from typing import Final

from rich.style import Style
from textual.theme import Theme

from tui.terminal.palettes import BADGES, HUES, PALETTES, SURFACES, TOKENS

_BOLD_WITHOUT_COLOUR: Final = frozenset({"strong", "accent", "alarm", "watch"})
_BACKGROUNDS: Final = frozenset({*SURFACES, *BADGES, *HUES, "good", "data", "held", "room"})
_FADED: Final = {
    "strong": "text",
    **dict.fromkeys(("accent", "alarm", "watch", "good", "data"), "soft"),
    **dict.fromkeys((*HUES, "held"), "room"),
}  # Token → the one that stands for it in a picture that is out of date


class StyleTable(dict[str, Style]):
    """Style name → style in one palette; a name is made a style when it is first asked for.

    A name is a foreground token of `palettes`, maybe with `bold` before it and ` on ` and a background token after it.
    In `16` and `none` the cursor row is reversed and loses its foregrounds, and what lies under plots has no colour;
    in `none` badges are reversed too. A name with an unknown token is a `KeyError`.
    """

    def __init__(self, palette: str) -> None:
        super().__init__()
        self.palette = palette  # Whose colours these are
        self.below = FadingTable(self)  # The colours of what stands below the header

    def take(self, palette: str) -> None:
        self.clear()
        self.below.clear()
        self.palette = palette

    def __missing__(self, name: str) -> Style:
        style = self[name] = self._resolved(name)
        return style

    def _resolved(self, name: str) -> Style:
        front, _, back = name.partition(" on ")
        token = front.split()[-1]
        back = back.rpartition(" on ")[2] or "bg"  # the cursor row's background goes before the cell's own
        if token not in TOKENS or back not in _BACKGROUNDS:
            raise KeyError(name)
        is_bold = front.startswith("bold ") or token == "strong"
        if self.palette == "none":
            is_reverse = back == "raise" or back in BADGES
            return Style(bold=is_bold or token in _BOLD_WITHOUT_COLOUR or None, reverse=is_reverse or None)
        colours = PALETTES[self.palette]
        if self.palette == "16" and back == "raise":
            return Style(color=colours["text"], bgcolor=colours["bg"], bold=is_bold or None, reverse=True)
        return Style(color=colours[token], bgcolor=colours[back], bold=is_bold or None)


class FadingTable(dict[str, Style]):
    """The styles of another table; while it is `faded` without hue and weight, as of a picture that is out of date."""

    def __init__(self, whole: StyleTable) -> None:
        super().__init__()
        self._whole = whole
        self.is_faded = False

    def fade(self, *, is_faded: bool) -> bool:
        """Lose hue and weight from now on, or have them again; whether that is new."""
        is_new, self.is_faded = is_faded != self.is_faded, is_faded
        if is_new:
            self.clear()
        return is_new

    def __missing__(self, name: str) -> Style:
        style = self[name] = self._whole[faded(name) if self.is_faded else name]
        return style


def faded(name: str) -> str:
    """The name of a style without hue and weight.

    >>> faded("bold accent"), faded("q1 on raise"), faded("strong"), faded("faint")
    ('soft', 'room on raise', 'text', 'faint')
    """
    front, on, back = name.partition(" on ")
    token = front.split()[-1]
    return _FADED.get(token, token) + on + ("bg" if back.startswith("fill") else back)


def _theme(name: str, colours: Mapping[str, str], *, dark: bool) -> Theme:
    return Theme(
        name=name,
        primary=colours["accent"],
        secondary=colours["soft"],
        accent=colours["accent"],
        warning=colours["watch"],
        error=colours["alarm"],
        success=colours["good"],
        foreground=colours["text"],
        background=colours["bg"],
        surface=colours["bg"],
        panel=colours["panel"],
        dark=dark,
        variables={
            "text-muted": colours["soft"],
            "text-disabled": colours["faint"],
            "foreground-muted": colours["faint"],
            "border": colours["accent"],
            "border-blurred": colours["line"],
            "behind": colours["behind"],
            "input-selection-background": colours["raise"],
            "input-selection-foreground": colours["strong"],
        },
    )


_SIXTEEN: Final = Theme(
    name="16",
    ansi=True,
    primary="ansi_bright_cyan",
    secondary="ansi_bright_cyan",
    accent="ansi_bright_cyan",
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
    *(_theme(name, PALETTES[name], dark=name != "light") for name in PALETTES if name not in ("16", "none")),
    _SIXTEEN,
)  # One for each palette with colours, under its name
