"""Defines the steps of a trainee in a drill: acts of an operator, looks, questions, answers and hints.

`at` counts from the drill's beginning; a time of day is the next one after it.

    {"at": "1m", "do": "kill", "application": "183354"}
"""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

import msgspec
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from engine.errors import ConfigError, Problem, quoted
from engine.formats.regular_files import read_file_text
from engine.formats.scenario_overrides import Layers, Origin, problems_of
from engine.scenario.acts import ACTS, ScriptedAct, Timed, timed, written
from engine.scenario.cluster import FILE_CONFIG, DurationMs, InstantMs, Table
from engine.simulation.records import Acted, Record

QuestionKind = Literal["fault", "queue", "application", "node", "setting", "cause"]
"""The subject of a question: whether anything is wrong at all, who or what is to blame, or the kind of the fault."""

MOST_NAMES: Final = 1_000  # So many names an answer may have


class AnswerStep(Timed):
    """Answers a question; naming several is allowed, and worth less."""

    do: Literal["answer"]
    question: QuestionKind
    answer: tuple[str, ...] = Field(min_length=1, max_length=MOST_NAMES)


class HintStep(Timed):
    """Takes the next hint."""

    do: Literal["hint"]


class LookStep(Timed):
    """Looks at a pane."""

    do: Literal["observe"]
    pane: str = "Applications"


PANES: Final = {
    **{name: name.casefold() for name in (
        "Applications", "Queues", "Nodes", "Reservations", "Containers", "Users", "Executors",
        "Events", "Why", "Graphs", "Settings", "Alerts", "Racks",
    )},
    "Jobs": "applications", "Pools": "queues", "Trackers": "nodes", "Attempts": "containers",
    "Workers": "nodes", "Master": "queues",
}  # fmt: skip
"""Pane or screen, by its title on YARN, MapReduce 1 or Spark → the section of a picture, or itself in small letters."""


def section_of(pane: str) -> str:
    """Return what a pane shows, whatever it is called.

    >>> section_of("Trackers"), section_of("nodes"), section_of("x")
    ('nodes', 'nodes', 'x')
    """
    return PANES.get(pane.capitalize(), pane.casefold())


class WhyStep(Timed):
    """Asks the program why an application waits; priced or shut where the drill says so."""

    do: Literal["why"]
    application: str = ""
    about: str = ""
    """What else a screen is asked, in words: which applications wait at a queue or node, or what would start all."""
    remedies: bool = False
    """Also try what would help; only a program is told."""


class AdvanceStep(Timed):
    """Lets time pass up to `at`."""

    do: Literal["advance"]


class FinishStep(Timed):
    """Ends the exercise: the trainee does nothing more."""

    do: Literal["finish"]


class PauseStep(Timed):
    """Has stopped the clock of an exam for a while, which costs points."""

    do: Literal["pause"]
    lasted_ms: DurationMs
    """By the wall clock."""


class AssessStep(Timed):
    """Says how many points the exercise is worth, before the score is known."""

    do: Literal["assess"]
    points: int = Field(ge=0, le=100)


TraineeStep = Annotated[
    AnswerStep | HintStep | LookStep | WhyStep | AdvanceStep | FinishStep | PauseStep | AssessStep | ScriptedAct,
    Field(discriminator="do"),
]
"""Anything a trainee does; `do` says what."""

HARMLESS: Final = (AnswerStep, HintStep, LookStep, WhyStep, AdvanceStep, FinishStep, PauseStep, AssessStep)
"""Steps that leave the cluster alone; every other one is an act."""

WORDS: Final = frozenset({
    "answer", "hint", "observe", "why", "advance", "finish", "pause", "assess",
    *(kind.do for kind in ACTS),
})  # fmt: skip
"""Every value of `do`."""


# Defines the steps of an instructor in a drill's record: faults and load, messages, the clock, going back.
#
# None of them is the trainee's: they count neither as acts nor as steps, and no file of acts can hold them.

SENDER: Final = "the data team lead"  # Sender of a message that names none


class InjectStep(Timed):
    """Does something to the cluster: a fault, load, or an act."""

    do: Literal["inject"]
    act: ScriptedAct
    """Its own `at` is not looked at."""

    @model_validator(mode="before")
    @classmethod
    def _act_without_instant(cls, data: Any) -> Any:  # Any: whatever a record holds here
        if isinstance(data, dict) and isinstance(data.get("act"), dict) and not data["act"].keys() & {"at", "at_ms"}:
            return {**data, "act": {**data["act"], "at_ms": 0}}
        return data


class MessageStep(Timed):
    """Sends the trainee a message."""

    do: Literal["message"]
    sender: str = SENDER
    words: str = Field(min_length=1, max_length=2_000)


class NoteStep(Timed):
    """Notes something for the debrief; the trainee does not see it before."""

    do: Literal["note"]
    words: str = Field(min_length=1, max_length=2_000)


class FreezeStep(Timed):
    """Stops the clock, which the trainee cannot let go, or lets it run."""

    do: Literal["freeze"]
    on: bool


class BacktrackStep(Timed):
    """Takes the run back: from then on it stands at the step's own instant, and what was done after that is undone."""

    do: Literal["backtrack"]
    from_ms: InstantMs = Field(ge=0)
    """The instant at which the run was."""


INSTRUCTOR_STEPS: Final = (InjectStep, MessageStep, NoteStep, FreezeStep, BacktrackStep)

NO_ACTS: Final = (*HARMLESS, *INSTRUCTOR_STEPS)  # Steps that are no act of the trainee

RecordedStep = Annotated[
    TraineeStep | InjectStep | MessageStep | NoteStep | FreezeStep | BacktrackStep,
    Field(discriminator="do"),
]
"""Anything in the record of an exercise; `do` says what."""


def surviving(steps: Iterable[RecordedStep]) -> tuple[RecordedStep, ...]:
    """Steps, in the order taken, but those that a run goes back over; going back itself stays."""
    kept: list[RecordedStep] = []
    for step in steps:
        if isinstance(step, BacktrackStep):
            kept = [one for one in kept if one.at_ms <= step.at_ms]
        kept.append(step)
    return tuple(kept)


def injected(steps: Iterable[RecordedStep]) -> tuple[RecordedStep, ...]:
    """Return what the instructor did to the cluster and did not take back."""
    return tuple(step for step in surviving(steps) if isinstance(step, InjectStep))


# Reads what a trainee does from JSON lines: a file of steps, or one line of a program's.
#
# `at` is a duration since the drill's beginning, a time of day, or seconds; without it the step is taken as soon as
# those before it. Empty lines are nothing.


_Step = TypeVar("_Step")


class _Steps(BaseModel, Generic[_Step]):  # As the reader of problems wants them
    model_config = FILE_CONFIG

    acts: tuple[_Step, ...]


def read_steps(lines: Sequence[str], name: str, begins: datetime, *, now_ms: int = 0) -> tuple[TraineeStep, ...]:
    """The steps of JSON lines, in the order written; `now_ms` is when one is that has no `at` and none before it.

    Times of day count from `begins`; problems call the file `name`, if it is one. Raises ConfigError with every
    problem.
    """
    return _read(_Steps[TraineeStep], lines, name, begins, now_ms)


def read_record(lines: Sequence[str], begins: datetime) -> tuple[RecordedStep, ...]:
    """The steps of a kept exercise, in the order they were taken; arguments and errors as of `read_steps`."""
    return _read(_Steps[RecordedStep], lines, "history", begins, 0)


def _read(
    kind: type[_Steps[_Step]], lines: Sequence[str], name: str, begins: datetime, now_ms: int
) -> tuple[_Step, ...]:
    origins: dict[tuple[str | int, ...], Origin] = {(): Origin(name, 0)}
    problems: list[Problem] = []
    tables: list[Table] = []
    last: Any = f"{now_ms}ms"
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        origin = Origin(name, number if name else 0)
        try:
            table = json.loads(line)
        except (ValueError, RecursionError) as error:
            problems.append(Problem(f"is not JSON: {getattr(error, 'msg', error)}", *origin))
            continue
        if not isinstance(table, dict):
            problems.append(Problem("is not an object", *origin))
            continue
        last = table.setdefault("at", last)
        origins["acts", len(tables)] = origin
        tables.append(table)
    data = {"acts": tables}
    try:
        steps = kind.model_validate(data, context={"start": begins}).acts
    except ValidationError as error:
        found = problems_of(error, Layers(data, origins), kind)
        # The number of a step is nothing that a user wrote.
        problems += [msgspec.structs.replace(each, key=_NUMBER.sub("", each.key)) for each in found]
        raise ConfigError(problems) from None
    if problems:
        raise ConfigError(problems)
    return steps


_NUMBER: Final = re.compile(r"acts(\.\d+)?\.?")


def step_of_words(words: str, begins: datetime) -> TraineeStep:
    """The step of a line like `resize node=n1 memory=16g vcores=16`; `file=PATH` stands for the text of a file.

    Raises ConfigError if it is none, or the file cannot be read.
    """
    try:
        do, *pairs = shlex.split(words)
    except ValueError:
        raise ConfigError.of("say what, then key=value for each of its keys", key=words) from None
    table: Table = {"do": do}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator:
            raise ConfigError.of(f"{quoted(pair)} is not key=value", key=do)
        if key == "file":
            key, value = "allocations", read_file_text(Path(value).expanduser())
        table[key] = int(value) if value.isdigit() and key != "application" else value
    (step,) = read_steps([json.dumps(table)], "", begins)
    return step


# Records what a trainee does on a screen as steps: acts from the run's records, the rest as the screen reports it.

_STEP: Final[TypeAdapter[RecordedStep]] = TypeAdapter(RecordedStep)


def written_steps(steps: Iterable[RecordedStep]) -> tuple[str, ...]:
    """Steps as the lines of a file of acts, which `acts_file` reads back."""
    return tuple(json.dumps({"at": f"{step.at_ms}ms", **written(step)}) for step in steps)


class StepRecorder:
    """A listener that takes down every act from outside; the screen or command adds looks, answers and hints."""

    def __init__(self, begins_ms: int) -> None:
        self._begins_ms = begins_ms
        self.steps: list[RecordedStep] = []
        self._is_instructors = False

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Acted) and record.position is not None and time_ms >= self._begins_ms:
                step: RecordedStep = timed(record.action, time_ms - self._begins_ms)
                if self._is_instructors:
                    step = InjectStep.model_validate({"at_ms": step.at_ms, "do": "inject", "act": step})
                self.steps.append(step)

    @contextmanager
    def by_instructor(self) -> Iterator[None]:
        self._is_instructors = True
        try:
            yield
        finally:
            self._is_instructors = False

    def add(self, now_ms: int, **fields: Any) -> RecordedStep:  # Any: the fields of the step
        # One that leaves the cluster alone
        step = _STEP.validate_python({"at_ms": max(0, now_ms - self._begins_ms), **fields})
        self.steps.append(step)
        return step
