"""Questions about a cluster (`w`), and what is known of their answers so far: plain values."""

from collections.abc import Callable
from typing import Final, Protocol

import msgspec

from engine.explain.aftermath_report import AftermathReport
from engine.explain.remedy_report import RemediesReport
from engine.explain.report import PlaceReport, WhyReport
from engine.scenario.acts import Act
from tui.format import Beside

CLUSTER: Final = "cluster"
"""The kind of a question about what to do so that all that wait start."""

ACT: Final = "act"
"""The kind of a question about what follows if some acts are done."""


class WhySubject(msgspec.Struct, frozen=True):
    """The subject of a question."""

    kind: str
    """`application`, `queue`, `node`, `cluster` or `act`."""
    key: str
    """An application's number, a queue's path or a node's id; empty for the cluster and for acts."""
    acts: tuple[Act, ...] = ()
    """The acts a question is about."""


class WhyAnswer(msgspec.Struct, frozen=True):
    """The answer as far as it is known."""

    subject: WhySubject
    time_ms: int
    """The instant asked about [epoch ms]."""
    offset_ms: int = 0
    """The offset of the cluster's place, east of Greenwich."""
    why: WhyReport | None = None
    """About an application; None at first, and where something else is asked about."""
    place: PlaceReport | None = None
    """The answer about a place: who waits there; None at first, and where something else is asked about."""
    aftermath: AftermathReport | None = None
    """What follows the acts that are asked about, or the remedy of `plan` that was tried last; None while unknown."""
    plan: RemediesReport | None = None
    """What would start all that wait; None at first, and where something else is asked about."""
    freeing: RemediesReport | None = None
    """What the end of the application asked about starts for others; None while unknown, and where it holds nothing or
    all that wait start by themselves."""
    doing: str = ""
    """What is being worked on, in words; empty when all is known."""
    reached_ms: int | None = None
    """The simulated instant that work has come to [epoch ms]; None when it goes through no time."""
    is_assumed: bool = False
    """Whether instants to come are a twin's, which depend on what it assumes."""
    forecast: str = ""
    """When the application asked about starts on twins, and what each assumes; empty while no twin says."""
    note: str = ""
    """What else there is to say about the instant."""
    facts: str = ""
    """Why there are no facts, in words; empty where there are any."""
    names: dict[str, str] = {}
    """Names of the applications the proof is about, by id."""
    failure: str = ""
    """Why the work ended before its time, in words; empty when it did not."""

    @property
    def beside(self) -> Beside:
        """Writes instants beside the one asked about."""
        report = self.report
        mark = " if" if self.is_assumed else ""
        return Beside(self.time_ms if report is None else report.at_ms, self.offset_ms, mark)

    @property
    def report(self) -> WhyReport | PlaceReport | RemediesReport | None:
        """Return what is known about an application, a place or the cluster."""
        return self.why or self.place or self.plan

    @property
    def remedies(self) -> RemediesReport | None:
        """Return what would help; None where nothing was tried."""
        return self.plan if self.why is None else self.why.would_help


class OpenQuestion(msgspec.Struct, frozen=True):
    """A question a session works on."""

    number: int
    """Names it in further calls."""
    answer: WhyAnswer
    """What is known at once."""


class Asking(Protocol):
    """A question as a screen sees it: its answer grows while somebody looks."""

    @property
    def answer(self) -> WhyAnswer:
        """Return what is known so far."""

    def start(self, changed: Callable[[], object]) -> None:
        """Work on, and call `changed` whenever there is something new."""

    def stop(self) -> None:
        """Leave off; `start` goes on from here."""

    def close(self) -> None:
        """Leave off for good; the answer stays, and whoever holds on to this should let go."""

    async def try_remedies(self) -> str:
        """Find out what would help, after what is being worked on; in words why not, or nothing."""

    async def try_remedy(self, number: int) -> str:
        """Find out what follows one remedy, after what is being worked on; in words why not, or nothing."""


class ClosedQuestion:
    """An answer that nobody works on any more; implements `Asking`."""

    def __init__(self, answer: WhyAnswer) -> None:
        self.answer = answer

    def start(self, changed: Callable[[], object]) -> None:
        """There is nothing left to do."""

    def stop(self) -> None:
        """It has stopped."""

    def close(self) -> None:
        """It is over."""

    async def try_remedies(self) -> str:
        """None are tried."""
        return ""

    async def try_remedy(self, number: int) -> str:
        """None is tried."""
        return ""
