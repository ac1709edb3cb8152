"""A drill as a value: what the trainee reads first, what counts, what is forbidden, and how it is solved.

A file holds it as the table `[drill]` of a scenario. Every instant in it counts from the drill's beginning (`begins`).
"""

from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from engine.scenario import Expectation, Scenario
from engine.scenario.parts import DurationMs, JavaInt, Part
from engine.training.exam import Exam
from engine.training.steps import QuestionKind, TraineeStep

Difficulty = Literal["first shift", "practised", "expert"]
Track = Literal["foundations", "fair", "capacity", "spark"]
Level = Literal["guided", "normal", "on your own"]

WHY_PRICE: Final = {"guided": 0, "normal": 2, "on your own": None}
"""Points that asking why costs on each level; None: it is not answered."""

YES: Final = "yes"
NO: Final = "no"


class DrillQuestion(Part):
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


class Shortcut(Part):
    """A way that is forbidden: more acts of some kinds than allowed."""

    name: str = Field(min_length=1)
    reason: str = Field(min_length=1)
    """Why it is forbidden, as the trainee reads it."""
    do: tuple[str, ...] = Field(min_length=1)
    """Kinds of acts that count, as `do` writes them; `*` is any act."""
    applications: tuple[str, ...] = ()
    """Only acts on these count; empty: on any."""
    at_most: JavaInt = 0
    """So many of them are allowed."""
    tried: tuple[TraineeStep, ...] = Field(min_length=1)
    """The shortcut, as the check plays it."""


class Clue(Part):
    """Something on the screen that shows the cause."""

    pane: str
    about: str = Field(min_length=1)
    shown: Expectation
    """From when this holds on it is there."""


class Drill(Part):
    """An incident for a trainee."""

    brief: str = Field(min_length=1)
    """Symptoms only, never the cause."""
    task: tuple[str, ...] = Field(min_length=1)
    begins_ms: DurationMs
    """When the trainee takes over, counted from the scenario's start."""
    lasts_ms: DurationMs = Field(gt=0)
    """How long the trainee has, in the cluster's time."""
    minutes: JavaInt = Field(ge=1)
    """How long it takes a person."""
    difficulty: Difficulty
    level: Level = "normal"
    """Whether `why` is free, priced or shut; on your own the screen finds no alerts either."""
    track: Track = "foundations"
    """Which row of drills it belongs to."""
    teaches: str = Field(min_length=1)
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
    forbidden: tuple[Shortcut, ...] = Field(min_length=1)
    reference: tuple[TraineeStep, ...] = Field(min_length=1)
    """How an expert solves it: par."""
    debrief: str = Field(min_length=1)
    """The cause, and what there is to learn, shown at the end."""
    exam: Exam = Exam()
    """What is added where the drill is taken as an exam."""

    @model_validator(mode="before")
    @classmethod
    def _times_by_default(cls, data: Any) -> Any:  # Any: whatever the user's file holds here
        """A goal or clue without a time has to come true by the end."""
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
        """The question about something; None when the drill does not ask it."""
        return next((one for one in self.all_questions() if one.asks == asks), None)


class DrillScenario(Part):
    """A drill with the scenario it is played on."""

    name: str
    """Short name: the file's, without suffix."""
    title: str
    scenario: Scenario
    drill: Drill
    is_exam: bool = False

    @property
    def begins_ms(self) -> int:
        """Epoch ms."""
        return self.scenario.start_ms + self.drill.begins_ms

    @property
    def ends_ms(self) -> int:
        """Return when time is up, ms after the scenario's start."""
        return self.drill.begins_ms + self.drill.lasts_ms

    def as_exam(self) -> Self:
        """The same drill with more faults and without help."""
        begins_ms = self.drill.begins_ms
        faults = [one.model_copy(update={"at_ms": begins_ms + one.at_ms}) for one in self.drill.exam.faults]
        scenario = self.scenario.model_copy(update={"script": (*self.scenario.script, *faults)})
        drill = self.drill.model_copy(update={"level": "on your own"})
        return self.model_copy(update={"scenario": scenario, "drill": drill, "is_exam": True})


def _timed(table: object, lasts: object) -> object:
    if not isinstance(table, dict) or table.keys() & {"at", "within", "until"}:
        return table
    return {**table, "within": lasts}
