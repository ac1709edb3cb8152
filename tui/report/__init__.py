"""Reports as one self-contained HTML file: opens from disk, fetches nothing, runs nothing, prints.

`ReportPage` is the file, made of `ReportSection`s; `drawing` draws figures and needs the extra `report`.
"""

from tui.report.page import (
    Cell,
    Html,
    ReportColumn,
    ReportGroup,
    ReportPage,
    ReportSection,
    Row,
    bar,
    check_drawable,
    element,
    joined,
    key_of,
    pairs,
    raw,
    table,
)

__all__ = [
    "Cell",
    "Html",
    "ReportColumn",
    "ReportGroup",
    "ReportPage",
    "ReportSection",
    "Row",
    "bar",
    "check_drawable",
    "element",
    "joined",
    "key_of",
    "pairs",
    "raw",
    "table",
]
