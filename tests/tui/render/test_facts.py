"""All that is known of a row: in groups, with units, times as clock times, nothing left out."""

import re
from typing import Any

import pytest

from tests.tui import fakes
from tui.board.dialects import MAPREDUCE_1_FAIR, STANDALONE, Dialect
from tui.panes.events import EventFolds, event_text
from tui.panes.fragments import RenderContext
from tui.protocol.picture import EventRow

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), offset_ms=8 * 3_600_000)


@pytest.mark.parametrize("dialect", [MAPREDUCE_1_FAIR, STANDALONE])
def test_sort_menus_have_the_words_of_the_system(dialect: Dialect) -> None:
    dimensions = ("map_slots", "reduce_slots") if dialect is MAPREDUCE_1_FAIR else ("memory_mb", "cores")
    look = LOOK._replace(dimensions=dimensions, queue="pool")
    fields = {field for views in dialect.panes.values() for view in views for field in view.criteria.sortable}
    said = " ".join(field.title(look) for field in fields if field.is_in(dimensions))

    foreign = "application|node|queue|vcores|memory" if dialect is MAPREDUCE_1_FAIR else "container|node|queue"
    assert re.findall(foreign, said) == []


# Events in words.

SPARK = LOOK._replace(dimensions=("memory_mb", "cores"))


def _row(kind: str, **fields: Any) -> EventRow:
    return EventRow(1, fakes.NOW, kind, fields)


@pytest.mark.parametrize(
    ("container", "look", "words", "application"),
    [
        ((7, 1, 3), LOOK, "container 3", 7),
        ((7, 1, 3), SPARK, "executor 3", 7),
        ((9, 0, 3), SPARK, "driver 9", None),
    ],
)
def test_what_was_allocated_is_called_as_its_cluster_does(
    container: tuple[int, int, int], look: RenderContext, words: str, application: int | None
) -> None:
    row = _row("Allocated", container=container, node="n1:1", memory_mb=1024, vcores=2, locality="NODE_LOCAL")
    told = event_text(row, look)

    place = "node" if look is LOOK else "worker"
    assert told.sentence == f"{words} on n1, 1G/2c (its {place})"
    assert (told.application, told.node) == (application, "n1:1")


@pytest.mark.parametrize(
    ("look", "count", "said"),
    [
        (LOOK, 2, "asks for 2 × 1G/2c at priority 1"),
        (LOOK, 0, "asks for nothing more at priority 1"),
        (SPARK, 2, "asks for 2 × 1G/2c in all"),
        (SPARK, 0, "asks for nothing more"),
    ],
)
def test_a_driver_of_sparks_asks_for_executors_in_all(look: RenderContext, count: int, said: str) -> None:
    row = _row("Asked", application=7, priority=1, memory_mb=1024, vcores=2, count=count)

    assert event_text(row, look).sentence == said


@pytest.mark.parametrize(("detail", "said"), [("no such queue", "no such queue"), ("", "InvalidQueue")])
def test_a_refusal_says_what_was_wanted_and_why_not(detail: str, said: str) -> None:
    row = _row("Refused", event="MoveApplication", rejected="InvalidQueue", detail=detail, application=0)
    told = event_text(row, LOOK)

    assert (told.verb, told.sentence, told.application) == ("REFUSED", f"move application: {said}", None)


def _started(sequence: int, time_ms: int, container: int, node: str = "n1") -> EventRow:
    return EventRow(sequence, time_ms, "Started", {"container": (1, 1, container), "node": node})


@pytest.mark.parametrize(("time_ms", "node", "times"), [(999, "n1", [2]), (1000, "n1", [1, 1]), (999, "n2", [1, 1])])
def test_events_of_one_second_that_differ_in_their_container_only_are_one(
    time_ms: int, node: str, times: list[int]
) -> None:
    """The first of them stands for all; another second or node is another event."""
    rows = EventFolds().of([_started(0, 0, 2), _started(1, time_ms, 3, node)], 2)

    assert [row.times for row in rows] == times
    assert rows[0].sequence == 0
