"""Questions about a live cluster that its twin answers: when twins are made, what they are asked, what is told."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError, EngineError, Problem
from engine.live.live_why import LIVE
from engine.observe.fixed_snapshot import FixedSnapshot
from tests.tui.answered import NOW, helped, known
from tests.tui.fake_session import FakeSession
from tests.tui.session.test_live_questions import CAPACITY, FAIR, FakeRecords, waiting
from tui.answers import ACT, CLUSTER, WhySubject
from tui.session import live_questions
from tui.session.live_questions import AGAIN, FOREVER, NOT_PLAYED, RECORDED, RUNS_ON, TWINNING, LiveQuestions
from tui.session_protocol import OpenTwin

WAITING = waiting(FAIR)


class FakeTwins:
    """Makes sessions whose questions are answered by hand."""

    def __init__(self, error: EngineError | None = None, *, frozen: bool = False) -> None:
        self.words: list[str] = []
        self.made: list[FakeSession] = []
        self._error, self._frozen = error, frozen

    async def open(self, words: str) -> OpenTwin:
        """One more."""
        self.words.append(words)
        if self._error is not None:
            raise self._error
        self.made.append(FakeSession())
        return OpenTwin(self.made[-1], ())

    async def is_frozen(self, words: str) -> bool:
        """As it was made."""
        self.words.append(words)
        if self._error is not None:
            raise self._error
        return self._frozen

    def calls(self) -> list[list[str]]:
        """What was done to the question of each."""
        return [each.asked[0].calls for each in self.made]


def broken() -> EngineError:
    """Its words are on two lines."""
    return ConfigError([Problem("the scheduler\nis not known", key="twin")])


def questions(twins: FakeTwins | None, snapshot: FixedSnapshot = FAIR, **options: Any) -> LiveQuestions:
    """Questions about a cluster."""
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


@pytest.mark.parametrize("subject", [WhySubject("queue", "root.adhoc"), WhySubject("node", FAIR.nodes()[0].id)])
async def test_of_a_place_no_twin_is_asked(subject: WhySubject) -> None:
    """Who waits there is known, and no remedy is tried."""
    twins = FakeTwins()
    asked = questions(twins)
    opened = await asked.ask(subject)
    answer = await asked.more(opened.number)

    assert (opened.answer.doing, answer, twins.words) == ("", opened.answer, [])
    assert (await asked.try_remedies(opened.number)).refusal == NOT_PLAYED


@pytest.mark.parametrize("subject", [WhySubject(CLUSTER, ""), WhySubject(ACT, "")])
async def test_without_a_twin_nothing_is_played(subject: WhySubject) -> None:
    """The note says so at once."""
    opened = await questions(None).ask(subject)

    assert (opened.answer.note, opened.answer.doing, opened.answer.is_assumed) == (NOT_PLAYED, "", False)


@pytest.mark.parametrize("more", [0, 1])
async def test_a_large_cluster_is_played_when_remedies_are_wanted(more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its nodes and applications are counted together."""
    size = len(FAIR.nodes()) + len(FAIR.applications())
    monkeypatch.setattr(live_questions, "SMALL", size - more)
    twins = FakeTwins()
    asked = questions(twins)
    opened = await asked.ask(WAITING)
    _ = await asked.more(opened.number)
    assert (opened.answer.doing, twins.words) == (("", []) if more else (TWINNING, [""]))

    if more:
        assert (await asked.try_remedies(opened.number)).refusal == ""
        _ = await asked.more(opened.number)
        assert twins.words == [FOREVER]


async def test_the_second_twin_follows_the_first() -> None:
    """That is let go; the second is where what runs runs on."""
    twins = FakeTwins()
    asked = questions(twins)
    number = (await asked.ask(WAITING)).number
    _ = await asked.more(number)
    first = twins.made[0].asked[0]
    first.tell(start(60_000), doing="simulating ahead")
    half = await asked.more(number)
    one = len(twins.made)
    first.tell(start(60_000), doing="")
    answer = await asked.more(number)

    assert (half.doing, one, len(twins.made)) == ("simulating ahead", 1, 2)
    assert twins.calls() == [["start", "start", "close"], ["remedies"]]
    assert twins.words == ["", FOREVER]
    assert answer.doing == twins.made[1].asked[0].answer.doing
    await asked.close(number)
    assert twins.calls()[1] == ["remedies", "close"]


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


async def test_one_twin_says_under_what_it_starts() -> None:
    """With what it assumes, in few words and in many."""
    forecast, note = await told([60_000])

    assert forecast == "starts at 09:02:00 if what runs ends"
    assert note.startswith("On the twin of ")
    assert note.endswith(f" it starts at 09:02:00 if {RUNS_ON[AGAIN]}.")


@pytest.mark.parametrize(("ms", "words"), [(15_000, "starts at about "), (15_001, "starts at ")])
async def test_the_first_seconds_are_not_sure(ms: int, words: str) -> None:
    """Up to a quarter of a minute."""
    assert (await told([ms]))[0] == f"{words}09:01:15 if what runs ends"


async def test_two_twins_that_differ_are_both_told() -> None:
    """Each with its assumption, in the order they were asked."""
    forecast, note = await told([60_000, None])

    assert forecast == "starts at 09:02:00 if what runs ends; is not started by itself if it runs on"
    assert note.endswith(
        f"it starts at 09:02:00 if {RUNS_ON[AGAIN]}; it is not started by itself if {RUNS_ON[FOREVER]}."
    )


async def test_two_twins_that_agree_are_sure() -> None:
    """It is said once, whatever is assumed."""
    forecast, note = await told([60_000, 60_000])

    assert forecast == "starts at 09:02:00, whatever is assumed"
    assert note.endswith(f"it starts at 09:02:00 if {RUNS_ON[AGAIN]} or {RUNS_ON[FOREVER]}.")


async def test_before_a_twin_knows_only_its_assumption_is_told() -> None:
    """No forecast is made of a verdict that is not there."""
    twins = FakeTwins()
    asked = questions(twins)
    number = (await asked.ask(WAITING)).number
    _ = await asked.more(number)
    twins.made[0].asked[0].tell(known(), doing="simulating ahead")
    answer = await asked.more(number)

    assert (answer.forecast, answer.note) == ("", RUNS_ON[AGAIN])
    assert answer.why is not None
    assert answer.why.verdict == LIVE


async def test_what_a_twin_finds_stands_beside_what_the_server_says() -> None:
    """Remedies, what follows one, and what fails are the twin's; reasons and names are the picture's."""
    twins = FakeTwins()
    asked = questions(twins)
    opened = await asked.ask(WAITING)
    _ = await asked.more(opened.number)
    question = twins.made[0].asked[0]
    question.tell(start(None), doing="trying remedies", failure="it broke")
    found, answer = question.answer, await asked.more(opened.number)
    assert opened.answer.why is not None
    assert found.why is not None

    assert answer == msgspec.structs.replace(
        opened.answer,
        why=msgspec.structs.replace(opened.answer.why, would_help=found.why.would_help),
        doing="trying remedies",
        failure="it broke",
        note=answer.note,
        forecast=answer.forecast,
    )


async def test_a_twin_that_cannot_be_made_says_why() -> None:
    """In one line; no other is tried."""
    twins = FakeTwins(broken())
    asked = questions(twins)
    opened = await asked.ask(WAITING)
    answer = await asked.more(opened.number)
    again = await asked.more(opened.number)

    assert (answer.doing, answer.note) == ("", f"no twin can be made: {' '.join(str(broken()).split())}")
    assert (again, twins.words) == (answer, [""])


async def test_wishes_go_to_the_twin_once_there_is_one() -> None:
    """Before, one remedy cannot be tried."""
    twins = FakeTwins()
    asked = questions(twins)
    number = (await asked.ask(WhySubject(CLUSTER, ""))).number
    before = (await asked.try_remedy(number, 1)).refusal
    _ = await asked.more(number)
    after = [await asked.try_remedy(number, 2), await asked.try_remedies(number)]

    assert (before, [each.refusal for each in after]) == (NOT_PLAYED, ["", ""])
    assert twins.calls() == [["remedies", "remedy 2", "remedies"]]


async def test_closing_what_is_closed_does_nothing() -> None:
    """Nor does closing a question that no twin was asked."""
    asked = questions(FakeTwins())
    number = (await asked.ask(WAITING)).number
    for _ in range(2):
        await asked.close(number)

    with pytest.raises(KeyError):
        await asked.more(number)


@pytest.mark.parametrize(
    ("snapshot", "present", "asks"),
    [(CAPACITY, True, True), (CAPACITY, False, False), (FAIR, True, False)],
)
async def test_the_server_is_asked_of_the_present_where_it_records(
    snapshot: FixedSnapshot, present: bool, asks: bool
) -> None:
    """Then the twin comes after it."""
    asked = questions(FakeTwins(), snapshot, source=FakeRecords(None), is_present=lambda: present)
    opened = await asked.ask(waiting(snapshot))
    answer = await asked.more(opened.number)

    assert opened.answer.doing == (RECORDED if asks else TWINNING)
    assert answer.doing == (TWINNING if asks else "simulating ahead")


async def test_who_does_not_wait_is_not_asked_about_at_the_server() -> None:
    """Names of all are in the answer."""
    running = next(row for row in CAPACITY.applications() if row.state == "RUNNING" and not row.obstacle)
    opened = await questions(None, CAPACITY, source=FakeRecords(None)).ask(
        WhySubject("application", str(running.number))
    )

    assert opened.answer.doing == ""
    assert opened.answer.names == {row.id: row.name for row in CAPACITY.applications()}
    assert opened.answer.time_ms == CAPACITY.header.time_ms
