"""Defines the steps of an instructor in a drill's record: faults and load, messages, the clock, going back.

None of them is the trainee's: they count neither as acts nor as steps, and no file of acts can hold them.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal

from pydantic import Field, model_validator

from engine.scenario.parts import InstantMs
from engine.scenario.timed_acts import ScriptedAct, Timed
from engine.training.steps import HARMLESS, TraineeStep

SENDER: Final = "the data team lead"
"""Sender of a message that names none."""


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

NO_ACTS: Final = (*HARMLESS, *INSTRUCTOR_STEPS)
"""Steps that are no act of the trainee."""

RecordedStep = Annotated[
    TraineeStep | InjectStep | MessageStep | NoteStep | FreezeStep | BacktrackStep,
    Field(discriminator="do"),
]
"""Anything in the record of an exercise; `do` says what."""


def surviving(steps: Iterable[RecordedStep]) -> tuple[RecordedStep, ...]:
    """The steps that the run goes back over are left out; going back itself stays.

    `steps` stand in the order they were taken, which is not that of their instants where the run went back.
    """
    kept: list[RecordedStep] = []
    for step in steps:
        if isinstance(step, BacktrackStep):
            kept = [one for one in kept if one.at_ms <= step.at_ms]
        kept.append(step)
    return tuple(kept)


def injected(steps: Iterable[RecordedStep]) -> tuple[RecordedStep, ...]:
    """Return what the instructor did to the cluster and did not take back."""
    return tuple(step for step in surviving(steps) if isinstance(step, InjectStep))
