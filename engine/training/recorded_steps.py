"""Records what a trainee does on a screen as steps: acts from the run's records, the rest as the screen reports it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from pydantic import TypeAdapter

from engine.scenario.timed_acts import timed, written
from engine.simulation.records import Acted, Record
from engine.training.instructor_steps import InjectStep, RecordedStep

_STEP: Final[TypeAdapter[RecordedStep]] = TypeAdapter(RecordedStep)


def written_steps(steps: Iterable[RecordedStep]) -> tuple[str, ...]:
    """Steps as the lines of a file of acts, which `acts_file` reads back."""
    return tuple(_written(step) for step in steps)


def _written(step: RecordedStep) -> str:
    return json.dumps({"at": f"{step.at_ms}ms", **written(step)})


class StepRecorder:
    """A listener that takes down every act from outside; looks, answers and hints are added by whoever shows them."""

    def __init__(self, begins_ms: int) -> None:
        """Take down what happens from the drill's beginning [epoch ms] on."""
        self._begins_ms = begins_ms
        self.steps: list[RecordedStep] = []
        self._is_instructors = False

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take what happened at an instant [epoch ms]."""
        for record in records:
            if isinstance(record, Acted) and record.position is not None and time_ms >= self._begins_ms:
                step: RecordedStep = timed(record.action, time_ms - self._begins_ms)
                if self._is_instructors:
                    step = InjectStep.model_validate({"at_ms": step.at_ms, "do": "inject", "act": step})
                self.steps.append(step)

    @contextmanager
    def by_instructor(self) -> Iterator[None]:
        """Take down what is done meanwhile as the instructor's."""
        self._is_instructors = True
        try:
            yield
        finally:
            self._is_instructors = False

    def add(self, now_ms: int, **fields: Any) -> RecordedStep:  # Any: the fields of the step
        """Add a step that leaves the cluster alone, at an instant [epoch ms]."""
        step = _STEP.validate_python({"at_ms": max(0, now_ms - self._begins_ms), **fields})
        self.steps.append(step)
        return step
