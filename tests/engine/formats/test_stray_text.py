"""Text between elements."""

import pytest

from engine.formats.fair_files import read_fair_scheduler
from engine.formats.hadoop_configuration import parse_configuration
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


def test_it_is_said_of_properties() -> None:
    text = "<configuration>\n# one\n<property><name>a</name> two <value>1</value></property></configuration>"
    assert [each.message for each in parse_configuration(text, "f").warnings] == [
        "the text '# one' is ignored",
        "the text 'two' is ignored",
    ]


def test_it_is_said_of_an_allocation_file() -> None:
    loaded = read_fair_scheduler('<allocations>\n# teams\n<queue name="a"/></allocations>', file="f")
    expected = "f:2: allocations: the text '# teams' is ignored (a comment is <!-- ... -->)"
    assert [str(each) for each in loaded.warnings] == [expected]
