"""Who frees a reserved node, in a few words and in sentences."""

from typing import Any

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN, Release
from tests.tui import fakes
from tui.panes import reservation
from tui.panes.arrangement import SortFilter, parse
from tui.panes.line import RenderContext
from tui.panes.release import release_lines

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
SOON = fakes.NOW + 40 * 60_000
ONE, RESTS = fakes.holder(183340, containers=1, size=(4096, 1)), fakes.holder(183341, waits=False)
MANY = tuple(fakes.holder(183330 + one) for one in range(5))


def _release(outcome: str, time_ms: int | None = SOON, **more: Any) -> Release:
    return Release(outcome, time_ms, **{"from_ms": fakes.NOW, **more})


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

    def shown(arrangement: SortFilter) -> list[str]:
        places = arrangement.order(rows, reservation.NOUN.criteria, LOOK)
        assert places is not None
        return [rows[place].node.split(":")[0] for place in places]

    assert shown(SortFilter(sort="released")) == ["n4", "n3", "n2", "n1", "n0"]
    found = {
        words: shown(SortFilter(parse(f"released:{words}", reservation.NOUN.criteria.fields)))
        for words in ("never", "183341", "drop", "fits")
    }
    assert found == {"never": ["n1"], "183341": ["n2"], "drop": ["n3"], "fits": ["n4"]}
