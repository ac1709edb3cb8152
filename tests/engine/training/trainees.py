"""Scripted trainees: what they do in any drill, made of its reference, questions, and hints."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.training.drill import DrillQuestion, DrillScenario
from engine.training.steps import AnswerStep, HintStep, LookStep, TraineeStep

LATE: Final = 1 / 4
"""How much of a drill's time the clumsy trainee loses before doing anything."""


def expert(drill: DrillScenario) -> tuple[TraineeStep, ...]:
    return drill.drill.reference


def clumsy(drill: DrillScenario) -> tuple[TraineeStep, ...]:
    """Takes hints, names the wrong ones first, and comes to the reference solution late."""
    late_ms = int(drill.drill.lasts_ms * LATE)
    steps: list[TraineeStep] = [
        LookStep(at_ms=0, do="observe", pane="Queues"),
        *(HintStep(at_ms=late_ms // 2, do="hint") for _ in drill.drill.hints[:-1]),
        *(_wrong(question, late_ms // 2) for question in drill.drill.questions),
        LookStep(at_ms=late_ms, do="observe", pane=drill.drill.clues[0].pane),
    ]
    last_ms = drill.drill.lasts_ms - 1
    moved = [step.model_copy(update={"at_ms": min(last_ms, step.at_ms + late_ms)}) for step in drill.drill.reference]
    return (*steps, *moved)


def idle(drill: DrillScenario) -> tuple[TraineeStep, ...]:
    return ()


TRAINEES: Final[Mapping[str, Callable[[DrillScenario], tuple[TraineeStep, ...]]]] = {
    "expert": expert,
    "clumsy": clumsy,
    "idle": idle,
}
"""Name → what that trainee does; each scores more than the next one."""


def _wrong(question: DrillQuestion, at_ms: int) -> AnswerStep:
    wrong = next((one for one in question.choices if one not in question.answers), "somebody else")
    return AnswerStep(at_ms=at_ms, do="answer", question=question.asks, answer=(wrong,))
