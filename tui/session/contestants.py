"""The runs that are compared: a scenario as it is, and under which policies, settings or configuration files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from engine.compare import LETTERS, POLICIES, Contestant, carried_over
from engine.errors import ConfigError, Problem
from engine.formats.configuration_files import Kind, read_file
from engine.formats.fair_scheduler_xml import read_fair_scheduler
from engine.formats.hadoop_configuration import read_configurations
from engine.formats.scenario_toml import changed
from engine.live.twin.configuration import scheduler_named
from engine.scenario import Scenario
from engine.settings.capacity_queue import QUEUES
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.known import idle_words
from engine.settings.site import SCHEDULER_CLASS


class Wanted(NamedTuple):
    """The runs that a user compares."""

    withs: Sequence[str] = ()
    """Each a policy, or KEY=VALUE, or several of them joined by `,`."""
    configs: Sequence[Path] = ()
    """Files or folders of a configuration."""


def contestants_of(scenario: Scenario, wanted: Wanted) -> list[Contestant]:
    """The runs in their order; the scenario as it is comes first, unless two configurations are compared.

    Raises:
        ConfigError: A policy or key is unknown, a file wrong, or there are too few runs or too many.
    """
    runs: list[tuple[str, Scenario, Sequence[str], Sequence[str]]] = []
    if len(wanted.configs) < 2:
        runs.append((scenario.scheduler, scenario, (), ()))
    runs += [_configured(scenario, path) for path in wanted.configs]
    runs += [_with(scenario, words) for words in wanted.withs if words != scenario.scheduler or wanted.configs]
    if not 2 <= len(runs) <= len(LETTERS):
        others = ", ".join(each for each in POLICIES if each != scenario.scheduler)
        hint = f"--with {others}, --with KEY=VALUE, --config FILE"
        raise ConfigError(
            [Problem(f"two to {len(LETTERS)} runs are compared, not {len(runs)}", key="--with", hint=hint)]
        )
    return [
        Contestant(letter, name, each, tuple(mapped), tuple(dropped))
        for letter, (name, each, mapped, dropped) in zip(LETTERS, runs, strict=False)
    ]


def _with(scenario: Scenario, words: str) -> tuple[str, Scenario, Sequence[str], Sequence[str]]:
    policy: str = scenario.scheduler
    settings: list[str] = []
    for word in words.split(","):
        if "=" in word:
            settings.append(word)
        elif settings:
            settings[-1] += f",{word}"  # a comma within a value
        else:
            policy = word.strip()
    carried = carried_over(scenario, policy)
    keys = [setting.partition("=")[0].strip() for setting in settings]
    idle = [f"{key}: {said}" for key in keys if (said := idle_words(key, carried.scenario.scheduler))]
    try:
        scenario = changed(carried.scenario, settings)
    except ConfigError as error:
        raise ConfigError([_as_asked(each) for each in error.problems]) from None
    return words, scenario, carried.mapped, (*carried.dropped, *idle)


def _as_asked(problem: Problem) -> Problem:
    """A problem with the option of this command in place of that of `play`."""
    return msgspec.structs.replace(problem, file=problem.file.replace("--set ", "--with "))


def _configured(scenario: Scenario, path: Path) -> tuple[str, Scenario, Sequence[str], Sequence[str]]:
    """The scenario under the files of a configuration, which replace its own."""
    paths = sorted(path.glob("*.xml")) if path.is_dir() else [path]
    if not paths:
        raise ConfigError([Problem("has no .xml files", str(path), key="--config")])
    files = [read_file(each) for each in paths]
    sites = [each.path for each in files if each.kind is Kind.PROPERTIES]
    settings = dict(read_configurations(sites, era=scenario.era).values) if sites else {}
    allocations = next((each for each in files if each.kind is Kind.ALLOCATIONS), None)
    policy = _policy(scenario, settings, has_allocations=allocations is not None)
    carried = carried_over(scenario, policy)
    kept = {
        key: value
        for key, value in carried.scenario.settings.items()
        if not (QUEUES.of("root") in settings and key.startswith(PREFIX))
    }
    fields: dict[str, Any] = {
        "settings": kept | {key: value for key, value in settings.items() if key.startswith("yarn.")}
    }
    if allocations is not None:
        read_fair_scheduler(allocations.text, file=allocations.name, settings=settings, era=scenario.era)
        fields |= {"allocations": allocations.text, "queues": (), "queue_defaults": {}}
    return (
        path.name,
        carried.scenario.model_copy(update=fields),
        carried.mapped if policy != scenario.scheduler else (),
        (),
    )


def _policy(scenario: Scenario, settings: dict[str, str], *, has_allocations: bool) -> str:
    """The policy that a configuration is for, in the release of the scenario."""
    era = scenario.era
    named = settings.get(SCHEDULER_CLASS.name, "").strip().rpartition(".")[2]
    if named:
        return scheduler_named(f"{named} {'3' if era == '3.4' else '2'}")
    if QUEUES.of("root") in settings:
        return f"capacity-{era}"
    return f"fair-{era}" if has_allocations else scenario.scheduler
