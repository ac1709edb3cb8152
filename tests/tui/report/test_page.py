"""A report as a file."""

import re
from html.parser import HTMLParser

from tui.report import (
    Cell,
    ReportColumn,
    ReportGroup,
    ReportPage,
    ReportSection,
    Row,
    bar,
    element,
    key_of,
    table,
)

EVIL = "<script>alert('x')</script>"


class Tags(HTMLParser):
    """Reads the names of elements and checks that each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page() -> str:
    rows = [Row(EVIL, [Cell(EVIL, "strong"), bar([("bA", 0.5), ("bB", 0.0001), ("bC", 0)])])]
    columns = [ReportColumn(EVIL), ReportColumn(EVIL), ReportColumn("worse", is_figure=False)]
    content = table(columns, [ReportGroup(EVIL, rows, EVIL)], key_of({"A": EVIL}))
    return ReportPage(
        (EVIL, EVIL), EVIL, EVIL, EVIL, element("p", EVIL), [ReportSection(EVIL, (content,), EVIL)], (EVIL, "")
    ).html()


def test_every_name_is_escaped_and_every_element_closed() -> None:
    tags = Tags()
    tags.feed(page())
    assert "script" not in tags.seen
    assert tags.open == []


def test_it_fetches_nothing() -> None:
    text = page()
    assert "default-src 'none'" in text
    assert not re.search(r"https?://|url\(|@import", text)
