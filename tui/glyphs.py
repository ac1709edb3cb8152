"""The glyphs of the screens, and what each becomes with `--ascii`.

Renderers write these glyphs and nothing else, whatever the terminal: each is one cell wide. `IN_ASCII` is a table for
`str.translate`, which `screen_edge` applies to every line. What one character cannot tell, a renderer asks of its
`Look`: where `is_ascii` or `is_colourless` is set, containers are letters.
"""

from typing import Final

FRAME: Final = "─│╭╮╰╯"
"""Edge, side, and the corners from the upper left on."""
FRAME_TEE: Final = "┬"
FOCUS_EDGE: Final = "═"
"""The top edge of the focused frame where a colour may not show it."""
THUMB: Final = "┃"

METER_FULL: Final = "━"
METER_HALF: Final = "╸"
TRACK: Final = "─"
SHARE: Final = "│"
SHARE_ON_FILL: Final = "┃"
MINIMUM: Final = "╎"
MINIMUM_ON_FILL: Final = "┿"

BLOCK: Final = "▄"
BLOCK_LEFT: Final = "▖"
BLOCK_RIGHT: Final = "▗"
FREE: Final = "▁"
RESERVED: Final = "╌"
GONE: Final = "╌"
BLOCK_END: Final = "'"
"""Where a container ends, of containers that are letters."""

BRAILLE: Final = 0x2800
"""The braille pattern without a dot; the bits of the others are counted from it."""
FLAT: Final = "⣀"
GRIDLINE: Final = "┈"
MARK: Final = "┊"
CURSOR_LINE: Final = "│"
DOTTED: Final = "┄"

OK: Final = "●"
WATCH: Final = "▲"
FROZEN: Final = "■"
EVENT: Final = "◆"
QUEUE_DOT: Final = "•"
OPEN: Final = "▾"
FOLDED: Final = "▸"
CURSOR_BAR: Final = "▌"
RUNNING: Final = "►"
UP: Final = "↑"
DOWN: Final = "↓"
CRUMB: Final = "›"
TIMES: Final = "×"
NONE: Final = "–"
MINUS: Final = "−"
CUT: Final = "…"
DOT: Final = "·"

_SIGNS: Final = "╭╮╰╯┬├┤┴┼─│═┃━╸╎┿▄▖▗▁╌┈┊┄●▲■◆•▾▸▌►→←↑↓›×–—−…·"
_IN_ASCII: Final = "+++++++++-|=|=-:|#''_..:.o^#**v>>>><^v>x---~."
"""Below each of them the character that stands for it."""

_DOT_ROWS: Final = (0o11, 0o22, 0o44, 0o300)
"""The bits of the four rows of dots in a braille pattern, from the top."""


def _braille_in_ascii(bits: int) -> str:
    """A stroke where dots are two rows apart or more, else the height of the uppermost one."""
    rows = [row for row, mask in enumerate(_DOT_ROWS) if bits & mask]
    if not rows:
        return " "
    return "|" if rows[-1] - rows[0] >= 2 else "'--_"[rows[0]]


IN_ASCII: Final = str.maketrans(_SIGNS, _IN_ASCII) | {BRAILLE + bits: _braille_in_ascii(bits) for bits in range(256)}
"""Every glyph → the character that stands for it."""
