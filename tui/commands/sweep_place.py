"""The optional libraries of a sweep: where it is played, and drawn or tuned points."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

from engine.errors import ConfigError, Problem
from engine.scenario import Scenario
from engine.sweep import Point, StoredPoint, SweepSpec, SweepStore, WorkPlace, grid, local_place
from tui.commands.compared_runs import source_scenario
from tui.commands.progress import announced

Played = Callable[[list[Point]], Mapping[int, StoredPoint]]


def named_scenario(name: str | None, assignments: Sequence[str], runs: Path | None, *, is_trusted: bool) -> Scenario:
    """The scenario of a source, as `source_scenario` has it.

    Raises:
        ConfigError: No source is named, there is none of this name, or something is wrong with it.
    """
    if name is None:
        raise ConfigError([Problem("name what is played, or --resume FILE", key="NAME")])
    with announced(f"reading {name}"):
        return source_scenario(name, (), assignments, runs, is_trusted=is_trusted)


def place_of(dask: str | None, workers: int | None) -> WorkPlace:
    """The place that was named; all cores of this machine where none was.

    Raises:
        ConfigError: The dask cluster does not answer, or its library is not installed.
    """
    if dask is None:
        return local_place(workers or os.cpu_count() or 1)
    check_installed("distributed", "--dask", "cluster")
    from engine.sweep.dask_workers import dask_place  # noqa: PLC0415 -- only a sweep on a cluster pays for it

    return dask_place(dask)


def points_of(spec: SweepSpec) -> list[Point]:
    """All points; none of a sweep that is tuned, where each round decides the next.

    Raises:
        ConfigError: There are too many, or what draws them is not installed.
    """
    if spec.trials is not None:
        return []
    if spec.sample is None:
        return grid(spec.axes, spec.seeds)
    check_installed("scipy", "--sample", "sweep")
    from engine.sweep.latin import sampled  # noqa: PLC0415 -- only a sample pays for scipy

    return sampled(spec.axes, spec.sample, spec.seeds)


def tune(spec: SweepSpec, store: SweepStore, played: Played) -> None:
    """Play what Optuna asks for; its study lies beside the sweep's file.

    Raises:
        ConfigError: Optuna is not installed.
    """
    check_installed("optuna", "--tune", "sweep")
    from engine.sweep.tuning import tuned  # noqa: PLC0415 -- only tuning pays for it

    study = store.path.with_suffix(f"{store.path.suffix}.study")
    tuned(spec.axes, spec.goal, spec.limits, spec.trials or 0, spec.seeds, study, played)


def check_installed(module: str, key: str, extra: str) -> None:
    """Refuse an option whose library is missing.

    Raises:
        ConfigError: It is; says what to install.
    """
    if find_spec(module) is None:
        hint = f"install it with: pip install 'schedlab[{extra}]'"
        raise ConfigError([Problem(f"needs {module}", key=key, hint=hint)])


def resumed(path: Path, *, is_sizing: bool = False) -> tuple[SweepStore, SweepSpec]:
    """Open the file of a sweep or of a sizing to go on with it.

    Raises:
        ConfigError: It is missing, of another version, or of the other kind.
    """
    with ExitStack() as unless_read:
        store = SweepStore.opened(path)
        unless_read.push(store)
        spec = SweepSpec.of(store.about(), str(path), is_sizing=is_sizing)
        unless_read.pop_all()
    return store, spec
