"""The attributes that fields name by text are those of their rows, which mypy does not see."""

import pytest

from engine.observe.snapshot import (
    CapacityQueueRow,
    ContainerRow,
    ExecutorRow,
    NodeRow,
    QueueRow,
    ReservationRow,
    UserRow,
)
from engine.observe.spark_snapshot import StandaloneRow
from tui.panes import application, capacity_queue, container, executor, queue, rack, reservation, user
from tui.panes import events as event
from tui.panes import nodes as node
from tui.panes.field import RowField, RowFields
from tui.panes.table import unfilled
from tui.protocol.picture import EventRow


def reads_attribute(field: RowField[object]) -> bool:
    """Whether a comparison, a cell, the facts or a scope reads the attribute of a field."""
    is_compared = field.is_compared and field.own is None
    is_drawn = field.column is not None and field.column.cell is unfilled
    return is_compared or is_drawn or bool(field.group or field.scope)


@pytest.mark.parametrize(
    ("fields", "row"),
    [
        (application.FIELDS, StandaloneRow),
        (capacity_queue.FIELDS, CapacityQueueRow),
        (container.FIELDS, ContainerRow),
        (event.FIELDS, EventRow),
        (executor.FIELDS, ExecutorRow),
        (node.FIELDS, NodeRow),
        (queue.FIELDS, QueueRow),
        (rack.FIELDS, rack.RackRow),
        (reservation.FIELDS, ReservationRow),
        (user.FIELDS, UserRow),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_every_attribute_that_is_read_is_there(fields: RowFields[object], row: type) -> None:
    """Also when a field of a row gets another name; Spark's applications have all fields of others, and more."""
    read = [field.attribute or field.name for field in fields.every if reads_attribute(field)]

    assert read
    assert [name for name in read if not hasattr(row, name)] == []
