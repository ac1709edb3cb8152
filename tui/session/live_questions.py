"""Questions without a simulation: answered from the picture that is looked at, and by what a live server recorded."""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from itertools import count
from typing import Final, Protocol

import msgspec

from engine.errors import EngineError, SourceError
from engine.instants import offset_at
from engine.live.live_why import LIVE, why_application, why_place, with_activities
from engine.live.twin.twin import UNCERTAIN_MS
from engine.live.yarn_activities import Activities
from engine.observe.snapshot import Snapshot
from tui.answers import ACT, CLUSTER, OpenQuestion, WhyAnswer, WhySubject
from tui.picture import APPLICATION, ActResult, refused
from tui.session_protocol import QuestionsProtocol, TwinProtocol

NOT_PLAYED: Final = "No forecast for a live or recorded cluster: no remedy is tried."

TWINNING: Final = "making the twin"
RECORDED: Final = "asking the ResourceManager what it recorded"
AGAIN, FOREVER = "again", "forever"
"""How long what runs now runs on in a twin: as long again as its application has run, or for ever."""
RUNS_ON: Final = {
    AGAIN: "what has no known end runs as long again as it has run",
    FOREVER: "what has no known end runs on",
}
"""The same in words."""
RUNS_ON_SHORT: Final = {AGAIN: "what runs ends", FOREVER: "it runs on"}
"""The same for a headline."""

SMALL: Final = 1_000
"""Nodes and applications up to which the twin is asked about an application before anybody wants remedies."""

RECORDS: Final = "CapacityScheduler 3"
"""The scheduler that records why it passes applications by."""


class RecordingSource(Protocol):
    """A server that may have recorded why applications are passed by."""

    async def activities(self, application: str) -> Activities:
        """The record of an application.

        Raises:
            SourceError: It records nothing.
        """


class _Asked:
    """An open question, and what answers it beside the picture."""

    def __init__(self, answer: WhyAnswer, *, asks_server: bool, twins: Sequence[str]) -> None:
        self.answer = answer
        self.asks_server = asks_server
        self.twins = list(twins)
        """Twins still to be made: how long containers run on in each."""
        self.twin: QuestionsProtocol | None = None
        """The questions of the one that is asked; None before the first."""
        self.number = 0
        """What that calls the question."""
        self.words = ""
        """How long containers run on in that one."""
        self.starts: dict[str, str] = {}
        """How long they run on → when what is asked about starts then, in words."""


class LiveQuestions:
    """Implements `session_protocol.QuestionsProtocol`; what takes playing ahead is asked of a twin."""

    def __init__(
        self,
        source: RecordingSource | None,
        looked_at: Callable[[], Snapshot],
        is_present: Callable[[], bool] = lambda: True,
        zone: tzinfo | None = None,
        twin: TwinProtocol | None = None,
    ) -> None:
        """Ask nothing yet.

        Args:
            source: Where the cluster's answers come from; None where it is not live.
            is_present: Whether that is the latest: of the past the server is not asked.
            zone: Where the cluster's people are; None is this machine's.
            twin: Makes the twin that remedies are tried on; None where there is none.
        """
        self._is_present, self._zone, self._twin = is_present, zone, twin
        self._source, self._looked_at = source, looked_at
        self._numbers = count(1)
        self._open: dict[int, _Asked] = {}

    async def ask(self, subject: WhySubject) -> OpenQuestion:
        """Answer from the picture."""
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
        """Ask the server what it recorded, then work on the twin."""
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
        """Make the next twin of the picture and ask it the same; the last one tries remedies."""
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
        """Have the twin try them."""
        asked = self._open[question]
        if asked.twin is not None:
            return await asked.twin.try_remedies(asked.number)
        if self._twin is None or asked.answer.place is not None:
            return refused(NOT_PLAYED)
        asked.twins.append(FOREVER)
        return refused("")

    async def try_remedy(self, question: int, number: int) -> ActResult:
        """Have the twin try it."""
        asked = self._open[question]
        return refused(NOT_PLAYED) if asked.twin is None else await asked.twin.try_remedy(asked.number, number)

    async def close(self, question: int) -> None:
        """Let go of it, and of its twin."""
        asked = self._open.pop(question, None)
        if asked is not None and asked.twin is not None:
            await asked.twin.close(asked.number)


def _with_twins(asked: _Asked, found: WhyAnswer) -> WhyAnswer:
    """An answer with what a twin found: remedies, what follows an act, when something starts."""
    why, twins, beside = asked.answer.why, found.why, found.beside
    if why is not None and twins is not None:
        why = msgspec.structs.replace(why, would_help=twins.would_help)
    if why is not None and why.verdict == LIVE and twins is not None and twins.verdict:
        at_ms = twins.expected_start_ms
        start = "is not started by itself" if at_ms is None else f"starts at {_near(at_ms, found)}{beside.clock(at_ms)}"
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
        freeing=found.freeing,
        doing=found.doing,
        failure=found.failure,
        note=note,
        forecast=forecast,
    )


def _near(at_ms: int, found: WhyAnswer) -> str:
    """`about` before an instant of which the twin is not sure."""
    return "about " if at_ms - found.time_ms <= UNCERTAIN_MS else ""


def _of_each(starts: Mapping[str, str], assumed: Mapping[str, str], who: str = "") -> str:
    """Return when it starts, and what is assumed for that; what starts alike is said once."""
    ways: dict[str, list[str]] = {}
    for words, start in starts.items():
        ways.setdefault(start, []).append(assumed[words])
    return "; ".join(f"{who}{start} if {' or '.join(some)}" for start, some in ways.items())
