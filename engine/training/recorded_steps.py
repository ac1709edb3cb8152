"""What a trainee does on a screen, as steps: the acts from the run's records, the rest as the screen reports it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from pydantic import TypeAdapter

from engine.run.operator import script_step
from engine.simulation.actions import Action
from engine.simulation.records import Acted, Record
from engine.training.instructor_steps import InjectStep, RecordedStep

_STEP: Final[TypeAdapter[RecordedStep]] = TypeAdapter(RecordedStep)


def step_of(action: Action, at_ms: int) -> RecordedStep:
    """The step that does what an action does, `at_ms` after the drill's beginning."""
    return _STEP.validate_python({"at": f"{at_ms}ms", **script_step(action)})


def written_steps(steps: Iterable[RecordedStep]) -> tuple[str, ...]:
    """Steps as the lines of a file of acts, which `acts_file` reads back."""
    return tuple(_written(step) for step in steps)


def _written(step: RecordedStep) -> str:
    fields = step.model_dump(mode="json", exclude_defaults=True)
    fields.pop("at_ms", None)
    memory = {key.removesuffix("_mb"): value for key, value in fields.items()}
    return json.dumps({"at": f"{step.at_ms}ms", "do": step.do, **memory})


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
                step = step_of(record.action, time_ms - self._begins_ms)
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
