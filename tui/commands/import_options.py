"""The options of commands that read traces, and what they mean."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from engine.errors import ConfigError, Problem, nearest, shortened
from engine.formats.traces.formats import BY_NAME
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.selection import TracePart
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.scenario import Scenario
from engine.settings.fair import FAIR_27
from engine.units import CENTURY_MS, UnitError, parse_duration, parse_memory
from tui.commands.arguments import scheduler_names

POLICIES: Final = tuple(Scenario.model_fields["scheduler"].annotation.__args__)  # type: ignore[union-attr]  # it is a Literal of texts

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE", help="Traces, packed or not, or folders of them; - is the input.", show_default=False
    ),
]
Output = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE", help="Write the scenario here; - is the output.")
]
Format = Annotated[
    str | None, typer.Option("--format", metavar="F", help=f"Take the files as {', '.join(BY_NAME)}; else by content.")
]
QueueMap = Annotated[
    list[str] | None, typer.Option("--queue-map", metavar="A=B", help="Call queue A of the trace B; repeatable.")
]
ScaleTime = Annotated[
    float, typer.Option("--scale-time", metavar="X", help="Stretch the time between arrivals by so much.")
]
Anonymise = Annotated[bool, typer.Option("--anonymise", help="Replace the names of users, queues, jobs and hosts.")]
First = Annotated[int | None, typer.Option("--first", metavar="N", min=1, help="Only the first N applications.")]
Between = Annotated[
    tuple[str, str] | None,
    typer.Option("--between", metavar="A B", help="Only those submitted in a stretch after the first: 1h 2h."),
]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy",
        metavar="P",
        help=f"The scheduler: {', '.join(POLICIES)}; else a log's, fifo for a batch log, else {FAIR_27.name}.",
        autocompletion=scheduler_names,
    ),
]
Nodes = Annotated[
    int | None, typer.Option("--nodes", metavar="N", min=1, max=100_000, help="So many nodes, not the trace's.")
]
NodeSize = Annotated[
    str | None, typer.Option("--node-size", metavar="M,V", help="Memory and vcores of a node, e.g. 64g,16.")
]
Container = Annotated[
    str | None, typer.Option("--container", metavar="M,V", help="Size of containers of unknown size, e.g. 1g,1.")
]
Split = Annotated[str, typer.Option("--split", metavar="M", help="Input of one map, where only bytes are known.")]
Processors = Annotated[
    int | None,
    typer.Option(
        "--processors",
        metavar="N",
        min=1,
        max=100_000,
        help="Processors of a container of a batch job; else the job is one container, with --nodes each processor.",
        show_default=False,
    ),
]
MapRate = Annotated[float, typer.Option("--map-rate", metavar="R", help="MB/s of one map.")]
ReduceRate = Annotated[float, typer.Option("--reduce-rate", metavar="R", help="MB/s of one reduce.")]


def selection_of(
    first: int | None, between: tuple[str, str] | None, queue_map: Sequence[str], scale_time: float, *, anonymise: bool
) -> TracePart:
    """Reads the options that choose from a trace and change it.

    Raises:
        ConfigError: An option is wrong.
    """
    return TracePart(
        first=first,
        between_ms=_stretch(between),
        queues=_pairs(queue_map),
        time_scale=_positive(scale_time, "--scale-time"),
        is_anonymous=anonymise,
    )


def rules_of(
    container: str | None,
    split: str,
    map_rate: float,
    reduce_rate: float,
    processors: int | None,
    node_size: str | None,
) -> MappingRules:
    """The rules of inference with the numbers given.

    Raises:
        ConfigError: One is no such number.
    """
    memory_mb, vcores = (1024, 1) if container is None else _size(container, "--container")
    try:
        split_mb = parse_memory(split)
    except UnitError as error:
        raise ConfigError([Problem(str(error), key="--split")]) from None
    rules = MappingRules(
        container_mb=memory_mb,
        container_vcores=vcores,
        split_mb=int(_positive(split_mb, "--split")),
        map_mb_per_s=_positive(map_rate, "--map-rate"),
        reduce_mb_per_s=_positive(reduce_rate, "--reduce-rate"),
        processors=processors,
    )
    if node_size is None:
        return rules
    machine_mb, machine_vcores = _size(node_size, "--node-size")
    return msgspec.structs.replace(rules, machine_mb=machine_mb, machine_vcores=machine_vcores)


def choice_of(policy: str | None, nodes: int | None, node_size: str | None) -> ClusterChoice:
    """The cluster asked for.

    Raises:
        ConfigError: There is no such scheduler, or the size is none.
    """
    if policy is not None and policy not in POLICIES:
        hint = nearest(policy, POLICIES) or f"there is {', '.join(POLICIES)}"
        raise ConfigError([Problem(f"there is no scheduler {shortened(policy)}", key="--policy", hint=hint)])
    if node_size is None:
        return ClusterChoice(policy=policy or "", nodes=nodes)
    memory_mb, vcores = _size(node_size, "--node-size")
    return ClusterChoice(policy=policy or "", nodes=nodes, node_mb=memory_mb, node_vcores=vcores, is_size_given=True)


def _size(given: str, key: str) -> tuple[int, int]:
    """Memory [MB] and vcores, as `64g,16`."""
    memory, _, vcores = given.partition(",")
    try:
        size = parse_memory(memory), int(vcores or "1")
    except ValueError:
        size = (0, 0)
    if not (0 < size[0] < 2**31 and 0 < size[1] < 2**31):
        raise ConfigError([Problem(f"{shortened(given)!r} is no size", key=key, hint="e.g. 64g,16")])
    return size


def _positive(number: float, key: str) -> float:
    """A number above 0."""
    if not (math.isfinite(number) and 0 < number < 1e9):
        raise ConfigError([Problem(f"{number} is not a number above 0", key=key)])
    return number


def _pairs(given: Sequence[str]) -> dict[str, str]:
    """Queue of the trace → queue of the scenario."""
    for each in given:
        if not all(each.partition("=")):
            raise ConfigError([Problem(f"{shortened(each)!r} is not A=B", key="--queue-map")])
    return dict(each.split("=", 1) for each in given)


def _stretch(between: tuple[str, str] | None) -> tuple[int, int] | None:
    """Begin and end of the stretch asked for [ms after the first submission]."""
    if between is None:
        return None
    try:
        begin, end = parse_duration(between[0]), parse_duration(between[1])
    except UnitError as error:
        raise ConfigError([Problem(str(error), key="--between")]) from None
    if not begin < end <= CENTURY_MS:
        raise ConfigError([Problem("the stretch ends before it begins", key="--between")])
    return begin, end
