"""One line and one strip per noun, as plain text."""

from typing import Any

import msgspec
import pytest

from engine.model.decision import Completed, Unreserved, Warned
from engine.observe.snapshot import UNKNOWN, AskRow
from engine.scenario.acts import LoseNode, ResizeNode, SetPreemption, SetReservationRule
from engine.simulation.records import Acted
from tests.tui import fakes
from tui.render import application, application_brief, event, node, queue, reservation
from tui.render.event_words import event_text
from tui.render.line import Look, flat, length
from tui.render.table import Column, place, row_line
from tui.session.event_log import event_row

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


def _line(columns: tuple[Column[Any], ...], row: object, width: int = 80) -> str:
    return flat(row_line(place(columns, width), row, LOOK)).rstrip()


def _event(record: object) -> event.RepeatedEvent:
    """The row of a record that stands alone, as the table has it."""
    return event.RepeatedEvent(**msgspec.structs.asdict(event_row(0, fakes.NOW, record)))


def _strip(lines: list[Any]) -> str:
    return "\n".join(flat(line).rstrip() for line in lines)


def test_a_waiting_application_says_why_in_its_line() -> None:
    """Number, queue, state, waiting time, ask and the refusal."""
    row = fakes.application_row(183330)

    assert _line(application.SORTED_COLUMNS, row, 110) == (
        "183330        etl-183330            • etl           1 × 4G/1c             30s  every node is reserved by anot…"
    )


def test_an_application_that_ended_shows_its_diagnostics() -> None:
    """Where nothing waits, the last column has what the application left behind."""
    row = fakes.application_row(
        7, state="FAILED", waiting_since_ms=None, obstacle=None, asks=(), diagnostics="AM\ncrashed", containers=0
    )

    assert _line(application.SORTED_COLUMNS, row, 60).split()[-2:] == ["AM", "crashed"]


def test_what_is_not_known_is_a_question_mark() -> None:
    """Unknown asks and reservations are neither nothing nor zero."""
    row = fakes.application_row(1, asks=UNKNOWN, reservations=UNKNOWN, pending_containers=UNKNOWN)

    assert (application.ask_words(row, LOOK.dimensions), _line(application.EVERY_COLUMN, row, 200).count("?")) == (
        "?",
        2,
    )


def test_an_ask_for_certain_places_says_where() -> None:
    """A strict ask reads differently from a preference."""
    asks = (AskRow(1, 2, (1024, 1), ("n1", "n2"), relax_locality=False), AskRow(2, 1, (2048, 1), ("n3",)))
    row = fakes.application_row(1, asks=asks)

    assert application_brief.asks_words(row, LOOK) == "2 × 1G/1c only on n1 n2, 1 × 2G/1c near n3"


def test_a_queue_is_filled_past_the_mark_of_its_fair_share() -> None:
    """480 GB used of a fair share of 400; past the maximum the meter is blank."""
    row = fakes.queue_row("root.etl", used=(491520, 120))

    assert _line(queue.COLUMNS, row, 80) == " • etl                    ━━┿━━━┃─────         480G   400G     4      0"


def test_a_starved_queue_is_marked_by_a_sign() -> None:
    """Colour is not needed to see it."""
    row = fakes.queue_row("root.report", starved_since_ms=fakes.NOW - 45_000)

    assert queue.sign(row, LOOK) == ("▲", "watch")
    assert _strip(queue.details(row, LOOK)).splitlines()[-1].startswith("starved for 45s")


def test_a_queue_without_limits_has_dashes() -> None:
    """No maximum is a dash, an unknown share a question mark."""
    row = fakes.queue_row("root", max_share=None, fair_share=UNKNOWN, min_share=(0, 0))

    assert _line(queue.EVERY_COLUMN, row, 98).split()[2:7] == ["240G", "?", "0", "–", "400G"]


@pytest.mark.parametrize(
    ("state", "words"), [("RUNNING", "ok"), ("LOST", "LOST"), ("UNHEALTHY", "UNHEALTHY"), ("DECOMMISSIONED", "drained")]
)
def test_a_node_is_found_by_its_state(state: str, words: str) -> None:
    """By YARN's word and by what people call it."""
    field = next(field for field in node.NOUN.criteria.fields if field.name == "state")

    assert words in str(field.value(fakes.node_row("n1", state=state), LOOK))


@pytest.mark.parametrize(("state", "is_share_shown"), [("RUNNING", True), ("DECOMMISSIONING", False)])
def test_a_draining_node_shows_no_share_of_its_size(state: str, is_share_shown: bool) -> None:
    """Its size shrinks to what is used, which would always be 100 %."""
    row = fakes.node_row("n1", state=state, used=(4096, 4), total=(4096, 4))

    assert ("100%" in _line(node.EVERY_COLUMN, row, 150)) is is_share_shown


def test_a_reserved_node_tells_what_is_missing() -> None:
    """Its free part is dotted; beside it what is free and what is short of the reservation."""
    assert _line(node.COLUMNS, fakes.node_row(fakes.HOSTS[0]), 90) == (
        "10.120.117.84            ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▖╌╌╌╌╌╌╌╌╌╌               40G   22.5G   15/32    15"
    )


def test_an_overcommitted_node_shows_less_than_nothing_free() -> None:
    """A node that shrank below what runs on it has a negative rest."""
    assert "-2G" in _line(node.COLUMNS, fakes.node_row("n1", free=(-2048, 3)))


def test_a_reservation_names_what_is_missing() -> None:
    """Node, free, short by, age, released by; whom it is for says the headline, or the row where there is none."""
    row = fakes.reservation_row(fakes.HOSTS[0])

    assert _line(reservation.COLUMNS, row, 74).split() == ["10.120.117.84", "40G", "22.5G", "30s", "never"]
    assert _line(reservation.SORTED_COLUMNS, row, 100).split() == [
        "10.120.117.84", "183354", "62.5G/1c", "40G", "22.5G", "30s", "never",
    ]  # fmt: skip


def test_a_reservation_that_fits_says_so() -> None:
    """Nothing missing in any dimension."""
    row = fakes.reservation_row("n1", short_by=(0, 0))

    assert reservation.missing(row, LOOK.dimensions) == "fits"


def test_a_reservation_short_of_cores_says_cores() -> None:
    """Only the dimensions that lack are named."""
    row = fakes.reservation_row("n1", short_by=(0, 3))

    assert reservation.missing(row, LOOK.dimensions) == "3c"


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (SetPreemption(on=False), "set preemption off"),
        (SetPreemption(on=True), "set preemption on"),
        (LoseNode("n1:1"), "lose node n1:1"),
        (SetReservationRule("off"), "set reservation rule off"),
        (ResizeNode("n1:1", 1024, 2), "resize node n1:1, memory_mb 1024, vcores 2"),
    ],
)  # fmt: skip
def test_an_act_says_no_word_twice(act: Any, words: str) -> None:
    """A field that the act is named after has its value alone."""
    row = event_row(0, fakes.NOW, Acted(act))

    assert event_text(row, LOOK).sentence == words


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
    """Time, one word in capitals, the application, what happened."""
    assert _line(event.COLUMNS, _event(record), 100) == line


def test_an_unforeseen_record_is_told_by_its_fields() -> None:
    """A new kind of record is shown before anybody writes a sentence for it."""

    class Rebooted(msgspec.Struct, tag=True):
        node: str
        clean: bool

    assert _line(event.COLUMNS, _event(Rebooted("n1:1", True)), 80) == (
        "09:01:00      REBOOTED             node n1:1, clean on"
    )


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
    """Whatever the width and the row."""
    assert length(row_line(place(columns, width), row, LOOK)) <= width


def test_text_from_users_cannot_move_the_cursor() -> None:
    """Control characters in names become blanks."""
    row = fakes.application_row(1, name="bad\x1b[2Jname", user="a\tb")

    assert "\x1b" not in flat(row_line(place(application.COLUMNS, 200), row, LOOK))
