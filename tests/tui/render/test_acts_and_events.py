"""The line of an act that can be undone, what it changed, and events about one thing."""

from typing import Any

import pytest

from tests.tui import fakes
from tui.picture import EventRow, Picture, RunState
from tui.render.event import events_of
from tui.render.line import Look, flat
from tui.render.mark import ActLine, act_facts, act_line
from tui.render.marked import marked_applications, marked_nodes
from tui.render.noun import Reference

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
SPARK = LOOK._replace(dimensions=("memory_mb", "cores"))
ACT_MS = fakes.NOW - 5000
KILL = ActLine.of("KillApplication", ACT_MS, f"kill {fakes.OTHER}.")


def _event(at_ms: int, kind: str, /, **fields: Any) -> EventRow:
    return EventRow(at_ms, at_ms, kind, fields)


def _picture(*events: EventRow) -> Picture:
    return Picture(fakes.frozen_cluster(), RunState("x"), list(events), len(events))


def test_an_act_has_the_letter_of_its_key() -> None:
    """What has no key has the sign of an event."""
    assert (KILL.letter, ActLine.of("Reload", 0, "").letter) == ("K", "◆")


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (90, "─ K  09:00:55  kill 183342 ────────────────────────────── u undo, back to just before it ─"),
        (63, "─ K  09:00:55  kill 183342 ─── u undo, back to just before it ─"),
        (62, "─ K  09:00:55  kill 183342 ────────────────────────── u undo ─"),
        (30, "─ K  09:00:55  kill … u undo ─"),
    ],
)
def test_the_line_of_an_act_is_cut_before_the_key_that_undoes_it(width: int, line: str) -> None:
    """With less than thirty cells for the act the key says less."""
    assert flat(act_line(KILL, "u", LOOK, width)) == line


OWN = _event(ACT_MS, "Acted", action={"kind": "KillApplication"})


@pytest.mark.parametrize(
    ("events", "facts"),
    [
        ((), []),
        ((_event(ACT_MS - 1, "Acted"), _event(ACT_MS + 1, "Acted")), []),
        ((OWN,), ["changed  nothing at once", "since    0 containers given"]),
        (
            (
                _event(ACT_MS - 1, "Killed"),
                _event(ACT_MS, "Killed"),
                OWN,
                _event(ACT_MS, "Killed"),
                _event(ACT_MS, "Completed"),
                _event(ACT_MS, "Unreserved"),
                _event(ACT_MS, "Allocated", container=(1, 1, 1)),
                _event(ACT_MS + 1, "Allocated", container=(1, 1, 2)),
                _event(ACT_MS + 2, "Allocated", container=(2, 1, 3)),
                _event(ACT_MS + 3, "Killed"),
            ),
            [
                "changed  2 containers ended, 1 reservation dropped, 1 container given",
                "since    2 containers given to 2 applications",
            ],
        ),
        (
            (OWN, _event(ACT_MS + 1, "Allocated", container=(1, 1, 2))),
            ["changed  nothing at once", "since    1 container given to 1 application"],
        ),
    ],
)
def test_an_act_tells_what_it_changed_at_once_and_since(events: tuple[EventRow, ...], facts: list[str]) -> None:
    """And where undoing leads; nothing where its record is gone."""
    undo = ["u        back to just before 09:00:55; what came after is dropped"]

    assert [flat(line).strip() for line in act_facts(KILL, _picture(*events), LOOK)] == [
        *facts,
        *(undo if facts else []),
    ]


def test_at_the_instant_of_the_act_nothing_is_said_of_what_came_since() -> None:
    """There is nothing yet."""
    lines = act_facts(KILL, _picture(OWN), LOOK._replace(now_ms=ACT_MS))

    assert [flat(line).split()[0] for line in lines] == ["changed", "u"]


EVENTS = (
    _event(1, "Submitted", application=183330, name="etl", user="etl", queue="root.etl", type="SPARK", rejected=""),
    _event(2, "Allocated", container=(183354, 1, 1), node="n1:1", memory_mb=1, vcores=1, locality=""),
    _event(3, "Submitted", application=9, name="new", user="zoe", queue="root.report.x", type="SPARK", rejected=""),
    _event(4, "Asked", application=9, count=1, memory_mb=1024, vcores=1, priority=1),
    _event(5, "NodeLost", node="n1:1", state="LOST"),
    _event(6, "ResourceManagerStarted"),
)


@pytest.mark.parametrize(
    ("thing", "kept"),
    [
        (Reference("node", "n1:1"), [2, 5]),
        (Reference("app", 183354), [2]),
        (Reference("app", 9), [3, 4]),
        (Reference("user", "zoe"), [3, 4]),
        (Reference("user", "mining"), [2]),
        (Reference("queue", "root.report"), [2, 3, 4]),
        (Reference("queue", "root.etl"), [1]),
        (Reference("queue", "root"), [1, 2, 3, 4]),
    ],
)
def test_events_are_about_a_thing_or_its_applications(thing: Reference, kept: list[int]) -> None:
    """Also about those that the events themselves tell of."""
    some = events_of(thing, "a title", _picture())

    assert [row.sequence for row in EVENTS if some.keeps(row, LOOK)] == kept
    assert some.text == "a title"


@pytest.mark.parametrize(
    ("count", "lines"),
    [
        (2, ["2 marked: 183330, 183331", "together they have 30 containers, 120G/30c; 2 wait, longest 30s", ""]),
        (
            9,
            [
                "9 marked: 183330, 183331, 183332, 183333, 183334, 183335, 183336, 183337 and 1 more",
                "together they have 135 containers, 540G/135c; 9 wait, longest 30s",
                "",
            ],
        ),
    ],
)
def test_marked_applications_are_told_together(count: int, lines: list[str]) -> None:
    """Eight at most by number; what they hold, and what an end of them frees."""
    rows = fakes.frozen_cluster().applications()[:count]
    held = 15 * count
    said = [flat(line) for line in marked_applications(rows, LOOK)]

    assert said[0] == lines[0]
    assert (f"{held}" in said[1], "; " in said[1], f"{count} wait, longest 30s" in said[1]) == (True, True, True)
    assert said[2] == f"K kill them: frees {4 * held}G/{held}c, loses {held} containers"


def test_marked_applications_that_have_nothing_lose_nothing() -> None:
    """Nor does anybody wait among those that have ended."""
    row = fakes.application_row(7, used=(0, 0), containers=0, state="KILLED", waiting_since_ms=None, obstacle=None)

    assert [flat(line) for line in marked_applications([row], LOOK)] == [
        "1 marked: 0007", "together they have nothing", "K kill them: frees nothing, loses nothing",
    ]  # fmt: skip


def test_marked_nodes_are_told_together() -> None:
    """Their names, what is on them and what is free."""
    rows = fakes.frozen_cluster().nodes()[:2]

    assert [flat(line) for line in marked_nodes(rows, LOOK._replace(prefix="10.120.117"))] == [
        "2 marked: .84, .85",
        "together 30 containers, 120G/30c of 200G/64c; 80G/34c free",
        "D drain them, or bring back nodes that are out",
    ]
