"""`schedlab config`: what configuration files mean, and whether Hadoop would read them."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from engine.errors import ConfigError, Problem
from engine.formats.configuration_files import plural, read_files, summary
from engine.formats.fair_scheduler_xml import ERAS
from engine.formats.regular_files import is_there
from tui.commands.cli_errors import INPUT_REFUSED, reported_errors
from tui.commands.config_text import described
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
            properties = _properties(given or [])
            if as_json:
                typer.echo(_json(files, era, properties))
            else:
                typer.echo(visible_lines(described(read_files(files, era, given=properties))), nl=False)
        elif check is None:
            raise ConfigError([Problem("no file is given", hint="schedlab config FILE..., or --check DIR")])


def _json(files: list[Path], era: str, given: dict[str, str]) -> str:
    """The files as one object.

    Raises:
        typer.Exit: They are refused; then the object with the problems has been printed.
    """
    try:
        return msgspec.json.encode(read_files(files, era, given=given)).decode()
    except ConfigError as error:
        typer.echo(msgspec.json.encode({"era": era, "refused": error.problems}).decode())
        raise typer.Exit(INPUT_REFUSED) from None


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
            typer.echo(
                visible_line(f"{place}: refused: {Problem(first.message, key=first.key, hint=first.hint)}{more}")
            )
    typer.echo(f"{len(paths) - refused} loaded, {refused} refused")
    if refused:
        raise typer.Exit(INPUT_REFUSED)
