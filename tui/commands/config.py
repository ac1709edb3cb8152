"""`schedlab config`: what configuration files mean, and whether Hadoop would read them."""

import gc
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from engine.errors import ConfigError, Problem
from engine.formats.configuration_files import ConfigurationListing, read_files, summary
from engine.formats.fair_scheduler_xml import ERAS
from engine.formats.finding import NodeSizes
from engine.formats.lint_witness import witness_of
from engine.formats.regular_files import is_there
from engine.formats.scenario_toml import loads
from engine.run import play
from engine.units import parse_memory
from tui.commands import new_app
from tui.commands.cli_errors import INPUT_REFUSED, reported_errors
from tui.commands.config_text import described
from tui.format import plural
from tui.saving import write_file
from tui.terminal_edge import visible_line, visible_lines

app = new_app()

_SIZES: Final = re.compile(r"\d+x\d")


@app.command()
def config(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            help="fair-scheduler.xml or capacity-scheduler.xml, yarn-site.xml and a topology table, or their folder.",
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
    nodes: Annotated[
        str | None,
        typer.Option(
            "--nodes",
            metavar="NxM/V,...|URL|LOG",
            help="The nodes, e.g. 40x128g/32,4x64g/16, or a cluster or log that has them; finds what hurts there.",
        ),
    ] = None,
    witness: Annotated[
        Path | None,
        typer.Option(
            "--witness",
            metavar="DIR",
            help="Write for each warning that can be shown a scenario that shows it and a mended one, both played.",
            show_default=False,
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
            sizes = _nodes(nodes or "")
            listing = _listing(files, era, properties, sizes, as_json=as_json)
            typer.echo(
                f"{msgspec.json.encode(listing).decode()}\n" if as_json else visible_lines(described(listing)), nl=False
            )
            for line in _witnessed(listing, witness) if witness is not None else ():
                typer.echo(visible_line(line), err=as_json)
        elif check is None:
            raise ConfigError([Problem("no file is given", hint="schedlab config FILE..., or --check DIR")])


def _listing(
    files: list[Path], era: str, given: dict[str, str], nodes: list[NodeSizes], *, as_json: bool
) -> ConfigurationListing:
    """The files together."""
    gc.disable()  # what reading makes stays until the end
    try:
        return read_files(files, era, given=given, nodes=nodes)
    except ConfigError as error:
        if not as_json:
            raise
        typer.echo(msgspec.json.encode({"era": era, "refused": error.problems}).decode())
        raise typer.Exit(INPUT_REFUSED) from None
    finally:
        gc.enable()


def _properties(given: list[str]) -> dict[str, str]:
    """Names and values of properties."""
    for each in given:
        if not each.partition("=")[0] or "=" not in each:
            raise ConfigError([Problem(f"{each!r} is not NAME=VALUE", key="-D", hint="e.g. -D user.name=yarn")])
    return {name: value for name, _, value in (each.partition("=") for each in given)}


def _nodes(given: str) -> list[NodeSizes]:
    """The nodes that `--nodes` names, or that the cluster or log it names has."""
    if not given or _SIZES.match(given):
        return node_sizes(given)
    told = import_module("tui.commands.cluster_nodes").nodes_told_by(given)  # needs what `watch` needs, which is slow
    return node_sizes(given) if told is None else list(told)


def node_sizes(given: str) -> list[NodeSizes]:
    """The nodes that `--nodes` names.

    >>> node_sizes("40x128g/32")
    [NodeSizes(nodes=40, memory_mb=131072, vcores=32)]

    Raises:
        ConfigError: It is no such list.
    """
    return [_nodes_alike(each) for each in given.split(",") if each.strip()]


def _nodes_alike(given: str) -> NodeSizes:
    count, _, size = given.strip().partition("x")
    memory, _, vcores = size.partition("/")
    try:
        found = NodeSizes(int(count), parse_memory(memory), int(vcores or "8"))
    except ValueError:
        found = NodeSizes(0, 0, 0)
    if not all(0 < each < 2**31 for each in found):
        raise ConfigError([Problem(f"{given!r} is no nodes of a size", key="--nodes", hint="e.g. 40x128g/32")])
    return found


def _witnessed(listing: ConfigurationListing, folder: Path) -> Iterator[str]:
    """A line for each finding: the files that show it and what came of playing them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError([Problem("cannot be made a folder", str(folder), hint=str(error.strerror))]) from None
    scheduler = f"{'fair' if listing.allocation is not None else 'capacity'}-{listing.era}"
    for rule, finding in {each.rule: each for each in listing.findings}.items():
        found = witness_of(finding, scheduler)
        if found is None:
            yield f"no witness of {rule}: nobody waits for it"
            continue
        if not all(play(loads(text)).ok for text in found):
            yield f"no witness of {rule}: the smallest scenario does not show it with these values"
            continue
        paths = folder / f"{rule}.toml", folder / f"{rule}-mended.toml"
        for path, text in zip(paths, found, strict=True):
            write_file(path, [text.encode()])
        yield f"{paths[0]}: played, the victim gets nothing; {paths[1]}: played, it starts"


def _check(folder: Path, era: str) -> None:
    """One line per file, and how many loaded."""
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
