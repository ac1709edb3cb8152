"""Text between elements."""

import pytest

from engine.formats.xml import parse_xml, stray_text


@pytest.mark.parametrize(
    ("inside", "lines"),
    [
        ("# note\n<b/>", [1]),
        ("\n# note\n<b/>", [2]),
        ("\n<b/> # note\n<b/>", [2]),
        ("\n<b/>\n\n# note\n", [4]),
        ("\n<b>text</b>\n", []),
        ("\n<!-- note --><b/>\n", []),
        ("# one\n<b/># two\n<b/>", [1, 2]),
    ],
)
def test_each_text_has_its_line(inside: str, lines: list[int]) -> None:
    found = list(stray_text(parse_xml(f"<a>{inside}</a>", "f"), {"a"}))
    assert [each.line for each in found] == lines
