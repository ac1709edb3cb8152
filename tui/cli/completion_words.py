"""Words for the shell to complete that only the engine knows: of files, kept runs, live clusters of the settings."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Final, get_args

from engine.errors import EngineError
from engine.formats.scenario_toml import packaged
from engine.run import Run
from engine.run.run_store import names
from engine.scenario import Scenario
from engine.scenario.scenario import POLICIES
from engine.settings.capacity import CAPACITY_34
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.spark import SPARK
from engine.sweep import GOALS
from engine.training.drill import Track, packaged_drills
from engine.workload.arrivals import arrivals
from tui.cli.grammar import Given
from tui.cli.import_ import KEYS
from tui.cli.opened import opened
from tui.cli.source import runs_folder, settings_of, source_of
from tui.settings import SETTINGS

DAY_MS: Final = 86_400_000  # Later instants need a date, which is not completed
NOTHING: Final = Given("get", (), {})


def scenario_words(name: str, kind: str) -> list[str]:
    try:
        with opened(source_of(name, NOTHING), NOTHING) as run:
            scenario = run.scenario
            return _WORDS[kind](scenario)
    except EngineError:
        return []


def _apps(scenario: Scenario) -> list[str]:
    coming = arrivals(scenario.workload)
    found = Counter(one.spec.name for one in coming if one.spec.name and " " not in one.spec.name)
    numbers = sorted(one.number for one in coming if one.number is not None)
    return [*map(str, numbers), *(name for name, count in found.items() if count == 1)]


def _queues(scenario: Scenario) -> list[str]:
    paths = [row.path for row in Run(scenario).snapshot().queues()]
    return [*paths, *(each.removeprefix("root.") for each in paths)]


def _nodes(scenario: Scenario) -> list[str]:
    return [row.host for row in Run(scenario).snapshot().nodes()]


def _instants(scenario: Scenario) -> list[str]:
    found = {0, scenario.duration_ms, *(step.at_ms for step in (*scenario.script, *scenario.faults))}
    within = sorted(at_ms for at_ms in found if at_ms < DAY_MS)
    return list(dict.fromkeys(f"{scenario.start + timedelta(milliseconds=at_ms):%H:%M:%S}" for at_ms in within))


_WORDS: Final[Mapping[str, Callable[[Scenario], list[str]]]] = {
    "apps": _apps,
    "queues": _queues,
    "nodes": _nodes,
    "instants": _instants,
}


def keys() -> list[str]:
    """Settings of every scheduler, and what else `--set` takes, each with its sign."""
    of_capacity = {key for key, entry in CAPACITY_34.whole.items() if entry.listed and entry.key.prefix}
    known = {*FAIR_27.listed(), *FAIR_34.listed(), *SPARK.whole, *of_capacity, "nodes", "seed", "scheduler"}
    return [f"{name}=" for name in sorted(known)]


def _run_names() -> list[str]:
    try:
        return names(runs_folder(NOTHING))
    except EngineError:
        return []


def _cluster_names() -> list[str]:
    try:
        return list(settings_of(NOTHING).clusters)
    except EngineError:
        return []


def _shared(source: Sequence[str]) -> list[str]:
    from tui.sharing.socket_directory import default_folder, shared_names  # noqa: PLC0415 -- only sessions pay for it

    return shared_names(default_folder())


def fixed_words() -> dict[str, tuple[str, ...]]:
    return {
        "sources": (*packaged(), *packaged_drills()),
        "drills": tuple(packaged_drills()),
        "schedulers": POLICIES,
        "keys": tuple(keys()),
        "settings": tuple(setting.key for setting in SETTINGS),
        "measures": tuple(GOALS),
        "tracks": get_args(Track),
        "assumptions": tuple(f"{key}=" for key in KEYS),
    }


def _of_source(*kinds: str) -> Callable[[Sequence[str]], list[str]]:
    return lambda source: [word for kind in kinds for word in scenario_words(source[0], kind)] if source else []


ASKED: Final[Mapping[str, Callable[[Sequence[str]], Sequence[str]]]] = {
    "sources": lambda source: [*_run_names(), *_cluster_names()],
    "runs": lambda source: _run_names(),
    "clusters": lambda source: _cluster_names(),
    "shared": _shared,
    "subjects": _of_source("apps", "queues", "nodes"),
    **{kind: _of_source(kind) for kind in _WORDS},
}  # Kind → the words of it, given the source named before
