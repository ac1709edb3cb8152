"""One line and one strip per noun, as plain text."""

from typing import Any

import msgspec
import pytest

from engine.model.decision import Completed, Unreserved, Warned
from tests.tui import fake_holders, fakes
from tui.panes import application, container, queue, reservation
from tui.panes import events as event
from tui.panes import nodes as node
from tui.panes.arrangement import SortFilter
from tui.panes.field import APPLICATION, NODE, QUEUE, USER, Scope
from tui.panes.line import RenderContext, flat, length
from tui.panes.table import Column, place, row_line
from tui.session.alert_monitor import event_row

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


def _line(columns: tuple[Column[Any], ...], row: object, width: int = 80) -> str:
    return flat(row_line(place(columns, width), row, LOOK)).rstrip()


def _event(record: object) -> event.RepeatedEvent:
    return event.RepeatedEvent(**msgspec.structs.asdict(event_row(0, fakes.NOW, record)))


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (Unreserved((1, 1, 2), "n1:1", 0, 1024, 1),
         "09:01:00     000  UNRESERVE   0001     n1 no longer reserved for 1G/1c"),
        (Warned((1, 1, 2), "n1:1", "a", 1024),
         "09:01:00     000  WARN        0001     container 2 of a will be preempted, 1G"),
        (Completed((1, 1, 2), "n1:1", 1), "09:01:00     000  END         0001     container 2 on n1 exit 1"),
    ],
)  # fmt: skip
def test_an_event_is_a_sentence(record: object, line: str) -> None:
    assert _line(event.COLUMNS, _event(record), 100) == line


@pytest.mark.parametrize("width", [10, 20, 33, 47, 55, 78, 120, 200])
@pytest.mark.parametrize(
    ("columns", "row"),
    [
        (application.COLUMNS, fakes.application_row(183330, name="日报" * 9, user="报表")),
        (queue.COLUMNS, fakes.queue_row("root.a.b.c.d")),
        (node.COLUMNS, fakes.node_row("a-very-long-host-name.example.com")),
        (reservation.COLUMNS, fakes.reservation_row("n1")),
        (event.COLUMNS, event.RepeatedEvent(**msgspec.structs.asdict(fakes.some_events()[1]))),
    ],
)
def test_no_line_is_wider_than_its_pane(columns: tuple[Column[Any], ...], row: object, width: int) -> None:
    assert length(row_line(place(columns, width), row, LOOK)) <= width


def test_text_from_users_cannot_move_the_cursor() -> None:
    row = fakes.application_row(1, name="bad\x1b[2Jname", user="a\tb")

    assert "\x1b" not in flat(row_line(place(application.COLUMNS, 200), row, LOOK))


# Containers and users, one line and one strip each, as plain text.


def test_a_scope_keeps_exactly_what_belongs_to_it() -> None:
    row = fake_holders.container_row(1, "n1", queue="root.etl.daily")
    application = f"application_{fakes.TIMESTAMP}_183330"

    kept = [
        SortFilter(scope=Scope(kind, name)).keeps(row, container.NOUN.criteria, LOOK)
        for kind, name in (
            (QUEUE, "root.etl"),
            (QUEUE, "root.et"),
            (APPLICATION, application),
            (APPLICATION, application[:-1]),
            (NODE, "n1:45454"),
            (NODE, "n1"),
            (USER, "etl"),
            (USER, "et"),
        )
    ]

    assert kept == [True, False, True, False, True, False, True, False]
