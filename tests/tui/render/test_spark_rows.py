"""Rows of Spark's standalone Master as plain text."""

from typing import Any

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN, ExecutorRow, NodeRow, ObstacleSummary
from engine.observe.spark_plans import WorkerLine
from engine.observe.spark_snapshot import StandaloneRow
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.small_run import by_hand, now
from tui.render import executor, plan, standalone, worker
from tui.render.health import health_of
from tui.render.line import Look, Spans, flat
from tui.render.noun import look_at
from tui.render.table import Column, place, row_line

LOOK = Look(600_000, ("memory_mb", "cores"), (65_536, 32))


def application(**changes: Any) -> StandaloneRow:
    row = StandaloneRow(
        id="app-20240304090000-0007",
        number=7,
        name="etl",
        user="ann",
        queue="fifo",
        type="SPARK",
        state="RUNNING",
        submitted_ms=0,
        waiting_since_ms=None,
        finished_ms=None,
        used=(3072, 12),
        containers=6,
        reserved=UNKNOWN,
        reservations=UNKNOWN,
        asks=(),
        pending_containers=0,
        obstacle=None,
        cores_wanted=12,
        executor_cores=2,
        executor_memory_mb=512,
    )
    return msgspec.structs.replace(row, **changes)


def node(state: str) -> NodeRow:
    return NodeRow(
        "w:7078", "w", "/r", state, "", (10_240, 10), (1536, 6), (8704, 4), 3, None, None, UNKNOWN
    )  # fmt: skip


def line(columns: tuple[Column[Any], ...], row: Any, width: int = 120) -> str:
    return flat(row_line(place(columns, width), row, LOOK))


def words(lines: list[Spans]) -> str:
    return "\n".join(flat(spans) for spans in lines)


def test_an_application_shows_cores_got_and_wanted() -> None:
    """All, a part, every core there is, and none any more once it has ended."""
    cells = [
        tuple(line(standalone.COLUMNS, application(**changes)).split()[4:6])
        for changes in ({}, {"used": (1024, 4)}, {"cores_wanted": None}, {"state": "FINISHED", "used": (0, 0)})
    ]

    assert cells == [("12", "12"), ("4", "12"), ("12", "all"), ("0", "12")]


def test_an_executor_may_take_any_number_of_cores() -> None:
    rows = [application(), application(executor_cores=None)]

    assert [line(standalone.COLUMNS, row).split()[7] for row in rows] == ["512M/2c", "512M/any"]


def test_a_narrow_screen_keeps_cores_and_the_reason() -> None:
    row = application(state="WAITING", used=(0, 0), containers=0, obstacle=ObstacleSummary("X", "no worker is alive"))

    assert line(standalone.SORTED_COLUMNS, row, 76).split() == ["0007", "etl", "0", "12", "no", "worker", "is", "alive"]


def strip(row: StandaloneRow, *others: StandaloneRow, height: int = 9, **sections: Any) -> str:
    """The strip about an application, which is in the list with others before it."""
    picture = now(FakeSession(fakes.FakeSnapshot(fakes.header(), applications=[*others, row], **sections)).picture())
    return words(standalone.NOUN.details(row, picture, LOOK, height))


def test_the_strip_warns_of_a_hoarder() -> None:
    """Who sets no maximum is told apart from who waits and who has enough."""
    hoarder = strip(application(cores_wanted=None))
    waiting = strip(application(obstacle=ObstacleSummary("X", "no worker is alive")))

    assert ("given every core that comes free" in hoarder, "why   no worker is alive" in waiting) == (True, True)
    assert "K     kill it: frees 12 cores, loses 6 executors" in strip(application())


def test_a_lost_worker_is_named_with_what_went_and_what_is_wanted() -> None:
    """In the headline: its cores, and how many cores those that wait want more. In the strip: executors, until when."""
    session = by_hand("spark-worker-lost", at="182s", paused=True)
    picture = session.picture()
    look = look_at(picture)
    rows = picture.snapshot.applications()
    said = {row.number: words(standalone.NOUN.details(row, picture, look, 9)) for row in rows}

    assert health_of(picture).headline == "worker1 took 9 cores with it; 2 want 12 cores more"
    assert ["lost  1 executor with worker1" in said[number] for number in (1, 2)] == [True, True]
    assert "until worker1 returns, or 0002 ends" in said[1]
    assert "until worker1 returns, or 0001 ends" in said[2]
    assert ["until" in said[number] or "lost" in said[number] for number in (3, 4)] == [False, False]


@pytest.mark.parametrize(
    ("wanted", "cores", "until"),
    [(14, 4, "until w returns"), (14, 3, ""), (None, 4, ""), (12, 2, "until w returns"), (12, 1, "")],
)
def test_an_end_is_named_where_who_comes_before_has_room_too(wanted: int | None, cores: int, until: str) -> None:
    """Two cores are missing before it and two are its own; who sets no maximum takes whatever comes."""
    before = application(cores_wanted=wanted, pending_containers=0 if wanted == 12 else 1, waiting_since_ms=1)
    row = application(number=8, used=(0, 0), containers=0, obstacle=ObstacleSummary("X", "no worker"))
    lost = msgspec.structs.replace(node("DEAD"), total=(10_240, cores))

    assert ("until w returns" in strip(row, before, nodes=[lost])) == bool(until)


def test_the_list_draws_what_is_wanted_on_the_scale_of_all_cores() -> None:
    """The mark stands at what is asked for; whoever sets no maximum asks for all."""
    bars = [line(standalone.FIFO_COLUMNS, row, 60) for row in (application(), application(cores_wanted=None))]

    assert [bar.index("│" if "│" in bar else "┃") for bar in bars] == [29, 44]
    assert "Served from the top" in words(standalone.fifo_details(application(), LOOK))


def test_workers_are_told_by_their_state() -> None:
    """Sorted, each row has its state; the bar of one that takes no work is gone."""
    lines = [line(worker.SORTED_COLUMNS, node(state), 100) for state in ("ALIVE", "DEAD", "DECOMMISSIONED", "ODD")]

    assert [text.split()[1] for text in lines] == ["ALIVE", "DEAD", "DECOMMISSIONED", "ODD"]
    assert ["╌" in text for text in lines] == [False, True, True, True]


def test_the_strip_says_what_a_state_means() -> None:
    said = [words(worker.details(node(state), LOOK)) for state in ("ALIVE", "DEAD", "DECOMMISSIONED")]

    assert ["D brings it back" in text for text in said] == [False, True, True]
    assert "D brings" not in words(worker.details(node("DEAD"), LOOK._replace(watched_from_ms=0)))
    assert "1536M/6c of 10G/10c; 8704M/4c free" in said[0]


def test_executors_tell_busy_from_held() -> None:
    row = ExecutorRow(7, 3, "w:7078", 4, 2048, 0, "RUNNING", 0, 1)
    rows = [row, msgspec.structs.replace(row, busy=0), msgspec.structs.replace(row, busy=UNKNOWN, state="LAUNCHING")]

    assert [line(executor.COLUMNS, one, 90).split()[4] for one in rows] == ["1/4", "0/4", "?/4"]
    assert [words(executor.details(one, LOOK)).splitlines()[1] for one in rows] == [
        "1 of 4 cores run a task",
        "it holds 4 cores and runs no task",
        "its driver does not know it yet",
    ]
    assert executor.NOUN.identity(row) == "0007/3"


def test_a_step_marks_who_got_cores() -> None:
    rows = [
        WorkerLine("w1", 8, 9728, 1, 2, "got the next 2 cores", got=True),
        WorkerLine("w2", 7, 1024, 0, 0, "its turn comes", waits=True),
    ]

    assert [line(plan.COLUMNS, row, 80).split() for row in rows] == [
        [">", "w1", "9728M/8c", "1", "2", "got", "the", "next", "2", "cores"],
        ["w2", "1G/7c", "its", "turn", "comes"],
    ]
    assert words(plan.details(rows[1], LOOK)) == "w2  its turn comes"
