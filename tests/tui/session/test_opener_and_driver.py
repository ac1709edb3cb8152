"""What is done aside, and what follows when a search ends: of the decision, of events, of remedies, of a failure."""

import asyncio
from collections.abc import Callable, Generator
from math import inf
from typing import Any

import pytest

from engine.errors import InvariantError
from engine.explain.aftermath import aftermath
from engine.live.yarn_source import MANY
from engine.scenario.acts import SetPreemption
from tests.tui.session.test_live_questions import FAIR
from tests.tui.session.test_live_rounds import Rounds
from tests.tui.session.test_reasoning import FIRST, asked
from tests.tui.session.test_time_travel import ran_with_copies
from tests.tui.small_run import now, small_session
from tui.answers import ACT, WhySubject
from tui.commands.twin_options import NO_FILES
from tui.picture import PictureChanged
from tui.session import opening, reasoning
from tui.session.opening import TwinOpener
from tui.session.reasoning import FOLLOWING, TRYING


@pytest.mark.parametrize(("more", "is_long"), [(0, False), (-1, True)])
def test_a_large_cluster_is_played_aside(more: int, is_long: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """One with more nodes and applications, taken together, than there may be."""
    heard: list[bool] = []

    async def noted(is_long: bool, work: Callable[[], bool]) -> bool:
        heard.append(is_long)
        return work()

    size = len(FAIR.nodes()) + len(FAIR.applications(why=False))
    monkeypatch.setattr(opening, "aside", noted)
    monkeypatch.setattr(opening, "MANY", size + more)
    opener = TwinOpener("rm1", lambda: FAIR, NO_FILES.configuration)

    assert now(opener.is_frozen("forever"))
    assert heard == [is_long]
    assert size < MANY


def test_a_twin_has_the_clock_of_greenwich_where_nothing_is_said() -> None:
    """To the millisecond."""
    opened = now(TwinOpener("rm1", lambda: FAIR, NO_FILES.configuration).open(""))

    assert now(opened.connection.pictures.picture()).run.offset_ms == 0


def test_a_speed_that_is_chosen_during_a_search_holds_after_it() -> None:
    """The search for the next decision goes on meanwhile."""
    session, run, wall = small_session(speed=1.0, paused=True)
    session.step("decision")
    session.set(paused=False, speed=10.0)
    was_seeking = session.driver.pace.is_seeking
    while session.driver.pace.is_seeking:
        session.slice()
    found_ms = run.now_ms
    wall.now += 0.5
    session.slice()

    assert was_seeking
    assert found_ms >= 5_000
    assert run.now_ms == found_ms + 5_000


class Breaker:
    """A listener that breaks at the next record."""

    def records(self, time_ms: int, records: object) -> None:
        """Break."""
        raise InvariantError("less than nothing")


def test_a_failure_ends_the_search_for_a_decision() -> None:
    """The clock stands."""
    session, run, _ = small_session(speed=inf, paused=True)
    run.simulation.listeners.append(Breaker())
    session.step("decision")
    while not session.state.failure:
        session.slice()

    assert (session.driver.pace.is_seeking, session.stands()) == (False, True)


async def test_the_end_of_a_search_for_events_is_drawn_once() -> None:
    """Not while it goes on, nor afterwards."""
    session, _ = ran_with_copies(60)
    posted: list[object] = []
    session.start(posted.append)
    session.travel("+25s")
    drawn = []
    for _ in range(200):
        posted.clear()
        drawn.append((session.find_events(), posted.count(PictureChanged())))
    await session.close()
    last = next(place for place, (goes_on, _) in enumerate(drawn) if not goes_on)

    assert drawn == [(True, 0)] * last + [(False, 1)] + [(False, 0)] * (199 - last)


def test_which_remedy_is_followed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its number, for as long as that takes."""

    def slow(*args: Any) -> Generator[None, None, Any]:
        yield
        yield
        return (yield from aftermath(*args))

    monkeypatch.setattr(reasoning, "aftermath", slow)
    question = asked(FIRST)
    assert question.ask_remedies() == ""
    told = [question.answer.doing for _ in question.work()]

    assert told.count(f"{FOLLOWING} 1") >= 2
    assert question.answer.why is not None
    assert question.answer.why.aftermath is not None


def test_what_follows_an_act_is_found_without_what_is_still_submitted() -> None:
    """The application that comes in three seconds is left out; the instant is the present."""
    session, run, _ = small_session(paused=True)
    run.advance(2_000)
    question = asked(WhySubject(ACT, "", (SetPreemption(on=True),)), session)
    told = [question.answer.doing for _ in question.work()]
    after = question.answer.aftermath

    assert TRYING in told
    assert after is not None
    assert sum(after.allocated) == 0
    assert question.answer.time_ms == run.simulation.now_ms


async def test_nothing_of_a_live_cluster_goes_on_after_its_end() -> None:
    """Neither rounds nor waits."""
    one = Rounds()
    await one.view.round()
    await one.view.start(one.posted.append)
    for _ in range(20):
        await asyncio.sleep(0)
    await one.view.close()

    assert asyncio.all_tasks() == {asyncio.current_task()}
