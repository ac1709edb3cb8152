"""Agents on drills: what each scores, beside doing nothing, chance and par."""

import json
import shlex
from collections.abc import Iterator
from random import Random
from subprocess import PIPE, Popen
from typing import Final

import msgspec

from engine.errors import ConfigError, Problem
from engine.observe.snapshot import Snapshot
from engine.scenario.acts import DrainNode, KillApplication, SetPreemption, timed
from engine.training.drill import DrillQuestion, DrillScenario
from engine.training.exercise import DrillStage, Exercise
from engine.training.protocol import ProgramScreen, brief_of, converse
from engine.training.score import ScoreBaselines, played
from engine.training.steps import AnswerStep, TraineeStep

BUILT_IN: Final = ("idle", "random", "par")  # Agents that are always there

MOST_REFUSED: Final = 100
"""Steps refused one after another after which a program is left to itself: it may echo every reply for ever."""


class BenchResult(msgspec.Struct, frozen=True):
    """The result of one agent at one drill."""

    drill: str
    agent: str
    solved: bool
    score: int
    steps: int


def bench(drill: DrillScenario, programs: dict[str, str]) -> Iterator[BenchResult]:
    """Every agent on a drill: those built in, then programs by name, each a command that talks the protocol.

    Raises ConfigError if a program cannot be started, or the scheduler refuses the scenario's settings.
    """
    stage = DrillStage(drill)
    yardstick = ScoreBaselines(stage)
    exercises = {"idle": yardstick.idle, "random": played(stage, _random_steps(stage))}
    exercises |= {name: _played_by(stage, command) for name, command in programs.items()}
    for agent, exercise in {**exercises, "par": yardstick.par}.items():
        score = yardstick.score(exercise)
        yield BenchResult(drill.name, agent, score.solved_ms is not None, score.total, score.steps)


def _random_steps(stage: DrillStage) -> tuple[TraineeStep, ...]:  # The same for the same drill
    drill, snapshot = stage.drill.drill, Exercise(stage).snapshot()
    random = Random(f"random trainee of {stage.drill.name}")

    def instant() -> int:
        return random.randrange(drill.lasts_ms)

    steps: list[TraineeStep] = []
    for question in drill.all_questions():
        name = random.choice(_nameable(question, snapshot))
        steps.append(AnswerStep(at_ms=instant(), do="answer", question=question.asks, answer=(name,)))
    rows = [row for row in snapshot.applications(why=False) if row.finished_ms is None]
    steps += [timed(KillApplication(random.choice(rows).id), instant())] if rows else []
    steps.append(timed(DrainNode(random.choice(snapshot.nodes()).id), instant()))
    steps.append(timed(SetPreemption(random.random() < 1 / 2), instant()))
    return tuple(steps)


def _nameable(question: DrillQuestion, snapshot: Snapshot) -> list[str]:
    named = {
        "application": [row.id for row in snapshot.applications(why=False)],
        "node": [row.id for row in snapshot.nodes()],
        "queue": [row.path for row in snapshot.queues()],
    }
    return list(question.choices) or named.get(question.asks) or ["maxResources"]


def _played_by(stage: DrillStage, command: str) -> Exercise:
    # Over its standard input and output. Raises ConfigError if it cannot start
    screen = ProgramScreen(stage)
    try:
        program = Popen(shlex.split(command), stdin=PIPE, stdout=PIPE, text=True)
    except (OSError, ValueError) as error:
        raise ConfigError([Problem(f"cannot be started: {error}", key="--agent")]) from None
    with program:
        assert program.stdin is not None and program.stdout is not None, "both are pipes"  # noqa: PT018 -- one condition
        try:
            print(json.dumps(brief_of(stage.drill)), file=program.stdin, flush=True)
            refused = 0
            for reply in converse(screen, program.stdout):
                print(json.dumps(reply), file=program.stdin, flush=True)
                refused = 0 if reply.get("ok", True) else refused + 1
                if refused == MOST_REFUSED:
                    break
        except BrokenPipeError:
            pass  # it has ended
        finally:
            program.terminate()
    screen.exercise.complete()
    return screen.exercise
