"""Single cells of the panes: their words and styles where one value turns into another."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN, UserRow
from engine.observe.spark_snapshot import SparkSnapshot, StandaloneRow
from tests.engine.observe.test_spark_snapshot import WORKER, after
from tests.engine.observe.test_spark_snapshot import application as registered
from tests.tui import fakes
from tui.render import application, container, node, queue, rack, standalone, user, worker
from tui.render.line import Look, Span, Spans, flat, joined
from tui.render.table import Column, place

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
CORES = LOOK._replace(dimensions=("memory_mb", "cores"))


def _cell(columns: Sequence[Column[Any]], title: str, row: object, width: int = 12) -> Span | Spans:
    column = next(column for column in columns if column.title == title)
    return column.cell(row, LOOK, width)


def _rack_row(**changes: Any) -> rack.RackRow:
    row = rack.RackRow("/r", 2, 0, (204800, 64), (0, 0), (204800, 64), (102400, 32), 0, 0)
    return msgspec.structs.replace(row, **changes)


def _spark_rows(*events: Any) -> Sequence[StandaloneRow]:
    return SparkSnapshot(after(*events), 0).applications()


@pytest.mark.parametrize(
    ("used", "fair", "words"),
    [((1024, 7), (2048, 9), "7/9"), ((1024, 7), (2048, 0), "7"), ((1024, 7), UNKNOWN, "7"), ((1024,), (2048,), "")],
)
def test_a_queues_vcores_are_told_of_its_fair_share(used: tuple[int, ...], fair: Any, words: str) -> None:
    row = fakes.queue_row("root.etl", used=used, fair_share=fair)

    assert _cell(queue.EVERY_COLUMN, "VC/FAIR", row) == (words, "text")


def test_less_than_nothing_free_has_a_minus() -> None:
    assert _cell(node.COLUMNS, "FREE", fakes.node_row("a", free=(-1024, 4))) == ("-1G", "text")
    assert _cell(rack.COLUMNS, "FREE", _rack_row(free=(-1024, 4))) == ("-1G", "text")


def test_a_rack_is_a_problem_with_a_node_down_or_reserved() -> None:
    rows = [_rack_row(), _rack_row(nodes_down=1), _rack_row(reservations=1)]

    assert [rack.is_problem(row, LOOK) for row in rows] == [False, True, True]


def test_who_reserved_a_node_is_told_with_the_size() -> None:
    rows = [
        fakes.node_row("a", reserved_by=None, reserved=None),
        fakes.node_row("a"),
        fakes.node_row("a", reserved=UNKNOWN),
        fakes.node_row("a", reserved_by=UNKNOWN),
    ]

    assert [_cell(node.EVERY_COLUMN, "RESERVED BY", row) for row in rows] == [
        ("", "text"),
        ("183354 62.5G/1c", "held"),
        ("183354", "held"),
        ("?", "faint"),
    ]


def test_a_worker_that_is_not_alive_is_dim_and_empty() -> None:
    alive, dead = (
        fakes.node_row("w", state=state, total=(102400, 32), used=(102400, 0)) for state in ("ALIVE", "DEAD")
    )
    bars = [flat(bar) for row in (alive, dead) if isinstance(bar := _cell(worker.COLUMNS, "BAR", row, 32), list)]

    assert bars == ["▁" * 32, "╌" * 32]
    assert [_cell(worker.COLUMNS, "MEMORY", row) for row in (alive, dead)] == [("100G/100G", "text"), ("–", "text")]


def test_an_application_tells_cores_it_has_and_asks_for() -> None:
    full, short, open_ended = _spark_rows(WORKER, registered(64, 2, 2), registered(64, 4, 2), registered(64))

    assert [
        (_cell(standalone.COLUMNS, "CORES", row)[0], _cell(standalone.COLUMNS, "ASKS", row)[0])
        for row in (full, short, open_ended)
    ] == [("2", "2"), ("2", "4"), ("0", "all")]


@pytest.mark.parametrize(
    ("state", "since_ms", "is_problem"),
    [
        ("RUNNING", None, False),
        ("RUNNING", 1, True),
        ("ACCEPTED", 1, True),
        ("FINISHED", None, False),
        ("FINISHED", 1, False),
        ("FAILED", None, True),
        ("KILLED", None, True),
    ],
)
def test_an_application_is_a_problem_while_it_waits_or_when_ended_by_force(
    state: str, since_ms: int | None, *, is_problem: bool
) -> None:
    row = fakes.application_row(1, state=state, waiting_since_ms=since_ms)

    assert application.is_problem(row, LOOK) is is_problem


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("container_7_0007_01_000002", "2"),
        ("container_7_0007_02_000015", "2/15"),
        ("container_7_0007_x_000002", "container_7_0007_x_000002"),
        ("container_7_0007_01_x", "container_7_0007_01_x"),
        ("c_1", "c_1"),
    ],
)
def test_a_container_is_called_by_its_number(name: str, words: str) -> None:
    """With its attempt's, when that is not the first; what is no id stays as it is."""
    assert container.short_id(name) == words


def test_spans_of_one_style_become_one() -> None:
    assert joined([("a", "x"), ("b", "x"), ("c", "y"), ("d", "x")]) == [("ab", "x"), ("c", "y"), ("d", "x")]


def test_columns_fill_the_width() -> None:
    """Where none grows the rest stays blank; those that grow get shares of it."""
    fixed: list[Column[object]] = [
        Column("A", 3, 0, lambda row, look, width: ("", "text")),
        Column("B", 4, 0, lambda row, look, width: ("", "")),
    ]
    growing = [fixed[0]._replace(grow=1), fixed[1]._replace(grow=2), fixed[1]]

    assert [each.width for each in place(fixed, 20)] == [3, 4]
    assert [each.width for each in place(growing, 24)] == [6, 10, 4]


def test_a_node_is_called_by_its_host() -> None:
    rows = [fakes.node_row("h", id="n7:45454"), fakes.node_row("", id="n7:45454", state="LOST")]

    assert [_cell(node.COLUMNS, "NODE", row) for row in rows] == [("h", "text"), ("n7", "faint")]


@pytest.mark.parametrize(("share", "used", "percent"), [(0.0, 0, "0%"), (0.5, 6, "50%"), (1.0, 12, "100%")])
def test_a_users_bar_shows_the_share_of_the_cluster(share: float, used: int, percent: str) -> None:
    row = UserRow("ann", ("root.a",), 1, 0, 1, (1024, 1), (0, 0), 0, (0, 0), share)
    bar = next(cell for column in user.COLUMNS if isinstance(cell := column.cell(row, LOOK, 12), list))

    assert flat(bar).count("━") == used
    assert (percent, "text") in [column.cell(row, LOOK, 12) for column in user.COLUMNS]
