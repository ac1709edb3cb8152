"""Configuration files as a source: what they mean, and whether Hadoop would read them."""

import gc
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

import msgspec

from engine.errors import ConfigError, Problem
from engine.formats.cluster_lint import witness_of
from engine.formats.configuration_files import ConfigurationListing, read_files
from engine.formats.fair_files import ERAS
from engine.formats.finding import NodeSizes
from engine.formats.scenario_toml import loads
from engine.run import play
from tui.cli.grammar import Given
from tui.cli.opened import GetQuestion, looked_at, opened, series_of
from tui.cli.output import enveloped
from tui.cli.source import CONFIGURATION, LIVE, NamedSource, source_of
from tui.cli.talk import NOT_ANSWERED
from tui.cli.traces import node_sizes
from tui.report.configuration_text import described
from tui.terminal.edges import visible_lines
from tui.terminal.saving import write_file

_SIZES: Final = re.compile(r"\d+x\d")


def get_settings(asked: GetQuestion) -> None:
    """Tell what configuration files mean, or which settings a cluster has."""
    source, given, targets = asked.source, asked.given, asked.targets
    if source.kind == CONFIGURATION:
        try:
            listing = read_configuration(source.paths, given)
        except ConfigError as error:
            if targets.on_stdout != "json":
                raise
            refused = {"era": release_of(given), "refused": error.problems}
            document = enveloped("settings/1", source.document(), refused)
            sys.stdout.write(msgspec.json.encode(document).decode() + "\n")
            raise SystemExit(NOT_ANSWERED) from None
        document = enveloped("settings/1", source.document(), msgspec.to_builtins(listing))
        targets.write(
            {
                "text": lambda: visible_lines(described(listing)),
                "json": lambda: msgspec.json.encode(document).decode() + "\n",
                "xml": lambda: _headed({each.name: each.text for each in listing.settings if each.origin != "default"}),
            }
        )
        return
    settings = _settings_of(source, given)
    document = enveloped("settings/1", source.document(), {"settings": settings})
    targets.write(
        {
            "text": lambda: visible_lines(f"{key} = {value}" for key, value in settings.items()),
            "json": lambda: msgspec.json.encode(document).decode() + "\n",
            "xml": lambda: _headed(settings),
        }
    )


def read_configuration(paths: Sequence[Path], given: Given) -> ConfigurationListing:
    """The files of one cluster, read together as `--release` reads them."""
    properties, sizes = properties_given(given.many("D")), nodes_given(given)
    gc.disable()  # what reading makes stays until the end
    try:
        return read_files(list(paths), release_of(given), given=properties, nodes=sizes)
    finally:
        gc.enable()


def release_of(given: Given) -> str:
    """The release that reads: that of `--release`, else the oldest there is."""
    return release_named(given.text("release") or ERAS[0])


def release_named(text: str) -> str:
    """The release, as `3.4` or as `3.4.1`."""
    found = next((each for each in ERAS if text == each or text.startswith(f"{each}.")), None)
    if found is None:
        raise ConfigError([Problem(f"there is no release {text}", key="--release", hint=f"there is {', '.join(ERAS)}")])
    return found


def _settings_of(source: NamedSource, given: Given) -> Mapping[str, str]:
    if source.kind == LIVE:
        return looked_at(source, given).settings or {}
    if series_of(source, given) is not None:
        raise ConfigError([Problem(f"{source.name} does not say its settings", hint="get conf/ settings reads files")])
    with opened(source, given) as run:
        return dict(sorted(run.scenario.settings.items()))


def properties_given(given: Sequence[str]) -> dict[str, str]:
    """Values of `-D NAME=VALUE` by name; of two of one name the last."""
    for each in given:
        if not each.partition("=")[0] or "=" not in each:
            raise ConfigError([Problem(f"{each!r} is not NAME=VALUE", key="-D", hint="e.g. -D user.name=yarn")])
    return {name: value for name, _, value in (each.partition("=") for each in given)}


def nodes_given(given: Given) -> list[NodeSizes]:
    """The nodes that `--nodes` names: sizes, or a running cluster, a log or kept polls that tell them."""
    text = given.text("nodes") or ""
    if not text or _SIZES.match(text):
        return node_sizes(text)
    try:
        source = source_of(text, given)
    except ConfigError:
        return node_sizes(text)
    sizes: dict[tuple[int, int], int] = {}
    for node in looked_at(source, given).snapshot.nodes():
        memory_mb, vcores = node.total[:2]
        if memory_mb and vcores:
            sizes[memory_mb, vcores] = sizes.get((memory_mb, vcores), 0) + 1
    if not sizes:
        raise ConfigError([Problem("reports no node sizes", text, key="--nodes", hint="e.g. 40x128g/32")])
    return [NodeSizes(count, *size) for size, count in sizes.items()]


def witnessed(listing: ConfigurationListing, folder: Path) -> Iterator[str]:
    """A line for each finding: the files that show it and what came of playing them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError([Problem("cannot be made a folder", str(folder), hint=str(error.strerror))]) from None
    scheduler = f"{'fair' if listing.allocation is not None else 'capacity'}-{listing.era}"
    for rule, finding in {each.rule: each for each in listing.findings}.items():
        found = witness_of(finding, scheduler)
        if found is None:
            yield f"no example scenario for {rule}: it makes no application wait"
            continue
        if not all(play(loads(text)).ok for text in found):
            yield f"no example scenario for {rule}: the smallest does not show it with these values"
            continue
        paths = folder / f"{rule}.toml", folder / f"{rule}-mended.toml"
        for path, text in zip(paths, found, strict=True):
            write_file(path, [text.encode()])
        yield f"{paths[0]}: simulated, the application gets nothing; {paths[1]}: with the fix it starts"


def _headed(settings: Mapping[str, str]) -> str:
    return f'<?xml version="1.0"?>\n{configuration_xml(settings)}'


def configuration_xml(values: Mapping[str, str]) -> str:
    """Properties as a file that Hadoop reads."""
    rows = [
        f"  <property><name>{escape(key)}</name><value>{escape(text)}</value></property>"
        for key, text in values.items()
    ]
    return "\n".join(["<configuration>", *rows, "</configuration>", ""])
