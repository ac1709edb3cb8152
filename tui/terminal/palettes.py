"""The colours of the screens as one table: a token, what it is for, and what it is in every palette.

Renderers name a token, never a colour, and may add weight and background: `faint`, `bold accent`, `data on raise`,
`bold onbadge on alarm`. `theme` turns such a name into a style. Words and glyphs carry the meaning in every palette;
colour repeats it. `16` uses the terminal's own sixteen colours; `none` has no colour: weight and reverse video
carry the difference.
"""

import os
from collections.abc import Mapping, MutableMapping
from typing import Final

_NAMES: Final = ("dark", "light", "high-contrast", "colour-blind", "16")
_FRONT: Final = """
text     #d3dae4 #22272e #ffffff =       white           values
soft     #a3aebc #4a535e #e4e4e4 =       white           sentences, units
faint    #8b97a6 #59626d #cfcfcf =       white           heads, repeated values
strong   #f4f7fb #000000 #ffffff =       bright_white    headlines, ids that are selected, verdicts; bold
accent   #5ad1d6 #00616b #4ff2ff #f4f7fb bright_cyan     what the user points at: cursor, focused frame, keys
alarm    #ff8178 #b3161c #ffa39c #ff9a3d bright_red      the one worst state
watch    #e5b454 #7d4e00 #ffdf5c #f0e442 bright_yellow   the second degree
good     #86d19a #1f6b35 #8dffad #56b4e9 bright_green    in order, solved
data     #6aa5de #2464a4 #8ccbff #56b4e9 bright_blue     meters, lines of plots, RUNNING
held     #c3a2f2 #6a35ad #dcc2ff #cfc4ff bright_magenta  reserved
q1       #6aa5de #2464a4 #8ccbff #56b4e9 bright_blue     the first top-level queue
q2       #5fbf8f #3b7022 #b4f58f #38bd98 green           the second
q3       #dd8fb6 #a63a78 #ffb3d9 #d98fbe bright_magenta  the third
q4       #d6cfae #6b6440 #ffc680 #d5dbe3 yellow          the fourth
q5       #8fa0ea #4a55c0 #b8c1ff =       cyan            the fifth
q6       #9aa5b2 #5f6872 #d0d0d0 =       white           all others
room     #5a6878 #828c97 #9a9a9a =       bright_black    free room, bars of waiting
line     #3a4654 #b9bfc7 #9a9a9a =       bright_black    frames, tracks
grid     #35414e #cdd2d8 #5a5a5a =       bright_black    gridlines
onbadge  #12161b #ffffff #000000 =       black           words on a filled badge
behind   #4a5562 #b0b5bc #4a5562 =       bright_black    the picture behind a dialog
"""
_BACK: Final = """
bg       #0f1318 #fbfaf8 #000000 =       black           everything
panel    #161c24 #f1efeb #000000 =       black           dialogs
raise    #202b38 #dfe8f2 #003a5c =       white           the cursor row
fill     #1a3049 #d3e3f5 #00304f =       black           under a plot, the top
fill2    #152639 #e2ecf7 #00213a =       black           the middle
fill3    #121d2a #eef3f8 #001425 =       black           the bottom
"""  # Token, its colour in each palette of `_NAMES` (= is that of the first), what it is for


def _rows(table: str) -> list[list[str]]:
    return [line.split(maxsplit=6) for line in table.strip().splitlines()]


TOKENS: Final[Mapping[str, str]] = {row[0]: row[6] for row in _rows(_FRONT)}  # foreground token → what it is for
SURFACES: Final[Mapping[str, str]] = {row[0]: row[6] for row in _rows(_BACK)}  # background token → what lies on it
PALETTES: Final[Mapping[str, Mapping[str, str]]] = {
    name: {row[0]: row[1] if row[place] == "=" else row[place] for row in _rows(_FRONT + _BACK.lstrip())}
    for place, name in enumerate(_NAMES, 1)
} | {"none": {}}  # Name of a palette → token → colour, as rich writes it
HUES: Final = ("q1", "q2", "q3", "q4", "q5", "q6")  # tokens of the top-level queues; the last is that of all others
BADGES: Final = ("accent", "alarm", "watch")  # tokens that are also the background of a badge


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
