"""Recorded workloads played to their end: how many jobs a second, beside simulators written for nothing else.

The files are not part of the repository. `SCHEDLAB_TRACES` names the folder that holds them, or `--trace` one file.
"""

import os
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine.formats.traces.application import MappingRules
from tests.gates.traces.playing import played

FOLDER: Final = "SCHEDLAB_TRACES"
FILE: Final = "SCHEDLAB_TRACE"
"""The environment, since each measurement runs in a process of its own."""


class TraceCase(NamedTuple):
    """One workload on one cluster under one policy."""

    file: str
    policy: str
    nodes: int
    vcores: int
    """Of a node, with 1 GB for each."""
    processors: int
    """Of a batch system: so many are one container."""
    rule: str
    """How the trace became containers, as a sentence."""


_RULES: Final = MappingRules()
_SWIM_RULE: Final = "; ".join(_RULES.byte_rules.values())
_SWIM: Final = "swim/FB-2009_samples_24_times_1hr_0.tsv"
_SWF_RULE: Final = MappingRules(processors=4).processor_rule

CASES: Final = {
    "swim-day-fair": TraceCase(_SWIM, "fair-2.7", 600, 10, 1, _SWIM_RULE),
    "swim-day-capacity": TraceCase(_SWIM, "capacity-3.4", 600, 10, 1, _SWIM_RULE),
    "swf": TraceCase("swf/hpc2n-seth-3170.swf", "fifo", 120, 4, 4, _SWF_RULE),
}
"""The Facebook day of SWIM, and AccaSim's own log on its 120 nodes of 4 processors, where it plays 3,620 jobs a s."""


def figures(name: str) -> dict[str, Any]:
    """What playing one case costs; only why not, where its file is not at hand."""
    case = CASES[name]
    path = Path(os.environ.get(FILE) or Path(os.environ.get(FOLDER, "")) / case.file)
    if not path.is_file():
        return {"bench": name, "missing": f"{path} is no file: set {FOLDER}, or give --trace FILE"}
    found = played(path, case.policy, case.nodes, case.vcores, case.processors)
    return {
        "bench": name,
        "file": path.name,
        "policy": case.policy,
        "nodes": case.nodes,
        "applications": found.applications,
        "finished": found.finished,
        "containers": found.containers,
        "import_s": round(found.import_s, 2),
        "real_s": round(found.wall_s, 2),
        "cpu_s": round(found.cpu_s, 2),
        "applications_per_cpu_s": round(found.finished / found.cpu_s),
        "containers_per_cpu_s": round(found.containers / found.cpu_s),
        "peak_memory_mb": found.peak_mb,
        "rule": case.rule,
    }


MEASURES: Final = {name: partial(figures, name) for name in CASES}
