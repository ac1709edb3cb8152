"""Questions about a live cluster that its twin answers: when twins are made, what they are asked, what is told."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.errors import EngineError
from engine.live.live_why import LIVE
from engine.observe.fixed_snapshot import FixedSnapshot
from tests.tui.answered import NOW, helped, known
from tests.tui.fake_session import FakeSession
from tests.tui.session.test_live_questions import FAIR, waiting
from tui.answers import ACT, CLUSTER, WhySubject
from tui.session.live_questions import AGAIN, FOREVER, RUNS_ON, TWINNING, LiveQuestions
from tui.session_protocol import OpenTwin

WAITING = waiting(FAIR)


class FakeTwins:
    """Makes sessions whose questions are answered by hand."""

    def __init__(self, error: EngineError | None = None, *, frozen: bool = False) -> None:
        self.words: list[str] = []
        self.made: list[FakeSession] = []
        self._error, self._frozen = error, frozen

    async def open(self, words: str) -> OpenTwin:
        self.words.append(words)
        if self._error is not None:
            raise self._error
        self.made.append(FakeSession())
        return OpenTwin(self.made[-1], ())

    async def is_frozen(self, words: str) -> bool:
        self.words.append(words)
        if self._error is not None:
            raise self._error
        return self._frozen

    def calls(self) -> list[list[str]]:
        return [each.asked[0].calls for each in self.made]


def questions(twins: FakeTwins | None, snapshot: FixedSnapshot = FAIR, **options: Any) -> LiveQuestions:
    return LiveQuestions(options.pop("source", None), lambda: snapshot, twin=twins, **options)


@pytest.mark.parametrize(
    ("subject", "words"),
    [(WAITING, [""]), (WhySubject(CLUSTER, ""), [FOREVER]), (WhySubject(ACT, ""), [FOREVER])],
)
async def test_a_twin_is_made_when_more_is_wanted(subject: WhySubject, words: list[str]) -> None:
    """It is asked the same, and the one where what runs runs on tries remedies at once."""
    twins = FakeTwins()
    asked = questions(twins)
    opened = await asked.ask(subject)
    before = list(twins.words)
    answer = await asked.more(opened.number)

    assert (before, twins.words) == ([], words)
    assert (opened.answer.doing, opened.answer.is_assumed, opened.answer.note) == (TWINNING, True, "")
    question = twins.made[0].asked[0]
    assert (question.answer.subject, answer.doing) == (subject, question.answer.doing)
    assert question.calls == (["remedies"] if words == [FOREVER] else [])


def start(after_ms: int | None) -> dict[str, Any]:
    """What a twin finds out about who waits, that starts so long after 09:01:00."""
    at = None if after_ms is None else datetime.fromtimestamp((NOW + after_ms) / 1000, UTC).isoformat()
    return known(verdict="waiting", would_help=helped(), expected_start=at)


async def told(starts: Sequence[int | None]) -> tuple[str, str]:
    """Forecast and note when twins have found these instants [ms after 09:01:00]."""
    twins = FakeTwins()
    asked = questions(twins)
    number = (await asked.ask(WAITING)).number
    answer = await asked.more(number)
    for place, after_ms in enumerate(starts):
        twins.made[place].asked[0].tell(start(after_ms), doing="")
        answer = await asked.more(number)
    return answer.forecast, answer.note


async def test_two_twins_that_differ_are_both_told() -> None:
    forecast, note = await told([60_000, None])

    assert forecast == "starts at 09:02:00 if what runs ends; is not started by itself if it runs on"
    assert note.endswith(
        f"it starts at 09:02:00 if {RUNS_ON[AGAIN]}; it is not started by itself if {RUNS_ON[FOREVER]}."
    )


async def test_two_twins_that_agree_are_sure() -> None:
    forecast, note = await told([60_000, 60_000])

    assert forecast == "starts at 09:02:00, whatever is assumed"
    assert note.endswith(f"it starts at 09:02:00 if {RUNS_ON[AGAIN]} or {RUNS_ON[FOREVER]}.")


async def test_before_a_twin_knows_only_its_assumption_is_told() -> None:
    twins = FakeTwins()
    asked = questions(twins)
    number = (await asked.ask(WAITING)).number
    _ = await asked.more(number)
    twins.made[0].asked[0].tell(known(), doing="simulating ahead")
    answer = await asked.more(number)

    assert (answer.forecast, answer.note) == ("", RUNS_ON[AGAIN])
    assert answer.why is not None
    assert answer.why.verdict == LIVE
