"""A report: head, title, numbered sections, foot and style; and its parts, as a page and as Markdown alike."""

import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring  # it is written, not read

import msgspec

from engine.errors import ConfigError
from tui.pages.why import TextColumn
from tui.terminal.palettes import PALETTES

# HTML in which everything that is not markup already is escaped.

Attribute = str | int | bool


class Html(str):
    """Text that is markup, never from a file or a user: every other text is escaped when it becomes part of one."""

    __slots__ = ()


def written(content: str) -> str:
    """Content as it stands in the file.

    >>> written("a<b>"), written(Html("<hr>"))
    ('a&lt;b&gt;', '<hr>')
    """
    return content if isinstance(content, Html) else escape(content, quote=True)


def joined(*contents: str) -> Html:
    return Html("".join(map(written, contents)))


def element(name: str, *contents: str, **attributes: Attribute) -> Html:
    """An element; `class_` names its classes, `_` in names of attributes is `-`, False leaves one out.

    >>> str(element("td", "a&b", class_="n", aria_label="x", hidden=False))
    '<td class="n" aria-label="x">a&amp;b</td>'
    """
    given = {key.strip("_").replace("_", "-"): escape(str(value)) for key, value in attributes.items() if value}
    words = "".join(f' {key}="{value}"' for key, value in given.items())
    return Html(f"<{name}{words}>{joined(*contents)}</{name}>")


POLICY: Final = "default-src 'none';style-src 'unsafe-inline';img-src data:"  # Nothing is fetched, nothing runs


class ReportSection(msgspec.Struct, frozen=True):
    """A part of a report; it gets its number from its place."""

    title: str
    contents: tuple[Html, ...]
    beside: str = ""  # A few words at the right of the title
    is_long: bool = False  # Whether it may break over pages when printed

    def html(self, number: int) -> Html:
        words = element("small", self.beside, class_="r") if self.beside else ""
        head = element("h2", element("i", str(number)), Html(" "), self.title, Html(" "), words)
        return element("section", head, *self.contents, class_="long" if self.is_long else "")


class ReportPage(msgspec.Struct, frozen=True):
    crumbs: Sequence[str]  # From the program to what this is about, the last one set off
    beside: str  # What was run, in few words
    headline: str
    lead: str
    head: Html  # What stands between the lead and the first section; may be empty
    sections: Sequence[ReportSection]
    foot: tuple[str, str]  # Program and what it is; what it must not be taken for

    def html(self) -> str:
        *before, last = self.crumbs
        crumb = element("span", *(f"{each} › " for each in before), element("b", last))
        header = element(
            "header",
            element("div", crumb, element("span", self.beside), class_="crumb"),
            element("h1", self.headline),
            element("p", self.lead, class_="lead") if self.lead else "",
            self.head,
        )
        sections = [each.html(number) for number, each in enumerate(self.sections, start=1)]
        footer = element("footer", *(element("span", each) for each in self.foot))
        title = " · ".join(reversed(list(self.crumbs)))
        top = joined(
            Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'),
            Html(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
            element("title", title),
            Html(f"<style>{style()}</style>"),
        )
        body = element("body", element("main", header, *sections, footer))
        return f'<!doctype html>\n<html lang="en"><head>{top}</head>{body}</html>\n'


def style() -> str:
    sheet = files("tui.report").joinpath("style.css").read_text(encoding="utf-8")
    light, dark = _variables(PALETTES["light"]), _variables(PALETTES["dark"])
    paper = _variables({**PALETTES["light"], "bg": "#ffffff", "panel": "#f4f3f0"})
    return (
        f":root{{color-scheme:light dark;{light}}}"
        f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f"@media print{{:root{{color-scheme:light;{paper}}}}}\n{sheet}"
    )


def _variables(palette: Mapping[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in palette.items())


def check_drawable(key: str) -> None:
    """Check that matplotlib is there, before `sweep_page` is imported; else a `ConfigError` at the option `key`."""
    if find_spec("matplotlib") is None:
        hint = "install it with: pip install 'schedlab[report]'"
        raise ConfigError.of("a report needs matplotlib", key=key, hint=hint)


# Tables of a report: groups of rows, figures, bars towards the worse, and the key of the runs.

NOTHING: Final = Html("")


class ReportColumn(msgspec.Struct, frozen=True):
    head: str
    is_figure: bool = True  # Whether its cells stand at the right, in figures of one width


class Cell(msgspec.Struct, frozen=True):
    text: str
    tone: str = ""  # A token of the palette or `strong`; empty for the usual


class Row(msgspec.Struct, frozen=True):
    name: str
    cells: Sequence[Cell | str]


class ReportGroup(msgspec.Struct, frozen=True):
    title: str
    rows: Sequence[Row]
    beside: str = ""


def table(columns: Sequence[ReportColumn], groups: Sequence[ReportGroup], caption: Html = NOTHING) -> Html:
    """A table; a cell that is `Html` stands as it is, a group without a title has no head."""
    first, *others = columns
    heads = [element("th", first.head, scope="col")]
    heads += [element("th", each.head, scope="col", class_="n" if each.is_figure else "") for each in others]
    body: list[Html] = []
    for group in groups:
        if group.title:
            beside = element("span", " ", group.beside, class_="faint")
            title = element("th", group.title, beside, scope="rowgroup", colspan=len(columns))
            body.append(element("tr", title, class_="g"))
        body += [_row(columns, each) for each in group.rows]
    top = element("caption", caption, class_="key") if caption else NOTHING
    whole = element("table", top, element("thead", element("tr", *heads)), element("tbody", *body))
    return element("div", whole, class_="scroll")


def rows_table(heads: Sequence[str], rows: Sequence[Row], words: Collection[str] = ()) -> Html:
    """A table of rows in one group; the heads among `words` stand over words, the others over figures."""
    return table([ReportColumn(head, is_figure=head not in words) for head in heads], [ReportGroup("", rows)])


def _row(columns: Sequence[ReportColumn], row: Row) -> Html:
    cells = []
    for column, written in zip(columns[1:], row.cells, strict=True):
        cell = written if isinstance(written, Cell) else Cell(written)
        classes = " ".join(filter(None, ("n" if column.is_figure else "", cell.tone)))
        cells.append(element("td", cell.text, class_=classes))
    return element("tr", element("th", row.name, scope="row"), *cells)


def text_table(columns: Sequence[TextColumn]) -> Html:
    kept = [column for column in columns if any(words for words, _ in column.cells)] or columns
    heads = [column.title.lower() if column.title.isupper() else column.title for column in kept]
    words_over = [head for head, column in zip(heads, kept, strict=True) if not column.right]
    rows = [
        Row(first, [Cell(words, "" if style == "text" else style) for words, style in cells])
        for (first, _), *cells in zip(*(column.cells for column in kept), strict=True)
    ]
    return rows_table(heads, rows, words_over)


def bar(parts: Sequence[tuple[str, float]]) -> Html:
    """Bars under one another: (class of the fill, such as `bA`; 0 to 1) of each run; above 0 there is a stroke."""
    bars = [
        element("i", class_=name, style=f"width:{max(0.8, 100 * min(1.0, part)):.1f}%" if part > 0 else "width:0")
        for name, part in parts
    ]
    return element("span", *bars, class_="bars", aria_hidden="true")


def key_of(runs: Mapping[str, str]) -> Html:
    """Letter → name of the runs, each with the stroke it is drawn with."""
    return joined(
        *(
            element("span", element("i", class_=f"stroke s{letter}"), Html(" "), element("b", letter), f" {name}")
            for letter, name in runs.items()
        )
    )


def pairs(facts: Mapping[str, str]) -> Html:
    return element("dl", *(part for name, fact in facts.items() for part in (element("dt", name), element("dd", fact))))


# Parts of a report that are written as a page and as Markdown alike: sentences, a table, lines of text, pictures.


class ReportPicture(msgspec.Struct, frozen=True):
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
        source = Html(f'<source media="(prefers-color-scheme:dark)" srcset="{dark}">')
        image = Html(f'<img src="{light}" alt="{picture.caption.replace(chr(34), "")}" style="width:100%">')
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
            lines += [_markdown_row(heads), _markdown_row(["---"] * len(heads)), *map(_markdown_row, rows), ""]
        lines += ["```", *part.lines, "```", ""] if part.lines else []
        lines += [f"*{picture.caption}*" for picture in part.pictures]
        lines.append("")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines).strip()) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in cells)} |"


# What was tested, as JUnit's XML. Source: the schema of Jenkins' xunit plugin, which GitLab reads, too.


class JunitCase(NamedTuple):
    classname: str
    name: str
    verdict: str = ""  # `failure`, `skipped`, `system-out` where something is said of it; empty: it passed
    message: str = ""
    text: str = ""


def junit(suites: Iterable[tuple[str, Sequence[JunitCase]]]) -> str:
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
