"""The pictures of the manual are those that `make pictures` draws."""

import re

import pytest

from tests.manual.pictures import PICTURES, PLACE
from tests.manual.shown import PAGES

STEADY = ("frozen", "drill", "architecture")
"""Pictures that are the same whenever they are drawn, and are drawn quickly."""


def test_every_picture_is_drawn_by_the_program_and_shown_on_a_page() -> None:
    shown = {name for page in PAGES for name in re.findall(r"pictures/([\w-]+)\.svg", page.read_text(encoding="utf-8"))}

    assert shown == {path.stem for path in PLACE.iterdir()} == set(PICTURES)


@pytest.mark.long
@pytest.mark.parametrize("name", STEADY)
def test_a_picture_is_current(name: str) -> None:
    assert (PLACE / f"{name}.svg").read_text(encoding="utf-8") == PICTURES[name]()
