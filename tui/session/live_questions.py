"""Questions without a simulation: answered from the picture that is looked at, and by what a live server recorded."""

from collections.abc import Callable
from datetime import tzinfo
from itertools import count
from typing import Final, Protocol

import msgspec

from engine.errors import SourceError
from engine.instants import offset_at
from engine.live.live_why import LIVE, why_application, why_place, with_activities
from engine.live.yarn_activities import Activities
from engine.observe.snapshot import Snapshot
from tui.answers import CLUSTER, OpenQuestion, WhyAnswer, WhySubject
from tui.picture import APPLICATION, ActResult, refused

NOT_PLAYED: Final = "No forecast for a live or recorded cluster: no remedy is tried."

RECORDS: Final = "CapacityScheduler 3"
"""The scheduler that records why it passes applications by."""


class RecordingSource(Protocol):
    """A server that may have recorded why applications are passed by."""

    async def activities(self, application: str) -> Activities:
        """What it recorded of an application.

        Raises:
            SourceError: It records nothing.
        """


class LiveQuestions:
    """Implements `session_protocol.QuestionsProtocol`."""

    def __init__(
        self,
        source: RecordingSource | None,
        looked_at: Callable[[], Snapshot],
        is_present: Callable[[], bool] = lambda: True,
        zone: tzinfo | None = None,
    ) -> None:
        """Ask nothing yet.

        Args:
            source: Where the cluster's answers come from; None where it is not live.
            is_present: Whether that is the latest: of the past the server is not asked.
            zone: Where the cluster's people are; None is this machine's.
        """
        self._is_present, self._zone = is_present, zone
        self._source, self._looked_at = source, looked_at
        self._numbers = count(1)
        self._open: dict[int, WhyAnswer] = {}

    async def ask(self, subject: WhySubject) -> OpenQuestion:
        """Answer from the picture."""
        snapshot = self._looked_at()
        if subject.kind == CLUSTER:
            return self._opened(WhyAnswer(subject, snapshot.header.time_ms, note=NOT_PLAYED))
        is_one = subject.kind == APPLICATION
        why = why_application(snapshot, int(subject.key)) if is_one else None
        place = None if is_one else why_place(snapshot, subject.kind, subject.key)
        is_recording = self._source is not None and snapshot.header.scheduler.startswith(RECORDS)
        asks_server = is_recording and self._is_present() and why is not None and why.verdict == LIVE
        doing = "asking the ResourceManager what it recorded" if asks_server else ""
        names = {row.id: row.name for row in snapshot.applications(why=False)}
        time_ms = snapshot.header.time_ms
        answer = WhyAnswer(subject, time_ms, offset_at(time_ms, self._zone), why, place, doing=doing, names=names)
        return self._opened(answer)

    def _opened(self, answer: WhyAnswer) -> OpenQuestion:
        number = next(self._numbers)
        self._open[number] = answer
        return OpenQuestion(number, answer)

    async def more(self, question: int) -> WhyAnswer:
        """Ask the server what it recorded."""
        answer = self._open[question]
        if answer.doing and self._source is not None:
            self._open[question] = answer = await self._with_records(answer, self._source)
        return answer

    async def _with_records(self, answer: WhyAnswer, source: RecordingSource) -> WhyAnswer:
        assert answer.why is not None, "only of an application the server is asked"
        try:
            found = await source.activities(answer.why.application.id)
        except SourceError as error:
            return msgspec.structs.replace(answer, doing="", facts=f"the ResourceManager says nothing more: {error}")
        if found.passed:
            return msgspec.structs.replace(answer, doing="", why=with_activities(answer.why, found))
        words = found.diagnostic or "nothing yet"
        return msgspec.structs.replace(answer, doing="", facts=f"by the ResourceManager: {words}; ask again for more")

    async def try_remedies(self, question: int) -> ActResult:
        """None can be tried."""
        return refused(NOT_PLAYED)

    async def try_remedy(self, question: int, number: int) -> ActResult:
        """None can be tried."""
        return refused(NOT_PLAYED)

    async def close(self, question: int) -> None:
        """Let go of it."""
        _ = self._open.pop(question, None)
