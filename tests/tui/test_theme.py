"""Looks: every palette is complete and readable."""

import pytest
from textual.color import Color

from tui.theme import PALETTES, STYLE_NAMES, THEMES, styles


def _luminance(color: Color) -> float:
    parts = [part / 255 for part in color.rgb]
    red, green, blue = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, by the usual formula."""
    light, dark = sorted((_luminance(Color.parse(one)), _luminance(Color.parse(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", PALETTES)
def test_every_style_resolves_in_every_palette(palette: str) -> None:
    """A renderer may use any style name."""
    assert set(styles(palette)) == set(STYLE_NAMES)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_words_can_be_read(theme: object) -> None:
    """Every colour words are written in has a contrast of at least 4.5 with its background."""
    background = str(getattr(theme, "background", ""))
    name = str(getattr(theme, "name", ""))
    ratios = {
        key: contrast(value.split(" on ")[0].split()[-1], background)
        for key, value in PALETTES[name].items()
        if "#" in value and key != "bar.room"
    }

    assert {key: ratio for key, ratio in ratios.items() if ratio < 4.5} == {}


def test_without_colour_the_cursor_is_reversed() -> None:
    """The palette without colour shows the selection all the same."""
    assert (styles("none")["cursor"].reverse, styles("none")["bad"].color) == (True, None)
