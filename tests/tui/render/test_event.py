"""Events in words."""

from typing import Any

import pytest

from engine.explain.alert import Alert
from tests.tui import fakes
from tui.picture import EventRow, Picture, RunState
from tui.render.event import COLUMNS, EventFolds, pinned
from tui.render.event_words import event_text
from tui.render.line import Look, flat

YARN = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
SPARK = YARN._replace(dimensions=("memory_mb", "cores"))


def _row(kind: str, **fields: Any) -> EventRow:
    return EventRow(1, fakes.NOW, kind, fields)


@pytest.mark.parametrize(
    ("container", "look", "words", "application"),
    [((7, 1, 3), YARN, "container 3", 7), ((7, 1, 3), SPARK, "executor 3", 7), ((9, 0, 3), SPARK, "driver 9", None)],
)
def test_what_was_allocated_is_called_as_its_cluster_does(
    container: tuple[int, int, int], look: Look, words: str, application: int | None
) -> None:
    row = _row("Allocated", container=container, node="n1:1", memory_mb=1024, vcores=2, locality="NODE_LOCAL")
    told = event_text(row, look)

    place = "node" if look is YARN else "worker"
    assert told.sentence == f"{words} on n1, 1G/2c (its {place})"
    assert (told.application, told.node) == (application, "n1:1")


@pytest.mark.parametrize(
    ("kind", "fields", "told"),
    [
        ("ResourceManagerStopped", {"cause": "LOST"}, ("DOWN", "no ResourceManager answers: lost")),
        ("ResourceManagerStarted", {}, ("UP", "a ResourceManager answers again")),
        (
            "NodeRegisteredAgain",
            {"node": "n1:1", "containers": (1,)},
            ("JOIN", "node n1 registers again with 1 container"),
        ),
        ("Started", {"container": (7, 1, (1 << 40) + 5), "node": "n1:1"}, ("START", "container e01_5 runs on n1")),
    ],
)
def test_what_follows_a_restart_is_told_in_words(kind: str, fields: dict[str, Any], told: tuple[str, str]) -> None:
    """A container of a later life has its epoch before its number, as its id has."""
    said = event_text(_row(kind, **fields), YARN)

    assert (said.verb, said.sentence) == told


def test_an_event_without_a_sentence_is_told_by_its_fields() -> None:
    """What is empty is left out; the kind is cut to the width of its column."""
    told = event_text(_row("SomethingNew", application=7, node="n1:1", empty="", none=None, on=True), YARN)

    assert (told.verb, told.sentence) == ("SOMETHING", "application 7, node n1:1, on on")
    assert (told.application, told.node) == (7, "n1:1")


def test_fields_of_another_type_name_nobody() -> None:
    told = event_text(_row("SomethingNew", application="x", node=7), YARN)

    assert (told.application, told.node) == (None, None)


@pytest.mark.parametrize(("detail", "said"), [("no such queue", "no such queue"), ("", "InvalidQueue")])
def test_a_refusal_says_what_was_wanted_and_why_not(detail: str, said: str) -> None:
    row = _row("Refused", event="MoveApplication", rejected="InvalidQueue", detail=detail, application=0)
    told = event_text(row, YARN)

    assert (told.verb, told.sentence, told.application) == ("REFUSED", f"move application: {said}", None)


def test_an_event_of_another_day_names_the_day() -> None:
    rows = [EventRow(1, fakes.NOW - ago_ms, "Started", {}) for ago_ms in (0, 86_400_000)]

    assert [COLUMNS[0].cell(row, YARN, 12)[0] for row in rows] == ["09:01:00", "Fri 09:01:00"]


def _frozen(*events: EventRow, is_frozen: bool = True) -> Picture:
    freeze = Alert("frozen", fakes.NOW - 60_000, fakes.NOW - 60_000, "Nothing moves", "deadlocked")
    run = RunState("x", standing=(freeze,) if is_frozen else (), alerts=(freeze,))
    return Picture(fakes.frozen_cluster(), run, events, 1)


def _allocation(number: int, ago_ms: int) -> EventRow:
    fields: dict[str, Any] = {"container": (number, 1, 2), "node": "10.1.1.107:1", "memory_mb": 1024, "vcores": 1}
    return EventRow(number, fakes.NOW - ago_ms, "Allocated", fields)


def test_the_last_allocation_before_a_freeze_is_pinned() -> None:
    events = _allocation(7, 61_000), _allocation(8, 60_000), _row("Submitted")
    look = YARN._replace(prefix="10.1.1")

    words = [flat(form) for form in pinned(_frozen(*events), look)]

    assert words == [
        "09:00:00  LAST ALLOC 0008 1G/1c on .107; nothing since, for 1m00s",
        "09:00:00  LAST ALLOC 0008 nothing since, for 1m00s",
    ]


def test_nothing_is_pinned_while_something_can_be_allocated() -> None:
    assert pinned(_frozen(_allocation(8, 60_000), is_frozen=False), YARN) == ()
    assert pinned(_frozen(_row("Submitted")), YARN) == ()


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


def test_what_comes_later_joins_what_was_folded_before() -> None:
    """Events are looked at once; a run that was cut, or another one, is folded anew."""
    folds, first = EventFolds(), [_started(0, 0, 2), _started(1, 1, 3)]
    before = folds.of(first, 2)
    more = folds.of([*first, _started(2, 2, 4)], 3)
    other = folds.of([_started(0, 0, 9), _started(1, 5000, 3)], 2)

    assert [[row.times for row in rows] for rows in (before, more, other)] == [[2], [3], [1, 1]]
