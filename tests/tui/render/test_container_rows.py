"""Containers and users, one line and one strip each, as plain text."""

from typing import Any

from engine.observe.service import WaitTotal
from engine.observe.snapshot import UNKNOWN
from tests.tui import fake_holders, fakes
from tui.render import application, container, user
from tui.render.arrangement import Arrangement, sort_words
from tui.render.filter import parse
from tui.render.line import Look, flat
from tui.render.scope import APPLICATION, NODE, QUEUE, USER, Scope
from tui.render.table import Column, place, row_line

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


def _line(columns: tuple[Column[Any], ...], row: object, width: int = 80) -> str:
    return flat(row_line(place(columns, width), row, LOOK)).rstrip()


def _strip(lines: list[Any]) -> list[str]:
    return [flat(line).rstrip() for line in lines]


def test_a_container_in_a_line() -> None:
    """Whose it is, its number, whether the master is in it, where, how large."""
    assert _line(container.COLUMNS, fake_holders.container_row(1, "n1")) == (
        "183330            1  AM  n1                        RUNNING     4G/1c"
    )


def test_a_container_to_be_preempted_says_so() -> None:
    """In the line and in the strip, with how long."""
    row = fake_holders.container_row(3, "n1", marked_ms=fakes.NOW - 5_000)

    assert ("to preempt" in _line(container.COLUMNS, row), _strip(container.details(row, LOOK))) == (
        True,
        [
            "RUNNING 3m00s: 4G/1c on n1",
            "Marked for preemption 5s ago. The node runs it.",
            "etl · root.etl · priority 1",
            row.id,
        ],
    )


def test_what_a_node_has_not_let_go_of_says_so() -> None:
    """It has ended for its application."""
    strip = _strip(container.details(fake_holders.container_row(1, "n1", state="KILLED"), LOOK))

    assert strip[1] == "Its application is no longer charged for it; its node has not released it yet."


def test_a_user_in_a_line_and_in_the_strip() -> None:
    """Share, applications, what is held and asked for; what cannot be told is a question mark."""
    row = fake_holders.user_row("etl", pending=UNKNOWN, reserved=(1024, 1))

    look = LOOK._replace(waits={("user", "etl"): WaitTotal(1)})

    assert _line(user.COLUMNS, row, 60) == "etl               60%    12      0   180   720G      ?"
    assert _strip(user.details(row, look)) == [
        "12 running, 1 waiting for a first container  60% of the cluster",
        "has  720G/180c in 180   asks ? in 13   reserved 1G/1c",
        "in   etl",
    ]


def test_containers_are_filtered_by_their_fields() -> None:
    """By node, state in words, size and age."""
    rows = fake_holders.held_cluster().containers()

    def kept(words: str) -> list[str]:
        chosen = parse(words, container.NOUN.criteria.fields)
        return [container.short_id(row.id) for row in rows if chosen.keeps(row, LOOK)]

    assert (kept("state:am"), kept("state:preempt"), kept("memory>8g"), kept("age>6m node:117.84")) == (
        ["1"],
        ["8"],
        ["2"],
        ["8"],
    )


def test_problems_are_reservations_and_what_is_to_be_preempted() -> None:
    """Of users those with a waiting application."""
    picture = fake_holders.held_cluster()

    assert [container.short_id(row.id) for row in picture.containers() if container.is_problem(row, LOOK)] == ["8", "2"]
    assert user.is_problem(fake_holders.user_row("a", applications_pending=0), LOOK) is False


def test_a_scope_keeps_exactly_what_belongs_to_it() -> None:
    """A queue with what is below it, not one whose name begins alike; an application by its whole id."""
    row = fake_holders.container_row(1, "n1", queue="root.etl.daily")
    application = f"application_{fakes.TIMESTAMP}_183330"

    kept = [
        Arrangement(scope=Scope(kind, name)).keeps(row, container.NOUN.criteria, LOOK)
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


def test_an_arrangement_tells_what_it_leaves_out_and_how_it_sorts() -> None:
    """Each part only where there is one."""
    narrowed = Arrangement(scope=Scope(NODE, "n1:45454"), problems=True)

    order = sort_words((), application.CRITERIA, narrowed._replace(sort="wait"))

    assert (narrowed.words(), order) == ("only problems", "by how long it waits, longest first")
