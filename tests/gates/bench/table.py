"""The table of speed: the real class, pure Python and a compiled build in turn, on one machine in the same minutes.

    python -m tests.gates.bench.table --compiled FOLDER --runs 3                    all rows
    python -m tests.gates.bench.table --compiled FOLDER --only fair-1000 swim-day-fair

Prints a line of JSON for each run as it ends, then the table: least, median and greatest of the runs, and the median of
the ratios beside the real class of the same run. FOLDER is a copy of the checkout into which `hatch_build.py` compiled.
`SCHEDLAB_ORACLE` and `SCHEDLAB_TRACES` name where the real classes and the recorded workloads are; a row whose are not
at hand has no such cells.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import reduce
from operator import getitem
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from tests.gates.bench import capacity, hadoop, workload

BUILDS: Final = ("hadoop", "pure", "compiled")
HADOOP, PURE, COMPILED = BUILDS
ROOT: Final = Path(__file__).parents[3]
BESIDE: Final = (
    *("fair-1000", "fair-10000", "fair34-1000", "fair34-10000", "fifo-1000", "fifo-10000"),
    *("capacity27-1000", "capacity27-10000", "capacity34-1000", "capacity34-10000"),
)
"""Containers per CPU second of heartbeats, beside the real class."""
RUNS: Final = ("swim-day-fair", "swim-day-capacity", "sls-fair-1000", "sls-fair-10000", "sls-capacity-10000")
ALONE: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys((*RUNS, "mr1-slots"), ("cpu_s",)),
    "fix-incident": ("three_s", "decided_s", "whole_s"),
    "fix-frozen-1000": ("three_s", "decided_s", "whole_s"),
    "why-frozen-1000": ("fork_ms", "fork_standing_ms", "5/verdict_s", "5/whole_s"),
    "why-crowded-1000": ("fork_ms", "fork_standing_ms", "902/verdict_s", "902/whole_s"),
    "asking-incident-remedies": ("whole_s", "key_late_p95_ms"),
    "fork": ("fork_ms",),
    "screen-200x60": ("draw_whole_screen_cpu_ms", "key_p95_ms"),
    "watch-10000": ("2.7/key_p95_ms", "3.4/key_p95_ms"),
}
"""What is measured without a real class → its figures, the less the better: time, of which most is CPU's."""


class Run(msgspec.Struct, frozen=True):
    """One figure."""

    name: str
    build: str
    figure: float
    """Containers per CPU second, or what the name says."""


FIGURES: Final = ROOT / "tests" / "gates" / "bench" / "table.jsonl"
"""The runs that the manual shows."""


def of_ours(name: str, build: str, folder: Path) -> list[Run]:
    """Measure in a process that runs the engine of a folder; nothing where the workload is not at hand."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.gates.bench", "--only", name],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    if "missing" in found:
        return []
    if name in BESIDE:
        return [Run(name, build, found["containers_per_cpu_s_heartbeats"])]
    figures = {field: reduce(getitem, field.split("/"), found) for field in ALONE[name]}
    return [Run(name if field == "cpu_s" else f"{name} {field}", build, figures[field]) for field in figures]


def of_hadoop(name: str) -> Run | None:
    """Measure the real class; None where there is none."""
    for case in capacity.CASES:
        if case.name == name and not hadoop.capacity_missing(case.hadoop):
            return Run(name, HADOOP, hadoop.measure_capacity(case.hadoop, case.nodes))
    for each in workload.CASES:
        if each.name == name and not hadoop.missing():
            return Run(name, HADOOP, hadoop.measure(each)["containers_per_cpu_s"])
    return None


def rows(runs: list[Run]) -> list[str]:
    lines = ["| | real class | pure | × | compiled | × |", "|---|---:|---:|---:|---:|---:|"]
    for name in dict.fromkeys(run.name for run in runs):
        found = {build: [run.figure for run in runs if (run.name, run.build) == (name, build)] for build in BUILDS}
        cells = [spread(found[HADOOP])]
        for build in (PURE, COMPILED):
            ratios = [ours / real for ours, real in zip(found[build], found[HADOOP], strict=False)]
            cells += [spread(found[build]), f"{median(ratios):.1f}" if ratios else ""]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def measured() -> list[Run]:
    return [msgspec.json.decode(line, type=Run) for line in FIGURES.read_bytes().splitlines()]


def spread(figures: list[float]) -> str:
    if not figures:
        return ""
    shown = (min(figures), median(figures), max(figures))
    return " / ".join(f"{each:,.0f}" if each >= 100 else f"{each:.2f}" for each in shown)


def main() -> None:
    """Measure run by run, each row's builds one after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.gates.bench.table", description=__doc__.partition("\n")[0])
    parser.add_argument("--compiled", type=Path, metavar="FOLDER", help="a copy of the checkout with a compiled engine")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=(*BESIDE, *ALONE), default=(*BESIDE, *ALONE), metavar="NAME")
    chosen = parser.parse_args()
    runs: list[Run] = []
    for _ in range(chosen.runs):
        for name in chosen.only:
            found = [of_hadoop(name), *of_ours(name, PURE, ROOT)]
            if chosen.compiled:
                found += of_ours(name, COMPILED, chosen.compiled.resolve())
            for run in filter(None, found):
                runs.append(run)
                print(msgspec.json.encode(run).decode(), flush=True)
    print("\n".join(rows(runs)))


if __name__ == "__main__":
    main()
