"""Glyphs: each is one cell wide, and `--ascii` has a character for it."""

import pytest
from rich.cells import cell_len

from tui.terminal import format as glyphs
from tui.terminal.format import IN_ASCII

GLYPHS = "".join(value for value in vars(glyphs).values() if isinstance(value, str) and not value.isascii())


@pytest.mark.parametrize("sign", sorted(set(GLYPHS)))
def test_a_glyph_takes_one_cell_and_has_a_character(sign: str) -> None:
    assert (cell_len(sign), sign.translate(IN_ASCII).isascii(), len(sign.translate(IN_ASCII))) == (1, True, 1)


@pytest.mark.parametrize(
    ("braille", "character"),
    [
        ("⠀", " "),
        ("⠁", "'"),
        ("⠂", "-"),
        ("⠄", "-"),
        ("⡀", "_"),
        ("⣀", "_"),
        ("⠃", "'"),
        ("⠅", "|"),
        ("⣿", "|"),
        ("⡠", "-"),
    ],
)
def test_braille_is_the_height_of_its_upper_dot_or_a_stroke(braille: str, character: str) -> None:
    assert braille.translate(IN_ASCII) == character
