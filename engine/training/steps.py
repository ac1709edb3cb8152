"""Defines the steps of a trainee in a drill: acts of an operator, looks, questions, answers and hints.

`at` counts from the drill's beginning; a time of day is the next one after it.
"""

from typing import Annotated, Final, Literal

from pydantic import Field

from engine.scenario.acts import ACTS
from engine.scenario.parts import DurationMs
from engine.scenario.timed_acts import ScriptedAct, Timed

QuestionKind = Literal["fault", "queue", "application", "node", "setting", "cause"]
"""The subject of a question: whether anything is wrong at all, who or what is to blame, or the kind of the fault."""


MOST_NAMES: Final = 1_000
"""So many names an answer may have."""


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


class WhyStep(Timed):
    """Asks the program why an application waits; priced or shut where the drill says so."""

    do: Literal["why"]
    application: str
    remedies: bool = False
    """Also try what would help; only a program is told."""


class AdvanceStep(Timed):
    """Lets time pass up to `at`."""

    do: Literal["advance"]


class FinishStep(Timed):
    """Ends the exercise: the trainee does nothing more."""

    do: Literal["finish"]


class EverythingStep(Timed):
    """Kills every application, or drains every node: what must not solve anything."""

    do: Literal["kill-everything", "drain-everything"]


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
    AnswerStep
    | HintStep
    | LookStep
    | WhyStep
    | AdvanceStep
    | FinishStep
    | PauseStep
    | AssessStep
    | EverythingStep
    | ScriptedAct,
    Field(discriminator="do"),
]
"""Anything a trainee does; `do` says what."""

HARMLESS: Final = (AnswerStep, HintStep, LookStep, WhyStep, AdvanceStep, FinishStep, PauseStep, AssessStep)
"""Steps that leave the cluster alone; every other one is an act."""

WORDS: Final = frozenset({
    "answer", "hint", "observe", "why", "advance", "finish", "pause", "assess", "kill-everything", "drain-everything",
    *(kind.do for kind in ACTS),
})  # fmt: skip
"""Every value of `do`."""
