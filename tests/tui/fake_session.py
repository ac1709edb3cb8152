"""A session that shows one picture and remembers what it was asked; it has no engine."""

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.observe.history import YARN, History, Reading, Steps
from engine.observe.spark_snapshot import PlanTables
from engine.scenario.acts import Act
from tests.tui.answered import FakeQuestion
from tests.tui.fakes import FakeSnapshot, frozen_cluster, some_events
from tui.app import SchedlabApp
from tui.protocol.picture import (
    ACT,
    DONE,
    ActPreview,
    ActResult,
    Definition,
    Graphs,
    OpenQuestion,
    Preset,
    RunState,
    SessionChanged,
    SessionState,
    ShareChange,
    WhyAnswer,
    WhySubject,
    refused,
)
from tui.protocol.session import ActsProtocol, ClockProtocol, Post, QuestionsProtocol, SessionStateProtocol

MINUTE_MS = 60_000


def reading(**changes: int) -> Reading:
    frozen = {
        "total_memory_mb": 1228800,
        "total_vcores": 384,
        "used_memory_mb": 737280,
        "used_vcores": 180,
        "pending_containers": 27,
        "reserved_memory_mb": 751616,
        "reservations": 12,
        "preempted_containers": 3,
        "allocated_containers": 240,
        "containers": 180,
        "applications_running": 12,
        "applications_pending": 3,
        "waiting_first": 3,
        "waiting": 3,
        "nodes": 12,
    }
    return tuple({**frozen, **changes}[name] for name in YARN)


def frozen_graphs(now_ms: int) -> Graphs:
    """Half an hour that ends now [epoch ms]."""
    history, start_ms = History(), now_ms - 30 * MINUTE_MS
    for minute in range(31):
        reserved = min(12, max(0, minute - 20) * 2)
        history.cluster.note(
            start_ms + minute * MINUTE_MS,
            reading(
                used_memory_mb=min(737280, minute * 40960),
                used_vcores=min(180, minute * 10),
                pending_containers=max(0, minute - 3),
                reserved_memory_mb=reserved * 751616 // 12,
                reservations=reserved,
                preempted_containers=0 if minute < 22 else 2 if minute < 23 else 3,
                allocated_containers=min(240, minute * 12),
                containers=min(180, minute * 10),
                applications_running=min(12, minute),
                applications_pending=max(0, min(3, minute - 20)),
                waiting_first=max(0, min(3, minute - 20)),
                waiting=max(0, min(3, minute - 20)),
            ),
        )
    for path, most_mb in (("root.etl", 491520), ("root.adhoc", 245760)):
        history.queues[path] = Steps()
        for minute in range(19):
            history.queues[path].note(start_ms + minute * MINUTE_MS, most_mb * minute // 18)
    return Graphs(history, reading(), start_ms)


class FakeSession:
    """A session that shows one picture and writes down everything it is asked to do; all four protocols in one."""

    def __init__(self, snapshot: FakeSnapshot | None = None, **run: Any) -> None:
        self.snapshot = snapshot or frozen_cluster()
        plain = RunState("reservation-deadlock", seed=4, speed=10.0, paused=False, offset_ms=8 * 3_600_000)
        self.run = msgspec.structs.replace(plain, **run)
        self.events = some_events()
        self.presets: tuple[Preset, ...] = ()
        self.graphs: Graphs | None = frozen_graphs(self.snapshot.header.time_ms)
        self.calls: list[tuple[Any, ...]] = []
        self.problems: list[str] = []
        self.asked: list[FakeQuestion] = []
        self.refusal = ""
        self.closed = False
        self._post: Post | None = None

    @property
    def pictures(self) -> SessionStateProtocol:
        return self

    @property
    def clock(self) -> ClockProtocol | None:
        return self

    @property
    def acts(self) -> ActsProtocol | None:
        return self

    @property
    def questions(self) -> QuestionsProtocol | None:
        return self

    async def start(self, post: Post) -> None:
        self._post = post
        post(SessionChanged())

    def change(self, snapshot: FakeSnapshot | None = None, **run: Any) -> None:
        self.snapshot = snapshot or self.snapshot
        self.run = msgspec.structs.replace(self.run, **run)
        if self._post is not None:
            self._post(SessionChanged())

    async def close(self, question: int | None = None) -> None:
        if question is None:
            self.closed = True
        else:
            self.asked[question].calls.append("close")

    async def picture(self) -> SessionState:
        return SessionState(self.snapshot, self.run, self.events, len(self.events), self.graphs, presets=self.presets)

    async def drawn(self, took_s: float) -> None:
        """Nothing to do: this session shows a picture when it is told to."""

    async def toggle_pause(self) -> None:
        self.calls.append(("toggle_pause",))
        self.change(paused=not self.run.paused)

    async def suspend(self, *, held: bool) -> None:
        self.calls.append(("hold", held))

    async def step(self, unit: str) -> None:
        self.calls.append(("step", unit))

    async def travel(self, where: str) -> ActResult:
        self.calls.append(("travel", where))
        return refused(self.refusal)

    async def redo(self) -> ActResult:
        self.calls.append(("redo",))
        return refused(self.refusal)

    async def branch(self) -> ActResult:
        self.calls.append(("branch",))
        return refused(self.refusal)

    async def change_speed(self, direction: int) -> None:
        self.calls.append(("change_speed", direction))

    async def plans(self) -> tuple[PlanTables, ...]:
        return ()

    async def definition(self, kind: str, name: str) -> Definition | None:
        """Made up; the same as if nothing were known when acts are refused."""
        self.calls.append(("definition", kind, name))
        return None if self.refusal else Definition(name, (f"# a {kind}", "[x] = 1"), "toml")

    async def ask(self, subject: WhySubject) -> OpenQuestion:
        """Remember it; a question whose work is done by hand."""
        if subject.kind != ACT:
            self.calls.append(("why", subject.kind, subject.key))
        self.asked.append(FakeQuestion(subject))
        return OpenQuestion(len(self.asked) - 1, self.asked[-1].answer)

    async def more(self, question: int) -> WhyAnswer:
        return await self.asked[question].more()

    async def try_remedies(self, question: int) -> ActResult:
        self.asked[question].calls.append("remedies")
        return DONE

    async def try_remedy(self, question: int, number: int) -> ActResult:
        self.asked[question].calls.append(f"remedy {number}")
        return DONE

    async def set_speed(self, speed: float) -> None:
        self.calls.append(("speed", speed))

    async def do(self, act: Act) -> ActResult:
        self.calls.append(("do", act))
        return refused(self.refusal)

    async def try_(self, act: Act) -> ActPreview:
        """Shares made up; the same refusal as of every act."""
        shares = (ShareChange("root.etl", 409600, 614400), ShareChange("root.adhoc", 409600, 307200))
        return ActPreview(shares, self.refusal)

    async def submit(self, fields: Mapping[str, str]) -> ActResult:
        self.calls.append(("submit", dict(fields)))
        return ActResult(tuple(self.problems))


def fake_app(session: FakeSession | None = None, **options: Any) -> SchedlabApp:
    """The program before a fake cluster, drawn in ASCII."""
    return SchedlabApp(session or FakeSession(), ascii_only=True, **options)
