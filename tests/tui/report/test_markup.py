"""Pieces of a report as HTML, letter by letter."""

import pytest

from tui.palettes import PALETTES
from tui.report import (
    Cell,
    ReportColumn,
    ReportGroup,
    ReportPage,
    ReportSection,
    Row,
    bar,
    element,
    joined,
    key_of,
    pairs,
    raw,
    table,
)
from tui.report.page import POLICY, style


def test_text_is_escaped_and_markup_stays() -> None:
    """Both within one piece."""
    assert joined("a<", raw("<hr>"), "\"b\" & 'c'") == "a&lt;<hr>&quot;b&quot; &amp; &#x27;c&#x27;"


def test_an_attribute_without_a_value_is_left_out() -> None:
    """The others stand in the order given."""
    cell = element("td", "a&b", raw("<b>"), class_="n", aria_label='"x"')

    assert cell == '<td class="n" aria-label="&quot;x&quot;">a&amp;b<b></td>'
    assert element("td", colspan=3, hidden=False, class_="", open=True) == '<td colspan="3" open="True"></td>'


def test_a_key_has_the_stroke_letter_and_name_of_each_run() -> None:
    """Names are those a user gave."""
    first = '<span><i class="stroke sA"></i> <b>A</b> a&lt;b</span>'

    assert key_of({"A": "a<b", "B": "c"}) == first + '<span><i class="stroke sB"></i> <b>B</b> c</span>'


def test_facts_stand_by_name() -> None:
    """In the order given."""
    assert pairs({"seed": "7", "a": "<"}) == "<dl><dt>seed</dt><dd>7</dd><dt>a</dt><dd>&lt;</dd></dl>"


@pytest.mark.parametrize(
    ("part", "width"),
    [
        *[(-1, "0"), (0, "0"), (0.001, "0.8%"), (0.008, "0.8%"), (0.009, "0.9%")],
        *[(0.5, "50.0%"), (1, "100.0%"), (1.5, "100.0%")],
    ],
)
def test_a_bar_is_at_least_a_stroke_and_at_most_whole(part: float, width: str) -> None:
    """Nothing has no length."""
    assert (
        bar([("bA", part)]) == f'<span class="bars" aria-hidden="true"><i class="bA" style="width:{width}"></i></span>'
    )


COLUMNS = (ReportColumn("measure"), ReportColumn("A"), ReportColumn("worse", is_figure=False))
ROWS = (Row("wait", (Cell("1s", "strong"), raw("<i></i>"))), Row("lost", ("0", "–")))


def test_a_table_has_heads_groups_and_rows() -> None:
    """Figures stand at the right; a group without a title has no head of its own."""
    found = table(COLUMNS, [ReportGroup("Waits", ROWS[:1], "of 40"), ReportGroup("", ROWS[1:])], raw("key"))

    assert found == (
        '<div class="scroll"><table><caption class="key">key</caption>'
        '<thead><tr><th scope="col">measure</th><th scope="col" class="n">A</th><th scope="col">worse</th></tr></thead>'
        '<tbody><tr class="g"><th scope="rowgroup" colspan="3">Waits<span class="faint"> of 40</span></th></tr>'
        '<tr><th scope="row">wait</th><td class="n strong">1s</td><td><i></i></td></tr>'
        '<tr><th scope="row">lost</th><td class="n">0</td><td>–</td></tr></tbody></table></div>'
    )


def test_a_table_without_a_caption_has_none() -> None:
    """Nor rows where there is no group."""
    assert table(COLUMNS[:1], []) == (
        '<div class="scroll"><table><thead><tr><th scope="col">measure</th></tr></thead><tbody></tbody></table></div>'
    )


@pytest.mark.parametrize(
    ("section", "html"),
    [
        (ReportSection("Waits", (raw("<p>"), raw("<hr>"))), "<section><h2><i>3</i> Waits </h2><p><hr></section>"),
        (
            ReportSection("All", (), "40 rows", is_long=True),
            '<section class="long"><h2><i>3</i> All <small class="r">40 rows</small></h2></section>',
        ),
    ],
)
def test_a_section_has_its_number_and_title(section: ReportSection, html: str) -> None:
    """A long one may break over pages."""
    assert section.html(3) == html


def test_a_page_has_head_title_sections_and_foot() -> None:
    """Sections are numbered from 1; the last crumb is set off, and the title has all of them from the last on."""
    sections = [ReportSection("Waits", ()), ReportSection("Work", ())]
    page = ReportPage(("schedlab", "compare", "one"), "seed 7", "A waits", "", raw("<nav>"), sections, ("me", "no"))

    assert page.html() == (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>one · compare · schedlab</title><style>{style()}</style></head><body><main>"
        '<header><div class="crumb"><span>schedlab › compare › <b>one</b></span><span>seed 7</span></div>'
        "<h1>A waits</h1><nav></header>"
        "<section><h2><i>1</i> Waits </h2></section><section><h2><i>2</i> Work </h2></section>"
        "<footer><span>me</span><span>no</span></footer></main></body></html>\n"
    )


def test_a_lead_stands_below_the_headline() -> None:
    """Where there is one."""
    page = ReportPage(("one",), "", "A waits", "for long", raw(""), [], ("", ""))

    assert '<h1>A waits</h1><p class="lead">for long</p></header>' in page.html()


def test_the_style_has_the_colours_of_both_palettes_and_paper_is_light() -> None:
    """Whatever the screen likes, paper is white."""
    light = "".join(f"--{name}:{colour};" for name, colour in PALETTES["light"].items())
    dark = "".join(f"--{name}:{colour};" for name, colour in PALETTES["dark"].items())
    white = {**PALETTES["light"], "bg": "#ffffff", "panel": "#f4f3f0"}
    paper = "".join(f"--{name}:{colour};" for name, colour in white.items())
    begin = (
        f":root{{color-scheme:light dark;{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f"@media print{{:root{{color-scheme:light;{paper}}}}}\n"
    )

    assert style().startswith(begin)
    assert "font-family" in style().removeprefix(begin)
