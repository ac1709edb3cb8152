"""The front page: short, with a picture and a command for each situation."""

import re

import pytest

from tests.test_architecture import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SITUATIONS = re.findall(r"<td[^>]*>(.*?)</td>", TEXT, flags=re.DOTALL)


def test_there_are_six_situations_each_with_a_picture_and_a_command() -> None:
    counts = [(each.count("<img "), each.count("<b>"), each.count("<code>schedlab ")) for each in SITUATIONS]

    assert counts == [(1, 1, 1)] * 6


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) <= 80


@pytest.mark.parametrize("target", re.findall(r"^make ([\w-]+)", TEXT, flags=re.MULTILINE))
def test_the_makefile_has_each_target(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
