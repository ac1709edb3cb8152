"""The answers of a session: pictures of a cluster, the state of its clock, and results of acts.

All of it are values without behaviour: no terminal library, no simulation. `session.encode` writes them as bytes.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.explain.alert import Alert
from engine.explain.answer import PlaceReport, RemediesReport, WhyReport
from engine.explain.impact import ImpactReport
from engine.observe.history import History, Reading
from engine.observe.snapshot import Snapshot
from engine.scenario.acts import Act
from tui.terminal.format import RelativeTimeFormat

# Questions about a cluster (`w`), and what is known of their answers so far: plain values.

CLUSTER: Final = "cluster"  # The kind of a question about what to do so that all that wait start

ACT: Final = "act"  # The kind of a question about what follows if some acts are done


class WhySubject(msgspec.Struct, frozen=True):
    kind: str  # `application`, `queue`, `node`, `cluster` or `act`
    key: str  # An application's number, a queue's path or a node's id; empty for the cluster and for acts
    acts: tuple[Act, ...] = ()  # The acts a question is about


class WhyAnswer(msgspec.Struct, frozen=True):
    subject: WhySubject
    time_ms: int  # The instant asked about [epoch ms]
    offset_ms: int = 0  # The offset of the cluster's place, east of Greenwich
    why: WhyReport | None = None  # About an application; None at first, and where something else is asked about
    place: PlaceReport | None = None  # The waits at a place; None while, and where, nothing is known
    aftermath: ImpactReport | None = None  # What follows the acts, or the remedy of `plan` tried last
    plan: RemediesReport | None = None  # What would start all that wait, this application among them
    doing: str = ""  # What is being worked on, in words; empty when all is known
    reached_ms: int | None = None  # The instant that work has come to [epoch ms]; None where it goes through none
    is_assumed: bool = False  # Whether instants to come are a twin's, which depend on what it assumes
    forecast: str = ""  # When it starts on twins, and what each assumes; empty while none says
    note: str = ""  # What else there is to say about the instant
    facts: str = ""  # Why there are no facts, in words; empty where there are any
    names: dict[str, str] = {}  # Names of the applications the proof is about, by id
    failure: str = ""  # Why the work ended before its time, in words; empty when it did not

    @property
    def beside(self) -> RelativeTimeFormat:
        report = self.report
        mark = " if" if self.is_assumed else ""
        return RelativeTimeFormat(self.time_ms if report is None else report.at_ms, self.offset_ms, mark, has_ms=False)

    @property
    def report(self) -> WhyReport | PlaceReport | RemediesReport | None:
        return self.why or self.place or self.plan

    @property
    def remedies(self) -> RemediesReport | None:
        return self.plan if self.plan is not None or self.why is None else self.why.would_help

    @property
    def impact(self) -> ImpactReport | None:
        return self.aftermath if self.plan is not None or self.why is None else self.why.aftermath


class OpenQuestion(msgspec.Struct, frozen=True):
    number: int  # Names it in further calls
    answer: WhyAnswer  # What is known at once


class Track(msgspec.Struct, frozen=True):
    """The reach of a run's past, and the events on the way [epoch ms]."""

    start_ms: int  # Where the scenario starts, which may be before the past that is kept
    first_ms: int  # Where the past that is kept begins
    marks: tuple[int, ...] = ()  # Instants of alerts and acts, in order
    acts: Mapping[int, str] = msgspec.field(default_factory=dict)  # Instant of acts → the name of the last
    scripted: frozenset[int] = frozenset()  # Instants at which the scenario's script acts


class ExpectationResult(msgspec.Struct, frozen=True):
    verdict: str  # `met`, `failed`, or `open` when the run ended before it could be judged
    about: str  # What it means; may be empty
    sentence: str  # What was expected, and what came instead
    time_ms: int | None = None  # When it was met or failed [epoch ms]; None while open


LIVE, STALE, STANDBY = "live", "stale", "standby"  # Its server answers; it does not; none of a pair is active


class ConnectionStatus(msgspec.Struct, frozen=True):
    state: str
    since_ms: int  # When this state began [epoch ms]
    sentence: str = ""  # What is wrong; empty while the server answers
    now_ms: int = 0  # Now, by the clock of the cluster [epoch ms]; the picture may be older
    took_ms: int = 0  # How long the slowest answer of the last round took
    cost_ms: int = 0  # How long this program worked on the last round
    late: str = ""  # That rounds take longer than they may; empty where they do not
    next_ms: int | None = None  # When the server is asked again, by the cluster's clock [epoch ms]; None: soon


class RunState(msgspec.Struct, frozen=True):
    name: str  # The scenario's name
    title: str = ""
    seed: int = 0
    speed: float = 1.0  # Simulated seconds per second; `inf` is as fast as it goes
    paused: bool = True
    frozen: str = ""  # The reason that keeps the clock from running, whatever is asked of it here; empty for none
    ended: bool = False  # Nothing is left to happen
    end_ms: int | None = None  # When the scenario ends; None when it has no end
    offset_ms: int = 0  # East of Greenwich, to show times of day as the scenario's people saw them
    present_ms: int | None = None  # Where the run is while its past is looked at [epoch ms]; None while the present is
    track: Track | None = None  # The way from the beginning to the present; None when it is not known
    standing: tuple[Alert, ...] = ()  # What is wrong now, the gravest first; none in the past
    alerts: tuple[Alert, ...] = ()  # Everything that was found to be wrong so far, in order
    judged: tuple[ExpectationResult, ...] = ()  # How the scenario's expectations came out, once the run has ended
    failure: str = ""  # Why the engine stopped, in words; empty when it did not
    reception: ConnectionStatus | None = None  # How a live cluster is heard; None of what is not live
    recorded: str = ""  # What a past without a simulation was recorded in: `log` or `polls`; empty of all others
    condition: str = ""  # What has to be so for a freeze to be one: `if what runs runs on`; empty where it is proved

    @property
    def is_watched(self) -> bool:
        return self.reception is not None or bool(self.recorded)


EventField = bool | int | float | str | tuple[int, ...] | dict[str, Any] | None
"""What a field of an event holds; a container's id is three numbers, an act is its own fields by name."""


class EventRow(msgspec.Struct, frozen=True):
    """One thing that happened: a decision, an act or a state change."""

    sequence: int  # Counts up by one through the run; its identity
    time_ms: int
    kind: str  # The name of its record: `Allocated`, `Acted`, `NodeLost` …
    fields: dict[str, EventField]  # What the record tells, by name


QUEUE, NODE, APPLICATION = "queue", "node", "application"  # What has a definition, and events of its own


class Definition(msgspec.Struct, frozen=True):
    name: str
    lines: tuple[str, ...]
    ending: str  # The ending of a file that holds it: `xml` or `toml`


class Graphs(msgspec.Struct, frozen=True):
    history: History  # Also of what came after that instant, which is not drawn
    reading: Reading  # What it is at that instant
    start_ms: int  # Where the scenario starts, which times are counted from [epoch ms]


PRESET = "preset"  # The field of a form that names the preset it began with


class Preset(msgspec.Struct, frozen=True):
    """The values a form that submits an application can begin with."""

    name: str  # One word
    about: str  # What kind of application it is
    fields: Mapping[str, str]  # Name of each field of the form → its text


class SessionState(msgspec.Struct, frozen=True):
    """Everything one frame is drawn from."""

    snapshot: Snapshot
    run: RunState
    events: Sequence[EventRow]  # The latest ones, newest last
    events_version: int
    graphs: Graphs | None = None  # None where the past is not kept
    presets: Sequence[Preset] = ()  # What was submitted last, then the kinds of applications the workload submits


class SessionChanged(msgspec.Struct, frozen=True, tag=True):
    """There is something new to draw; the screen asks for the picture."""


class Notice(msgspec.Struct, frozen=True, tag=True):
    words: str
    severity: str = "information"  # `information`, `warning` or `error`


class ActResult(msgspec.Struct, frozen=True):
    problems: tuple[str, ...] = ()  # Why it was refused, a sentence each; none when it was done

    @property
    def refusal(self) -> str:
        return "; ".join(self.problems)


DONE = ActResult()  # It was done


def refused(words: str) -> ActResult:
    """It was refused for this reason; done when there is none."""
    return ActResult((words,)) if words else DONE


class ShareChange(msgspec.Struct, frozen=True):
    """A share or limit of a queue before and after an act [MB]."""

    queue: str
    before_mb: int
    after_mb: int
    what: str = "fair share"  # Or of CapacityScheduler `guaranteed`, `maximum`, `user limit`, `AM limit`


class ActPreview(msgspec.Struct, frozen=True):
    shares: tuple[ShareChange, ...] = ()  # Shares of every queue that is there before and after, in tree order
    refusal: str = ""  # Why the act is refused; empty when it is not
