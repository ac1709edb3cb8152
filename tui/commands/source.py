"""The source of an instant to ask about: a scenario, or a kept run with all that came from outside."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import ConfigError, Problem, alike
from engine.explain.instant import Instant, instant_of, kept_instant, kept_longest_wait, longest_wait
from engine.formats.regular_files import is_a_file
from engine.formats.scenario_files import packaged
from engine.formats.scenario_references import placed
from engine.formats.scenario_toml import load_with_places
from engine.run.player import Run
from engine.run.run_reader import KeptRun, replayed
from engine.run.run_store import NAME, names
from engine.scenario import Scenario
from engine.simulation.records import Listener
from engine.simulation.run_export import KeptAct
from engine.simulation.simulation import Simulation
from engine.units import instant_given
from tui.commands.arguments import scenario_names
from tui.commands.cli_errors import say_idle
from tui.commands.keeping import runs_root


def run_names(incomplete: str) -> list[str]:
    """Names of kept runs that begin so, in the directory the settings name; for the shell to complete."""
    try:
        return [name for name in names(runs_root(None)) if name.startswith(incomplete)]
    except ConfigError:
        return []


def source_names(incomplete: str) -> list[str]:
    """Names of packaged scenarios and of kept runs that begin so; for the shell to complete."""
    return [*scenario_names(incomplete), *run_names(incomplete)]


SourceName = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE|RUN",
        help="A packaged scenario, a TOML file, or a kept run.",
        show_default=False,
        autocompletion=source_names,
    ),
]


def moment(run: KeptRun, scenario: Scenario, at: str) -> int:
    """An instant within a kept run [epoch ms].

    Raises:
        ConfigError: It is no instant, or not within the run.
    """
    last_ms = run.info.until_ms - scenario.start_ms
    return scenario.start_ms + instant_given(at, scenario.start, "--at", last_ms=last_ms)


class RunSource:
    """A scenario as it is played, or as a kept run played it."""

    def __init__(self, scenario: Scenario, kept: KeptRun | None = None) -> None:
        """Ask a scenario, or the kept run of it."""
        self.scenario = scenario
        self._kept = kept

    @property
    def is_kept(self) -> bool:
        """True for a kept run, false for a scenario."""
        return self._kept is not None

    def acts(self) -> list[KeptAct]:
        """The acts from outside in the kept run; empty where the source is a scenario.

        Raises:
            ConfigError: The run is damaged.
        """
        return [] if self._kept is None else self._kept.acts()

    def begun(self, listeners: Sequence[Listener] = ()) -> tuple[Run, list[KeptAct]]:
        """A run at its beginning, and what came from outside in the kept one, which replaces the scenario's script.

        `listeners` get everything that happens.

        Raises:
            ConfigError: The run is damaged, or the scheduler refuses the scenario's settings.
        """
        kept = self._kept
        if kept is None:
            return Run(self.scenario, listeners, is_judged=False), []
        until_ms = kept.info.until_ms - self.scenario.start_ms
        without_script = self.scenario.model_copy(update={"script": ()})
        return Run(without_script, listeners, until_ms, is_judged=False), kept.acts()

    def kept_simulation(self, at: str | None, listeners: Sequence[Listener] = ()) -> Simulation | None:
        """The simulation of the kept run at an instant, by default its end; None where the source is a scenario.

        Args:
            at: The instant as written.
            listeners: Get everything that happens until then.

        Raises:
            ConfigError: It is no instant, or not within the run; or the run cannot be replayed.
        """
        kept = self._kept
        if kept is None:
            return None
        until_ms = kept.info.until_ms if at is None else moment(kept, self.scenario, at)
        return replayed(kept, until_ms, listeners)

    def instant(self, at: str | None, application: str | None) -> Instant:
        """The instant as written; else the longest wait of the application that is over, else the end.

        Raises:
            ConfigError: It is no instant, or not there; or the run cannot be replayed.
        """
        kept = self._kept
        if kept is not None:
            if at is not None:
                return kept_instant(kept, moment(kept, self.scenario, at))
            chosen = kept_longest_wait(kept, application) if application is not None else None
            return chosen or kept_instant(kept, kept.info.until_ms)
        if at is not None:
            return instant_of(self.scenario, instant_given(at, self.scenario.start, "--at"))
        chosen = longest_wait(self.scenario, application) if application is not None else None
        return chosen or instant_of(self.scenario, self.scenario.duration_ms)


@contextmanager
def opened_source(
    name: str, assignments: Sequence[str], place: Path | None, *, is_trusted: bool = False
) -> Iterator[RunSource]:
    """Open what a name means: a packaged scenario or a file first, then a kept run.

    Args:
        name: As the user wrote it.
        assignments: `KEY=VALUE` on top of a scenario; a kept run takes none.
        place: Directory of kept runs; None for that of the settings.
        is_trusted: Whether a scenario may name files outside its folder.

    Raises:
        ConfigError: There is neither, with the names most like it; or something is wrong with it.
    """
    if name in packaged() or is_a_file(Path(name)) or NAME.fullmatch(name) is None or name.endswith(".toml"):
        scenario, layers = load_with_places(name, assignments, is_trusted=is_trusted)
        say_idle(scenario, layers)
        with placed(layers):
            yield RunSource(scenario)
        return
    root = runs_root(place)
    runs = names(root)
    if name not in runs:
        hint = _alike(name, runs)
        raise ConfigError([Problem(f"there is no scenario and no kept run called {name}", hint=hint)])
    if assignments:
        raise ConfigError([Problem(f"{name} is a kept run, which is as it was", key="--set")])
    with KeptRun(root, name) as kept:
        yield RunSource(kept.scenario(), kept)


def _alike(name: str, runs: Sequence[str]) -> str:
    scenarios = alike(name, packaged(), 3) or packaged()
    near = alike(name, runs, 3) or runs
    kept = f"runs {', '.join(near)}" if near else "no kept run"
    return f"nearest are scenarios {', '.join(scenarios)}; {kept}"
