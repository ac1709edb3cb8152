"""Rows as cells and objects: nested parts, partitions, lists, and what the source cannot tell."""

import pytest

from engine.observe.documents import csv_line


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        ([], "\r\n"),
        ([None, True, False], ",true,false\r\n"),
        ([1, 1.5, -2], "1,1.5,-2\r\n"),
        (["a b", 'a"b', "a,b", "a\nb", "a\rb"], 'a b,"a""b","a,b","a\nb","a\rb"\r\n'),
        (["=1", "+1", "-1", "@a", "\ta"], '"\'=1","\'+1","\'-1","\'@a","\'\ta"\r\n'),
        (["", "1=", "a-"], ",1=,a-\r\n"),
    ],
)
def test_a_line_is_quoted_where_it_must_be(cells: list[object], line: str) -> None:
    assert csv_line(cells) == line
