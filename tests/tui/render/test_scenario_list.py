"""The list of scenarios and drills, and what is said of one before it is opened."""

from typing import Any

import pytest

from engine.scenario.catalogue import NodePicture, Preview
from tests.tui.render.drawing import stored
from tui.pages.choice import (
    IN_NAMES,
    IN_TEXTS,
    DrillFacts,
    ScenarioEntry,
    ScenarioFacts,
    found,
    list_line,
    preview_lines,
    rows,
)
from tui.panes.fragments import cell_width

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
    assert {cell_width(line) for line in lines[2:4]} == {60}


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
