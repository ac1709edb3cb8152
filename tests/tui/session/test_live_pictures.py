"""A live cluster for the screens: rounds, and what is shown while none is answered."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from engine.errors import SourceError
from engine.live.alarms import Alarm, parse_rules
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_answers import Activities
from engine.live.yarn_source import YarnActs, YarnSource
from engine.observe.documents import FixedSnapshot
from tests.engine.live.recorded import FakeServer, connected, round_of, snapshot_of
from tests.engine.live.test_spark import FakeMaster
from tests.tui.screen_text import press, screen_text
from tui.app import SchedlabApp
from tui.board.dialects import NOT_BY_REST
from tui.cli.live import NO_FILES
from tui.pages.why_head import WhyChoice, why_page
from tui.panes.fragments import RenderContext, flat
from tui.protocol.picture import LIVE, ConnectionStatus, Notice, SessionChanged, WhyAnswer, WhySubject
from tui.session.advice import Advice, LiveQuestions, best_remedy
from tui.session.live_pictures import LONGEST_RETRY_MS, LiveActs, LiveConnection, LivePictures, LiveSource
from tui.session.opening import TwinOpener
from tui.terminal.format import RelativeTimeFormat

TURNS = 60
"""Turns of the event loop in which a round and its wait are surely done: nothing in them waits for anything else."""


class Watch:
    """A view of a played server whose time only passes while it waits."""

    def __init__(self, series: str = "2.7.2-fair-kill", advice: Advice | None = None) -> None:
        self.server = FakeServer(series)
        self.late_s = 0.0
        """How much time has passed beside the recording."""
        self.waits: list[float] = []
        self.posted: list[SessionChanged | Notice] = []
        self.alarms: list[Alarm] = []
        self._may_pass = asyncio.Semaphore(0)
        source = YarnSource(
            RestClient([f"http://{self.server.host}"], connected(self.server), wall=self.now, steady=self.now),
            PollPace(),
        )
        rules = parse_rules(["all nodes reserved"])
        self.pictures = LivePictures(
            source, rules, wall=self.now, sleep=self._sleep, on_alarm=self.alarms.append, advice=advice
        )

    def now(self) -> float:
        return self.server.now_s + self.late_s

    async def _sleep(self, seconds: float) -> None:
        await self._may_pass.acquire()
        self.waits.append(seconds)
        self.late_s += seconds

    async def pass_time(self, waits: int) -> None:
        for _ in range(waits):
            self._may_pass.release()
        for _ in range(TURNS * (waits + 1)):
            await asyncio.sleep(0)

    def break_off(self) -> None:
        def fail(request: httpx.Request) -> httpx.Response:
            raise httpx.ReadError("cut")

        self.server.fails = fail

    async def reception(self) -> ConnectionStatus:
        found = (await self.pictures.picture()).run.reception
        assert found is not None
        return found


@asynccontextmanager
async def watching(series: str = "2.7.2-fair-kill") -> AsyncIterator[Watch]:
    watch = Watch(series)
    await watch.pictures.round()
    await watch.pictures.start(watch.posted.append)
    try:
        yield watch
    finally:
        await watch.pictures.close()


async def test_the_first_picture_is_posted_at_once() -> None:
    async with watching() as watch:
        picture = await watch.pictures.picture()

        assert watch.posted == [SessionChanged()]
        assert (picture.run.name, picture.snapshot.header.nodes, picture.run.end_ms) == ("rm1:8088", 12, None)


async def test_rounds_that_fail_come_at_growing_distances() -> None:
    async with watching() as watch:
        watch.break_off()
        await watch.pass_time(2)
        asked = len(watch.server.asked)
        distances = []
        begin = watch.late_s
        for _ in range(400):
            await watch.pass_time(1)
            if len(watch.server.asked) > asked:
                asked = len(watch.server.asked)
                distances.append(round(watch.late_s - begin))
                begin = watch.late_s

        reception = await watch.reception()

    assert distances[:6] == [2, 4, 8, 16, 30, 30]
    assert reception.next_ms is not None
    assert 0 < reception.next_ms - reception.now_ms <= LONGEST_RETRY_MS


async def test_a_server_that_answers_again_is_live_and_said_so() -> None:
    async with watching() as watch:
        watch.break_off()
        await watch.pass_time(2)
        watch.server.fails = lambda request: None
        await watch.pass_time(4)
        reception = await watch.reception()
        notices = [each.words for each in watch.posted if isinstance(each, Notice)]

    assert (reception.state, reception.sentence) == (LIVE, "")
    assert "rm1:8088 answers again" in notices


async def test_an_alarm_is_given_once_and_said() -> None:
    async with watching() as watch:
        await watch.pass_time(2)

    assert [(each.is_over, [name[-4:] for name in each.applications]) for each in watch.alarms] == [
        (False, ["0010", "0016"])
    ]


async def nothing_known() -> str:
    return ""


async def test_a_freeze_is_told_when_it_is_proved_and_goes_with_the_first_end() -> None:
    async def freeze() -> str:
        return "nothing starts"

    async def no_remedy(holder: str) -> str:
        return ""

    watch = Watch(advice=Advice(freeze, no_remedy))
    kinds = []
    for watch.server.place, watch.late_s in ((0, 0.0), (3, 0.0), (3, 1.0), (4, 1.0)):
        await watch.pictures.round()
        await watch.pass_time(0)
        kinds.append([alert.kind for alert in (await watch.pictures.picture()).run.standing])
    await watch.pictures.close()

    assert kinds == [["alarm"], ["alarm"], ["frozen"], []]
    told = [(each.freeze is not None, each.is_over) for each in watch.alarms]
    assert told == [(False, False), (True, False), (True, True)]


@pytest.mark.parametrize(("is_found", "remedy"), [(True, "kill 10"), (False, "")])
async def test_an_alarm_is_given_on_once_with_the_remedy_that_was_tried(is_found: bool, remedy: str) -> None:  # a case
    async def remedy_of(holder: str) -> str:
        if not is_found:
            await asyncio.Event().wait()
        return f"kill {holder[-2:]}"

    watch = Watch(advice=Advice(nothing_known, remedy_of))
    await watch.pictures.round()
    await watch.pass_time(0)
    standing = watch.pictures.watched.alarms.active_alarms[0].remedy
    await watch.pictures.close()

    assert [(each.remedy, len(each.holders)) for each in watch.alarms] == [(remedy, 2)]
    assert standing == remedy


async def for_ever(seconds: float) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("kind", ["yarn", "spark"])
async def test_every_pane_of_a_live_cluster_is_drawn(kind: str) -> None:
    source: LiveSource
    if kind == "yarn":
        server = FakeServer("2.7.2-fair-kill")
        source = YarnSource(RestClient([f"http://{server.host}"], connected(server)), PollPace())
    else:
        source = FakeMaster().source
    view = LivePictures(source, [], sleep=for_ever)
    await view.round()
    app = SchedlabApp(LiveConnection(view), read_only=True)
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.pause()
        for key in "12345678":
            await press(pilot, key, "f")
            assert not app.return_code


@pytest.mark.parametrize(
    ("keys", "words"),
    [*((keys, NOT_BY_REST) for keys in ("P", "D", "S", ":preempt on\n", ":drain n1\n")), ("K", "Kill an application")],
)
async def test_acts_that_a_server_does_not_offer_say_so(keys: str, words: str) -> None:
    server = FakeServer("2.7.2-fair-kill")
    client = RestClient([f"http://{server.host}"], connected(server))
    view = LivePictures(YarnSource(client, PollPace()), [], sleep=for_ever)
    await view.round()
    app = SchedlabApp(LiveConnection(view, acts=LiveActs(YarnActs(client))), confirm="always")
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.pause()
        await press(pilot, "1", *("enter" if key == "\n" else key for key in keys))
        seen = screen_text(app)

    assert words in seen
    assert "the clock stands" not in seen


# Questions about a live cluster: at once from the picture, then by what the server recorded.

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
    empty = TwinOpener("rm1", lambda: FAIR.with_section(FAIR.header, "nodes", [], 0), NO_FILES.configuration)
    holder = next(row.id for row in FAIR.applications() if row.number == 10)
    words = await best_remedy(opener, holder, 60)

    assert words.startswith("kill 0001 clickstream: starts 15 of 15 by ")
    assert "loses 13 containers; or kill 0010 pyspark weekly model: starts 14 of 15 by " in words
    assert await best_remedy(opener, holder, 0) == await best_remedy(empty, holder) == ""


@pytest.mark.parametrize("width", [80, 120, 180])
async def test_every_reason_on_the_page_is_marked_with_how_sure_it_is(width: int) -> None:
    answer, _ = await answered(FAIR, None)
    look = RenderContext(answer.time_ms, FAIR.header.dimensions, FAIR.header.total)
    page = "\n".join(flat(line) for line in why_page(answer, FAIR, look, (width, 40), WhyChoice(tab="reasons")).lines)

    assert "(inferred)" in page
