"""The same drill with another workload: everybody submits a little later, and works a little longer or shorter.

What is asked for, and so the fault, stays. A seed whose variation does not pass the drill's check (solved by the
reference, unsolved when nothing is done, clues that show) is passed over: the next seed is taken.
"""

from collections.abc import Iterator
from random import Random
from typing import Final

from engine.errors import ConfigError
from engine.scenario.applications import ApplicationSpec, AskSpec, StageSpec
from engine.training.drill import DrillScenario
from engine.training.drill_check import CheckLine, check_drill
from engine.training.exercise import DrillStage
from engine.training.score import ScoreBaselines
from engine.workload.master import stream

LATER: Final = 0.5  # Most that a submission moves, as a part of the time until something else happens
LATEST_MS: Final = 30_000  # Most that a submission moves [ms]
LONGER: Final = 0.15  # Most that work takes longer or shorter, as a part of it
SEEDS: Final = 20  # So many seeds are tried
SPANS: Final = ("duration_ms", "map_duration_ms", "reduce_duration_ms", "exits_after_ms")
"""The fields of an application that say how long work takes."""


def varied(drill: DrillScenario, seed: int) -> DrillScenario:
    """The drill with the workload of a seed, without its other ways; the same for the same seed."""
    scenario, random = drill.scenario, stream(seed, "drill", drill.name)
    instants = {spec.at_ms for spec in scenario.workload} | {
        step.at_ms for step in (*scenario.faults, *scenario.script)
    }
    later = _moves(sorted(instants | {drill.drill.begins_ms}), random)
    workload = tuple(_varied(spec, later[spec.at_ms], random) for spec in scenario.workload)
    changed = scenario.model_copy(update={"seed": seed, "workload": workload})
    return drill.model_copy(update={"scenario": changed, "drill": drill.drill.model_copy(update={"ways": ()})})


def as_played(drill: DrillScenario, seed: int | None, *, is_exam: bool) -> DrillScenario:
    """The drill of a kept exercise: with the workload of its seed, and as an exam where it was one."""
    drill = drill if seed is None else varied(drill, seed)
    return drill.as_exam() if is_exam else drill


def solvable(drill: DrillScenario, seed: int) -> tuple[DrillScenario, int]:
    """The variation of a seed, or of the first one after it that is a drill; and that seed.

    Raises ConfigError if the scheduler refuses the scenario's settings, or no seed gives a drill.
    """
    for one in range(seed, seed + SEEDS):
        found = varied(drill, one)
        if all(line.ok for line in check_drill(ScoreBaselines(DrillStage(found)))):
            return found, one
    raise ConfigError.of(f"no seed from {seed} to {seed + SEEDS - 1} gives a drill", key="--seed")


def check_variations(drill: DrillScenario, seeds: int) -> Iterator[CheckLine]:
    """Each seed from 1 on gives a drill: which seed it takes. Raises ConfigError if the settings are refused."""
    for seed in range(1, seeds + 1):
        try:
            _, used = solvable(drill, seed)
        except ConfigError as error:
            yield CheckLine(f"seed {seed}: a drill", False, "; ".join(one.message for one in error.problems))
        else:
            yield CheckLine(f"seed {seed}: a drill", True, "" if used == seed else f"seed {used} is taken")


def _moves(instants: list[int], random: Random) -> dict[int, int]:
    """Instant → how much later what is submitted then comes, in whole seconds; all keep their order."""
    moves = {}
    for at_ms, next_ms in zip(instants, [*instants[1:], instants[-1]], strict=True):
        moves[at_ms] = int(random.random() * min(LATEST_MS, (next_ms - at_ms) * LATER)) // 1000 * 1000
    return moves


def _varied(spec: ApplicationSpec, later_ms: int, random: Random) -> ApplicationSpec:
    factor = 1 + LONGER * (2 * random.random() - 1)
    changed: dict[str, object] = {"at_ms": spec.at_ms + later_ms, **_spans(spec, factor)}
    for field in ("asks", "stages"):
        parts: tuple[AskSpec | StageSpec, ...] = getattr(spec, field, ())
        if parts:
            changed[field] = tuple(part.model_copy(update=_spans(part, factor)) for part in parts)
    return spec.model_copy(update=changed)


def _spans(part: ApplicationSpec | AskSpec | StageSpec, factor: float) -> dict[str, tuple[int, int]]:
    spans = {field: span for field in SPANS if (span := getattr(part, field, None)) is not None}
    return {field: (int(span[0] * factor), int(span[1] * factor)) for field, span in spans.items()}
