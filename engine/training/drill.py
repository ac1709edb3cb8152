"""A drill as a value: what the trainee reads first, what counts, which harm is accepted, and how it is solved.

A file holds it as the table `[drill]` of a scenario. Every instant in it counts from the drill's beginning (`begins`).
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, Literal, Self

import msgspec
from pydantic import Field, ValidationError, create_model, model_validator

from engine.errors import ConfigError, Problem, nearest, shortened
from engine.formats.regular_files import is_there
from engine.formats.scenario_overrides import Layers, problems_of
from engine.formats.scenario_toml import ScenarioFile, read, scenario_of
from engine.model.ledger import Node
from engine.observe.rm_log import NodeFigures
from engine.observe.snapshot import UNKNOWN, ApplicationRow, Header, NodeRow, ReservationRow, Snapshot
from engine.scenario import Expectation, Scenario
from engine.scenario.acts import ScriptedAct, Timed
from engine.scenario.cluster import DurationMs, InstantMs, JavaInt, MemoryMb, PositiveInt, ScenarioModel
from engine.training.steps import QuestionKind, TraineeStep
from engine.units import UnitError, parse_instant

# The additions of an exam to a drill: pages that arrive, reports that are wrong, and more faults.
#
# In an exam hints, `why` and alerts are shut. Every instant counts from the drill's beginning.


class ExamPage(Timed):
    """A page that arrives while the trainee works."""

    sender: str = Field(min_length=1)
    words: str = Field(min_length=1, max_length=2_000)


class FalseReading(Timed):
    """A report that is wrong for a while, though the cluster goes on as ever."""

    until_ms: InstantMs
    node: str = ""
    """Host whose row is wrong; empty: no graph is drawn."""
    shows: Literal["full", "empty", "nothing"] = "nothing"
    """That all of the node is used, that none is, or not even its size."""

    def stands(self, at_ms: int) -> bool:
        return self.at_ms <= at_ms < self.until_ms


class Exam(ScenarioModel):
    """The additions of an exam to a drill."""

    pages: tuple[ExamPage, ...] = ()
    readings: tuple[FalseReading, ...] = ()
    faults: tuple[ScriptedAct, ...] = ()
    """Done to the cluster, whatever the trainee does."""

    def has_graphs(self, at_ms: int) -> bool:
        return not any(not one.node and one.stands(at_ms) for one in self.readings)

    def reported(self, snapshot: Snapshot, at_ms: int) -> "ReportedSnapshot":
        return ReportedSnapshot(snapshot, self._wrong(at_ms))

    def reported_node(self, node: Node, at_ms: int) -> Node:
        """A node as its ResourceManager reports it at an instant."""
        shows = self._wrong(at_ms).get(node.host)
        if shows is None:
            return node
        figures = NodeFigures(
            len(node.containers), (node.used_memory_mb, node.used_vcores), (node.total_memory_mb, node.total_vcores)
        )
        wrong = misread(shows, figures)
        memory_mb, vcores = wrong.total
        shown = Node(node.host, node.port, node.rack, memory_mb, vcores, node.joined, node.partition)
        shown.state, shown.containers = node.state, node.containers if wrong.containers else {}
        shown.used_memory_mb, shown.used_vcores = wrong.used
        shown.free_memory_mb, shown.free_vcores = wrong.free
        return shown

    def reported_figures(self, host: str, figures: NodeFigures, at_ms: int) -> NodeFigures:
        """Return the figures that a log reports of a node at an instant."""
        shows = self._wrong(at_ms).get(host)
        return figures if shows is None else misread(shows, figures)

    def _wrong(self, at_ms: int) -> dict[str, str]:
        return {one.node: one.shows for one in self.readings if one.node and one.stands(at_ms)}


def misread(shows: str, figures: NodeFigures) -> NodeFigures:
    """The figures of a node that reports wrongly, as `FalseReading.shows` says."""
    nothing = (0,) * len(figures.total)
    total = nothing if shows == "nothing" else figures.total
    return NodeFigures(0 if shows == "empty" else figures.containers, total if shows == "full" else nothing, total)


class ReportedSnapshot:
    """A cluster as an exam shows it: some nodes report wrongly, and causes of waits are not shown."""

    def __init__(self, snapshot: Snapshot, wrong: Mapping[str, str]) -> None:
        self._snapshot, self._wrong = snapshot, wrong
        self.header: Header = snapshot.header
        self.dialect = snapshot.dialect
        self.sections = snapshot.sections

    def __getattr__(self, name: str) -> Any:  # Any: whatever the snapshot has
        return getattr(self._snapshot, name)

    def version(self, section: str) -> int:
        """Return the version; that of nodes differs for each set of wrong reports."""
        version = self._snapshot.version(section)
        return hash((version, *self._wrong.items())) if section == "nodes" and self._wrong else version

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        return self._snapshot.applications(why=False)

    def reservations(self) -> Sequence[ReservationRow]:
        """All reservations, without their releases."""
        return [msgspec.structs.replace(row, released=UNKNOWN) for row in self._snapshot.reservations()]

    def nodes(self) -> Sequence[NodeRow]:
        rows = self._snapshot.nodes()
        return [self._reported(row) for row in rows] if self._wrong else rows

    def _reported(self, row: NodeRow) -> NodeRow:
        shows = self._wrong.get(row.host)
        if shows is None:
            return row
        wrong = misread(shows, NodeFigures(row.containers, row.used, row.total))
        return msgspec.structs.replace(
            row, total=wrong.total, used=wrong.used, free=wrong.free, containers=wrong.containers
        )


Difficulty = Literal["first shift", "practised", "expert"]
Track = Literal["foundations", "fair", "capacity", "spark"]
Level = Literal["guided", "normal", "on your own"]

Permission = Literal["restart", "patch", "submit"]

MONEY: Final = 100  # So much money costs a point
WHY_PRICE: Final = {"guided": 0, "normal": 2, "on your own": None}
"""Points that asking why costs on each level; None: it is not answered."""

YES: Final = "yes"
NO: Final = "no"


class DrillQuestion(ScenarioModel):
    """A question answered while the drill runs."""

    asks: QuestionKind
    text: str = Field(min_length=1)
    answers: tuple[str, ...] = Field(min_length=1)
    """Each of them is right."""
    choices: tuple[str, ...] = ()
    """What can be answered; empty: any name."""
    must: bool = False
    """True: the drill is solved only with a right answer."""

    @property
    def clock(self) -> str:
        """Return which of the clocks it stops: `detect`, `localise` or `explain`."""
        return {"fault": "detect", "cause": "explain", "setting": "explain"}.get(self.asks, "localise")

    def worth(self, answer: tuple[str, ...]) -> float:
        """1 for a right name alone, 1/n when it is one of n named, 0 without it."""
        right = {one.casefold() for one in self.answers}
        named = {one.casefold() for one in answer}
        return 1 / len(named) if right & named else 0.0

    @model_validator(mode="after")
    def _answers_are_choices(self) -> Self:
        strange = [one for one in self.answers if self.choices and one not in self.choices]
        if strange:
            raise ValueError(f"the answer {strange[0]!r} is not among the choices")
        return self


class AcceptedHarm(ScenarioModel):
    """The most harm that is accepted: what is beyond it leaves a drill unsolved.

    All of it is counted beyond what doing nothing and the reference do to the same applications and nodes.
    """

    work_lost: float = Field(default=10, ge=0)
    """Work lost, in percent of that of the containers that ran when the drill began."""
    ended: JavaInt = 0
    """Applications killed, failed or forgotten, which end otherwise when nothing is done; those of par count, too."""
    delayed_ms: DurationMs = 120_000
    """How much longer others wait, all together."""
    nodes_out: JavaInt = 0
    """Nodes that are not there at the end."""


class Hardware(ScenarioModel):
    """Hardware that a drill offers: without an offer no node is added, and none shows more than it had."""

    do: Literal["add-node", "resize"]
    memory_mb: MemoryMb
    """The most that one node may have."""
    vcores: PositiveInt
    count: PositiveInt = 1
    """So many nodes can be had."""
    at_ms: InstantMs = 0
    """When it is there."""
    price: JavaInt = 0
    """In money; each `MONEY` spent beyond par costs a point."""


class OtherWay(ScenarioModel):
    """Another way than the reference's; the check plays it, with the answers of the reference."""

    name: str = Field(min_length=1)
    solves: bool = True
    """True: a remedy, worth about as much as par; False: it looks like one, and is none."""
    steps: tuple[TraineeStep, ...] = Field(min_length=1)


class Clue(ScenarioModel):
    """Something on the screen that shows the cause."""

    pane: str
    about: str = Field(min_length=1)
    shown: Expectation
    """From when this holds on it is there."""


class Drill(ScenarioModel):
    """An incident for a trainee."""

    brief: str = Field(min_length=1)
    """Symptoms only, never the cause."""
    task: tuple[str, ...] = Field(min_length=1)
    begins_ms: DurationMs
    """When the trainee takes over, counted from the scenario's start."""
    lasts_ms: DurationMs = Field(gt=0)
    """How long the trainee has, in the cluster's time."""
    minutes: PositiveInt
    """How long it takes a person."""
    difficulty: Difficulty
    level: Level = "normal"
    """Whether `why` is free, priced or shut; on your own the screen finds no alerts either."""
    track: Track = "foundations"
    """Which row of drills it belongs to."""
    teaches: str = Field(min_length=1)
    """The lesson, listed once the drill was played."""
    before: str | None = None
    """The drill to take before this one."""
    fault: bool = True
    """False: nothing is wrong, and to say so is the answer."""
    goals: tuple[Expectation, ...] = ()
    """All are met in a solved drill; one without a time has to come true before the end."""
    questions: tuple[DrillQuestion, ...] = ()
    hints: tuple[str, ...] = Field(min_length=1)
    """In the order they are given, the last one is the answer; `names` in backquotes are on the screen."""
    clues: tuple[Clue, ...] = Field(min_length=1)
    accepts: AcceptedHarm = AcceptedHarm()
    may: tuple[Permission, ...] = ()
    """What is permitted here and else is not: to restart, to patch the scheduler, to submit for a user."""
    hardware: tuple[Hardware, ...] = ()
    reference: tuple[TraineeStep, ...] = Field(min_length=1)
    """How an expert solves it: par."""
    ways: tuple[OtherWay, ...] = ()
    debrief: str = Field(min_length=1)
    """The cause, and what there is to learn, shown at the end."""
    exam: Exam = Exam()
    """What is added where the drill is taken as an exam."""

    @model_validator(mode="before")
    @classmethod
    def _times_by_default(cls, data: Any) -> Any:  # Any: whatever the user's file holds here
        if not isinstance(data, dict):
            return data
        lasts = data.get("lasts", 0)
        goals, clues = data.get("goals"), data.get("clues")
        data = dict(data)
        if isinstance(goals, list):
            data["goals"] = [_timed(goal, lasts) for goal in goals]
        if isinstance(clues, list):
            data["clues"] = [
                {**clue, "shown": _timed(clue["shown"], lasts)} if isinstance(clue, dict) and "shown" in clue else clue
                for clue in clues
            ]
        return data

    @model_validator(mode="after")
    def _clues_are_pictures(self) -> Self:
        for clue in self.clues:
            if clue.shown.of == "decisions":
                raise ValueError(
                    f"the clue {clue.about!r} is about decisions, which no pane shows: name what stands there"
                )
        return self

    @model_validator(mode="after")
    def _can_be_solved_in_one_way(self) -> Self:
        if not self.goals and self.fault and not any(question.must for question in self.questions):
            raise ValueError("has neither goals nor a question that must be answered")
        asked = [question.asks for question in self.questions]
        twice = sorted({one for one in asked if asked.count(one) > 1})
        if twice or "fault" in asked:
            raise ValueError(f"asks twice about the {twice[0] if twice else 'fault'}")
        return self

    def all_questions(self) -> tuple[DrillQuestion, ...]:
        """Return the questions: whether anything is wrong at all, then the drill's own."""
        first = DrillQuestion(
            asks="fault",
            text="Is anything wrong?",
            answers=(YES if self.fault else NO,),
            choices=(YES, NO),
            must=not self.fault,
        )
        return (first, *self.questions)

    def question(self, asks: str) -> DrillQuestion | None:
        return next((one for one in self.all_questions() if one.asks == asks), None)


class DrillScenario(ScenarioModel):
    """A drill with the scenario it is played on."""

    name: str
    """Short name: the file's, without suffix."""
    title: str
    scenario: Scenario
    drill: Drill
    is_exam: bool = False

    @property
    def begins_ms(self) -> int:
        return self.scenario.start_ms + self.drill.begins_ms

    @property
    def begins(self) -> datetime:
        return self.scenario.start + timedelta(milliseconds=self.drill.begins_ms)

    @property
    def ends_ms(self) -> int:
        return self.drill.begins_ms + self.drill.lasts_ms

    def as_exam(self) -> Self:
        begins_ms = self.drill.begins_ms
        faults = [one.model_copy(update={"at_ms": begins_ms + one.at_ms}) for one in self.drill.exam.faults]
        scenario = self.scenario.model_copy(update={"script": (*self.scenario.script, *faults)})
        drill = self.drill.model_copy(update={"level": "on your own"})
        return self.model_copy(update={"scenario": scenario, "drill": drill, "is_exam": True})


def _timed(table: object, lasts: object) -> object:
    if not isinstance(table, dict) or table.keys() & {"at", "within", "until"}:
        return table
    return {**table, "within": lasts}


# Drill files: the TOML of a scenario with a table `[drill]`; and the drills that come with the program.
#
# A drill `extends` a scenario as scenarios do and may change anything of it. Mistakes are reported all at once, with
# file, line, key and the nearest valid name.

SUFFIX: Final = ".toml"


class _File(ScenarioModel):
    """The one table of a drill file that is no scenario's."""

    drill: Drill


def drill_model() -> type[Scenario]:
    """The tables of a drill file: a scenario's, and `drill`."""
    return create_model("DrillFile", __base__=Scenario, drill=(Drill, ...))


def packaged_drills() -> tuple[str, ...]:
    """Names of the drills that come with the program, sorted."""
    return tuple(sorted(one.name.removesuffix(SUFFIX) for one in _folder().iterdir() if one.name.endswith(SUFFIX)))


def _folder() -> Traversable:
    return files("scenarios") / "drills"


def load_drill(name: str) -> DrillScenario:
    """A drill by path or packaged name. Raises ConfigError with every problem found."""
    return drill_of(read(find_drill(name)))


def find_drill(name: str) -> ScenarioFile:
    """The file meant by a path or by the name of a packaged drill. Raises ConfigError if there is no such drill."""
    if name in packaged_drills():
        return ScenarioFile(f"{name}{SUFFIX}", _folder() / f"{name}{SUFFIX}", _folder())
    path = Path(name)
    if "/" not in name and not name.endswith(SUFFIX) and not is_there(path):
        hint = nearest(name, packaged_drills()) or "schedlab drill list lists them"
        raise ConfigError.of(f"there is no drill called {shortened(name)}", hint=hint)
    return ScenarioFile(name, path, path.parent)


def drill_of(layers: Layers) -> DrillScenario:
    """A drill of the tables of its file, which are used up. Raises ConfigError if anything is wrong with it."""
    table = layers.data.pop("drill", None)
    problems: list[Problem] = []
    scenario: Scenario | None = None
    try:
        scenario = scenario_of(layers)
    except ConfigError as error:
        problems += error.problems
    drill: Drill | None = None
    if table is None:
        problems.append(Problem("is missing", layers.origin(()).file, key="drill", hint="a drill has a table [drill]"))
    else:
        try:
            start = Scenario.model_fields["start"].default if scenario is None else scenario.start
            drill = _drill(table, layers, start)
        except ConfigError as error:
            problems += error.problems
    if scenario is None or drill is None:
        raise ConfigError(problems)
    problems += _reference_problems(drill, scenario, layers)
    if problems:
        raise ConfigError(problems)
    return DrillScenario(name=layers.name, title=scenario.title, scenario=scenario, drill=drill)


def _drill(table: Any, layers: Layers, start: datetime) -> Drill:
    data = {"drill": table}
    context: dict[str, object] = {}
    if isinstance(table, dict):
        begins = table.get("begins", 0)
        try:
            begins_ms = parse_instant(f"{begins}s" if isinstance(begins, int | float) else begins, start)
        except (UnitError, TypeError, AttributeError):
            begins_ms = 0  # the model reports it
        else:
            data = {"drill": {**table, "begins": f"{begins_ms}ms"}}
        context = {"start": start + timedelta(milliseconds=begins_ms)}
    try:
        return _File.model_validate(data, context=context).drill
    except ValidationError as error:
        raise ConfigError(problems_of(error, Layers(data, layers.origins), _File)) from None


def _reference_problems(drill: Drill, scenario: Scenario, layers: Layers) -> Iterator[Problem]:
    def problem(message: str, *path: str | int, hint: str = "") -> Problem:
        key = ".".join(map(str, ("drill", *path)))
        return Problem(message, *layers.origin(("drill", *path)), key, hint)

    if drill.before is not None and drill.before not in packaged_drills():
        yield problem(f"there is no drill {drill.before}", "before", hint=nearest(drill.before, packaged_drills()))
    if drill.begins_ms + drill.lasts_ms > scenario.duration_ms:
        yield problem("ends after the scenario does", "lasts")
    asked = [question.asks for question in drill.all_questions()]
    for index, step in enumerate(drill.reference):
        question = getattr(step, "question", None)
        if question is not None and question not in asked:
            yield problem(f"there is no question about the {question}", "reference", index, "question")
        if step.at_ms > drill.lasts_ms:
            yield problem("is after the end", "reference", index, "at")
