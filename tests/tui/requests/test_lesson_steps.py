"""When each step of a lesson is done, what stops the clock, and how a lesson is left; nothing is drawn."""

from pathlib import Path
from typing import Any

import pytest

from engine.explain.alert import Alert
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.requests.standing import Standing, hand_over
from tests.tui.small_run import now
from tui import messages
from tui.picture import Picture
from tui.requests import coaching
from tui.requests.coaching import Coaching
from tui.requests.lessons import DEMO, TOUR, WEEKLY

NOTHING_LEFT = "There is nothing to go back from; q leaves the program."
FROZEN = Alert("frozen", fakes.NOW, fakes.NOW, "nothing moves")


def picture(**run: Any) -> Picture:
    """What is seen."""
    return now(FakeSession(**run).pictures.picture())


def with_application(number: int, finished_ms: int | None) -> Picture:
    """With one application."""
    session = FakeSession(paused=True)
    row = fakes.application_row(number, state="KILLED" if finished_ms else "RUNNING", finished_ms=finished_ms)
    session.snapshot = session.snapshot.having(applications=[row])
    return now(session.pictures.picture())


STILL = picture(paused=True)
DONE: list[tuple[int, str, Picture, bool]] = [
    (0, "navigation.move(1)", STILL, True),
    (0, "navigation.show('nodes')", STILL, False),
    (1, "inspection.why", STILL, True),
    (1, "inspection.show", STILL, False),
    (2, "navigation.show('reservations')", STILL, True),
    (2, "navigation.show('nodes')", STILL, False),
    (3, "trail.follow", STILL, True),
    (3, "trail.owner", STILL, False),
    (4, "", picture(present_ms=5), True),
    (4, "", STILL, False),
    (5, "", STILL, True),
    (5, "", picture(present_ms=5), False),
    (6, "", with_application(WEEKLY, fakes.NOW), True),
    (6, "", with_application(WEEKLY, None), False),
    (6, "", with_application(WEEKLY + 1, fakes.NOW), False),
    (7, "", picture(paused=False), True),
    (7, "", STILL, False),
    (8, "anything", picture(paused=False), False),
]


@pytest.mark.parametrize(("place", "call", "seen", "is_done"), DONE)
def test_a_step_of_the_tour_is_done_by_what_it_asks_for(place: int, call: str, seen: Picture, is_done: bool) -> None:
    """And by nothing else."""
    assert TOUR.steps[place].is_done(call, seen) is is_done


@pytest.mark.parametrize(("alerts", "is_done"), [((), False), ((FROZEN,), True)])
def test_the_demonstration_goes_on_when_all_is_frozen(alerts: tuple[Alert, ...], is_done: bool) -> None:
    """Its last step stays."""
    assert DEMO.steps[0].is_done("", picture(alerts=alerts)) is is_done
    assert not DEMO.steps[1].is_done("", picture(alerts=alerts))


class Shown:
    """The lines of a lesson, and what was shown in them."""

    def __init__(self, *_: object, **__: object) -> None:
        self.said: list[tuple[str, str, tuple[str, ...]]] = []
        self.is_removed = False

    def coach(self, title: str, leave: str, lines: Any) -> None:
        """Take note."""
        self.said.append((title, leave, tuple(lines)))

    def remove(self) -> None:
        """Be taken away."""
        self.is_removed = True


class Coached:
    """A lesson over a main screen that remembers."""

    def __init__(
        self, patch: pytest.MonkeyPatch, lesson: str, session: FakeSession | None = None, **options: Any
    ) -> None:
        patch.setattr(coaching, "CoachLines", Shown)
        self.context = Standing(lesson=lesson, **options)
        self.mounted: list[tuple[Any, str]] = []
        fake: Any = self.context.fake
        fake.mount = lambda widget, before: self.mounted.append((widget, before))
        self.coaching = Coaching(self.context)

    async def see(self, seen: Picture) -> None:
        """See a picture."""
        self.context.fake.state.picture = seen
        await self.coaching.seen(seen)

    async def press(self, call: str) -> None:
        """Do something on the main screen."""
        await hand_over(self.coaching, messages.Performed(call))

    async def escape(self) -> None:
        """Go back where there is nothing to go back from."""
        await hand_over(self.coaching, messages.NothingToLeave())


async def test_steps_are_counted_but_for_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the hints, with how to leave."""
    one = Coached(monkeypatch, "tour")
    await one.see(STILL)
    await one.press("navigation.move(1)")
    [(lines, before)] = one.mounted

    steps = len(TOUR.steps) - 1
    assert before == "#hints"
    assert lines.said == [
        (f"Tour {number + 1} of {steps}", "esc esc ends it", TOUR.steps[number].lines) for number in range(2)
    ]


async def test_the_demonstration_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is closed for ever."""
    one = Coached(monkeypatch, "demo")
    await one.see(STILL)

    assert one.mounted[0][0].said == [("The demonstration", "esc: do not show again", DEMO.steps[0].lines)]


async def test_a_key_counts_for_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next step wants one of its own."""
    one = Coached(monkeypatch, "tour")
    await one.see(STILL)
    await one.press("navigation.move(1)")
    await one.see(STILL)
    await one.press("inspection.why")

    assert [title for title, _, _ in one.mounted[0][0].said] == [f"Tour {n} of 8" for n in (1, 2, 2, 3)]


async def test_before_the_first_picture_no_key_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shown."""
    one = Coached(monkeypatch, "tour")
    one.context.fake.state.picture = None
    await one.press("navigation.move(1)")

    assert one.mounted == []


@pytest.mark.parametrize(("lesson", "paused", "toggles"), [("demo", False, 1), ("demo", True, 0), ("tour", False, 0)])
async def test_the_clock_stops_once_when_all_is_frozen(
    lesson: str, paused: bool, toggles: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the demonstration; one that stands stays so."""
    one = Coached(monkeypatch, lesson)
    other = Alert("stuck", fakes.NOW, fakes.NOW, "one waits")
    for alerts in ((), (other,), (other, FROZEN), (FROZEN,)):
        await one.see(picture(paused=paused, alerts=alerts))

    assert one.context.session.calls == [("toggle_pause",)] * toggles


async def test_lines_that_were_closed_for_ever_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock still stops."""
    one = Coached(monkeypatch, "demo", is_lesson_hidden=True)
    await one.see(picture(paused=False, alerts=(FROZEN,)))
    await one.escape()

    assert (one.mounted, one.context.session.calls) == ([], [("toggle_pause",)])
    assert one.context.told == [(NOTHING_LEFT, "information")]


async def test_the_tour_is_left_by_two_keys_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another key between begins anew; closed, nothing is shown any more."""
    one = Coached(monkeypatch, "tour")
    await one.see(STILL)
    for call in ("navigation.show('nodes')", "board.leave"):
        await one.escape()
        await one.press(call)
    half = [words for words, _ in one.context.told]
    await one.escape()
    await one.see(STILL)

    assert half == ["esc once more ends the tour."] * 2
    assert [words for words, _ in one.context.told[2:]] == ["Closed; ? lists every key."]
    assert (one.mounted[0][0].is_removed, len(one.mounted)) == (True, 1)


async def test_the_demonstration_is_closed_for_ever(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By one key; a file says so, unless it cannot be made."""
    (tmp_path / "file").touch()
    for mark in (tmp_path / "deep" / "closed", tmp_path / "file" / "closed", None):
        one = Coached(monkeypatch, "demo", lesson_mark=mark)
        await one.see(STILL)
        await one.escape()
        assert one.context.told == [("Closed; ? lists every key.", "information")]

    assert (tmp_path / "deep" / "closed").exists()
