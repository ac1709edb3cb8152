"""A live cluster for the screens: rounds, and what is shown while none is answered."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from engine.live.alarms import Alarm, parse_rules
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnActs, YarnSource
from tests.engine.live.recorded import FakeServer, connected
from tests.engine.live.test_spark import FakeMaster
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.board.dialects import NOT_BY_REST
from tui.protocol.picture import LIVE, STALE, STANDBY, ConnectionStatus, Notice, SessionChanged
from tui.session.advice import Advice
from tui.session.live_acts import LiveActs
from tui.session.live_pictures import LONGEST_RETRY_MS, LiveConnection, LivePictures, LiveSource

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


async def test_a_round_is_asked_after_each_wait() -> None:
    async with watching() as watch:
        watch.server.place = 20
        await watch.pass_time(6)
        drawn = sum(isinstance(each, SessionChanged) for each in watch.posted)
        picture = await watch.pictures.picture()

    assert (watch.waits, drawn) == ([1.0] * 6, 7)
    assert picture.snapshot.header.time_ms > 0
    assert {event.kind for event in picture.events} >= {"ApplicationTransitioned", "Alert"}


async def test_the_picture_stays_and_grows_old_while_nothing_is_heard() -> None:
    async with watching() as watch:
        before = (await watch.pictures.picture()).snapshot
        watch.break_off()
        await watch.pass_time(2)
        reception = await watch.reception()
        await watch.pass_time(2)
        later = await watch.reception()
        notices = [each.words for each in watch.posted if isinstance(each, Notice)]

        assert (reception.state, reception.sentence) == (STALE, "rm1:8088 broke off its answer")
        assert (await watch.pictures.picture()).snapshot is before
        assert (later.since_ms, later.now_ms - reception.now_ms) == (reception.since_ms, 2000)
        assert notices.count("rm1:8088 broke off its answer") == 1


async def test_the_age_of_a_picture_is_counted_by_one_clock() -> None:
    watch = Watch()
    watch.server.ahead_s = -3600
    await watch.pictures.round()
    await watch.pictures.round()
    watch.late_s += 7
    picture, reception = await watch.pictures.picture(), await watch.reception()

    assert reception.now_ms - picture.snapshot.header.time_ms == 7000
    assert reception.since_ms <= picture.snapshot.header.time_ms


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


async def test_a_server_on_standby_is_called_so() -> None:
    async with watching() as watch:
        watch.server.ha_state = "STANDBY"
        await watch.pass_time(2)

        assert (await watch.reception()).state == STANDBY


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
    assert told == [
        (False, False),
        (True, False),
        (True, True),
    ]


@pytest.mark.parametrize(("is_found", "remedy"), [(True, "kill 10"), (False, "")])
async def test_an_alarm_is_given_on_once_with_the_remedy_that_was_tried(is_found: bool, remedy: str) -> None:  # a case
    async def remedy_of(holder: str) -> str:
        if not is_found:
            await asyncio.Event().wait()
        return f"kill {holder[-2:]}"

    watch = Watch(advice=Advice(nothing_known, remedy_of))
    await watch.pictures.round()
    await watch.pass_time(0)
    standing = watch.pictures.watched.alarms.standing[0].remedy
    await watch.pictures.close()

    assert [(each.remedy, len(each.holders)) for each in watch.alarms] == [(remedy, 2)]
    assert standing == remedy


async def test_nothing_is_asked_after_the_end() -> None:
    async with watching() as watch:
        await watch.pass_time(2)
    asked = len(watch.server.asked)
    await watch.pass_time(0)

    assert len(watch.server.asked) == asked


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
            await pilot.press(key, "f")
            await pilot.pause()
            assert not app.return_code


@pytest.mark.parametrize(
    ("keys", "words"), [("P", NOT_BY_REST), ("D", NOT_BY_REST), ("S", NOT_BY_REST), ("K", "Kill an application")]
)
async def test_acts_that_a_server_does_not_offer_say_so(keys: str, words: str) -> None:
    server = FakeServer("2.7.2-fair-kill")
    client = RestClient([f"http://{server.host}"], connected(server))
    view = LivePictures(YarnSource(client, PollPace()), [], sleep=for_ever)
    await view.round()
    app = SchedlabApp(LiveConnection(view, acts=LiveActs(YarnActs(client))), confirm="always")
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.pause()
        await pilot.press("1", keys)
        await pilot.pause()
        seen = screen_text(app)

    assert words in seen
    assert "the clock stands" not in seen


async def test_conclusions_are_drawn_from_a_round_that_asked_for_every_page() -> None:
    watch = Watch()
    rounds = []
    for place in (0, 2, 8):
        watch.server.place = place
        rounds.append(await watch.pictures.round())

    assert [each.header.pages_ms is None for each in rounds] == [True, False, True]
    assert watch.pictures.present() is watch.pictures.looked_at() is rounds[2]
    watch.server.place = 9
    light = await watch.pictures.round()
    assert light.header.pages_ms is not None
    assert (watch.pictures.present(), watch.pictures.looked_at()) == (light, rounds[2])
