"""The options of commands that read traces, and what they mean."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from engine.errors import ConfigError, Problem, shortened
from engine.formats.finding import NodeSizes
from engine.formats.traces.application import MappingRules
from engine.formats.traces.formats import TracePart
from engine.formats.traces.source import size_of
from engine.formats.traces.spark_event_log import put_together
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.scenario import Scenario
from engine.units import CENTURY_MS, UnitError, parse_duration, parse_memory
from tui.cli.grammar import Given
from tui.cli.talk import ProgressBar

POLICIES: Final = tuple(Scenario.model_fields["scheduler"].annotation.__args__)  # type: ignore[union-attr]  # it is a Literal of texts
RATES: Final = {"map_rate": "map_mb_per_s", "reduce_rate": "reduce_mb_per_s"}
KEYS: Final = ("remaining", "container", "split", *RATES, "processors")
"""What `--assume` may say, `remaining` also of one application."""


@contextmanager
def reading(files: Sequence[Path]) -> Iterator[Callable[[int], None]]:
    """A bar of how much of the files has been read; yields what takes the bytes read."""
    size = sum(size_of(path) for pieces in put_together(files) for path in pieces.paths)
    with ProgressBar() as bar:
        yield lambda read: bar.draw(read / size if size else 0.0, f"{read / 1e6:,.0f} MB")


def assumed_by(given: Given) -> dict[str, str]:
    """Values of `--assume KEY=VALUE` by key; of two of one key the last."""
    found: dict[str, str] = {}
    for each in given.many("assume"):
        key, _, value = each.partition("=")
        if key.partition(".")[0] not in KEYS or not value:
            hint = f"there is {', '.join(KEYS)}"
            raise ConfigError([Problem(f"{shortened(each)!r} assumes nothing", key="--assume", hint=hint)])
        found[key] = value
    return found


def selection_of(given: Given) -> TracePart:
    """Reads the options that choose from a trace and change it."""
    scale = given.number("scale-time")
    return TracePart(
        first=given.whole("first"),
        between_ms=_stretch(given.text("between")),
        queues=_pairs(given.many("queue-map")),
        time_scale=1.0 if scale is None else _positive(scale, "--scale-time"),
        is_anonymous=given.is_on("anonymise"),
    )


def rules_of(given: Given) -> MappingRules:
    """The rules of inference with the numbers of `--assume` and the nodes of `--nodes`."""
    assumed, (nodes, size) = assumed_by(given), nodes_of(given.text("nodes"))
    rules = MappingRules(container_mb=1024, container_vcores=1, processors=1 if nodes is not None else None)
    if "container" in assumed:
        memory_mb, vcores = _size(assumed["container"], ",")
        rules = msgspec.structs.replace(rules, container_mb=memory_mb, container_vcores=vcores)
    if "split" in assumed:
        try:
            rules = msgspec.structs.replace(rules, split_mb=int(_positive(parse_memory(assumed["split"]), "split")))
        except UnitError as error:
            raise ConfigError([Problem(str(error), key="--assume split")]) from None
    for key, field in RATES.items():
        if key in assumed:
            rules = msgspec.structs.replace(rules, **{field: _positive(_number(assumed[key], key), key)})
    if "processors" in assumed:
        rules = msgspec.structs.replace(
            rules, processors=int(_positive(_number(assumed["processors"], "processors"), ""))
        )
    if size is not None:
        rules = msgspec.structs.replace(rules, machine_mb=size[0], machine_vcores=size[1])
    return rules


def choice_of(given: Given) -> ClusterChoice:
    """The cluster asked for, by `--nodes` and `--set scheduler=NAME`."""
    policy = next((each.partition("=")[2] for each in given.many("set") if each.startswith("scheduler=")), "")
    if policy and policy not in POLICIES:
        from engine.errors import did_you_mean  # noqa: PLC0415 -- only a mistake pays for it

        problem = Problem(
            f"there is no scheduler {shortened(policy)}", key="--set", hint=did_you_mean(policy, POLICIES)
        )
        raise ConfigError([problem])
    nodes, size = nodes_of(given.text("nodes"))
    if size is None:
        return ClusterChoice(policy=policy, nodes=nodes)
    return ClusterChoice(policy=policy, nodes=nodes, node_mb=size[0], node_vcores=size[1], is_size_given=True)


def nodes_of(given: str | None) -> tuple[int | None, tuple[int, int] | None]:
    """A number of nodes, and the memory [MB] and vcores of each: `40`, `40x64g/16`, `x64g/16`."""
    if given is None:
        return None, None
    count, times, size = given.partition("x")
    if (count and not (count.isdecimal() and 0 < int(count) <= 100_000)) or "," in size or (times and not size):
        hint = "40x64g/16; an import makes nodes of one size"
        raise ConfigError(
            [Problem(f"{shortened(given)!r} does not say how many nodes of which size", key="--nodes", hint=hint)]
        )
    return int(count) if count else None, _size(size, "/") if size else None


def node_sizes(given: str) -> list[NodeSizes]:
    """The nodes that `--nodes` names for a lint.

    >>> node_sizes("40x128g/32")
    [NodeSizes(nodes=40, memory_mb=131072, vcores=32)]
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
        raise ConfigError(
            [Problem(f"{given!r} does not say how many nodes of which size", key="--nodes", hint="e.g. 40x128g/32")]
        )
    return found


def _size(given: str, between: str) -> tuple[int, int]:
    """Memory [MB] and vcores, as `64g,16`."""
    memory, _, vcores = given.partition(between)
    try:
        size = parse_memory(memory), int(vcores or "1")
    except ValueError:
        size = (0, 0)
    if not (0 < size[0] < 2**31 and 0 < size[1] < 2**31):
        raise ConfigError([Problem(f"{shortened(given)!r} is not a size", hint=f"e.g. 64g{between}16")])
    return size


def _number(given: str, key: str) -> float:
    try:
        return float(given)
    except ValueError:
        raise ConfigError([Problem(f"{shortened(given)!r} is not a number", key=f"--assume {key}")]) from None


def _positive(number: float, key: str) -> float:
    if not (math.isfinite(number) and 0 < number < 1e9):
        raise ConfigError([Problem(f"{number} is not a number above 0", key=key)])
    return number


def _pairs(given: Sequence[str]) -> dict[str, str]:
    for each in given:
        if not all(each.partition("=")):
            raise ConfigError([Problem(f"{shortened(each)!r} is not A=B", key="--queue-map")])
    return dict(each.split("=", 1) for each in given)


def _stretch(between: str | None) -> tuple[int, int] | None:
    if between is None:
        return None
    first, dots, last = between.partition("..")
    try:
        begin, end = parse_duration(first), parse_duration(last)
    except UnitError as error:
        hint = "" if dots else "1h..2h"
        raise ConfigError([Problem(str(error), key="--between", hint=hint)]) from None
    if not begin < end <= CENTURY_MS:
        raise ConfigError([Problem("the stretch ends before it begins", key="--between")])
    return begin, end
