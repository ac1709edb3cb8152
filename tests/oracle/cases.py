"""Reads case files and compares answers: every key of every op, floats as float32."""

import gzip
import json
import struct
from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import Any, Final

from engine.errors import ConfigError
from tests.oracle.capacity_replay import Capacity27Replay, CapacityReplay
from tests.oracle.mr1_replay import Mr1Replay
from tests.oracle.yarn_replay import SCHEDULERS, Replay

Json = dict[str, Any]


def read_cases(path: Path, first: int = 0, every: int = 1) -> Iterator[Json]:
    """The cases of a file, plain or gzipped, one on each line; from the one at a place on every so-manieth."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for line in data.splitlines()[first::every]:
        if line.strip():
            yield json.loads(line)


MR1: Final = "1.2.1"
"""The release whose cases are those of a JobTracker."""

_REPLAYS: dict[tuple[str, str], type[Replay] | type[Mr1Replay]] = {
    ("capacity", "2.7.2"): Capacity27Replay,
    ("capacity", "3.4.1"): CapacityReplay,
    ("fifo", MR1): Mr1Replay,
    ("fair", MR1): Mr1Replay,
    ("capacity", MR1): Mr1Replay,
}
"""(scheduler, release) → how its cases are played, where not as those of fair and FIFO."""


def is_supported(case: Json) -> bool:
    """Whether we have the policy of this release."""
    return case["hadoop"] == MR1 or (case["scheduler"], case["hadoop"]) in SCHEDULERS


def answer(case: Json, fork_at: int | None = None) -> list[Json]:
    """Our answers to a case's ops.

    Args:
        case: The case; its own expectations are not looked at.
        fork_at: Fork before this op, go on with the original, then with the copy, whose answers are returned.
    """
    try:
        replay: Replay | Mr1Replay = _REPLAYS.get((case["scheduler"], case["hadoop"]), Replay)(case)
    except ConfigError as error:
        return [{"refused": error.kind}]
    ops = case["ops"]
    told: list[Json] = []
    for index, op in enumerate(ops):
        if index == fork_at:
            copy = replay.fork()
            for later, other in enumerate(ops[index:], index):
                replay.step(other, last=later == len(ops) - 1)
            replay = copy
        told.append(replay.step(op, last=index == len(ops) - 1))
    return told


def expected(case: Json) -> list[Json]:
    """What the real class answered to each op, without words; one answer where it did not start at all."""
    if case.get("refused"):
        return [{"refused": case["refused"]}]
    return [{key: value for key, value in told.items() if key != "why"} for told in case["expect"]]


def first_difference(expected: list[Json], ours: list[Json]) -> int | None:
    """The first op whose answers differ in any key; None when all agree."""
    for index, (theirs, mine) in enumerate(zip(expected, ours, strict=False)):
        if _as_float32(theirs) != _as_float32(mine):
            return index
    return None if len(expected) == len(ours) else min(len(expected), len(ours))


def _as_float32(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_float32(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_float32(item) for item in value]
    if isinstance(value, float):
        if isnan(value):
            return "NaN"
        return struct.unpack("f", struct.pack("f", value))[0]
    return value
