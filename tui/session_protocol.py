"""The requests of a screen to a cluster: small protocols whose arguments and answers are plain values.

A simulation offers pictures, a clock, acts and questions; a live cluster has no clock to drive and no copy to ask, and
offers pictures and acts. A drill has a seat for an instructor, too.
Every value survives encoding (`session_codec`), so that a session may be in another process.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from engine.compare import Comparison, Parting
from engine.observe.snapshot import Snapshot
from engine.observe.spark_plans import PlanTables
from engine.scenario.acts import Act
from tui.answers import OpenQuestion, WhyAnswer, WhySubject
from tui.picture import ActPreview, ActResult, Definition, Notice, Picture, PictureChanged


class TraineeScreen(msgspec.Struct, frozen=True):
    """The contents of the trainee's screen."""

    name: str = ""
    """What is on top: the cluster, an answer, a form; empty while nothing is known."""
    pane: str = ""
    selected: str = ""
    """Id of the row under the cursor; empty for none."""
    words: str = ""
    """The filter of that pane."""
    keys: tuple[str, ...] = ()
    """The latest keys, newest last, as the help spells them."""


class TraineeState(msgspec.Struct, frozen=True):
    """A trainee in the middle of a drill. Times are ms after the drill's beginning."""

    at_ms: int
    left_ms: int
    has_begun: bool
    """Whether the brief was read."""
    is_over: bool
    frozen: bool
    """Whether the instructor keeps the clock from running."""
    screen: TraineeScreen
    answers: Mapping[str, tuple[str, ...]]
    """What is asked → the last answer."""
    hints: int
    """How many were taken."""
    steps: tuple[str, ...]
    """The record so far, as JSON lines, oldest first."""
    unread: int
    """How many messages the trainee has not opened."""


Post = Callable[[PictureChanged | Notice], object]
"""How a session reaches whoever shows it."""


class PicturesProtocol(Protocol):
    """Gives pictures of a cluster."""

    async def start(self, post: Post) -> None:
        """Begin to post `PictureChanged` and `Notice`; a clock that there is begins to run."""

    async def close(self) -> None:
        """End; nothing is posted afterwards."""

    async def picture(self) -> Picture:
        """Return what is to be seen now."""

    async def drawn(self, took_s: float) -> None:
        """A picture was drawn, and how long that took [s]; dear pictures become rarer."""

    async def definition(self, kind: str, name: str) -> Definition | None:
        """Return how a `queue`, a `node` or an `application` was defined; None when there is no such thing."""

    async def plans(self) -> tuple[PlanTables, ...]:
        """Plans of Spark's Master that gave cores, oldest first, then what a pass now would do; none under YARN."""


class ClockProtocol(Protocol):
    """Drives the clock of a simulation."""

    async def toggle_pause(self) -> None:
        """Stop the clock, or let it run."""

    async def hold(self, *, held: bool) -> None:
        """Stand while a dialog is open; go on as before when it closes."""

    async def step(self, unit: str) -> None:
        """Make one step, `second`, `event` or `decision`, and stand."""

    async def travel(self, where: str) -> ActResult:
        """Go through time: `back`, `on`, `mark.back`, `mark.on`, `live`, or a time as people write it."""

    async def branch(self) -> ActResult:
        """Let the run go on from the past instant looked at."""

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
        """Work on until more is known; nothing is done while nobody waits for this."""

    async def try_remedies(self, question: int) -> ActResult:
        """Have `more` find out, too, what would help."""

    async def try_remedy(self, question: int, number: int) -> ActResult:
        """Have `more` find out, too, what follows the remedy of this number."""

    async def close(self, question: int) -> None:
        """Let go of a question."""


class SeatProtocol(Protocol):
    """The requests of an instructor to a drill that somebody plays."""

    async def trainee(self) -> TraineeState:
        """Return what the trainee sees and has done."""

    async def screen_lines(self) -> tuple[str, ...]:
        """The trainee's main screen as text."""

    async def send_message(self, sender: str, words: str) -> ActResult:
        """Show the trainee a message from somebody."""

    async def note(self, words: str) -> ActResult:
        """Note something for the debrief, which the trainee does not see before."""

    async def freeze(self, *, on: bool) -> ActResult:
        """Stop the clock so that the trainee cannot let it go, or let it run."""

    async def backtrack(self, to_ms: int) -> ActResult:
        """Let the drill go on from an earlier instant [ms after its beginning]; what was done since is undone."""


class TwinProtocol(Protocol):
    """Makes a simulation that stands as a cluster stands; a connection to what no simulation is may have one."""

    async def open(self, words: str) -> "OpenTwin":
        """A twin of the instant looked at.

        `words` say how long containers run on, as of `schedlab twin --remaining`; empty for as long again.

        Raises:
            EngineError: None can be made.
        """

    async def is_frozen(self, words: str) -> bool:
        """Tell whether somebody waits in the twin of this instant, and nothing starts any more; `words` as `open`.

        Raises:
            EngineError: None can be made.
        """


class Connection(Protocol):
    """The protocols of one cluster."""

    @property
    def pictures(self) -> PicturesProtocol:
        """Every cluster has them."""

    @property
    def clock(self) -> ClockProtocol | None:
        """None of a live cluster."""

    @property
    def acts(self) -> ActsProtocol | None:
        """None where nobody may act."""

    @property
    def questions(self) -> QuestionsProtocol | None:
        """None where nothing can be played ahead."""


class OpenTwin(NamedTuple):
    """A twin, and what had to be assumed for it, sentence by sentence."""

    connection: Connection
    assumed: tuple[str, ...]


class ComparingProtocol(Protocol):
    """Plays the scenario of a session under other policies; a connection to a simulation in this process has one."""

    async def compare(self, words: str) -> "OpenComparison":
        """The scenario with all that was done to it, beside itself under each word: a policy, or `KEY=VALUE`.

        Raises:
            EngineError: A word is unknown, or a configuration is refused.
        """


class OpenComparison(NamedTuple):
    """A comparison to look at."""

    comparison: Comparison
    partings: tuple[Parting, ...]
    opened: Callable[[int], Sequence[Snapshot]]
    """Every run at the end of an instant [epoch ms]; takes as long as it takes to play them up to it."""
