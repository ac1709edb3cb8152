"""The lessons of a newcomer on screen, step by step: the demonstration, and the tour."""

from collections.abc import Callable
from typing import Final, NamedTuple

from tui.picture import Picture

DEADLOCK: Final = "reservation-deadlock"
"""The scenario of both."""
WEEKLY: Final = 183354
"""Its application that holds up the others."""

Done = Callable[[str, Picture], bool]
"""Whether a step is done, by the call of the last key and what is to be seen."""


class Step(NamedTuple):
    """Lines that stay on the screen until the user has done what they say."""

    lines: tuple[str, ...]
    """At most three, of 78 cells."""
    is_done: Done


class Lesson(NamedTuple):
    """Steps one after the other; the last one stays."""

    name: str
    """`demo` or `tour`."""
    title: str
    at: str
    """The instant at which it begins."""
    speed: float
    is_paused: bool
    steps: tuple[Step, ...]
    stops_frozen: bool = False
    """Whether the clock stops when nothing can be allocated any more."""
    ends_for_ever: bool = False
    """Whether it is not shown again once it was closed."""


def _called(*calls: str) -> Done:
    """Done by any of these calls."""
    return lambda call, picture: call.startswith(calls)


def _is_frozen(call: str, picture: Picture) -> bool:
    return any(alert.kind == "frozen" for alert in picture.run.alerts)


def _never(call: str, picture: Picture) -> bool:
    return False


def _is_present(call: str, picture: Picture) -> bool:
    return picture.run.present_ms is None


def _is_past(call: str, picture: Picture) -> bool:
    return picture.run.present_ms is not None


def _is_killed(call: str, picture: Picture) -> bool:
    rows = picture.snapshot.applications(why=False)
    return any(row.number == WEEKLY and row.finished_ms is not None for row in rows)


def _runs(call: str, picture: Picture) -> bool:
    return not picture.run.paused


DEMO: Final = Lesson(
    "demo",
    "The demonstration",
    "08:59",
    10.0,
    False,
    (
        Step(
            (
                "At 09:00 a weekly job asks for containers of 64000 MB. No node has that much",
                "free, so node after node is reserved. The clock stops when all is frozen.",
            ),
            _is_frozen,
        ),
        Step(
            (
                "w  why the row under the cursor waits, with the proof, and what would help",
                "K  kill 183354, which holds eleven nodes; the question says what comes free",
                "p  let the clock run again; [ and { go back in time, ? lists every key",
            ),
            _never,
        ),
    ),
    stops_frozen=True,
    ends_for_ever=True,
)

TOUR: Final = Lesson(
    "tour",
    "Tour",
    "09:10",
    60.0,
    True,
    (
        Step(
            (
                "The cluster is frozen; the header says since when. The clock is paused.",
                "Arrows, or j and k, move the cursor. Press j.",
            ),
            _called("navigation.move"),
        ),
        Step(
            (
                "w tells why a row waits, and proves that it always will.",
                "Press w, read, and come back with esc.",
            ),
            _called("inspection.why"),
        ),
        Step(
            (
                "Digits choose a pane; reservations say for whom each node is held.",
                "Press 4.",
            ),
            _called("navigation.show('reservations')"),
        ),
        Step(
            (
                "enter goes into what a row is made of, esc comes back.",
                "Press enter, look, then esc.",
            ),
            _called("trail.follow"),
        ),
        Step(
            (
                "Time goes both ways: [ and ] by a step, { and } by an alert, a loss or an act.",
                "Press {.",
            ),
            _is_past,
        ),
        Step(
            (
                "This is the past: all of it can be looked at; B would go on from here instead.",
                "Press esc until the header shows the present again.",
            ),
            _is_present,
        ),
        Step(
            (
                "Capitals act, and ask first where something is lost.",
                "Press 1, type /183354 and enter, press K, and choose to kill it.",
            ),
            _is_killed,
        ),
        Step(
            (
                "Everything that was held is free again; the clock is still paused.",
                "Press p, and watch who waited start; + is faster.",
            ),
            _runs,
        ),
        Step(
            (
                "That was the tour. ? lists every key; Why (w) also says what would help.",
                "q leaves; `schedlab` alone lets you choose another scenario.",
            ),
            _never,
        ),
    ),
)

LESSONS: Final = {lesson.name: lesson for lesson in (DEMO, TOUR)}
