"""`schedlab check`: configurations, scenarios and drills, each read and tried; their schemas for editors."""

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine.errors import ConfigError, Problem, listed, meant
from engine.explain.can_start import play_beginnings
from engine.formats.file_schema import file_schema
from engine.formats.scenario_overrides import override
from engine.formats.scenario_references import idle_settings, placed
from engine.formats.scenario_toml import find, read, scenario_of
from engine.incremental import finish
from engine.run import Run
from engine.scenario import Scenario
from engine.training.drill import drill_model, drill_of, find_drill, load_drill, packaged_drills
from engine.training.drill_check import CheckLine, check_drill, check_tactics
from engine.training.variation import check_variations
from tui.cli.config import read_configuration, release_of, tried, witnessed
from tui.cli.grammar import Given
from tui.cli.import_play import unstartable
from tui.cli.output import enveloped, json_text, targets_of
from tui.cli.source import CONFIGURATION, DRILL, Source, source_of, suitable
from tui.cli.talk import WRONG, note, warn
from tui.report.configuration_text import described
from tui.terminal.edges import visible_line, visible_lines

FIRST_MS: Final = 60_000  # Simulated time that a check plays at most
SCHEMAS: Final[dict[str, Any]] = {"scenario": lambda: Scenario, "drill": drill_model}


class Checked(NamedTuple):
    """What came of checking one thing."""

    lines: list[str]
    document: dict[str, Any]
    is_wrong: bool


def check_by_lines(given: Given) -> int:
    """Check everything that is named, one object a line, or write scenarios that show what was found; the exit code.

    Raises:
        ConfigError: Something named is not there, or an option is wrong.
    """
    schema = given.text("schema")
    targets = targets_of(given)
    if schema is not None:
        if schema not in SCHEMAS:
            raise ConfigError(
                [Problem(f"there is no schema {schema}", key="--schema", hint=meant(schema, list(SCHEMAS)))]
            )
        targets.write(dict.fromkeys(("text", "json"), lambda: json_text(file_schema(SCHEMAS[schema](), schema))))
        return 0
    if not given.words:
        raise ConfigError([Problem("PATH is missing", key="check", hint="schedlab check conf/")])
    found = list(chain.from_iterable(_checked(word, given, targets.file_of("witness")) for word in given.words))
    documents = [each.document for each in found]
    targets.write(
        {
            "text": lambda: visible_lines(line for each in found for line in each.lines),
            "jsonl": lambda: "".join(json.dumps(each) + "\n" for each in documents),
            "json": lambda: json_text(
                enveloped("check/1", None, {"items": documents, **(documents[0] if len(documents) == 1 else {})})
            ),
        }
    )
    return WRONG if any(each.is_wrong for each in found) else 0


def _checked(word: str, given: Given, witness: Path | None) -> Iterator[Checked]:
    path = Path(word)
    if path.is_dir() and not any(
        (path / name).exists() for name in ("yarn-site.xml", "capacity-scheduler.xml", "fair-scheduler.xml")
    ):
        files = sorted(path.rglob("*.xml"))
        for file in files:
            line, is_read = tried(file, release_of(given))
            yield Checked([line], {"file": str(file), "read": is_read}, is_wrong=not is_read)
        if files:
            return
    source = suitable(source_of(word, given), "check", given)
    if source.kind == CONFIGURATION:
        yield _configuration(source, given, witness)
    elif source.kind == DRILL:
        yield from _drill(source, given)
    else:
        yield _scenario(source, given)


def _configuration(source: Source, given: Given, witness: Path | None) -> Checked:
    try:
        listing = read_configuration(source.paths, given)
    except ConfigError as error:
        lines = listed(error.problems)
        return Checked(lines, {"name": source.name, "problems": lines}, is_wrong=True)
    for line in witnessed(listing, witness) if witness is not None else ():
        note(line)
    document = {"name": source.name, "problems": [], "warnings": [str(each) for each in listing.warnings]}
    return Checked(described(listing), document, is_wrong=any(each.severity == "error" for each in listing.findings))


def _scenario(source: Source, given: Given) -> Checked:
    never: list[str] = []
    problems: list[str] = []
    try:
        scenario = begun(source, given.many("set"), is_trusted=given.is_on("trust"))
        finish(play_beginnings(scenario))
        never = [f"cannot start: {each.sentence()}" for each in unstartable(scenario)]
    except ConfigError as error:
        problems = listed(error.problems)
    document = {"name": source.name, "problems": problems, "never_start": never}
    return Checked([*(problems or [f"{source.name}: good"]), *never], document, is_wrong=bool(problems))


def _drill(source: Source, given: Given) -> Iterator[Checked]:
    yield _scenario(source, given)
    name = str(source.paths[0]) if source.paths else source.name
    try:
        drill = load_drill(name)
    except ConfigError:
        return
    for line in chain(check_drill(drill), check_tactics(drill), check_variations(drill, given.whole("seeds") or 0)):
        document = {"drill": drill.name, "what": line.what, "ok": line.ok, "detail": line.detail}
        yield Checked([_check_line(drill.name, line)], document, is_wrong=not line.ok)


def _check_line(drill: str, line: CheckLine) -> str:
    detail = f" ({line.detail})" if line.detail else ""
    return visible_line(f"{'ok  ' if line.ok else 'FAIL'} {drill}: {line.what}{detail}")


def begun(source: Source, assignments: Sequence[str], *, is_trusted: bool) -> Scenario:
    """The scenario, or that of a drill, played until somebody has submitted; of a drill `[drill]` is checked, too.

    Raises:
        ConfigError: Anything is wrong with it.
    """
    name = str(source.paths[0]) if source.paths else source.name
    layers = read(find_drill(name) if name in packaged_drills() else find(name), is_trusted=is_trusted)
    problems = override(layers, assignments)
    scenario = drill_of(layers).scenario if "drill" in layers.data else scenario_of(layers, problems)
    if problems:
        raise ConfigError(problems)
    for each in idle_settings(scenario, layers):
        warn(f"schedlab: {each}")
    with placed(layers):
        run = Run(scenario)
        arrivals = run.simulation.world.ground.arrivals
        run.advance(min(FIRST_MS, arrivals[0].at_ms if arrivals else 0))
    return scenario
