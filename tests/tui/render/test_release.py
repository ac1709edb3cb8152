"""Who frees a reserved node, in a few words and in sentences."""

from typing import Any

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN, Release
from tests.tui import fakes
from tui.render import reservation
from tui.render.arrangement import Arrangement
from tui.render.filter import parse
from tui.render.line import Look, flat
from tui.render.release import release_lines, release_span

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
SOON = fakes.NOW + 40 * 60_000
ONE, RESTS = fakes.holder(183340, containers=1, size=(4096, 1)), fakes.holder(183341, waits=False)
MANY = tuple(fakes.holder(183330 + one) for one in range(5))


def _release(outcome: str, time_ms: int | None = SOON, **more: Any) -> Release:
    return Release(outcome, time_ms, **{"from_ms": fakes.NOW, **more})


@pytest.mark.parametrize(
    ("release", "words"),
    [
        (_release("ends", by=(ONE, RESTS)), "183340 09:41"),
        (_release("ends"), "09:41"),
        (_release("preempted", by=(ONE,)), "killed 09:41"),
        (_release("fits", None), "next beat"),
        (_release("dropped"), "drops 09:41"),
        (_release("given_elsewhere"), "drops 09:41"),
        (_release("ended"), "drops 09:41"),
        (_release("never", None, by=MANY), "never"),
        (_release("later"), ">09:41"),
        (_release("later", fakes.NOW + 24 * 3_600_000), ">Sun"),
        (_release("ends", fakes.NOW + 8 * 24 * 3_600_000, by=(ONE,)), "183340 11-19"),
        (Release(""), "…"),
        (UNKNOWN, "?"),
    ],
)
def test_a_few_words_say_who_and_when(release: Any, words: str) -> None:
    assert release_span(release, LOOK)[0] == words
    assert len(words) <= 12


def test_where_there_is_room_the_time_has_seconds() -> None:
    soon = _release("ends", fakes.NOW + 12_345, by=(ONE,))

    assert [release_span(soon, LOOK, width)[0] for width in (12, 14, 15)] == [
        "183340 09:01", "183340 09:01", "183340 09:01:12",
    ]  # fmt: skip


def test_the_day_stands_where_the_time_is_not_of_today() -> None:
    midnight = fakes.NOW + (15 * 3600 - 60) * 1000
    both = [_release("ends", midnight + after_ms, by=(ONE,)) for after_ms in (-1, 0)]

    assert [release_span(each, LOOK, width)[0] for each in both for width in (12, 16)] == [
        "183340 23:59", "183340 23:59:59", "183340 Sun", "183340 Sun 00:00",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("release", "sentence"),
    [
        (
            _release("ends", by=(ONE, RESTS)),
            "the node has room from 09:41:00, in 40m00s: what 183340 and 183341 had there has ended by then",
        ),
        (
            _release("preempted", by=(ONE,)),
            "the node has room from 09:41:00, in 40m00s: containers of 183340 are preempted",
        ),
        (_release("dropped"), "the reservation is dropped at 09:41:00, in 40m00s"),
        (
            _release("given_elsewhere"),
            "the reservation is dropped at 09:41:00, in 40m00s: its container starts on another node",
        ),
        (_release("ended"), "the reservation is dropped at 09:41:00, in 40m00s, when its application ends"),
        (_release("later"), "not before 09:41:00, in 40m00s, as far as was looked"),
        (_release("never", None, by=(ONE,)), "never: 183340 keeps it and waits itself; w tells why"),
        (_release("never", None, by=MANY), "never: 183330, 183331 and 3 more keep it and wait themselves; w tells why"),
        (_release("never", None, by=(RESTS,)), "never: no container of 183341 there ends any more"),
        (_release("never", None, by=(ONE, RESTS)), "never: no container of 183340 and 183341 there ends any more"),
        (_release("never", None), "never: nothing is allocated any more"),
        (_release("fits", None), "the node has room already: it starts with the node's next heartbeat"),
        (Release(""), "looking for who frees the node, and when"),
        (UNKNOWN, "who frees the node is not known here"),
    ],
)
def test_a_sentence_says_what_happens(release: Any, sentence: str) -> None:
    assert release_lines(release, LOOK)[0] == sentence


def test_an_older_answer_says_of_when_it_is() -> None:
    old = _release("never", None, by=(ONE,), from_ms=fakes.NOW - 65_000)

    assert release_lines(old, LOOK) == (
        "never: 183340 keeps it and waits itself; w tells why (as seen at 08:59:55)",
        "183340: 1 container, 4G/1c, waits itself",
    )


def test_the_strip_lists_who_keeps_the_node() -> None:
    lines = [flat(line) for line in reservation.details(fakes.reservation_row("n1:1"), LOOK)]

    assert lines[2:5] == [
        "ends never: 183330 and 183331 keep it and wait themselves; w tells why",
        "     183330: 4 containers, 16G/4c, waits itself",
        "     183331: 4 containers, 16G/4c, waits itself",
    ]


def test_all_that_is_known_of_a_reservation_has_it_too() -> None:
    lines = reservation.NOUN.facts(fakes.reservation_row("n1:1"), LOOK)

    assert [line.strip() for line in lines if "keep it" in line] == [
        "freed                never: 183330 and 183331 keep it and wait themselves; w tells why"
    ]


def test_rows_are_found_and_ordered_by_it() -> None:
    """Who fits first, then by time, never last; what is not known at the very end."""
    releases = [
        Release(""),
        _release("never", None, by=MANY),
        _release("ends", SOON + 60_000, by=(RESTS,)),
        _release("dropped"),
        _release("fits", None),
    ]
    rows = [msgspec.structs.replace(fakes.reservation_row(f"n{i}"), released=one) for i, one in enumerate(releases)]

    def shown(arrangement: Arrangement) -> list[str]:
        places = arrangement.order(rows, reservation.NOUN.criteria, LOOK)
        assert places is not None
        return [rows[place].node.split(":")[0] for place in places]

    assert shown(Arrangement(sort="released")) == ["n4", "n3", "n2", "n1", "n0"]
    found = {
        words: shown(Arrangement(parse(f"released:{words}", reservation.NOUN.criteria.fields)))
        for words in ("never", "183341", "drop", "fits")
    }
    assert found == {"never": ["n1"], "183341": ["n2"], "drop": ["n3"], "fits": ["n4"]}
