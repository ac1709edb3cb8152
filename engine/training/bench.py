"""Agents on drills: what each scores, beside doing nothing, chance and par."""

import json
import os
import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from random import Random
from subprocess import PIPE, Popen
from threading import Event, Thread
from time import monotonic
from typing import Final

import msgspec

from engine.errors import ConfigError, quoted
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
MOST_LINES: Final = 10_000  # Of a program, which may look for ever without time going on
LONGEST_LINE: Final = 1_000_000  # Of a program [characters]; a longer one counts as several


class BenchResult(msgspec.Struct, frozen=True):
    drill: str
    agent: str
    solved: bool
    score: int
    steps: int


def bench(
    drill: DrillScenario, programs: dict[str, str], answer_s: float, say: Callable[[str], object]
) -> Iterator[BenchResult]:
    """Every agent on a drill: those built in, then programs by name, each a command that talks the protocol.

    A program that is silent for longer than `answer_s`, 0 for no limit, is ended; `say` is told of it, and of every
    other that does not end as it should.

    Raises ConfigError if a program cannot be started, or the scheduler refuses the scenario's settings.
    """
    stage = DrillStage(drill)
    yardstick = ScoreBaselines(stage)
    exercises = {"idle": yardstick.idle, "random": played(stage, _random_steps(stage))}
    for name, command in programs.items():
        exercises[name], failure = _played_by(stage, command, answer_s)
        if failure:
            say(f"agent {name} at {drill.name}: {failure}; the drill goes on without it")
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


def _played_by(stage: DrillStage, command: str, answer_s: float) -> tuple[Exercise, str]:
    # Over its standard input and output, and what is wrong with how it ended. Raises ConfigError if it cannot start
    screen = ProgramScreen(stage)
    with _begun(command) as program:
        failure = _Talk(screen, program, answer_s).how_it_ended()
    screen.exercise.complete()
    return screen.exercise, failure


@contextmanager
def _begun(command: str) -> Iterator[Popen[str]]:
    """The program of a command, in a group of processes that ends with the block, however deaf it is."""
    try:
        words = shlex.split(command)
        if not words:
            raise ValueError("the command is empty")
        program = Popen(words, stdin=PIPE, stdout=PIPE, encoding="utf-8", errors="replace", start_new_session=True)
    except (OSError, ValueError) as error:
        why = str(getattr(error, "strerror", None) or error).lower()
        raise ConfigError.of(f"{quoted(command)} cannot be started: {why}", key="--agent") from None
    try:
        yield program
    finally:
        _end(program)
        with suppress(BrokenPipeError), program:
            pass


def _end(program: Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(program.pid, signal.SIGKILL)


class _Talk:
    """A program at a drill; one that reads nothing or says nothing for so long is ended."""

    def __init__(self, screen: ProgramScreen, program: Popen[str], answer_s: float) -> None:
        self._screen, self._program, self._answer_s = screen, program, answer_s
        self._until_s = inf  # When what the program does now takes too long [monotonic s]
        self._is_late = False
        self._is_over = Event()
        self._words = ""  # Why it is not heard any longer

    def how_it_ended(self) -> str:
        """What is wrong with how the program ended; empty where nothing is."""
        with self._watched():
            self._talk()
            if self._is_late:
                return f"did not answer within {self._answer_s:g} s"
            if self._words or self._screen.exercise.is_over:
                return self._words
            with self._limited():
                code = self._program.wait()
        return f"ended with exit code {code}" if code and not self._is_late else ""

    def _talk(self) -> None:
        refused = 0
        self._write(brief_of(self._screen.exercise.stage.drill))
        for reply in converse(self._screen, self._lines()):
            self._write(reply)
            refused = 0 if reply.get("ok", True) else refused + 1
            if refused == MOST_REFUSED:
                self._words = f"had {MOST_REFUSED} steps refused one after another"
                return

    def _lines(self) -> Iterator[str]:
        assert self._program.stdout is not None, "it is a pipe"
        for _ in range(MOST_LINES):
            with self._limited():
                line = self._program.stdout.readline(LONGEST_LINE)
            if not line:
                return
            yield line
        self._words = f"wrote {MOST_LINES} lines or more"

    def _write(self, value: object) -> None:
        # What a program wrote that reads no more is done all the same.
        with self._limited(), suppress(BrokenPipeError):
            print(json.dumps(value), file=self._program.stdin, flush=True)

    @contextmanager
    def _limited(self) -> Iterator[None]:
        self._until_s = monotonic() + self._answer_s
        try:
            yield
        finally:
            self._until_s = inf

    @contextmanager
    def _watched(self) -> Iterator[None]:
        # By one thread, as there may be thousands of lines
        watch = Thread(target=self._watch)
        if self._answer_s:
            watch.start()
        try:
            yield
        finally:
            self._is_over.set()
            if self._answer_s:
                watch.join()

    def _watch(self) -> None:
        # A limit that begins while it rests ends after the rest
        while not self._is_over.wait(min(self._answer_s, max(0.0, self._until_s - monotonic()))):
            if monotonic() >= self._until_s:
                self._is_late = True
                _end(self._program)
                return
