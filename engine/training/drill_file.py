"""Drill files: the TOML of a scenario with a table `[drill]`; and the drills that come with the program.

A drill `extends` a scenario as scenarios do and may change anything of it. Mistakes are reported all at once, with
file, line, key and the nearest valid name.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError, create_model

from engine.errors import ConfigError, Problem, meant, nearest, shortened
from engine.formats.regular_files import is_there
from engine.formats.scenario_faults import problems_of
from engine.formats.scenario_files import ScenarioFile, read
from engine.formats.scenario_layers import Layers
from engine.formats.scenario_toml import scenario_of
from engine.scenario import Scenario
from engine.scenario.parts import Part
from engine.training.drill import Drill, DrillScenario
from engine.training.steps import WORDS
from engine.units import UnitError, parse_instant

SUFFIX: Final = ".toml"


class _File(Part):
    """The one table of a drill file that is no scenario's."""

    drill: Drill


def drill_model() -> type[Scenario]:
    """The tables of a drill file: a scenario's, and `drill`."""
    return create_model("DrillFile", __base__=Scenario, drill=(Drill, ...))


def packaged_drills() -> tuple[str, ...]:
    """Names of the drills that come with the program, sorted."""
    return tuple(sorted(one.name.removesuffix(SUFFIX) for one in _folder().iterdir() if one.name.endswith(SUFFIX)))


def _folder() -> Traversable:
    return files("scenarios") / "drills"


def load_drill(name: str) -> DrillScenario:
    """Read a drill by path or packaged name.

    Raises:
        ConfigError: Anything is wrong with it; carries every problem found.
    """
    return drill_of(read(find_drill(name)))


def find_drill(name: str) -> ScenarioFile:
    """The file meant by a path or by the name of a packaged drill.

    Raises:
        ConfigError: There is no such drill.
    """
    if name in packaged_drills():
        return ScenarioFile(f"{name}{SUFFIX}", _folder() / f"{name}{SUFFIX}", _folder())
    path = Path(name)
    if "/" not in name and not name.endswith(SUFFIX) and not is_there(path):
        hint = meant(name, packaged_drills())
        raise ConfigError([Problem(f"there is no drill called {shortened(name)}", hint=hint)])
    return ScenarioFile(name, path, path.parent)


def drill_of(layers: Layers) -> DrillScenario:
    """A drill of the tables of its file, which are used up.

    Raises:
        ConfigError: Anything is wrong with it.
    """
    table = layers.data.pop("drill", None)
    problems: list[Problem] = []
    scenario: Scenario | None = None
    try:
        scenario = scenario_of(layers)
    except ConfigError as error:
        problems += error.problems
    drill: Drill | None = None
    if table is None:
        problems.append(Problem("is missing", layers.origin(()).file, key="drill", hint="a drill has a table [drill]"))
    else:
        try:
            start = Scenario.model_fields["start"].default if scenario is None else scenario.start
            drill = _drill(table, layers, start)
        except ConfigError as error:
            problems += error.problems
    if scenario is None or drill is None:
        raise ConfigError(problems)
    problems += _reference_problems(drill, scenario, layers)
    if problems:
        raise ConfigError(problems)
    return DrillScenario(name=layers.name, title=scenario.title, scenario=scenario, drill=drill)


def _drill(table: Any, layers: Layers, start: datetime) -> Drill:
    """The drill of its table, its instants counted from its beginning.

    Raises:
        ConfigError: Anything is wrong with it.
    """
    data = {"drill": table}
    context: dict[str, object] = {}
    if isinstance(table, dict):
        begins = table.get("begins", 0)
        try:
            begins_ms = parse_instant(f"{begins}s" if isinstance(begins, int | float) else begins, start)
        except (UnitError, TypeError, AttributeError):
            begins_ms = 0  # the model reports it
        else:
            data = {"drill": {**table, "begins": f"{begins_ms}ms"}}
        context = {"start": start + timedelta(milliseconds=begins_ms)}
    try:
        return _File.model_validate(data, context=context).drill
    except ValidationError as error:
        raise ConfigError(problems_of(error, Layers(data, layers.origins), _File)) from None


def _reference_problems(drill: Drill, scenario: Scenario, layers: Layers) -> Iterator[Problem]:
    """Return the problems of a drill: what does not fit its scenario or another part of it."""

    def problem(message: str, *path: str | int, hint: str = "") -> Problem:
        key = ".".join(map(str, ("drill", *path)))
        return Problem(message, *layers.origin(("drill", *path)), key, hint)

    if drill.before is not None and drill.before not in packaged_drills():
        yield problem(f"there is no drill {drill.before}", "before", hint=nearest(drill.before, packaged_drills()))
    if drill.begins_ms + drill.lasts_ms > scenario.duration_ms:
        yield problem("ends after the scenario does", "lasts")
    asked = [question.asks for question in drill.all_questions()]
    for index, step in enumerate(drill.reference):
        question = getattr(step, "question", None)
        if question is not None and question not in asked:
            yield problem(f"there is no question about the {question}", "reference", index, "question")
        if step.at_ms > drill.lasts_ms:
            yield problem("is after the end", "reference", index, "at")
    for index, shortcut in enumerate(drill.forbidden):
        for word in shortcut.do:
            if word not in WORDS | {"*"}:
                yield problem(f"{word!r} is no act", "forbidden", index, "do", hint=nearest(word, sorted(WORDS)))
