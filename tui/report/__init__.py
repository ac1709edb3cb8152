"""Reports as one self-contained HTML file: opens from disk, fetches nothing, runs nothing, prints.

`ReportPage` is the file, made of `ReportSection`s; `drawing` draws figures and needs the extra `report`.
"""

from tui.report.markup import Html, element, joined, raw
from tui.report.page import ReportPage, ReportSection, check_drawable
from tui.report.tables import Cell, ReportColumn, ReportGroup, Row, bar, key_of, pairs, table

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
