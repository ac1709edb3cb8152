"""`schedlab workload describe|export`: what a trace or a scenario submits, and the same for other programs."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from engine.errors import ConfigError, Problem, nearest, shortened
from engine.formats.scenario_files import packaged
from engine.formats.scenario_toml import load
from engine.formats.traces.application import TraceApplication
from engine.formats.traces.exports import apps_json, sls_nodes, sls_trace
from engine.formats.traces.from_scenario import applications_of
from engine.formats.traces.read import read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.statistics import described
from engine.scenario import Scenario
from tui.commands import new_app
from tui.commands.arguments import ScenarioName, Trust, scenario_names
from tui.commands.cli_errors import reported_errors
from tui.commands.import_options import Format
from tui.commands.import_text import found_lines
from tui.commands.import_trace import reading
from tui.commands.workload_text import picture_lines
from tui.saving import write_new
from tui.terminal_edge import visible_lines

app = new_app("Describe the applications of a trace or a scenario, or write them for other programs.")

KINDS: Final[dict[str, Callable[[Scenario, ImportReport], Iterator[str]]]] = {
    "sls": sls_trace,
    "sls-nodes": lambda scenario, _report: sls_nodes(scenario),
    "apps": apps_json,
}
"""What `export` writes → how."""

SCENARIO_SUFFIX: Final = ".toml"


@app.command()
def describe(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|NAME", help="Traces, or one scenario.", show_default=False, autocompletion=scenario_names
        ),
    ],
    wanted: Format = None,
    trust: Trust = False,
    plain: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII signs only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Describe arrivals, sizes and durations by queue and user."""
    with reported_errors():
        report = ImportReport()
        if files[0] in packaged() or files[0].endswith(SCENARIO_SUFFIX):
            if len(files) > 1:
                raise ConfigError([Problem("one scenario is described at a time", files[1])])
            applications = iter(list(applications_of(load(files[0], is_trusted=trust), report)))
            picture = described(applications)
        else:
            picture = described(_read([Path(each) for each in files], report, wanted))
        if as_json:
            typer.echo(msgspec.json.encode({"workload": picture, "report": report.document()}).decode())
            return
        typer.echo(visible_lines([*picture_lines(picture, is_ascii=plain), *found_lines(report)]), nl=False)


def _read(paths: list[Path], report: ImportReport, wanted: str | None) -> Iterator[TraceApplication]:
    with reading(paths) as progressed:
        yield from read_traces(paths, report, wanted=wanted, progressed=progressed)


@app.command()
def export(
    name: ScenarioName,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="A new file; - is the output.", show_default=False)
    ] = "-",
    kind: Annotated[str, typer.Option("--as", metavar="KIND", help=f"What to write: {', '.join(KINDS)}.")] = "sls",
    trust: Trust = False,
) -> None:
    """Write a scenario's applications as an SLS trace, its nodes as an SLS node file, or as /ws/v1/cluster/apps.

    What the form cannot hold is said on the error output.
    """
    with reported_errors():
        write = KINDS.get(kind)
        if write is None:
            hint = nearest(kind, KINDS) or f"there is {', '.join(KINDS)}"
            raise ConfigError([Problem(f"nothing is written as {shortened(kind)}", key="--as", hint=hint)])
        report = ImportReport()
        pieces = write(load(name, is_trusted=trust), report)
        if output == "-":
            for piece in pieces:
                sys.stdout.write(piece)
        else:
            _write_new(Path(output), pieces)
        typer.echo(visible_lines(found_lines(report)), nl=False, err=True)


def _write_new(path: Path, pieces: Iterator[str]) -> None:
    """Write a new file."""
    try:
        write_new(path, (piece.encode() for piece in pieces))
    except FileExistsError:
        raise ConfigError([Problem("is there already", file=str(path), hint="choose another name")]) from None
    except (OSError, ValueError) as error:
        words = (error.strerror if isinstance(error, OSError) else "") or "not a file name"
        raise ConfigError([Problem(f"cannot be written: {words.lower()}", file=str(path))]) from None
