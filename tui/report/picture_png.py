"""The cells of a screen as a PNG: letters in the font that matplotlib ships, braille as dots."""

import io
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont
from rich.cells import cell_len
from rich.color_triplet import ColorTriplet
from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME
from textual.strip import Strip

from tui.terminal.format import BRAILLE
from tui.terminal.svg import CELL, colours_of

FONT_PIXELS: Final = 20  # Size at which a letter of DejaVu Sans Mono is 12 pixels wide
BASELINE: Final = 19  # From the upper edge of a cell [pixels]
DOT: Final = 2  # Half the width of a braille dot [pixels]
_DOTS: Final = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
"""Column and row of each bit of a braille pattern, from the lowest."""


@cache
def _font(file: str) -> ImageFont.FreeTypeFont:
    found = find_spec("matplotlib")
    origin = "" if found is None else found.origin or ""
    return ImageFont.truetype(Path(origin).parent / "mpl-data/fonts/ttf" / f"{file}.ttf", FONT_PIXELS)


def png_of(lines: Sequence[Strip], size: tuple[int, int]) -> bytes:
    """A screen as PNG. `lines` stand in each line; `size` is columns and lines."""
    width, height = CELL
    theme = SVG_EXPORT_THEME
    image = Image.new("RGB", (size[0] * width, size[1] * height), theme.background_color)
    draw = ImageDraw.Draw(image)
    for row, line in enumerate(lines[: size[1]]):
        column = 0
        for segment in line:
            front, back = colours_of(segment.style or Style.null())
            cells = cell_len(segment.text)
            left, top = column * width, row * height
            draw.rectangle((left, top, left + cells * width - 1, top + height - 1), fill=back)
            is_bold = segment.style is not None and bool(segment.style.bold)
            font = _font("DejaVuSansMono-Bold" if is_bold else "DejaVuSansMono")
            for sign in segment.text:
                _draw_sign(draw, (column * width, top), sign, font, front)
                column += cell_len(sign)
    written = io.BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


def _draw_sign(
    draw: ImageDraw.ImageDraw, corner: tuple[int, int], sign: str, font: ImageFont.FreeTypeFont, colour: ColorTriplet
) -> None:
    left, top = corner
    bits = ord(sign) - BRAILLE
    if 0 <= bits < 256:
        for bit, (column, row) in enumerate(_DOTS):
            if bits >> bit & 1:
                x, y = left + (2 * column + 1) * CELL[0] // 4, top + (2 * row + 1) * CELL[1] // 8
                draw.ellipse((x - DOT, y - DOT, x + DOT - 1, y + DOT - 1), fill=colour)
    elif sign != " ":
        draw.text((left, top + BASELINE), sign, fill=colour, font=font, anchor="ls")
