"""A drill that plays in a fraction of a second: two notebooks hold all the room of application masters."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.formats.scenario_overrides import parse
from engine.training.drill import DrillQuestion, DrillScenario, drill_of
from engine.training.steps import AnswerStep, HintStep, LookStep, TraineeStep

TEXT = """
title = "Notebooks"
start = 2024-03-04T09:00:00Z
duration = "20m"
scheduler = "capacity-2.7"

[cluster]
nodes = [
  {host = "n1", memory = "8g", vcores = 8},
  {host = "n2", memory = "8g", vcores = 8},
]

[settings]
"yarn.scheduler.capacity.root.queues" = "default"
"yarn.scheduler.capacity.root.default.capacity" = "100"

[[workload]]
type = "service"
name = "notebook"
user = "ann"
queue = "default"
instances = 1
instance = {memory = "1g"}
repeat = {times = 3, every = 10}

[drill]
brief = "The third notebook stays ACCEPTED."
task = ["get it started"]
begins = "09:05"
lasts = "5m"
minutes = 5
difficulty = "first shift"
teaches = "the limit on application masters"
hints = ["Look at `Queues`.", "Raise maximum-am-resource-percent of `root.default`."]
debrief = "A tenth of the queue is room for two masters."
goals = [{about = "all run", of = "applications", state = "RUNNING", what = "count", at_least = 3}]
questions = [{asks = "cause", text = "What is it?", answers = ["masters"], choices = ["masters", "nodes", "users"]}]
reference = [
  {at = 10, do = "answer", question = "fault", answer = ["yes"]},
  {at = 20, do = "answer", question = "cause", answer = ["masters"]},
  {at = 30, do = "queue-setting", queue = "root.default", key = "maximum-am-resource-percent", value = "0.9"},
]

[[drill.clues]]
pane = "Queues"
about = "one waits"
shown = {of = "applications", state = "ACCEPTED", what = "count", at_least = 1}
"""


def small_drill(old: str = "", new: str = "") -> DrillScenario:
    """The drill, with one text of its file replaced by another."""
    assert old in TEXT
    return drill_of(parse(TEXT.replace(old, new, 1) if old else TEXT, "small.toml"))


# Scripted trainees: what they do in any drill, made of its reference, questions, and hints.


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
