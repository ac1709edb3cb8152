"""Questions about a live cluster: at once from the picture, then by what the server recorded."""

import pytest

from engine.errors import SourceError
from engine.live.yarn_answers import Activities
from engine.observe.documents import FixedSnapshot
from tests.engine.live.recorded import round_of, snapshot_of
from tui.cli.watch_source import NO_FILES
from tui.pages.why_head import WhyChoice, why_page
from tui.panes.line import RenderContext, flat
from tui.protocol.picture import WhyAnswer, WhySubject
from tui.session.advice import NOT_PLAYED, LiveQuestions, best_remedy
from tui.session.opening import TwinOpener
from tui.terminal.format import RelativeTimeFormat

CAPACITY = snapshot_of(round_of("3.4.1-capacity"))
FAIR = snapshot_of(round_of("2.7.2-fair"))


class FakeRecords:
    """A server that answers what it is given."""

    def __init__(self, found: Activities | None) -> None:
        self.found = found
        self.asked: list[str] = []

    async def activities(self, application: str) -> Activities:
        self.asked.append(application)
        if self.found is None:
            raise SourceError("rm1:8088 answers 404")
        return self.found


def waiting(snapshot: FixedSnapshot) -> WhySubject:
    return WhySubject(
        "application", str(next(row.number for row in snapshot.applications() if row.state == "ACCEPTED"))
    )


async def answered(snapshot: FixedSnapshot, found: Activities | None) -> tuple[WhyAnswer, list[str]]:
    """The whole answer about who waits, and what the server was asked for."""
    source = FakeRecords(found)
    questions = LiveQuestions(source, lambda: snapshot)
    opened = await questions.ask(waiting(snapshot))
    answer = await questions.more(opened.number) if opened.answer.doing else opened.answer
    await questions.close(opened.number)
    return answer, source.asked


async def test_a_scheduler_that_records_is_asked_for_the_application() -> None:
    answer, asked = await answered(CAPACITY, Activities("", (("node01:1", "Queue hits max-capacity limit"),)))

    assert answer.why is not None
    assert asked == [answer.why.application.id]
    assert [(each.node, each.code) for each in answer.why.facts] == [("node01:1", "Queue hits max-capacity limit")]
    assert answer.doing == ""


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Activities("waiting for display", ()), "waiting for display; ask again for more"),
        (Activities("", ()), "nothing yet; ask again for more"),
        (None, "says nothing more: rm1:8088 answers 404"),
    ],
)
async def test_a_server_that_recorded_nothing_says_why(found: Activities | None, words: str) -> None:
    answer, _ = await answered(CAPACITY, found)

    assert answer.facts.endswith(words)


async def test_a_scheduler_that_never_records_is_not_asked() -> None:
    assert (await answered(FAIR, None))[1] == []


async def test_nothing_is_tried_for_a_live_cluster() -> None:
    questions = LiveQuestions(FakeRecords(None), lambda: FAIR)
    opened = await questions.ask(WhySubject("queue", "root.adhoc"))
    results = [await questions.try_remedies(opened.number), await questions.try_remedy(opened.number, 1)]

    assert {each.refusal for each in results} == {NOT_PLAYED}
    assert opened.answer.place is not None
    assert {each.queue for each in opened.answer.place.waiting} == {"root.adhoc"}


async def on_twin(subject: WhySubject) -> WhyAnswer:
    questions = LiveQuestions(None, lambda: FAIR, twin=TwinOpener("rm1", lambda: FAIR, NO_FILES.configuration))
    opened = await questions.ask(subject)
    answer = opened.answer
    while answer.doing:
        answer = await questions.more(opened.number)
    await questions.close(opened.number)
    return answer


@pytest.mark.long
async def test_what_to_do_is_tried_on_the_twin_where_what_runs_runs_on() -> None:
    found = (await on_twin(WhySubject("cluster", ""))).plan

    assert found is not None
    assert found.never
    kills = {each.remedy.application: each.frees.reservations for each in found.remedies if each.kind == "kill"}
    assert kills[10] == 11


async def test_when_something_starts_is_said_under_both_assumptions() -> None:
    answer = await on_twin(waiting(FAIR))

    assert answer.why is not None
    assert answer.why.would_help is not None
    assert answer.why.reasons
    assert "if what has no known end runs as long again as it has run; it is not started by itself" in answer.note
    assert answer.forecast.endswith(" if what runs ends; is not started by itself if it runs on")


@pytest.mark.long
async def test_instants_to_come_are_marked_where_a_twin_says_them() -> None:
    day = (await on_twin(WhySubject("cluster", ""))).beside

    now = RelativeTimeFormat(day.now_ms, day.offset_ms).clock(day.now_ms)
    assert (day.clock(day.now_ms), day.clock(day.now_ms + 1000)[-3:]) == (now, " if")


@pytest.mark.long
async def test_an_alarm_gets_the_best_remedy_in_a_sentence() -> None:
    """Of those tried in its time; none without time, and none of a cluster without nodes."""
    opener = TwinOpener("rm1", lambda: FAIR, NO_FILES.configuration)
    empty = TwinOpener("rm1", lambda: FAIR.with_rows("nodes", []), NO_FILES.configuration)
    holder = next(row.id for row in FAIR.applications() if row.number == 10)
    words = await best_remedy(opener, holder, 60)

    assert words.startswith("kill 1 clickstream: starts 15 of 15 by ")
    assert "loses 13 containers; or kill 10 pyspark weekly model: starts 14 of 15 by " in words
    assert await best_remedy(opener, holder, 0) == await best_remedy(empty, holder) == ""


@pytest.mark.parametrize("width", [80, 120, 180])
async def test_every_reason_on_the_page_is_marked_with_how_sure_it_is(width: int) -> None:
    answer, _ = await answered(FAIR, None)
    look = RenderContext(answer.time_ms, FAIR.header.dimensions, FAIR.header.total)
    page = "\n".join(flat(line) for line in why_page(answer, FAIR, look, (width, 40), WhyChoice(tab="reasons")).lines)

    assert "(inferred)" in page
