"""What a round of a live cluster leaves: how it is heard, what it cost, and what the picture is called."""

import asyncio
from typing import Any

import httpx
import pytest

from engine.errors import SourceError
from engine.live.alarm_rules import Alarm, parse_rules
from engine.live.rest_client import PollPace, RestClient
from engine.live.watch_metrics import Hearing
from engine.live.yarn_source import YarnSource
from engine.observe.fixed_snapshot import FixedSnapshot
from tests.engine.live.recorded import FakeServer, connected
from tui.picture import LIVE, STALE, Notice, PictureChanged, Reception, Track
from tui.session.advice import Advice
from tui.session.event_log import EventLog
from tui.session.live_pictures import FIRST_RETRY_MS, LivePictures


class Noted(YarnSource):
    """A source that has notes and is late as a test says."""

    told: tuple[str, ...] = ()
    lateness = ""

    async def poll(self) -> FixedSnapshot:
        """Ask one round."""
        snapshot = await super().poll()
        self.notes, self.late = self.told, self.lateness
        return snapshot


class Rounds:
    """A view of a played server; every clock is moved by hand."""

    def __init__(self, **options: Any) -> None:
        self.server = FakeServer("2.7.2-fair-kill")
        self.late_s, self.cpu_s = 0.0, 5.0
        self.posted: list[Any] = []
        self.waits: list[float] = []
        client = RestClient([f"http://{self.server.host}"], connected(self.server), wall=self.now, steady=self.now)
        self.source = Noted(client, PollPace())
        self.view = LivePictures(
            self.source, parse_rules(["all nodes reserved"]), wall=self.now, cpu=self.cpu, sleep=self.sleep, **options
        )

    def now(self) -> float:
        """The wall clock, which every answer moves on."""
        return self.server.now_s + self.late_s

    def cpu(self) -> float:
        """Half a second more each time."""
        self.cpu_s += 0.5
        return self.cpu_s

    async def sleep(self, seconds: float) -> None:
        """For ever."""
        self.waits.append(seconds)
        await asyncio.Event().wait()

    async def reception(self) -> Reception:
        """How it is heard."""
        found = (await self.view.picture()).run.reception
        assert found is not None
        return found

    def notices(self) -> list[tuple[str, str]]:
        """What was said."""
        return [(each.words, each.severity) for each in self.posted if isinstance(each, Notice)]


async def test_a_round_says_what_it_cost() -> None:
    """CPU time of this program, in ms; and that the server is heard."""
    one = Rounds()
    before = one.view.hearing
    snapshot = await one.view.round()
    took_ms = one.source.client.took_ms
    picture = await one.view.picture()

    assert not before.is_live
    assert one.view.hearing == Hearing(True, took_ms, 500)
    reception = await one.reception()
    now_ms = picture.snapshot.header.time_ms
    assert picture.snapshot is snapshot
    assert reception == Reception(LIVE, reception.since_ms, "", now_ms, took_ms, 500)


async def test_the_picture_is_of_a_cluster_that_nobody_drives() -> None:
    """It is not paused, is called as its address, and its past begins with the first round."""
    one = Rounds()
    first = await one.view.round()
    one.server.place = 5
    last = await one.view.round()
    run = (await one.view.picture()).run
    start_ms = first.header.time_ms

    assert (run.name, run.paused, run.end_ms, run.present_ms) == ("rm1:8088", False, None, None)
    assert run.track == Track(start_ms, start_ms, tuple(each.found_ms for each in run.alerts))
    assert (await one.view.picture()).snapshot is last
    assert (await one.view.definition("queue", "root"), await one.view.plans()) == (None, ())
    await one.view.drawn(9.0)


async def test_a_failure_is_dated_from_its_first_round() -> None:
    """While it lasts; it is said once for each reason, and that it is over once."""
    one = Rounds()
    one.view._post = one.posted.append
    await one.view.round()
    since = (await one.reception()).since_ms

    def fail(words: str) -> None:
        one.view._heard(STALE, words)

    one.late_s += 3
    fail("cut")
    one.late_s += 4
    fail("cut")
    second = await one.reception()
    fail("gone")
    one.late_s += 1
    await one.view.round()
    again = await one.reception()

    assert (second.state, second.since_ms, second.now_ms - second.since_ms) == (STALE, since + 3_000, 4_000)
    assert (again.state, again.sentence, again.now_ms - again.since_ms) == (LIVE, "", 0)
    assert [each for each in one.notices() if "reserved" not in each[0]] == [
        ("cut", "warning"), ("gone", "warning"), ("rm1:8088 answers again", "information"),
    ]  # fmt: skip


async def test_a_note_is_said_once_while_it_stands() -> None:
    """And again when it comes back."""
    one = Rounds()
    one.view._post = one.posted.append
    for notes in (("a",), ("a", "b"), ("b",), ("a", "b")):
        one.source.told = notes
        await one.view.round()

    said = [each for each in one.notices() if "reserved" not in each[0]]
    assert said == [("a", "warning"), ("b", "warning"), ("a", "warning")]
    assert one.view.notes == ("a", "b")


async def test_rounds_that_are_late_are_said_to_be() -> None:
    """In the state of the connection."""
    one = Rounds()
    one.source.lateness = "too late"
    await one.view.round()

    assert (one.view.late, (await one.reception()).late) == ("too late", "too late")


async def test_a_round_without_an_answer_changes_nothing() -> None:
    """It is raised to whoever asked."""
    one = Rounds()
    await one.view.round()
    before = await one.view.picture()

    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadError("cut")

    one.server.fails = fail
    with pytest.raises(SourceError, match="broke off"):
        await one.view.round()

    assert (await one.view.picture()).snapshot is before.snapshot
    assert one.view.hearing.cost_ms == 500


async def test_before_a_wait_is_over_nothing_is_asked() -> None:
    """The first wait is that of the pace; closed, nothing is posted."""
    one = Rounds()
    await one.view.round()
    asked = len(one.server.asked)
    await one.view.start(one.posted.append)
    for _ in range(20):
        await asyncio.sleep(0)
    await one.view.close()
    one.posted.clear()
    one.view._draw()

    assert (one.waits, len(one.server.asked), one.posted) == ([1.0], asked, [])
    assert FIRST_RETRY_MS == 2_000


async def test_events_and_alerts_make_the_version_of_what_happened() -> None:
    """Another record or alert is another version; the picture asked again is the same."""
    one = Rounds()
    await one.view.round()
    first = (await one.view.picture()).events_version
    again = (await one.view.picture()).events_version
    one.server.place = 20
    await one.view.round()
    picture = await one.view.picture()

    assert first == again != picture.events_version
    assert isinstance(one.view.log, EventLog)
    assert len(picture.events) >= one.view.log.count > 0


async def _nothing() -> str:
    return ""


async def _forever(holder: str) -> str:
    await asyncio.Event().wait()
    return holder


async def test_an_alarm_that_waits_for_a_remedy_is_given_on_at_the_end() -> None:
    """Until then it is only said."""
    given: list[Alarm] = []
    one = Rounds(on_alarm=given.append, advice=Advice(_nothing, _forever))
    one.view._post = one.posted.append
    await one.view.round()
    for _ in range(20):
        await asyncio.sleep(0)
    before = list(given)
    await one.view.close()

    assert before == []
    assert [(each.is_over, each.remedy) for each in given] == [(False, "")]
    assert one.posted.count(Notice(given[0].sentence, "warning")) == 1
    assert PictureChanged() not in one.posted[:1]
