"""Parts of a report that are written as a page and as Markdown alike: sentences, a table, lines of text, pictures."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring  # it is written, not read

import msgspec

from tui.report.page import Html, ReportSection, Row, element, raw, rows_table


class ReportPicture(msgspec.Struct, frozen=True):
    """A drawing in both palettes."""

    caption: str
    light: str  # SVG
    dark: str


class ReportPart(msgspec.Struct, frozen=True):
    """One part, in this order: why there is nothing to tell, sentences, the table, lines, pictures."""

    title: str
    missing: str = ""  # Why the source cannot give it
    sentences: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()  # A row of one cell is a sentence about the one above
    lines: tuple[str, ...] = ()  # As a command prints them
    pictures: tuple[ReportPicture, ...] = ()
    beside: str = ""

    @property
    def filled(self) -> list[tuple[str, ...]]:
        """The rows, each as long as the longest."""
        width = max((len(row) for row in (*self.rows, self.columns)), default=0)
        return [(*row, *[""] * (width - len(row))) for row in self.rows]


def sections_of(parts: Sequence[ReportPart]) -> list[ReportSection]:
    """The parts as sections of a page."""
    return [ReportSection(each.title, tuple(_contents(each)), each.beside, is_long=True) for each in parts]


def _contents(part: ReportPart) -> Iterator[Html]:
    if part.missing:
        yield element("p", part.missing, class_="note")
    for sentence in part.sentences:
        yield element("p", sentence)
    rows = part.filled
    if rows:
        heads = part.columns or tuple("" for _ in rows[0])
        yield rows_table(heads, [Row(row[0], row[1:]) for row in rows], heads)
    if part.lines:
        yield element("pre", "\n".join(part.lines))
    for picture in part.pictures:
        light, dark = (
            f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}" for svg in (picture.light, picture.dark)
        )
        source = raw(f'<source media="(prefers-color-scheme:dark)" srcset="{dark}">')
        image = raw(f'<img src="{light}" alt="{picture.caption.replace(chr(34), "")}" style="width:100%">')
        yield element(
            "figure", element("picture", source, image), element("figcaption", picture.caption, class_="note")
        )


def markdown_of(parts: Sequence[ReportPart], title: str = "") -> str:
    """The parts for a wiki or a merge request; of pictures their captions."""
    lines = [f"# {title}", ""] if title else []
    for part in parts:
        lines += [f"### {part.title}", ""] if part.title else []
        lines += [part.missing, ""] if part.missing else []
        for sentence in part.sentences:
            lines += [sentence, ""]
        rows = part.filled
        if rows:
            heads = part.columns or tuple("" for _ in rows[0])
            lines += [_row(heads), _row(["---"] * len(heads)), *map(_row, rows), ""]
        lines += ["```", *part.lines, "```", ""] if part.lines else []
        lines += [f"*{picture.caption}*" for picture in part.pictures]
        lines.append("")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines).strip()) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


# What was tested, as JUnit's XML. Source: the schema of Jenkins' xunit plugin, which GitLab reads, too.


class JunitCase(NamedTuple):
    """One test."""

    classname: str
    name: str
    verdict: str = ""  # `failure`, `skipped`, `system-out` where something is said of it; empty: it passed
    message: str = ""
    text: str = ""


def junit(suites: Iterable[tuple[str, Sequence[JunitCase]]]) -> str:
    """Suites with their cases."""
    root = Element("testsuites")
    for name, cases in suites:
        failures = sum(each.verdict == "failure" for each in cases)
        suite = SubElement(root, "testsuite", name=name, tests=str(len(cases)), failures=str(failures))
        for test in cases:
            case = SubElement(suite, "testcase", classname=test.classname, name=test.name)
            if test.verdict:
                attributes = {"message": test.message} if test.message else {}
                SubElement(case, test.verdict, attributes).text = test.text or None
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'
