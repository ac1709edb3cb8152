"""Figures of a report as vector drawings that take their colours from the page, drawn by matplotlib.

A colour is named by its token (`tone("q1")`); in the file it is the page's variable, so that light and dark both fit.
The same figure gives the same bytes: no date, fixed ids, nothing of the user's own matplotlib settings.
"""

import re
from io import StringIO
from typing import Any, Final, Self

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tui.palettes import PALETTES
from tui.report.markup import Html, element, raw

WIDTH_PX: Final = 836
"""Width of a figure in a page."""

_TONES: Final = {name: f"#0ab{number:03x}" for number, name in enumerate(PALETTES["light"])}
"""Token → the colour that stands for it while matplotlib draws."""

_SETTINGS: Final = {
    "svg.fonttype": "none",
    "svg.hashsalt": "schedlab",
    "font.family": "DejaVu Sans Mono",
    "font.size": 11,
    "text.color": _TONES["faint"],
    "text.usetex": False,
    "text.parse_math": False,
    "axes.edgecolor": _TONES["line"],
    "axes.labelcolor": _TONES["faint"],
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 1,
    "axes.axisbelow": True,
    "grid.color": _TONES["grid"],
    "grid.linewidth": 1,
    "xtick.color": _TONES["line"],
    "ytick.color": _TONES["line"],
    "xtick.labelcolor": _TONES["faint"],
    "ytick.labelcolor": _TONES["faint"],
    "lines.linewidth": 1.6,
    "lines.solid_joinstyle": "miter",
    "figure.facecolor": "none",
}


def tone(token: str) -> str:
    """The colour to draw with for a token of the palettes."""
    return _TONES[token]


class FigureCanvas:
    """A figure to draw on, within `with`; its axes are matplotlib's."""

    def __init__(self, name: str, height_px: int) -> None:
        """Begin an empty figure. `name` is a word, its only one within its page; ids begin with it."""
        self._name = name
        self._size = (WIDTH_PX, height_px)
        plain = {key: value for key, value in mpl.rcParamsDefault.items() if not key.startswith("backend")}
        settings: Any = {**plain, **_SETTINGS}  # Any: of each key the type of the value is another one
        self._ours = mpl.rc_context(settings)
        self._figure = Figure(figsize=(WIDTH_PX / 72, height_px / 72), dpi=72)

    def __enter__(self) -> Self:
        self._ours.__enter__()
        return self

    def __exit__(self, *how: Any) -> None:
        self._ours.__exit__(*how)

    def axes(self, left: float, top: float, width: float, height: float, **more: Any) -> Axes:
        """Axes at a place in pixels from the upper left; `more` is as of `Figure.add_axes`."""
        whole_width, whole_height = self._size
        place = (left / whole_width, 1 - (top + height) / whole_height, width / whole_width, height / whole_height)
        return self._figure.add_axes(place, **more)

    def html(self, label: str) -> Html:
        """The figure for a page; called within `with`. `label` says what it shows, for those who do not see it."""
        out = StringIO()
        self._figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, facecolor="none")
        text = out.getvalue()
        text = text[text.index("<svg") :]
        text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|font-family: [^;\"]*;?", "", text, flags=re.DOTALL)
        text = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{self._name}-", text)
        for name, colour in _TONES.items():
            text = text.replace(colour, f"var(--{name})")
        size = f'viewBox="0 0 {self._size[0]} {self._size[1]}"'
        head = element("svg", role="img", aria_label=label).removesuffix("></svg>")
        text = re.sub(r"^<svg[^>]*>", lambda found: f'{head} {size} xmlns:xlink="http://www.w3.org/1999/xlink">', text)
        return element("figure", raw(" ".join(text.split())))
