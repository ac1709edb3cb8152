"""The list of scenarios and drills, and what is said of one before it is opened."""

from typing import Any

import pytest

from engine.scenario.catalogue import NodePicture, Preview
from tests.tui.render.drawing import stored
from tui.render.line import flat, length
from tui.render.preview import about_lines, framed, preview_lines, pulse_rows, ruled, short_lines, size_words
from tui.render.scenario import (
    IN_NAMES,
    IN_TEXTS,
    DrillFacts,
    ScenarioEntry,
    ScenarioFacts,
    found,
    list_line,
    name_width,
    rows,
    scrolled,
)

START_MS = 1510362060000
HOUR_MS = 3_600_000


def preview(**changes: Any) -> Preview:
    """A run of an hour in which nothing is allocated for a third."""
    values: dict[str, Any] = {
        "digest": "",
        "applications": 40,
        "nodes": 3,
        "queues": 2,
        "allocated": tuple(0 if 80 <= place < 160 else place % 9 for place in range(240)),
        "frozen": ((HOUR_MS // 3, 2 * HOUR_MS // 3),),
        "acts": ((2 * HOUR_MS // 3, "kill_application"), (HOUR_MS - 60_000, "drain")),
        "pictured_ms": HOUR_MS // 2,
        "pictures": (
            NodePicture("10.1.2.3", 16384, False, (("root.etl.daily", 7, 4096), ("root.etl", 8, 4096))),
            NodePicture("10.1.2.14", 16384, True, (("root.adhoc", 9, 8192),)),
            NodePicture("10.1.2.5", 0, False, ()),
        ),
    }
    return Preview(**{**values, **changes})


FACTS = ScenarioFacts(
    "Fair 2.7.2, reservations strict, no preemption", START_MS, 8 * HOUR_MS, HOUR_MS, 3, False, preview()
)
WORKERS_THEN = (NodePicture("w1", 8, False, (("", 3, 4), ("", 12, 2))), NodePicture("other", 8, False, ()))
SPARK = FACTS._replace(is_spark=True, duration_ms=600_000, preview=preview(acts=(), frozen=(), pictures=WORKERS_THEN))
ABOUT = """A report waits for ever. It reserves all nodes: nobody is served.

Watch the pane of reservations; Nothing moves any more.

One kill is enough. Which one it is, `w` tells. That was so in the real cluster, too."""
DEADLOCK = ScenarioEntry(
    "deadlock", "A report that waits", ABOUT, "Reservations", "Fair", "all nodes are reserved",
    attempts=("kill 183342", "drain a node, which takes a while, and look at what becomes of the reservations there"),
    facts=FACTS,
)  # fmt: skip
MILD = ScenarioEntry("deadlock-mild", "Milder", "", "Reservations", "Fair", "a fifth is reserved", varies="deadlock")
OFF = ScenarioEntry("deadlock-with-no-reservations-at-all", "Off", "", "Reservations", "", "none", varies="deadlock")
PLAIN = ScenarioEntry("plain", "One queue", "Nothing happens.", "First", "Capacity", facts=FACTS._replace(preview=None))
FIRE = ScenarioEntry(
    "fire", "The night shift", "It is late.\n\nIt is dark.", "Drills", drill=DrillFacts(5, "first shift")
)
WORKERS = ScenarioEntry(
    "cores",
    "Cores",
    "Workers. Cores.",
    "Spark",
    "Spark",
    story="What happens.",
    watch=("the cores", "a worker"),
    facts=SPARK,
)
ENTRIES = [PLAIN, DEADLOCK, MILD, OFF, WORKERS, FIRE]


@pytest.mark.parametrize(
    ("words", "sections"),
    [
        ("deadlock", [(IN_NAMES, [DEADLOCK])]),
        (" deadlock ", [(IN_NAMES, [DEADLOCK])]),
        ("dead", [(IN_NAMES, [DEADLOCK, MILD, OFF])]),
        ("mild", [(IN_NAMES, [DEADLOCK, MILD])]),
        ("milder", [(IN_TEXTS, [DEADLOCK, MILD])]),
        ("REPORT waits", [(IN_TEXTS, [DEADLOCK])]),
        ("night", [(IN_NAMES, [FIRE])]),
        ("fire", [(IN_NAMES, [FIRE])]),
        ("reserved", [(IN_TEXTS, [DEADLOCK, MILD])]),
        ("cores", [(IN_NAMES, [WORKERS])]),
        ("capacity", [(IN_TEXTS, [PLAIN])]),
        ("nowhere", []),
        ("", []),
    ],
)
def test_entries_are_found_by_name_then_by_text(words: str, sections: list[tuple[str, list[ScenarioEntry]]]) -> None:
    """A variant below what it varies; one of exactly that name alone; a drill by its title."""
    assert found(ENTRIES, words) == sections


def test_what_is_found_in_both_is_listed_once() -> None:
    """In the name, which tells more."""
    other = PLAIN._replace(name="other", about="like plain")

    assert found([PLAIN, other], "plai") == [(IN_NAMES, [PLAIN]), (IN_TEXTS, [other])]


def _names(words: str = "", unfolded: tuple[str, ...] = (), height: int = 10) -> list[str]:
    listed = rows(ENTRIES, words, unfolded, height)
    return [
        row.heading.upper()
        or f"{'(' * row.is_context}{row.entry.name if row.entry else ''}"
        f"{f' +{row.variants}' if row.variants else ''}{'!' * row.is_open}"
        for row in listed
    ]


FOLDED = ["FIRST", "plain", "RESERVATIONS", "deadlock +2", "SPARK", "cores", "DRILLS", "fire"]
LOOSE = ["FIRST", "plain", "", "RESERVATIONS", "deadlock +2", "", "SPARK", "cores", "", "DRILLS", "fire"]


@pytest.mark.parametrize(("height", "lines"), [(10, FOLDED), (11, LOOSE), (29, LOOSE), (30, LOOSE)])
def test_groups_stand_apart_where_all_have_room(height: int, lines: list[str]) -> None:
    """With a heading each; variants are counted at what they vary."""
    assert _names(height=height) == lines


@pytest.mark.parametrize(("height", "is_loose"), [(29, False), (30, True)])
def test_groups_of_a_long_list_stand_apart_from_thirty_lines_on(height: int, is_loose: bool) -> None:
    """Though not all have room."""
    many = [PLAIN._replace(name=f"n{number}", group=f"g{number // 5}") for number in range(40)]

    assert (rows(many, "", (), height)[6].heading == "") is is_loose


def test_variants_are_listed_where_they_are_unfolded() -> None:
    """Below what they vary, which is open then."""
    assert _names(unfolded=("deadlock",))[3:6] == ["deadlock +2!", "deadlock-mild", OFF.name]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("mild", [IN_NAMES.upper(), "(deadlock", "deadlock-mild"]),
        ("deadlock", [IN_NAMES.upper(), "deadlock"]),
        ("late", [IN_TEXTS.upper(), "fire"]),
    ],
)
def test_what_has_not_the_words_stands_faint_above_what_has(words: str, lines: list[str]) -> None:
    """Under the heading of where they were found."""
    assert _names(words) == lines


def test_lines_of_the_list_are_drawn_as_they_are_stored() -> None:
    """Headings, folded and open ones, variants, a drill, the cursor; long words are cut, long names move the rest."""
    listed = [
        *rows(ENTRIES, "", ("deadlock",), 40),
        *rows(ENTRIES, "", (), 10)[3:4],
        *rows(ENTRIES, "mild", (), 10)[1:2],
    ]
    lines = [list_line(row, width, 16, is_cursor=here) for row in listed for width in (60,) for here in (False, True)]
    drawn, kept = stored("scenario-list", lines)

    assert drawn == kept
    assert {length(line) for line in lines[2:4]} == {60}


@pytest.mark.parametrize(
    ("entries", "width"),
    [
        ([], 10),
        ([FIRE], 10),
        ([PLAIN, FIRE], 5),
        ([DEADLOCK, MILD], 15),
        ([OFF], 28),
        ([OFF._replace(name="a" * 26)], 28),
        ([PLAIN._replace(name="a" * 28)], 28),
    ],
)
def test_the_column_of_names_is_as_wide_as_the_longest_28_at_most(entries: list[ScenarioEntry], width: int) -> None:
    """A variant stands two cells to the right; a drill has no name there."""
    listed = [row for one in entries for row in rows([one], "", ("deadlock",), 40)]

    assert name_width(listed) == width


@pytest.mark.parametrize(
    ("first", "cursor", "total", "height", "begin"),
    [
        (0, 9, 40, 10, 0),
        (0, 10, 40, 10, 1),
        (8, 9, 40, 10, 8),
        (8, 8, 40, 10, 7),
        (3, 0, 40, 10, 0),
        (35, 39, 40, 10, 30),
        (30, 35, 40, 10, 30),
        (5, 5, 6, 10, 0),
        (5, 5, 10, 10, 0),
        (5, 5, 11, 10, 1),
    ],
)
def test_the_list_scrolls_no_more_than_the_cursor_needs(
    first: int, cursor: int, total: int, height: int, begin: int
) -> None:
    """A line, which may be a heading, stays above it."""
    assert scrolled(first, cursor, total, height) == begin


@pytest.mark.parametrize(
    ("entry", "is_bare"),
    [(PLAIN, False), (FIRE, False), (ScenarioEntry("a", "", ""), True), (ScenarioEntry("a", "t", ""), False)],
)
def test_an_entry_is_bare_while_only_the_catalogue_was_read(entry: ScenarioEntry, is_bare: bool) -> None:
    """It has no title then, and no facts."""
    assert entry.is_bare is is_bare


@pytest.mark.parametrize(
    ("name", "entry", "width", "height"),
    [
        ("tall", DEADLOCK, 100, 60),
        ("44", DEADLOCK, 100, 44),
        ("20", DEADLOCK, 70, 20),
        ("narrow", DEADLOCK, 59, 40),
        ("variant", MILD, 80, 30),
        ("plain", PLAIN, 80, 30),
        ("spark", WORKERS, 80, 45),
        ("drill", FIRE, 60, 20),
        ("9", DEADLOCK, 90, 9),
    ],
)
def test_what_is_said_of_one_is_drawn_as_it_is_stored(name: str, entry: ScenarioEntry, width: int, height: int) -> None:
    """Size and rules, its pulse, its story, what to watch and try, variants, nodes; the last parts go first."""
    drawn, kept = stored(f"preview-{name}", preview_lines(entry, ENTRIES, width, height))

    assert len(drawn[: drawn.index("─── styles, each with its cells")]) <= height
    assert drawn == kept


@pytest.mark.parametrize("entry", [DEADLOCK, PLAIN, WORKERS, FIRE, MILD])
@pytest.mark.parametrize("width", [40, 78])
def test_the_least_that_is_said_is_drawn_as_it_is_stored(entry: ScenarioEntry, width: int) -> None:
    """Its pulse, its first sentence, what to watch, its size and rules."""
    drawn, kept = stored(f"preview-short-{entry.name}-{width}", short_lines(entry, width))

    assert drawn == kept


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (FACTS, "3 nodes · 2 queues · 40 applications · 1h"),
        (FACTS._replace(duration_ms=HOUR_MS + 60_000), "3 nodes · 2 queues · 40 applications · 1h01m"),
        (SPARK, "3 workers · 40 applications · 10m00s"),
        (FACTS._replace(preview=None), "1h"),
    ],
)
def test_the_size_of_a_scenario_is_one_line(facts: ScenarioFacts, words: str) -> None:
    """Without a preview only how long it is is known."""
    assert size_words(facts) == words


def test_the_pulse_of_a_preview_is_flat_where_it_froze() -> None:
    """From a third of its width to two."""
    (line,) = pulse_rows(preview(), HOUR_MS, 60, 1)
    drawn, kept = stored("preview-pulse", [line, *pulse_rows(preview(frozen=()), HOUR_MS, 60, 3)])

    assert drawn == kept
    assert length(line) == 60


def test_paragraphs_are_filled_each_by_itself() -> None:
    """With a blank line between; where there is no text the title stands for it."""
    assert [flat(line) for line in about_lines(FIRE, 20)] == ["It is late.", "", "It is dark."]
    assert [flat(line) for line in about_lines(MILD, 20)] == ["Milder"]
    assert [flat(line) for line in about_lines(PLAIN, 9)] == ["Nothing", "happens."]


@pytest.mark.parametrize(
    ("title", "side", "width", "upper"),
    [
        ("plain", "Fair", 30, "╭─ plain  Fair ──────────────╮"),
        ("plain", "Fair", 19, "╭─ plain  Fair ───╮"),
        ("plain", "Fair", 18, "╭─ plain ────────╮"),
        ("plain", "", 18, "╭─ plain ────────╮"),
        ("a-long-name", "", 16, "╭─ a-long-na… ─╮"),
    ],
)
def test_a_preview_has_a_frame_with_its_name(title: str, side: str, width: int, upper: str) -> None:
    """As high as it is to be; what is beside the name goes where there is no room."""
    lines = framed(title, side, [[("one", "text")], [("two", "text")]], width, 3)

    assert [flat(line) for line in lines] == [
        upper,
        f"│ {'one':{width - 4}} │",
        f"╰{'─' * (width - 2)}╯",
    ]


def test_a_preview_below_a_list_has_a_rule_with_its_name() -> None:
    """The words at the right end; a long name is cut so that these have room."""
    assert flat(ruled("plain", "Fair", 30)) == "─ plain ─────────────── Fair ─"
    assert flat(ruled("a-long-name", "Fair", 30)) == "─ a-long-na… ────────── Fair ─"
