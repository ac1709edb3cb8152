"""Questions and comparisons: how an answer is followed, what is asked of the session, and what is told."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from engine.errors import ConfigError, Problem
from engine.scenario.acts import KillApplication
from tests.tui.fake_session import FakeSession
from tests.tui.requests.standing import Standing, Without, hand_over
from tui import messages
from tui.answers import ACT, WhySubject
from tui.picture import ActResult, refused
from tui.requests.clock import ClockRequests
from tui.requests.context import NO_QUESTIONS, NOT_TRIED
from tui.requests.questions import (
    AT_WORK,
    IN_DRILL,
    NOTHING,
    PLAYS,
    ComparingRequests,
    FollowedQuestion,
    QuestionRequests,
)
from tui.screens.why import WhyScreen

SUBJECT = WhySubject("application", "183354")


async def turn() -> None:
    """Let everything happen that may."""
    for _ in range(10):
        await asyncio.sleep(0)


class Followed:
    """A question of a fake session that somebody follows."""

    def __init__(self) -> None:
        self.session, self.changes = FakeSession(), 0

    async def begin(self) -> FollowedQuestion:
        """Ask it."""
        return FollowedQuestion(self.session, await self.session.ask(SUBJECT))

    def changed(self) -> None:
        """Count it."""
        self.changes += 1

    def tell(self, **changes: Any) -> None:
        """Find something out."""
        self.session.asked[0].tell(**changes)


async def test_an_answer_is_followed_until_all_is_known() -> None:
    """Each news is told, the last as well; then nobody waits any more."""
    one = Followed()
    followed = await one.begin()
    first = followed.answer
    followed.start(one.changed)
    followed.start(one.changed)
    await turn()
    one.tell(note="half")
    await turn()
    half = (followed.answer.note, one.changes)
    one.tell(note="whole", doing="")
    await turn()

    assert (first.note, half) == ("", ("half", 2))
    assert (followed.answer.note, followed.answer.doing, one.changes) == ("whole", "", 3)
    calls = list(one.session.asked[0].calls)
    followed.start(one.changed)
    await turn()
    assert one.session.asked[0].calls == calls


async def test_who_stops_waits_no_more_and_may_start_again() -> None:
    """What was found meanwhile is there then."""
    one = Followed()
    followed = await one.begin()
    followed.start(one.changed)
    await turn()
    followed.stop()
    await turn()
    before = one.changes
    one.tell(note="meanwhile", doing="")
    await turn()
    stopped = (one.changes, followed.answer.note)
    followed.start(one.changed)
    await turn()

    assert stopped == (before, "")
    assert (one.changes, followed.answer.note) == (before + 1, "meanwhile")


async def test_a_wish_after_a_stop_waits_until_somebody_looks() -> None:
    """It is not followed by itself."""
    one = Followed()
    followed = await one.begin()
    one.tell(doing="")
    followed.answer = one.session.asked[0].answer
    followed.start(one.changed)
    followed.stop()
    assert await followed.try_remedies() == ""
    await turn()
    before = list(one.session.asked[0].calls)
    followed.start(one.changed)
    await turn()

    assert (before, one.session.asked[0].calls) == (["remedies"], ["remedies", "start"])


async def test_a_question_is_closed_for_good() -> None:
    """It stops, and the session lets go of it."""
    one = Followed()
    followed = await one.begin()
    followed.start(one.changed)
    await turn()
    followed.close()
    await turn()

    assert one.session.asked[0].calls[-2:] == ["stop", "close"]


@pytest.mark.parametrize(
    ("is_watched", "failure", "goes_on"), [(True, "", True), (False, "", False), (True, "it broke", False)]
)
async def test_a_wish_is_followed_where_nothing_else_is_done(is_watched: bool, failure: str, goes_on: bool) -> None:
    """Where somebody looks, and it has not failed."""
    one = Followed()
    followed = await one.begin()
    one.session.asked[0].tell(doing="", failure=failure)
    followed.answer = one.session.asked[0].answer
    if is_watched:
        followed.start(one.changed)
    refusals = [await followed.try_remedies(), await followed.try_remedy(7)]
    await turn()

    assert (refusals, [call for call in one.session.asked[0].calls if "remed" in call]) == (
        ["", ""], ["remedies", "remedy 7"],
    )  # fmt: skip
    assert one.session.asked[0].calls.count("start") == int(goes_on)


async def test_what_is_tried_is_said() -> None:
    """Remedies, or one by its number; a refusal changes nothing."""
    one = Followed()
    doings = []
    for number in (None, 7):
        followed = await one.begin()
        one.session.asked[-1].tell(doing="")
        followed.answer = one.session.asked[-1].answer
        followed.start(one.changed)
        _ = await (followed.try_remedies() if number is None else followed.try_remedy(number))
        doings.append(followed.answer.doing)
        followed.stop()

    assert doings == ["trying remedies", "simulating remedy 7"]

    async def no(*_: object) -> ActResult:
        return refused("No.")

    vars(one.session).update(try_remedies=no)
    followed = await one.begin()
    followed.answer = one.session.asked[-2].answer
    assert (await followed.try_remedies(), followed.answer.doing) == ("No.", "")


async def ask(context: Standing, subject: WhySubject = SUBJECT) -> None:
    """Ask on a screen."""
    await hand_over(QuestionRequests(context, ClockRequests(context)), messages.WhyRequested(subject))


async def test_a_question_opens_its_screen_and_holds_the_clock() -> None:
    """Which goes on when it is left."""
    context = Standing()
    await ask(context)
    [(screen, left)] = context.fake_app.pushed
    held = list(context.session.calls)
    await left(None)

    assert isinstance(screen, WhyScreen)
    assert held == [("hold", True), ("why", "application", "183354")]
    assert context.session.calls[-1] == ("hold", False)


@pytest.mark.parametrize(
    ("subject", "stem"),
    [
        (SUBJECT, "why-183354"),
        (WhySubject("node", "10.0.0.7:8041"), "why-10.0.0.7"),
        (WhySubject("queue", "root.a"), "why-root.a"),
    ],
)
async def test_an_answer_is_saved_under_what_was_asked(
    subject: WhySubject, stem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node without its port; nothing acts where the session only looks."""
    shown: list[tuple[Any, Any]] = []
    monkeypatch.setattr("tui.requests.questions.WhyScreen", lambda *given, **options: shown.append((given, options)))
    past = FakeSession(present_ms=5)
    for context in (Standing(), Standing(read_only=True), Standing(past)):
        await ask(context, subject)

    assert [stem in given[3] for given, _ in shown] == [True] * 3
    assert [(options["may_act"], options["clock"]) for _, options in shown] == [
        (True, "paused"), (False, "paused"), (True, "PAST"),
    ]  # fmt: skip


async def test_where_nothing_can_be_asked_it_is_said() -> None:
    """Before the first picture nothing is."""
    without, early, closed = Standing(Without()), Standing(), Standing(is_open=False)
    early.fake.state.picture = None
    for context in (without, early, closed):
        await ask(context)

    assert [context.told for context in (without, early, closed)] == [[(NO_QUESTIONS, "warning")], [], []]
    assert [context.fake_app.pushed for context in (without, early, closed)] == [[], [], []]


class Dialog:
    """A dialog that remembers what it follows."""

    def __init__(self) -> None:
        self.followed: list[Any] = []

    def follow(self, question: Any, words: str = "") -> None:
        """Take note."""
        self.followed.append((None if question is None else question.answer.subject, words))


@pytest.fixture
def dialog(monkeypatch: pytest.MonkeyPatch) -> Dialog:
    """What stands for the dialog of an act."""
    monkeypatch.setattr("tui.requests.questions.ConfirmScreen", Dialog)
    return Dialog()


async def test_an_act_is_tried_for_the_dialog_on_top(dialog: Dialog) -> None:
    """Where there is no copy, it is told why not; where no dialog is, nothing is asked."""
    here, none, elsewhere = Standing(), Standing(Without()), Standing()
    for context in (here, none):
        context.fake_app.screen_stack.append(dialog)
    for context in (here, none, elsewhere):
        event = messages.ActsTried((KillApplication(1),))
        await hand_over(QuestionRequests(context, ClockRequests(context)), event)

    assert dialog.followed == [(WhySubject(ACT, "", (KillApplication(1),)), ""), (None, NOT_TRIED)]
    assert elsewhere.session.asked == []


async def test_a_twin_tries_acts_of_what_is_watched(dialog: Dialog) -> None:
    """A session without a clock that has one."""

    class Watched(FakeSession):
        """It has questions and a twin."""

        clock = None
        twin = object()

    context = Standing(Watched())
    context.fake_app.screen_stack.append(dialog)
    event = messages.ActsTried((KillApplication(1),))
    await hand_over(QuestionRequests(context, ClockRequests(context)), event)

    assert [words for _, words in dialog.followed] == [""]


class Comparing:
    """Compares as a test says."""

    def __init__(self, error: Exception | None = None) -> None:
        self.words: list[str] = []
        self._error = error

    async def compare(self, words: str) -> Any:
        """Take note."""
        self.words.append(words)
        if self._error is not None:
            raise self._error
        return SimpleNamespace(comparison=None, partings=(), opened=None)


def comparable(error: Exception | None = None, **options: Any) -> tuple[Standing, Comparing]:
    """A context whose session can be compared."""
    session, comparing = FakeSession(), Comparing(error)
    vars(session).update(comparing=comparing)
    return Standing(session, **options), comparing


async def test_one_comparison_is_played_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next is taken when it is shown."""
    monkeypatch.setattr("tui.requests.questions.CompareScreen", lambda *shown, **options: (shown, options))
    context, comparing = comparable(ascii_only=True)
    requests = ComparingRequests(context)
    for words in ("fifo", "fair-2.7"):
        await hand_over(requests, messages.CompareRequested(words))
    await context.fake_app.works[0]
    await hand_over(requests, messages.CompareRequested("capacity-2.7"))
    await context.fake_app.works[1]

    assert context.told == [
        (PLAYS.format("fifo"), "information"),
        (AT_WORK, "warning"),
        (PLAYS.format("capacity-2.7"), "information"),
    ]
    assert comparing.words == ["fifo", "capacity-2.7"]
    assert [options for (_, options), _ in context.fake_app.pushed] == [{"ascii_only": True}] * 2


async def test_a_comparison_that_fails_says_why() -> None:
    """In one line; the next may be played."""
    context, _ = comparable(ConfigError([Problem("no\nsuch policy")]))
    requests = ComparingRequests(context)
    for _ in range(2):
        await hand_over(requests, messages.CompareRequested("x"))
        await context.fake_app.works[-1]

    assert context.told[1] == ("Not compared: no such policy", "error")
    assert len(context.fake_app.works) == 2
    assert context.fake_app.pushed == []


async def test_what_cannot_be_compared_says_so() -> None:
    """No simulation of this program, and a drill."""
    other = Standing()
    drill, comparing = comparable(drill=object())
    for context in (other, drill):
        await hand_over(ComparingRequests(context), messages.CompareRequested("x"))

    assert (other.told, drill.told) == ([(NOTHING, "warning")], [(IN_DRILL, "warning")])
    assert (other.fake_app.works, drill.fake_app.works, comparing.words) == ([], [], [])
