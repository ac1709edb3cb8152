"""The order for a sweep, as its file keeps it."""

from collections.abc import Mapping
from typing import Final, Self

import msgspec

from engine.errors import ConfigError, Problem
from engine.observe.journal import program_version
from engine.sweep.axes import Axis
from engine.sweep.goals import Goal, GoalLimit, goal_named, limit_of
from engine.sweep.playing import Bounds, SweepBase

SPEC: Final = "spec"
VERSION: Final = "version"
SCENARIO: Final = "scenario"
"""Names in a file's `about`."""


class SweepSpec(msgspec.Struct, frozen=True):
    """Everything that decides which points there are and what they are judged by."""

    scenario: str
    """The scenario, as a file of its own would hold it."""
    name: str
    axes: tuple[Axis, ...]
    seeds: tuple[int, ...]
    sample: int | None = None
    """Combinations drawn by Latin hypercube; None takes all."""
    trials: int | None = None
    """Settings that Optuna asks for; None does not tune."""
    goal_name: str = "p95_wait"
    limit_texts: tuple[str, ...] = ()
    until_ms: int | None = None
    bounds: Bounds = Bounds()
    is_sizing: bool = False
    """Whether the least value between the two of its axis is looked for that keeps its limit."""

    @property
    def goal(self) -> Goal:
        """The figure that settings are ranked by."""
        return goal_named(self.goal_name, "--goal")

    @property
    def limits(self) -> tuple[GoalLimit, ...]:
        """Return what a setting has to keep."""
        return tuple(limit_of(each, "--limit") for each in self.limit_texts)

    @property
    def base(self) -> SweepBase:
        """Return the scenario that all its points share."""
        return SweepBase(self.scenario.encode(), program_version(), self.until_ms, self.bounds)

    def about(self) -> dict[str, str]:
        """For the file."""
        spec = msgspec.structs.replace(self, scenario="")
        return {SCENARIO: self.scenario, SPEC: msgspec.json.encode(spec).decode(), VERSION: program_version()}

    @classmethod
    def of(cls, about: Mapping[str, str], file: str, *, is_sizing: bool = False) -> Self:
        """Read what a file asks for.

        Raises:
            ConfigError: Another version of the program made it, it cannot be read, or it is of the other command.
        """
        made_by = about.get(VERSION, "unknown")
        if made_by != program_version():
            words = f"was made by schedlab {made_by}; this is {program_version()}, whose figures may differ"
            raise ConfigError([Problem(words, file)])
        try:
            spec, scenario = msgspec.json.decode(about[SPEC], type=cls), str(about[SCENARIO])
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError([Problem(f"is no sweep, or is damaged: {error}", file)]) from None
        if spec.is_sizing != is_sizing:
            command = "size" if spec.is_sizing else "sweep"
            raise ConfigError([Problem(f"is of schedlab {command}", file, hint=f"schedlab {command} --resume {file}")])
        return msgspec.structs.replace(spec, scenario=scenario)
