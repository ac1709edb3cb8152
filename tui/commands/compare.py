"""`schedlab compare`: the same workload and faults under two or more policies, releases or settings."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from engine.compare import Comparison, Contestant, Parting, compared, partings_of
from engine.errors import ConfigError, Problem
from engine.scenario import Scenario
from engine.units import instant_given
from tui.commands import new_app
from tui.commands.arguments import Assignments, Trust, scheduler_names
from tui.commands.cli_errors import needs_terminal, reported_errors
from tui.commands.compare_text import comparison_csv, comparison_lines
from tui.commands.compared_runs import source_scenario
from tui.commands.keeping import Place
from tui.commands.progress import Progress, announced
from tui.commands.scenario_output import report_target
from tui.commands.settings import Ascii, Force, Theme
from tui.commands.source import source_names
from tui.end_signals import listening
from tui.saving import write_file
from tui.session.contestants import Wanted, contestants_of
from tui.settings import resolve
from tui.terminal_edge import visible_lines

app = new_app()

EXPLAINED: Final = 5
"""Divergences whose reasons are said."""
SHOWN: Final = 50
"""Divergences that a screen goes through."""


Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME|FILE|RUN",
        help="A scenario, a kept run, a trace, or a ResourceManager's log.",
        show_default=False,
        autocompletion=source_names,
    ),
]
With = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="P|KEY=VALUE",
        help="Compare with a policy, a setting, or both joined by a comma; repeatable.",
        autocompletion=scheduler_names,
    ),
]
Configs = Annotated[
    list[Path] | None,
    typer.Option("--config", metavar="FILE", help="Compare with an XML file or a folder of them; two: one another."),
]
Logs = Annotated[
    list[Path] | None, typer.Option("--from-log", metavar="FILE", help="Files of a trace or log, in place of NAME.")
]
Until = Annotated[str | None, typer.Option("--until", metavar="T", help="End: 09:00, +30m or seconds after the start.")]
Report = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE.html", help="Write a report as one HTML file.")
]


@app.command()
def compare(
    name: Name = None,
    withs: With = None,
    configs: Configs = None,
    logs: Logs = None,
    assignments: Assignments = None,
    until: Until = None,
    output: Report = None,
    as_json: Annotated[bool, typer.Option("--json", help="The comparison as one JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="The measures as CSV.")] = False,
    on_screen: Annotated[bool, typer.Option("--screen", help="Look at the comparison on screen.")] = False,
    theme: Theme = None,
    ascii_only: Ascii = None,
    trust: Trust = False,
    runs: Place = None,
    force: Force = False,
) -> None:
    """Play the same workload and faults under several policies, releases or settings, and say where they part.

    The source as it is comes first. Exit code 2: the input was refused; 130: interrupted, after what is known so far.
    """
    with reported_errors():
        if as_json + as_csv + on_screen > 1:
            raise ConfigError([Problem("are one or the other", key="--json, --csv and --screen")])
        if on_screen:
            needs_terminal("schedlab compare")
        settings = resolve({"theme": theme, "ascii": ascii_only})
        target = report_target(output, "-o", force=force)
        with announced(f"reading {name or 'the log'}"):
            scenario = source_scenario(name, logs or (), assignments or (), runs, is_trusted=trust)
        contestants = contestants_of(scenario, Wanted(withs or (), configs or ()))
        until_ms = scenario.duration_ms if until is None else instant_given(until, scenario.start, "--until")
        with listening() as interruption, Progress(until_ms, scenario) as progress:
            comparison = compared(contestants, until_ms, is_stopped=interruption.came, progressed=progress.show)
        explained = comparison.divergences[: SHOWN if on_screen else EXPLAINED]
        with announced("asking for the reasons"):
            partings = partings_of(_played(contestants, comparison), explained)
        if target is not None:
            _write_report(comparison, partings, scenario, target, force=force)
        if as_json:
            sys.stdout.write(json.dumps(document(comparison, partings), indent=1) + "\n")
        elif as_csv:
            sys.stdout.write(comparison_csv(comparison))
        elif on_screen:
            from tui.commands.compare_screen import look_at  # noqa: PLC0415 -- only a screen pays for textual

            look_at(_played(contestants, comparison), comparison, partings, settings)
        else:
            sys.stdout.write(visible_lines(comparison_lines(comparison, partings)))
    if interruption.signal:
        raise typer.Exit(128 + interruption.signal)


def _played(contestants: Sequence[Contestant], comparison: Comparison) -> list[Contestant]:
    return [each for each in contestants if each.letter not in comparison.refused]


def document(comparison: Comparison, partings: tuple[Parting, ...]) -> dict[str, object]:
    """The comparison as JSON, with its first divergences explained under `partings`."""
    return {**msgspec.to_builtins(comparison, str_keys=True), "partings": msgspec.to_builtins(partings)}


def _write_report(
    comparison: Comparison, partings: tuple[Parting, ...], scenario: Scenario, target: Path, *, force: bool
) -> None:
    from tui.commands.compare_page import comparison_page  # noqa: PLC0415 -- only a report pays for matplotlib

    page = comparison_page(comparison, partings, scenario, sys.argv[1:])
    write_file(target, [page.html().encode()], force=force)
