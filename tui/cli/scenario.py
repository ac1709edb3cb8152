"""`schedlab scenario list|show|check|schema`."""

import json
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from engine.errors import ConfigError, Problem, listed
from engine.explain.can_start import play_beginnings
from engine.formats.file_schema import file_schema
from engine.formats.scenario_overrides import override
from engine.formats.scenario_references import placed
from engine.formats.scenario_toml import dump_file, find, load, packaged, read, scenario_of
from engine.incremental import finish
from engine.run import Run
from engine.run.expectations import describe
from engine.scenario import Scenario
from engine.training.drill import drill_model, drill_of, find_drill, packaged_drills
from engine.units import format_duration
from tui.cli import new_app
from tui.cli.cli_errors import INPUT_REFUSED, reported_errors, say_idle
from tui.cli.import_play import unstartable
from tui.cli.options import Assignments, ScenarioName, Trust, scenario_names
from tui.terminal import format as text
from tui.terminal.edges import visible_line, visible_lines

FIRST_MS: Final = 60_000  # Simulated time that a check plays at most

app = new_app("List, show and check scenarios; their schema for editors.")


@app.command("list")
def list_scenarios(as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False) -> None:
    """List the scenarios that come with the program."""
    with reported_errors():
        names = packaged()
        width = max(map(len, names), default=0)
        for name in names:
            try:
                scenario = load(name)
            except ConfigError as error:
                found, title = {"unreadable": error.first_line}, f"cannot be read: {error.first_line}"
            else:
                found, title = {"title": scenario.title, "scheduler": scenario.scheduler}, scenario.title
            typer.echo(json.dumps({"name": name, **found}) if as_json else visible_line(f"{name:{width}}  {title}"))


@app.command()
def show(
    name: ScenarioName,
    assignments: Assignments = None,
    trust: Trust = False,
    as_toml: Annotated[bool, typer.Option("--toml", help="The whole scenario as one TOML file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The whole scenario as one JSON object.")] = False,
) -> None:
    """Describe a scenario and what is in it."""
    with reported_errors():
        if as_toml and as_json:
            raise ConfigError([Problem("choose one of --json and --toml", key="--toml")])
        scenario = load(name, assignments or (), is_trusted=trust)
        if as_json:
            typer.echo(scenario.model_dump_json(indent=1))
        else:
            typer.echo(dump_file(scenario) if as_toml else visible_lines(_described(scenario)), nl=False)


@app.command()
def check(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME|FILE",
            help="Scenarios and drills to check.",
            show_default=False,
            autocompletion=scenario_names,
        ),
    ],
    assignments: Assignments = None,
    trust: Trust = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """Check scenarios and drills and list every problem; exit 2 when there is any.

    What can never start is told, too: one application of each kind is played alone.
    """
    with reported_errors():
        is_faulty = False
        for name in names:
            never: list[str] = []
            problems = []
            try:
                scenario = begun(name, assignments or (), is_trusted=trust)
                finish(play_beginnings(scenario))
                never = [f"cannot start: {each.sentence()}" for each in unstartable(scenario)]
            except ConfigError as error:
                problems = listed(error.problems)
            is_faulty = is_faulty or bool(problems)
            if as_json:
                typer.echo(json.dumps({"name": name, "problems": problems, "never_start": never}))
            else:
                typer.echo(visible_lines([*(problems or [f"{name}: good"]), *never]), nl=False)
        if is_faulty:
            raise typer.Exit(INPUT_REFUSED)


@app.command()
def schema(
    of_drill: Annotated[
        bool, typer.Option("--drill", help="The schema of a drill: a scenario with a table [drill].")
    ] = False,
) -> None:
    """Print the JSON Schema of a scenario file, with which editors complete and check.

    Save it beside your files and name it in their first line: #:schema scenario-1.schema.json
    """
    kind, model = ("drill", drill_model()) if of_drill else ("scenario", Scenario)
    typer.echo(json.dumps(file_schema(model, kind), indent=1))


def begun(name: str, assignments: Sequence[str], *, is_trusted: bool) -> Scenario:
    """The scenario, or that of a drill, played until somebody has submitted; of a drill `[drill]` is checked, too."""
    layers = read(find_drill(name) if name in packaged_drills() else find(name), is_trusted=is_trusted)
    problems = override(layers, assignments)
    scenario = drill_of(layers).scenario if "drill" in layers.data else scenario_of(layers, problems)
    if problems:
        raise ConfigError(problems)
    say_idle(scenario, layers)
    with placed(layers):
        run = Run(scenario)
        arrivals = run.simulation.world.ground.arrivals
        run.advance(min(FIRST_MS, arrivals[0].at_ms if arrivals else 0))
    return scenario


def _described(scenario: Scenario) -> list[str]:
    nodes = scenario.cluster.all_nodes()
    submitted = sum(spec.repeat.times if spec.repeat is not None else 1 for spec in scenario.workload)
    memory = text.memory(sum(node.memory_mb for node in nodes))
    lines = [
        f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name,
        "",
        *scenario.about.splitlines(),
        "",
        f"starts      {scenario.start:%a %Y-%m-%d %H:%M:%S %z}, lasts {format_duration(scenario.duration_ms)}",
        f"cluster     {text.plural(len(nodes), 'node')}, {memory}, {sum(node.vcores for node in nodes)} vcores",
        f"scheduler   {scenario.scheduler}, seed {scenario.seed}",
        f"submitted   {text.plural(submitted, 'application')}",
        f"script      {text.plural(len(scenario.script), 'action')}, {text.plural(len(scenario.faults), 'fault')}",
        f"promises    {text.plural(len(scenario.expectations), 'expectation')}",
    ]
    return [*lines, *(f"  {one.about or describe(one)}" for one in scenario.expectations)]
