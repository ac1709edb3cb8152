"""Queues of CapacityScheduler, as plain text; what only fair queues have is absent."""

from typing import Any

import msgspec

from engine.observe.snapshot import CapacityQueueRow, PartitionUse
from tests.tui import fakes
from tui.render import capacity_queue, queue
from tui.render.line import Look, flat
from tui.render.table import head_line, place, row_line
from tui.screens.dialects import CAPACITY, YARN, dialect_of

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (102400, 100), 0)
LEAF = CapacityQueueRow(
    path="root.dev.eng",
    depth=2,
    is_leaf=True,
    policy="fifo",
    used=(61440, 60),
    max_share=(76800, 75),
    reserved=(0, 0),
    applications_running=2,
    applications_pending=1,
    containers=60,
    guaranteed=(30720, 30),
    used_capacity=2.0,
    state="RUNNING",
    user_limit=(122880, 120),
    am_used=(2048, 2),
    am_limit=(3072, 3),
    partitions=(PartitionUse("", 0.3, 0.75, (30720, 30), (76800, 75), (61440, 60)),),
)


def _line(row: CapacityQueueRow, width: int = 110) -> str:
    return flat(row_line(place(capacity_queue.COLUMNS, width), row, LOOK)).rstrip()


def _head(columns: Any) -> str:
    return flat(head_line(place(columns, 140)))


def test_a_capacity_queue_has_guarantee_and_maximum_on_one_meter() -> None:
    """Filled past the mark of the guarantee; blank past the maximum."""
    assert _line(LEAF, 86).startswith("   • eng                  ━━━━━┃━━━╸──        60G")


def test_a_parent_has_no_limits_of_users_and_masters() -> None:
    """Its cells are empty; applications are in leaves only."""
    parent = msgspec.structs.replace(LEAF, path="root.dev", is_leaf=False, user_limit=None, am_used=None, am_limit=None)

    placed = place(capacity_queue.EVERY_COLUMN, 130)

    assert flat(row_line(placed, parent, LOOK)).split()[-3:] == ["2", "0", "RUNNING"]


def test_columns_of_fair_shares_are_absent() -> None:
    """A fair queue has them; neither has those of the other."""
    fair, capacity = _head(queue.EVERY_COLUMN).split(), _head(capacity_queue.EVERY_COLUMN).split()

    assert {"FAIR", "MIN", "WEIGHT", "STARVED"} <= set(fair)
    assert not {"FAIR", "MIN", "WEIGHT", "STARVED"} & set(capacity)
    assert {"GUAR", "AM/LIMIT", "STATE"} <= set(capacity)
    assert not {"GUAR", "AM/LIMIT", "STATE"} & set(fair)


def test_a_stopped_queue_says_so_in_the_strip() -> None:
    """As a sentence of its own."""
    stopped = msgspec.structs.replace(LEAF, state="STOPPED")

    assert [len(capacity_queue.details(row, LOOK)) for row in (LEAF, stopped)] == [2, 3]
    assert flat(capacity_queue.details(stopped, LOOK)[-1]) == "STOPPED: it takes no application"


def test_all_that_is_known_names_partitions_and_nothing_of_fair() -> None:
    """Each partition on a line of its own."""
    facts = "\n".join(capacity_queue.NOUN.facts(LEAF, LOOK))

    assert "without label: 30 %, at most 75 %; uses 60G memory, 60 vcores" in facts
    assert not [word for word in ("fair share", "weight", "starved", "not known") if word in facts]


def test_queues_are_shown_by_what_their_rows_tell() -> None:
    """The same kind of cluster, with fair or capacity queues."""
    fair = fakes.frozen_cluster()
    capacity = fakes.frozen_cluster()
    capacity.sections = {**capacity.sections, "queues": CapacityQueueRow}

    assert dialect_of(fair) is YARN
    assert dialect_of(capacity) is CAPACITY
