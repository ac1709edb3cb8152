"""Pages that are shown on another: the circle, what an act asks, a plan, the end of a drill."""

from typing import Any

import msgspec
import pytest

from engine.explain.impact import ImpactReport, StayReport
from engine.observe.snapshot import AskRow, ObstacleSummary, ReservationRow
from engine.observe.spark_snapshot import PlanTables, Table, WorkerLine
from engine.schedulers.spark.assignment import RemainingDemand
from engine.schedulers.spark.scheduling_pass import PlanRecord
from engine.training.debrief import ClueSeen, Debrief, DebriefRow, WhatIf
from engine.training.exercise import Sample
from engine.training.harm import HarmDone
from engine.training.score import Score, ScoreLine
from tests.reports import report_of
from tests.tui import answered, fakes
from tests.tui.fakes import container_row
from tests.tui.render.drawing import stored
from tui.pages.act_sheet import ActQuestion, Trying, sheet_lines
from tui.pages.circle import CirclePart, circle_lines, parts_of, reservation_steps
from tui.pages.drill import DebriefSheet, debrief_screen
from tui.panes.fragments import Fragments, RenderContext, cell_width, flat
from tui.panes.table import head_line, place, row_line
from tui.panes.workers import PLAN_COLUMNS, foot_lines, head_lines, plan_details
from tui.terminal.format import RelativeTimeFormat

HOLDER = CirclePart("183354", "weekly model", 0, "holds 2 nodes", "needs 18.5G more on one of its 2 nodes")
FILLERS = CirclePart("183314", "search index", 6, "fill 56G of each node", "each needs one container more, on any node")


def test_no_width_makes_a_line_longer_than_it() -> None:
    for width in range(24, 140):
        assert all(cell_width(line) <= width for line in circle_lines([HOLDER, FILLERS], width))


def reservation(node: str, short_mb: int) -> ReservationRow:
    return ReservationRow(
        node=fakes.node_id(node),
        application=fakes.BIG,
        queue="root.mining",
        size=(64000, 4),
        free=(64000 - short_mb, 8),
        short_by=(short_mb, 0),
        since_ms=fakes.NOW,
    )


def frozen(*waiting: int, hosts: tuple[str, ...] = ("a", "b"), count: int = 1) -> fakes.FakeSnapshot:
    """Some nodes reserved by one application; each of the others has 8 GB on every node and waits for more."""
    refused = ObstacleSummary("NODE_RESERVED", "reserved by 183354")
    asks = (AskRow(priority=0, count=count, size=(8192, 1)),)
    rows = [fakes.application_row(number, name=f"job {number}", asks=asks, obstacle=refused) for number in waiting]
    big = fakes.application_row(183354, name="weekly model")
    containers = [
        msgspec.structs.replace(container_row(row.number, host), application=row.id, size=(8192, 1))
        for row in rows
        for host in hosts
    ]
    return fakes.FakeSnapshot(
        fakes.header(),
        applications=[big, *rows],
        reservations=[reservation(host, 18944 + 1024 * place) for place, host in enumerate(hosts)],
        containers=containers,
    )


@pytest.mark.parametrize(("count", "what"), [(1, "one container"), (2, "containers")])
def test_the_parts_of_a_reservation_deadlock_have_their_figures(count: int, what: str) -> None:
    fillers = (183314, 183315, 183316)
    snapshot = frozen(*fillers, count=count)
    holder, filling = parts_of(reservation_steps(snapshot, answered.name(183354)), {}, snapshot)

    assert holder == HOLDER._replace(ids=(answered.name(183354),))
    assert filling._replace(ids=()) == FILLERS._replace(
        name="job 183314", others=2, holds="fill 24G of each node", needs=f"each needs {what} more, on any node"
    )
    assert filling.ids == tuple(map(answered.name, fillers))


def test_a_circle_is_said_to_last_for_ever_only_where_that_is_proven() -> None:
    proven = [flat(circle_lines([HOLDER, FILLERS], 50, is_proven=known)[-1]) for known in (True, False)]

    assert proven == ["  ╰─→ 183354 again, and so on for ever", "  ╰─→ 183354 again"]


# The dialog that asks before an act: lost and freed.

AFTER = report_of(ImpactReport, answered.followed())
DAY = RelativeTimeFormat(answered.NOW, answered.OFFSET_MS)
KILL = ActQuestion(
    "Kill", ("Kill 183342 etl-183342?", "It has run for an hour and a half and holds fifteen containers."), "Kill it",
    lost=(("15", "containers"), ("1h30m", "")), freed=(("60G/15c", "on 12 nodes"),),
)  # fmt: skip


def _stay(number: int, node: str, until_ms: int | None = None) -> StayReport:
    return StayReport(application=answered.name(number), node=node, until_ms=until_ms)


STAYS = (
    _stay(1, "n1:1", answered.NOW + 60_000),
    _stay(1, "n2:1", answered.NOW + 90_000),
    _stay(2, "n3:1", answered.NOW + 30_000),
    _stay(3, "n4:1"),
    _stay(4, "n5:1"),
)


@pytest.mark.parametrize(
    ("name", "trying", "width"),
    [
        ("followed", Trying(AFTER, DAY), 80),
        ("narrow", Trying(AFTER, DAY), 40),
        ("wide", Trying(msgspec.structs.replace(AFTER, stays=STAYS, preempted=3), DAY), 120),
        ("refused", Trying(msgspec.structs.replace(AFTER, refused="there is\nno such node"), DAY), 60),
        ("working", Trying(words="trying it on a copy, which takes a moment or two"), 30),
        (
            "nobody",
            Trying(
                msgspec.structs.replace(
                    AFTER, begun=(), stays=(), memory=msgspec.structs.replace(AFTER.memory, before=None)
                ),
                DAY,
            ),
            60,
        ),
    ],
)
def test_what_follows_is_drawn_as_it_is_stored(name: str, trying: Trying, width: int) -> None:
    """Who starts and when, what is preempted, whose reservations stay, memory now and at most."""
    drawn, kept = stored(f"act-{name}", sheet_lines(KILL, trying, width))

    assert drawn == kept


# One pass of Spark's Master, core by core.

LOOK = RenderContext(600_000, ("memory_mb", "cores"), (65_536, 32), 3_600_000)
WORKERS = (
    WorkerLine("w1", 3, 2048, 1, 2, "got 1 core", got=True),
    WorkerLine("w2", 1, 512, 0, 0, "comes next", waits=True),
    WorkerLine("w3", 0, 9, 2, 4, "has no core free"),
)


def tables(
    want: RemainingDemand, count: int = 6, *, profile: int = 0, spread_out: bool = True, ahead: bool = False
) -> PlanTables:
    """The plan of an application that wants so much, in so many steps."""
    given = (count * (want.executor_cores or 1),)
    record = PlanRecord(7, profile, want, spread_out, (), (), given)
    return PlanTables(61_234, "ExecutorAdded", record, {}, "etl daily", ahead)


def test_a_pass_is_drawn_as_it_is_stored() -> None:
    """Its head, its table, the worker under the cursor, the result of the step; one that would be made now says so."""
    table = Table(3, 2, WORKERS, 4, "w1 gets a core")
    lines: list[Fragments] = head_lines(
        tables(RemainingDemand(4, None, 1024), profile=2, spread_out=False), table, (1, 2), LOOK
    )
    lines += head_lines(tables(RemainingDemand(4, None, 1024), ahead=True), table, (2, 2), LOOK)
    placed = place(PLAN_COLUMNS, 90)
    lines += [head_line(placed), *(row_line(placed, row, LOOK) for row in WORKERS)]
    lines += [line for row in WORKERS for line in plan_details(row, LOOK)]
    lines += [*foot_lines(table, WORKERS[1]), *foot_lines(table, None)]
    drawn, kept = stored("plan", lines)

    assert drawn == kept


# The screen after a drill: lanes, table, score, the shorter way and the lesson, from a debrief made by hand.

ROWS = (
    DebriefRow(0, "2 wait, 40 containers run", "", "", "queues 1m"),
    DebriefRow(20_000, "node n7 is lost", "", "▲", "nodes 5s"),
    DebriefRow(65_000, "", "looks at nodes", "n", "nodes 50s"),
    DebriefRow(90_000, "", "says what is to blame: n7", "b", "nodes 1m10s", "", "among others", "n7 alone"),
    DebriefRow(95_000, "", "says: a fault", "f", "", "", "right"),
    DebriefRow(120_000, "", "brings node n7 back", "D", "nodes 1m40s", "9 wait → 1 waits"),
    DebriefRow(180_000, "all goals are met", "", "●"),
)
LINES = (
    ScoreLine("solved", "3m00s, par 1m00s", 41.5, 50),
    ScoreLine("localise", "1m30s", 5.0, 10),
    ScoreLine("hints", "1 hint", -5.0, 0),
)
PAR = (DebriefRow(30_000, "", "brings node n7 back", "D"), DebriefRow(60_000, "all goals are met", "", "●"))
PAR_SCORE = Score(60_000, (ScoreLine("solved", "", 98, 100),), HarmDone(0.0, 61.0), 0, {})
OTHER_SCORE = Score(None, (ScoreLine("solved", "", 9, 100),), HarmDone(1.0, 2.0), 0, {})


def debrief(**changes: Any) -> Debrief:
    """A lost node that was brought back after two minutes; par needs half a minute."""
    found = Debrief(
        name="lost-node",
        title="Night shift",
        score=Score(180_000, LINES, HarmDone(61.6, 600.0), 5, {}),
        rows=ROWS,
        clues=(ClueSeen("node n7 is lost", "nodes", 20_000, 65_000),),
        goals=(("nothing waits", 180_000), ("no queue starves", None)),
        samples=tuple(Sample(at_ms, at_ms // 30_000 % 5, 40, 0) for at_ms in range(0, 300_001, 30_000)),
        lasts_ms=600_000,
        par=PAR_SCORE,
        par_rows=PAR,
        what_ifs=(WhatIf(0, "brings node n7 back", OTHER_SCORE),),
        text="A node that is lost takes its containers with it. It comes back by itself after ten minutes.",
        is_exam=False,
    )
    return msgspec.structs.replace(found, **changes)


@pytest.mark.parametrize(
    ("name", "sheet", "width", "height"),
    [
        ("wide", DebriefSheet(debrief(), 3, 77), 170, 40),
        ("middle", DebriefSheet(debrief(), 5, None), 100, 31),
        ("narrow", DebriefSheet(debrief(), 6, 3), 80, 24),
        ("score", DebriefSheet(debrief(), 6, 100, is_on_score=True), 80, 24),
        ("otherwise", DebriefSheet(debrief(), 0, 0, what_ifs=debrief().what_ifs * 5), 120, 40),
    ],
)
def test_the_debrief_is_drawn_as_it_is_stored(name: str, sheet: DebriefSheet, width: int, height: int) -> None:
    """The same events with more room and with less, the chosen row and what it would have been."""
    drawn, kept = stored(f"debrief-{name}", debrief_screen(sheet, width, height)[0])

    assert drawn == kept


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (99, 31), (100, 32), (151, 40), (152, 40), (200, 60)])
@pytest.mark.parametrize("cursor", [0, 3, 6])
def test_no_line_of_a_debrief_is_wider_than_the_screen(size: tuple[int, int], cursor: int) -> None:
    """Nor are there more lines than it has; the chosen row is among them."""
    lines, most = debrief_screen(DebriefSheet(debrief(), cursor, 50), *size)
    scrolled, _ = debrief_screen(DebriefSheet(debrief(), cursor, 50, is_on_score=True, first=most), *size)

    assert any("ten minutes." in "".join(words for words, _ in line) for line in scrolled)
    assert max(map(cell_width, lines)) <= size[0]
    assert len(lines) <= size[1]
    assert sum("accent on raise" in {style for _, style in line} for line in lines) == 1
