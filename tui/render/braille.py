"""Braille characters as a grid of dots, two by four a cell."""

from collections.abc import Sequence
from typing import Final

from tui.glyphs import BRAILLE

DOTS: Final = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""The bit of each dot: left column then right column, from the top."""
LEFT: Final = (0x00, 0x40, 0x44, 0x46, 0x47)  # The bits of a left column filled from the bottom, by height
RIGHT: Final = (0x00, 0x80, 0xA0, 0xB0, 0xB8)  # The bits of a right column filled from the bottom, by height


def sign(bits: int) -> str:
    """The character with these dots; a space without any, which every font draws.

    >>> sign(0), sign(0xC0), sign(0xFF)
    (' ', '⣀', '⣿')
    """
    return chr(BRAILLE + bits) if bits else " "


class DotGrid:
    """Dots that lines are drawn of; column 0 is left, row 0 is the top."""

    def __init__(self, width: int, height: int) -> None:
        """A grid without a dot, of so many cells."""
        self.width, self.height = width, height
        self.bits = [[0] * width for _ in range(height)]
        """The dots of each cell, row by row."""

    def draw(self, rows: Sequence[int | None], every: int = 1) -> None:
        """Draw a line of one row for each column of dots, neighbours joined upright; None leaves a gap.

        `rows` has the row of each column [dots]; only `every` so many columns get their dots, so that lines differ
        without colour.
        """
        before: int | None = None
        for column, row in enumerate(rows):
            if row is not None and column % every == 0:
                joint = row if before is None or before == row else before + (1 if before < row else -1)
                first, last = min(row, joint), max(row, joint)
                bits = DOTS[column % 2]
                for each in range(first, last + 1):
                    self.bits[each >> 2][column >> 1] |= bits[each & 3]
            before = row
