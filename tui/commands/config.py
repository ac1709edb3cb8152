"""`schedlab config`: what configuration files mean, and whether Hadoop would read them."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from engine.errors import ConfigError, Problem
from engine.formats.allocation_view import AllocationView, EffectiveValue
from engine.formats.capacity_view import CapacityView
from engine.formats.configuration_files import ConfigurationView, plural, read_files, summary
from engine.formats.fair_scheduler_xml import ERAS
from engine.formats.regular_files import is_there
from tui.commands.cli_errors import INPUT_REFUSED, reported_errors
from tui.terminal_edge import visible_line, visible_lines

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def config(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            help="fair-scheduler.xml or capacity-scheduler.xml, yarn-site.xml and a topology table of one cluster.",
            show_default=False,
        ),
    ] = None,
    era: Annotated[
        str, typer.Option("--era", metavar="RELEASE", help=f"The release that reads: {' or '.join(ERAS)}.")
    ] = ERAS[0],
    check: Annotated[
        Path | None,
        typer.Option(
            "--check", metavar="DIR", help="Try every .xml file below a folder by itself.", show_default=False
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "-D", metavar="NAME=VALUE", help="A property of the server's Java, or env.NAME of its environment."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Show what configuration files mean: each value and where it came from, placement rules, warnings."""
    with reported_errors():
        if check is not None:
            _check(check, era)
        if files:
            view = read_files(files, era, given=_properties(given or []))
            lines = _described(view, era)
            typer.echo(msgspec.json.encode(view).decode() + "\n" if as_json else visible_lines(lines), nl=False)
        elif check is None:
            raise ConfigError([Problem("no file is given", hint="schedlab config FILE..., or --check DIR")])


def _properties(given: list[str]) -> dict[str, str]:
    """Names and values of properties.

    Raises:
        ConfigError: One has no name or no value.
    """
    for each in given:
        if not each.partition("=")[0] or "=" not in each:
            raise ConfigError([Problem(f"{each!r} is not NAME=VALUE", key="-D", hint="e.g. -D user.name=yarn")])
    return {name: value for name, _, value in (each.partition("=") for each in given)}


def _check(folder: Path, era: str) -> None:
    """One line per file, and how many loaded.

    Raises:
        ConfigError: There is no such folder.
        typer.Exit: A file was refused.
    """
    if not is_there(folder):
        raise ConfigError([Problem("no such folder", str(folder))])
    refused = 0
    paths = sorted(folder.rglob("*.xml")) if folder.is_dir() else [folder]
    for path in paths:
        try:
            typer.echo(visible_line(f"{path}: {summary(path, era)}"))
        except ConfigError as error:
            refused += 1
            first, *rest = error.problems
            more = f" (and {plural(len(rest), 'more problem')})" if rest else ""
            place = f"{path}:{first.line}" if first.line else str(path)
            typer.echo(visible_line(f"{place}: refused: {_without_place(first)}{more}"))
    typer.echo(f"{len(paths) - refused} loaded, {refused} refused")
    if refused:
        raise typer.Exit(INPUT_REFUSED)


def _without_place(problem: Problem) -> str:
    return str(Problem(problem.message, key=problem.key, hint=problem.hint))


def _described(view: ConfigurationView, era: str) -> list[str]:
    """The files as text."""
    lines: list[str] = []
    if view.settings:
        lines += ["Settings", *_table(view.settings), f"  and {plural(view.other_keys, 'key')} of others", ""]
    if view.allocation is not None:
        queues = plural(len(view.allocation.queues), "queue")
        if view.allocation.not_made:
            named = sum(queue.place not in ("default", "implied") for queue in view.allocation.queues)
            not_made = len(view.allocation.not_made)
            queues += f"; {not_made} of {named + not_made} queues of the file not made"
        lines += [f"{view.allocation_file} as Hadoop {era} reads it: {queues}", "", *_allocation(view.allocation)]
    if view.capacity is not None:
        lines += [f"Capacity scheduler of Hadoop {era}: {plural(len(view.capacity.queues), 'queue')}", ""]
        lines += _capacity(view.capacity)
    if view.topology is not None:
        racks = [
            EffectiveValue(host, rack, f"line {view.topology.lines[host]}")
            for host, rack in view.topology.racks.items()
        ]
        lines += ["Topology", *_table(racks), ""]
    if view.warnings:
        lines += [plural(len(view.warnings), "warning"), *(f"  {warning}" for warning in view.warnings)]
    else:
        lines += ["no warnings"]
    return lines


def _allocation(view: AllocationView) -> list[str]:
    lines: list[str] = []
    for queue in view.queues:
        lines += [f"{queue.path}  ({'parent' if queue.parent else 'leaf'}, {queue.place})", *_table(queue.values), ""]
    lines += ["Defaults", *_table(view.defaults), ""]
    if view.users:
        lines += ["Most running applications of single users", *_table(view.users), ""]
    rules = [f"  {number}. {rule}" for number, rule in enumerate(view.rules, 1)]
    return [*lines, f"Placement rules  ({view.rules_origin})", *rules, ""]


def _capacity(view: CapacityView) -> list[str]:
    lines: list[str] = []
    for queue in view.queues:
        lines += [f"{queue.path}  ({'parent' if queue.parent else 'leaf'}, {queue.place})", *_table(queue.values), ""]
    lines += ["Of the whole scheduler", *_table(view.settings), ""]
    rules = [f"  {number}. {rule}" for number, rule in enumerate(view.rules, 1)]
    return [*lines, *(["Queue mappings", *rules, ""] if rules else [])]


def _table(values: tuple[EffectiveValue, ...] | list[EffectiveValue]) -> list[str]:
    """Names, values and origins in columns."""
    name = max((len(value.name) for value in values), default=0)
    text = min(max((len(value.text) for value in values), default=0), 40)
    return [f"  {value.name:{name}}  {value.text:{text}}  {value.origin}" for value in values]
