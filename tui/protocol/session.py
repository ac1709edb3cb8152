"""The requests of a screen to a cluster: small protocols whose arguments and answers are plain values.

A simulation offers pictures, a clock, acts and questions; a live cluster has no clock to drive and no copy to ask, and
offers pictures and acts. A drill has a seat for an instructor, too.
Every value survives `encode` and `decode`, so that a session may be in another process.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import msgspec

from engine.compare import Comparison, ExplainedDivergence
from engine.observe.documents import plain_snapshot, snapshot_of_plain
from engine.observe.history import History, StarvedQueue, Steps
from engine.observe.snapshot import Snapshot
from engine.observe.spark_snapshot import PlanTables
from engine.scenario.acts import Act
from tui.protocol.picture import (
    ActPreview,
    ActResult,
    Definition,
    Notice,
    OpenQuestion,
    SessionChanged,
    SessionState,
    WhyAnswer,
    WhySubject,
)

# Writes what a session is asked and answers as bytes, and reads it again, so that it may be in another process.
#
# Most of it are plain values. Three kinds of answers are made when they are looked at: a snapshot, its rows and the
# history of graphs. They are written whole and come back as the same rows. A field that a source cannot tell is left
# out.

Value = TypeVar("Value")


CUT_OFF: Final = "not connected"  # What keeps a visitor's clock from running while the connection is lost


class _Series(msgspec.Struct, frozen=True):
    times: list[int]
    values: list[Any]


class _History(msgspec.Struct, frozen=True):
    names: tuple[str, ...]
    cluster: _Series
    queues: dict[str, _Series]
    starved: list[StarvedQueue]


def encode(value: object) -> bytes:
    return msgspec.msgpack.encode(value, enc_hook=_plain)


def decode(data: bytes, kind: type[Value]) -> Value:
    """Read a value of this type; a `msgspec.MsgspecError` where it is none."""
    return msgspec.msgpack.decode(data, type=kind, dec_hook=_made)


def _plain(value: Any) -> Any:
    if isinstance(value, Sequence):
        return list(value)
    if isinstance(value, History):
        queues = {path: _Series(steps.times, steps.values) for path, steps in value.queues.items()}
        return _History(value.names, _Series(value.cluster.times, value.cluster.values), queues, value.starved)
    return plain_snapshot(value)


def _made(kind: type[Any], data: Any) -> Any:
    if kind is History:
        return _history(msgspec.convert(data, _History))
    return snapshot_of_plain(data)


def _history(written: _History) -> History:
    history = History()
    history.names = written.names
    history.cluster = _steps(_Series(written.cluster.times, [tuple(each) for each in written.cluster.values]))
    history.queues = {path: _steps(series) for path, series in written.queues.items()}
    history.starved = written.starved
    return history


def _steps(series: _Series) -> Steps[Any]:
    steps: Steps[Any] = Steps()
    steps.times, steps.values, steps.count = series.times, series.values, len(series.times)
    return steps


class TraineeScreen(msgspec.Struct, frozen=True):
    name: str = ""  # What is on top: the cluster, an answer, a form; empty while nothing is known
    pane: str = ""
    selected: str = ""  # Id of the row under the cursor; empty for none
    words: str = ""  # The filter of that pane
    keys: tuple[str, ...] = ()  # The latest keys, newest last, as the help spells them


class TraineeState(msgspec.Struct, frozen=True):
    """A trainee in the middle of a drill. Times are ms after the drill's beginning."""

    at_ms: int
    left_ms: int
    has_begun: bool  # Whether the brief was read
    is_over: bool
    frozen: bool  # Whether the instructor keeps the clock from running
    screen: TraineeScreen
    answers: Mapping[str, tuple[str, ...]]  # What is asked → the last answer
    hints: int  # How many were taken
    steps: tuple[str, ...]  # The record so far, as JSON lines, oldest first
    unread: int  # How many messages the trainee has not opened


Post = Callable[[SessionChanged | Notice], object]  # How a session reaches the screen that shows it


def nowhere(posted: SessionChanged | Notice) -> None:
    """The `Post` while the session is not shown."""


async def cancel_all(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancel the tasks that there are, and wait for their ends."""
    there = [task for task in tasks if task is not None]
    for task in there:
        task.cancel()
    await asyncio.gather(*there, return_exceptions=True)


class SessionStateProtocol(Protocol):
    """Gives pictures of a cluster."""

    async def start(self, post: Post) -> None:
        """Begin to post `SessionChanged` and `Notice`; a clock that there is begins to run."""

    async def close(self) -> None:
        """End; nothing is posted afterwards."""

    async def picture(self) -> SessionState:
        """Return what is to be seen now."""

    async def drawn(self, took_s: float) -> None:
        """A picture was drawn, and how long that took [s]; dear pictures become rarer, where they can."""
        return

    async def definition(self, kind: str, name: str) -> Definition | None:
        """Return how a `queue`, a `node` or an `application` was defined; None where that is not known."""
        return None

    async def plans(self) -> tuple[PlanTables, ...]:
        """Plans of Spark's Master that gave cores, oldest first, then what a pass now would do; none under YARN."""
        return ()


class PicturesOfSession:
    """Implements `SessionStateProtocol`: the pictures of a session as they are; a subclass may show them otherwise."""

    def __init__(self, pictures: SessionStateProtocol) -> None:
        self._pictures = pictures

    async def start(self, post: Post) -> None:
        await self._pictures.start(post)

    async def close(self) -> None:
        await self._pictures.close()

    async def picture(self) -> SessionState:
        return await self._pictures.picture()

    async def drawn(self, took_s: float) -> None:
        await self._pictures.drawn(took_s)

    async def definition(self, kind: str, name: str) -> Definition | None:
        return await self._pictures.definition(kind, name)

    async def plans(self) -> tuple[PlanTables, ...]:
        return await self._pictures.plans()


class ClockProtocol(Protocol):
    """Drives the clock of a simulation."""

    async def toggle_pause(self) -> None:
        """Stop the clock, or let it run."""

    async def suspend(self, *, held: bool) -> None:
        """Stand while a dialog is open; go on as before when it closes."""

    async def step(self, unit: str) -> None:
        """Make one step, `second`, `event` or `decision`, and stand."""

    async def travel(self, where: str) -> ActResult:
        """Go through time: `back`, `on`, `mark.back`, `mark.on`, `live`, or a time as people write it.

        `play` and a time play on to it as fast as possible, and stand; `play` alone to the end.
        """

    async def branch(self) -> ActResult:
        """Let the run go on from the past instant looked at."""

    async def redo(self) -> ActResult:
        """Have the run stand again where it stood when `branch` was called last, with the acts it had."""

    async def change_speed(self, direction: int) -> None:
        """Run faster (+1) or slower (-1)."""

    async def set_speed(self, speed: float) -> None:
        """Run at a speed [simulated seconds per second]; 0 is flat out."""


class ActsProtocol(Protocol):
    """Carries out an operator's acts. An act may name applications, nodes and containers as a script does."""

    async def do(self, act: Act) -> ActResult:
        """Do an act now."""

    async def try_(self, act: Act) -> ActPreview:
        """Do an act on a copy, and tell which shares and limits of queues change by it."""

    async def submit(self, fields: Mapping[str, str]) -> ActResult:
        """Submit the application that the fields of a form describe."""


class QuestionsProtocol(Protocol):
    """Explains why something waits at the instant looked at; nothing is changed by it."""

    async def ask(self, subject: WhySubject) -> OpenQuestion:
        """Begin to find out."""

    async def more(self, question: int) -> WhyAnswer:
        """Work on until more is known; nothing is done while no one waits for this."""

    async def try_remedies(self, question: int) -> ActResult:
        """Have `more` find out, too, what would help."""

    async def try_remedy(self, question: int, number: int) -> ActResult:
        """Have `more` find out, too, what follows the remedy of this number."""

    async def close(self, question: int) -> None:
        """Let go of a question."""


class FollowedQuestion:
    """A question of a session as a screen sees it: its answer grows while it is looked at."""

    def __init__(self, questions: QuestionsProtocol, opened: OpenQuestion, *, stays_open: bool = False) -> None:
        """Follow a question; it `stays_open` where another screen has it open, too."""
        self._questions: QuestionsProtocol | None = questions  # None once it is closed
        self._number, self._stays_open = opened.number, stays_open
        self.answer: WhyAnswer = opened.answer  # The answer as far as it is known
        self._changed: Callable[[], object] | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self, changed: Callable[[], object]) -> None:
        """Work on, and call `changed` whenever there is something new."""
        self._changed = changed
        if self._task is None and self._questions is not None and self.answer.doing:
            self._task = asyncio.get_running_loop().create_task(self._follow(self._questions, changed))

    async def _follow(self, questions: QuestionsProtocol, changed: Callable[[], object]) -> None:
        while self.answer.doing:
            self.answer = await questions.more(self._number)
            changed()
        self._task = None

    def stop(self) -> None:
        """Leave off; `start` goes on from here."""
        self._changed = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def close(self) -> None:
        """Leave off for good, and let go of what is asked: the answer stays."""
        self.stop()
        if self._questions is not None and not self._stays_open:
            self._task = asyncio.get_running_loop().create_task(self._questions.close(self._number))
        self._questions = None

    async def try_remedies(self) -> str:
        """Find out what would help, after what is being worked on; in words why not, or nothing."""
        return await self._try(lambda questions: questions.try_remedies(self._number), "trying remedies")

    async def try_remedy(self, number: int) -> str:
        """Find out what follows one remedy, after what is being worked on; in words why not, or nothing."""
        doing = f"simulating remedy {number}"
        return await self._try(lambda questions: questions.try_remedy(self._number, number), doing)

    async def _try(self, ask: Callable[[QuestionsProtocol], Awaitable[ActResult]], doing: str) -> str:
        if self._questions is None:
            return ""
        refusal = (await ask(self._questions)).refusal
        if not refusal and not self.answer.doing and not self.answer.failure:
            self.answer = msgspec.structs.replace(self.answer, doing=doing)
            if self._changed is not None:
                self.start(self._changed)
        return refusal


class InstructorProtocol(Protocol):
    """The requests of an instructor to a drill that a trainee plays."""

    async def trainee(self) -> TraineeState:
        """Return what the trainee sees and has done."""

    async def screen_lines(self) -> tuple[str, ...]:
        """The trainee's main screen as text."""

    async def send_message(self, sender: str, words: str) -> ActResult:
        """Show the trainee a message from a sender."""

    async def note(self, words: str) -> ActResult:
        """Note something for the debrief, which the trainee does not see before."""

    async def freeze(self, *, on: bool) -> ActResult:
        """Stop the clock so that the trainee cannot let it go, or let it run."""

    async def backtrack(self, to_ms: int) -> ActResult:
        """Let the drill go on from an earlier instant [ms after its beginning]; what was done since is undone."""


class TwinProtocol(Protocol):
    """Makes a simulation that stands as a cluster stands; a connection to what no simulation is may have one."""

    async def open(self, words: str) -> "OpenTwin":
        """A twin of the instant looked at, or an `EngineError`.

        `words` say how long containers run on, as of `--assume remaining=D`; empty for as long again.
        """

    async def is_frozen(self, words: str) -> bool:
        """Tell whether an application waits in the twin of this instant, and nothing starts any more; as `open`."""


class Connection(Protocol):
    """The protocols of one cluster."""

    @property
    def pictures(self) -> SessionStateProtocol:
        """Every cluster has them."""

    @property
    def clock(self) -> ClockProtocol | None:
        """None of a live cluster."""

    @property
    def acts(self) -> ActsProtocol | None:
        """None where no one may act."""

    @property
    def questions(self) -> QuestionsProtocol | None:
        """None where nothing can be played ahead."""


class OpenTwin(NamedTuple):
    """A twin, and what had to be assumed for it, sentence by sentence."""

    connection: Connection
    assumed: tuple[str, ...]


class OpenComparison(NamedTuple):
    """A comparison to look at, as `compare` of a connection to a simulation in this process makes it."""

    comparison: Comparison
    partings: tuple[ExplainedDivergence, ...]
    opened: Callable[[int], Sequence[Snapshot]]  # Every run at the end of an instant [epoch ms], played up to it
