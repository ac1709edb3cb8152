"""The work on a question: how long a slice is, when there is news, and how it ends."""

from typing import Any

import pytest

from tests.tui.session.test_reasoning import FIRST, halves
from tui import crash
from tui.answers import WhySubject
from tui.session.asking import PROGRESS_S, REST_S, SLICE_S, QuestionWork, SessionQuestions
from tui.session.reasoning import NOT_WAITING, Reasoning


class Clock:
    """A wall clock that passes with each look."""

    def __init__(self, step_s: float = 0.0) -> None:
        self.now_s, self.step_s, self.looks = 0.0, step_s, 0

    def __call__(self) -> float:
        """What it says."""
        self.looks += 1
        self.now_s += self.step_s
        return self.now_s


class Slow(Reasoning):
    """A question whose work is so many pieces; some of them bring news."""

    def __init__(self, pieces: int, news: tuple[int, ...] = (), error: Exception | None = None) -> None:
        super().__init__(halves().session.scene(), FIRST)
        self.done, self._pieces, self._news, self._error = 0, pieces, news, error

    def work(self) -> Any:
        """A piece each."""
        for number in range(self._pieces):
            self.done += 1
            if number in self._news:
                self._publish_again()
            if self._error is not None and number == self._pieces - 1:
                raise self._error
            yield

    def _publish_again(self) -> None:
        from engine.explain.why import WhyQuestion  # noqa: PLC0415 -- only what has news publishes any

        self._publish(WhyQuestion(self._simulation, 1).so_far())


def work(pieces: int, step_s: float, news: tuple[int, ...] = (), error: Exception | None = None) -> QuestionWork:
    """The work on it, the first piece done."""
    return QuestionWork(Slow(pieces, news, error), Clock(step_s))


def pieces_of(one: QuestionWork) -> int:
    """How many pieces were done."""
    assert isinstance(one.reasoning, Slow)
    return one.reasoning.done


@pytest.mark.parametrize(("step_s", "pieces"), [(0.001, 4), (0.0039, 2), (0.004, 1)])
def test_a_slice_takes_four_milliseconds(step_s: float, pieces: int) -> None:
    """The clock is looked at before each piece, which may go over."""
    one = work(1_000, step_s)
    before = pieces_of(one)
    _ = one.slice()

    assert pieces_of(one) - before == pieces - 1
    assert SLICE_S == 0.004


def test_what_is_known_at_once_is_known_without_a_slice() -> None:
    """The first piece is done when it is asked."""
    assert (pieces_of(work(5, 1.0)), work(5, 1.0).done, work(0, 1.0).done) == (1, False, True)


def test_news_is_told_at_once() -> None:
    """What is only going on is told ten times a second."""
    one = work(1_000, 0.001, news=(3,))
    told = [one.slice() for _ in range(3)]

    assert told == [True, False, False]
    assert PROGRESS_S == 0.1


@pytest.mark.parametrize(("step_s", "told"), [(0.09, [False, True]), (0.1, [True, True])])
def test_progress_is_told_ten_times_a_second(step_s: float, told: list[bool]) -> None:
    """Counted from the last sign."""
    one = work(1_000, 0.0)
    clock = one._wall
    assert isinstance(clock, Clock)
    seen = []
    for _ in told:
        clock.now_s += step_s
        clock.step_s = 0.0039
        seen.append(one.slice())
        clock.step_s = 0.0

    assert seen == told


def test_the_end_is_told() -> None:
    """Then nothing is left."""
    one = work(3, 0.0)

    assert (one.slice(), one.done, one.answer.failure) == (True, True, "")


def test_what_fails_ends_it_in_words(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the file of its details; no wish is taken any more."""
    monkeypatch.setattr(crash, "folder", lambda: tmp_path)
    one = work(3, 0.0, error=ZeroDivisionError("oops"))
    _ = one.slice()
    refusal = one.try_remedies()

    assert (one.done, one.answer.doing, "ZeroDivisionError: oops" in one.answer.failure) == (True, "", True)
    assert (refusal, one.done) == ("", True)


async def test_questions_have_numbers_of_their_own() -> None:
    """Each is worked on until there is news; closed it is gone."""
    rests: list[float] = []

    async def sleep(seconds: float) -> None:
        rests.append(seconds)

    questions = SessionQuestions(halves().session.scene, Clock(0.001), sleep)
    first = await questions.ask(FIRST)
    second = await questions.ask(WhySubject("queue", "root"))
    busy = questions.is_working
    for opened in (first, second):
        answer = opened.answer
        while answer.doing:
            answer = await questions.more(opened.number)
    idle = questions.is_working
    refused = (await questions.try_remedies(second.number)).refusal
    again = (await questions.try_remedies(first.number)).refusal, questions.is_working
    for opened in (first, second):
        await questions.close(opened.number)
    await questions.close(first.number)

    assert (first.number, second.number, busy, idle) == (1, 2, True, False)
    assert (refused, again) == (NOT_WAITING, ("", True))
    assert set(rests) == {REST_S}
    assert not questions.is_working
    with pytest.raises(KeyError):
        await questions.more(first.number)
    assert (await questions.ask(FIRST)).number == 3
