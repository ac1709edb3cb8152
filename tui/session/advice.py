"""Questions without a simulation: answered from the picture, by what a live server recorded, and by a twin."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import tzinfo
from itertools import count
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from engine.errors import EngineError, SourceError
from engine.explain.answer import RemediesReport, RemedyReport
from engine.explain.sensitivity import ENDS
from engine.explain.sensitivity import RUNS_ON as SAID_RUNS_ON
from engine.grouping import grouped
from engine.live.alarms import Alarm, Alarms, alert_of
from engine.live.live_why import LIVE, why_application, why_place, with_activities
from engine.live.twin.twin import UNCERTAIN_MS
from engine.live.yarn_answers import Activities
from engine.observe.snapshot import Header, Snapshot
from engine.units import offset_at
from tui.pages.remedy_text import remedy_words, short_remedy
from tui.protocol.picture import ACT, APPLICATION, CLUSTER, ActResult, OpenQuestion, WhyAnswer, WhySubject, refused
from tui.protocol.session import QuestionsProtocol, TwinProtocol, cancel_all
from tui.terminal import format as text
from tui.terminal.format import RelativeTimeFormat

NOT_PLAYED: Final = "No forecast for a live or recorded cluster: no remedy is tried."

TWINNING: Final = "making the twin"
RECORDED: Final = "asking the ResourceManager what it recorded"
AGAIN, FOREVER = "again", "forever"  # How long what runs now runs on in a twin: as long again, or for ever
RUNS_ON: Final = {
    AGAIN: "what has no known end runs as long again as it has run",
    FOREVER: "what has no known end runs on",
}  # The same in words
RUNS_ON_SHORT: Final = {AGAIN: "what runs ends", FOREVER: "it runs on"}  # The same for a headline

RUN_OTHERWISE: Final = (SAID_RUNS_ON, ENDS)  # What both twins of an application tell already

SMALL: Final = 1_000  # Nodes and applications up to which a twin is asked before remedies are wanted

RECORDS: Final = "CapacityScheduler 3"  # The scheduler that records why it passes applications by


class RecordingSource(Protocol):
    """A server that may have recorded why applications are passed by."""

    async def activities(self, application: str) -> Activities:
        """The record of an application; a `SourceError` where there is none."""


class _Asked:
    def __init__(self, answer: WhyAnswer, *, asks_server: bool, twins: Sequence[str]) -> None:
        self.answer = answer
        self.asks_server = asks_server
        self.twins = list(twins)  # Twins still to be made: how long containers run on in each
        self.twin: QuestionsProtocol | None = None  # The questions of the one that is asked; None before the first
        self.number = 0  # What that calls the question
        self.words = ""  # How long containers run on in that one
        self.starts: dict[str, str] = {}  # How long they run on → when what is asked about starts then, in words


class LiveQuestions:
    """Implements `protocol.session.QuestionsProtocol`; what takes playing ahead is asked of a twin."""

    def __init__(
        self,
        source: RecordingSource | None,
        looked_at: Callable[[], Snapshot],
        is_present: Callable[[], bool] = lambda: True,
        zone: tzinfo | None = None,
        twin: TwinProtocol | None = None,
    ) -> None:
        """Without a `source` it is not live; of the past the server is not asked, so `is_present` tells.

        `zone` is where the cluster's people are, None for this machine's; on the `twin` remedies are tried.
        """
        self._is_present, self._zone, self._twin = is_present, zone, twin
        self._source, self._looked_at = source, looked_at
        self._numbers = count(1)
        self._open: dict[int, _Asked] = {}

    async def ask(self, subject: WhySubject) -> OpenQuestion:
        snapshot = self._looked_at()
        time_ms = snapshot.header.time_ms
        answer = WhyAnswer(subject, time_ms, offset_at(time_ms, self._zone))
        if subject.kind in {CLUSTER, ACT}:
            note = NOT_PLAYED if self._twin is None else ""
            return self._opened(msgspec.structs.replace(answer, note=note), twins=() if note else (FOREVER,))
        is_one = subject.kind == APPLICATION
        why = why_application(snapshot, int(subject.key)) if is_one else None
        place = None if is_one else why_place(snapshot, subject.kind, subject.key)
        waits = why is not None and why.verdict == LIVE
        is_recording = self._source is not None and snapshot.header.scheduler.startswith(RECORDS)
        names = {row.id: row.name for row in snapshot.applications(why=False)}
        answer = msgspec.structs.replace(answer, why=why, place=place, names=names)
        is_small = len(names) + len(snapshot.nodes()) <= SMALL
        twins = (AGAIN, FOREVER) if is_one and self._twin is not None and is_small else ()
        return self._opened(answer, asks_server=is_recording and self._is_present() and waits, twins=twins)

    def _opened(self, answer: WhyAnswer, *, asks_server: bool = False, twins: Sequence[str] = ()) -> OpenQuestion:
        number = next(self._numbers)
        doing = RECORDED if asks_server else TWINNING if twins else ""
        answer = msgspec.structs.replace(answer, doing=doing, is_assumed=self._twin is not None)
        asked = _Asked(answer, asks_server=asks_server, twins=twins)
        self._open[number] = asked
        return OpenQuestion(number, asked.answer)

    async def more(self, question: int) -> WhyAnswer:
        asked = self._open[question]
        if asked.asks_server and self._source is not None:
            asked.asks_server = False
            asked.answer = await self._with_records(asked.answer, self._source)
            asked.answer = msgspec.structs.replace(asked.answer, doing=TWINNING if asked.twins else "")
        elif asked.twin is None and asked.twins:
            await self._begin_twin(asked)
        elif asked.twin is not None:
            found = await asked.twin.more(asked.number)
            asked.answer = _with_twins(asked, found)
            if not found.doing and asked.twins:
                await asked.twin.close(asked.number)
                await self._begin_twin(asked)
        return asked.answer

    async def _begin_twin(self, asked: _Asked) -> None:
        assert self._twin is not None, "nothing is asked of a twin where none can be made"
        asked.words = asked.twins.pop(0)
        try:
            made = await self._twin.open(FOREVER if asked.words == FOREVER else "")
        except EngineError as error:
            failure = " ".join(str(error).split())
            asked.answer = msgspec.structs.replace(asked.answer, doing="", note=f"no twin can be made: {failure}")
            asked.twin, asked.twins = None, []
            return
        asked.twin = made.connection.questions
        assert asked.twin is not None, "a twin is a simulation, which can be asked"
        opened = await asked.twin.ask(asked.answer.subject)
        asked.number = opened.number
        if asked.words == FOREVER:
            _ = await asked.twin.try_remedies(opened.number)
        asked.answer = msgspec.structs.replace(asked.answer, doing=opened.answer.doing)

    async def _with_records(self, answer: WhyAnswer, source: RecordingSource) -> WhyAnswer:
        assert answer.why is not None, "only of an application the server is asked"
        try:
            found = await source.activities(answer.why.application.id)
        except SourceError as error:
            return msgspec.structs.replace(answer, facts=f"the ResourceManager says nothing more: {error}")
        if found.passed:
            return msgspec.structs.replace(answer, why=with_activities(answer.why, found))
        words = found.diagnostic or "nothing yet"
        return msgspec.structs.replace(answer, facts=f"by the ResourceManager: {words}; ask again for more")

    async def try_remedies(self, question: int) -> ActResult:
        asked = self._open[question]
        if asked.twin is not None:
            return await asked.twin.try_remedies(asked.number)
        if self._twin is None or asked.answer.place is not None:
            return refused(NOT_PLAYED)
        asked.twins.append(FOREVER)
        return refused("")

    async def try_remedy(self, question: int, number: int) -> ActResult:
        asked = self._open[question]
        return refused(NOT_PLAYED) if asked.twin is None else await asked.twin.try_remedy(asked.number, number)

    async def close(self, question: int) -> None:
        asked = self._open.pop(question, None)
        if asked is not None and asked.twin is not None:
            await asked.twin.close(asked.number)


def _with_twins(asked: _Asked, found: WhyAnswer) -> WhyAnswer:
    why, twins, beside = asked.answer.why, found.why, found.beside
    if why is not None and twins is not None:
        others = tuple(each for each in twins.assumed if each.otherwise not in RUN_OTHERWISE)
        why = msgspec.structs.replace(why, would_help=twins.would_help, assumed=others)
    if why is not None and why.verdict == LIVE and twins is not None and twins.verdict:
        at_ms = twins.expected_start_ms
        start = "is not started by itself"
        if at_ms is not None:
            about = "about " if at_ms - found.time_ms <= UNCERTAIN_MS else ""
            start = f"starts at {about}{beside.clock(at_ms)}"
        asked.starts[asked.words] = start
    note, forecast = RUNS_ON[asked.words], ""
    if asked.starts:
        note = f"On the twin of {beside.clock(found.time_ms)} {_of_each(asked.starts, RUNS_ON, 'it ')}."
        is_sure = len(asked.starts) > len(set(asked.starts.values()))
        forecast = (
            f"{asked.starts[asked.words]}, whatever is assumed" if is_sure else _of_each(asked.starts, RUNS_ON_SHORT)
        )
    return msgspec.structs.replace(
        asked.answer,
        why=why,
        plan=found.plan,
        aftermath=found.aftermath,
        doing=found.doing,
        failure=found.failure,
        note=note,
        forecast=forecast,
    )


def _of_each(starts: Mapping[str, str], assumed: Mapping[str, str], who: str = "") -> str:
    """Return when it starts, and what is assumed for that; what starts alike is said once."""
    ways = grouped((start, assumed[words]) for words, start in starts.items())
    return "; ".join(f"{who}{start} if {' or '.join(some)}" for start, some in ways.items())


LONGEST_S: Final = 10.0  # How long remedies are tried for an alarm; the best of those is named

FROZEN: Final = f"in its twin nothing starts any more if {RUNS_ON[FOREVER]}"  # The proof of a freeze


class Advice(NamedTuple):
    freeze: Callable[[], Awaitable[str]]  # That it is frozen; empty: something starts, or it is not known
    remedy: Callable[[str], Awaitable[str]]  # The best remedy, given the holder of most nodes; empty: none


def advice_of(opener: Callable[[], TwinProtocol]) -> Advice:
    """The advice of twins of the cluster as it stands."""
    return Advice(lambda: _freeze_words(opener()), lambda holder: best_remedy(opener(), holder))


async def _freeze_words(twin: TwinProtocol) -> str:
    try:
        return FROZEN if await twin.is_frozen(FOREVER) else ""
    except EngineError:
        return ""


async def best_remedy(
    twin: TwinProtocol,
    holder: str,
    longest_s: float = LONGEST_S,
    clock: Callable[[], float] = time.monotonic,
) -> str:
    """The best remedy that was tried in so many seconds, in a sentence; empty where none helps or no twin can be made.

    The end of the application `holder`, which holds most nodes, is named, too, where that helps and is not the best.
    """
    try:
        made = await twin.open(FOREVER)
    except EngineError:
        return ""
    questions, end_s = made.connection.questions, clock() + longest_s
    assert questions is not None, "a twin is a simulation, which can be asked"
    opened = await questions.ask(WhySubject(CLUSTER, ""))
    answer = opened.answer
    while answer.doing and clock() < end_s:
        answer = await questions.more(opened.number)
    await questions.close(opened.number)
    return _sentence(answer, holder)


def _sentence(answer: WhyAnswer, holder: str) -> str:
    found, day = answer.plan, answer.beside._replace(mark=" if")
    if found is None or not found.remedies:
        return ""
    first, *others = found.remedies
    named = [first, *[each for each in others if each.kind == "kill" and each.application == holder][:1]]
    said = "; or ".join(_words(each, found, day) for each in named)
    return f"{said} (of {found.tried} tried on the twin of {day.clock(found.at_ms)}, where {RUNS_ON[FOREVER]})"


def _words(entry: RemedyReport, found: RemediesReport, day: RelativeTimeFormat) -> str:
    words = remedy_words(entry, found, day)
    loses = text.plural(entry.loses.containers, "container") if entry.loses.containers else "nothing"
    return f"{short_remedy(entry.remedy)}: starts {words.starts}, frees {words.frees}, loses {loses}"


class LiveAlarms:
    """Gives alarms on with the best remedy, and finds out in the background whether the cluster is frozen."""

    def __init__(
        self,
        alarms: Alarms,
        advice: Advice | None,
        on_alarm: Callable[[Alarm], object],
        tell: Callable[[str, str], None],
        changed: Callable[[], None],
    ) -> None:
        """`tell` says a sentence, given how grave it is; `changed` is called where an alarm changes between rounds."""
        self._alarms, self._advice = alarms, advice
        self._on_alarm, self._tell, self._changed = on_alarm, tell, changed
        self._asking: set[asyncio.Task[None]] = set()
        self._judging: asyncio.Task[None] | None = None
        self._kept_back: set[tuple[str, int]] = set()  # Rule and begin of alarms that wait for a remedy

    def take(self, alarms: list[Alarm], whole: Header) -> None:
        """Tell what a round brought; `whole` is of the last one that asked for every page."""
        is_free = self._judging is None or self._judging.done()
        if self._advice is not None and is_free and self._alarms.is_to_judge(whole):
            self._judging = self._begin(self._judge(whole, self._advice))
        for alarm in alarms:
            self._tell(alarm.sentence, "information" if alarm.is_over else "warning")
            if alarm.is_over or not alarm.holders or self._advice is None:
                self._on_alarm(alarm)
            else:
                self._kept_back.add((alarm.rule, alarm.since_ms))
                _ = self._begin(self._advised(alarm, self._advice))

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        return task

    async def close(self) -> None:
        """Ask no more; alarms that wait for a remedy are given on without."""
        await cancel_all(*self._asking)

    async def _judge(self, whole: Header, advice: Advice) -> None:
        for alarm in self._alarms.judge(whole, await advice.freeze()):
            self._tell(alert_of(alarm).sentence, "warning")
            if (alarm.rule, alarm.since_ms) not in self._kept_back:
                self._on_alarm(alarm)
        self._changed()

    async def _advised(self, alarm: Alarm, advice: Advice) -> None:
        remedy = ""
        try:
            if self._judging is not None:
                await asyncio.wait({self._judging})
            remedy = await advice.remedy(alarm.holders[0].application)
        finally:
            self._kept_back.discard((alarm.rule, alarm.since_ms))
            self._on_alarm(self._alarms.add_remedy(alarm, remedy))
        if remedy:
            self._tell(remedy, "warning")
