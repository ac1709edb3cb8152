"""What is asked of the clock is handed to the session, and what came of it is told."""

from typing import Any

import pytest

from tests.tui.fake_session import FakeSession
from tests.tui.requests.standing import Standing, Without, hand_over
from tui import messages
from tui.picture import Track
from tui.requests.clock import ClockRequests
from tui.requests.context import NO_CLOCK, Absent


@pytest.mark.parametrize(
    ("event", "calls"),
    [
        (messages.PauseToggled(), [("toggle_pause",)]),
        (messages.StepRequested("event"), [("step", "event")]),
        (messages.TravelRequested("back"), [("travel", "back")]),
        (messages.BranchConfirmed(), [("branch",)]),
        (messages.SpeedChanged(-1), [("change_speed", -1)]),
        (messages.SpeedChosen(30.0), [("speed", 30.0)]),
        (messages.HoldChanged(held=True), [("hold", True)]),
        (messages.HoldChanged(held=False), [("hold", False)]),
    ],
)
async def test_each_request_is_one_call(event: Any, calls: list[Any]) -> None:
    """None where no session is open, which nobody can see."""
    context, closed = Standing(), Standing(is_open=False)
    await hand_over(ClockRequests(context), event)
    await hand_over(ClockRequests(closed), event)

    assert (context.session.calls, closed.session.calls, closed.told) == (calls, [], [])


@pytest.mark.parametrize(
    "event",
    [messages.PauseToggled(), messages.TravelRequested("back"), messages.BranchConfirmed(), messages.UndoRequested(5)],
)
async def test_where_there_is_no_clock_a_key_says_so(event: Any) -> None:
    """In the words of the session; a dialog that would hold it is silent."""
    context = Standing(Without(), absent=Absent(clock="None here."))
    await hand_over(ClockRequests(context), event)
    await hand_over(ClockRequests(context), messages.HoldChanged(held=True))

    assert (context.told, Absent().clock) == ([("None here.", "warning")], NO_CLOCK)


@pytest.mark.parametrize(("refusal", "told"), [("", []), ("Not there.", [("Not there.", "warning")])])
async def test_a_travel_that_is_refused_is_told(refusal: str, told: list[tuple[str, str]]) -> None:
    """One that leads somewhere is seen."""
    session = FakeSession()
    session.refusal = refusal
    context = Standing(session)
    await hand_over(ClockRequests(context), messages.TravelRequested("+5"))

    assert context.told == told


@pytest.mark.parametrize(
    ("refusal", "told", "offered"),
    [("", ("Branched: the run goes on from here.", "information"), [None]), ("No.", ("No.", "error"), [])],
)
async def test_after_a_branch_nothing_can_be_undone(refusal: str, told: tuple[str, str], offered: list[None]) -> None:
    """What lies ahead again is gone; one that is refused leaves all as it is."""
    session = FakeSession()
    session.refusal = refusal
    context = Standing(session)
    await hand_over(ClockRequests(context), messages.BranchConfirmed())

    assert (context.told, context.fake.offered) == ([told], offered)


@pytest.mark.parametrize(
    ("time_ms", "where"), [(63_500, "+62.500s"), (1_000, "+0.000s"), (999, "-0.001s"), (-500, "-1.500s")]
)
async def test_undoing_goes_to_the_act_and_on_from_there(time_ms: int, where: str) -> None:
    """Counted from the start, to the millisecond."""
    context = Standing(FakeSession(track=Track(1_000, 1_000)))
    await hand_over(ClockRequests(context), messages.UndoRequested(time_ms))

    assert context.session.calls == [("travel", where), ("branch",)]
    assert context.told == [("Undone: the run is paused just before the act; p continues it.", "information")]
    assert context.fake.offered == [None]


async def test_undoing_that_is_refused_goes_nowhere() -> None:
    """The run is not branched."""
    session = FakeSession(track=Track(1_000, 1_000))
    session.refusal = "Not there."
    context = Standing(session)
    await hand_over(ClockRequests(context), messages.UndoRequested(5_000))

    assert context.session.calls == [("travel", "+4.000s")]
    assert (context.told, context.fake.offered) == ([("Not there.", "error")], [])


@pytest.mark.parametrize("case", ["no track", "no picture"])
async def test_where_nothing_is_known_of_the_past_nothing_is_undone(case: str) -> None:
    """Nor said."""
    context = Standing(FakeSession(track=None if case == "no track" else Track(1_000, 1_000)))
    if case == "no picture":
        context.fake.state.picture = None
    await hand_over(ClockRequests(context), messages.UndoRequested(5_000))

    assert (context.session.calls, context.told) == ([], [])
