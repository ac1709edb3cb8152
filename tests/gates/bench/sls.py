"""The load that Hadoop's Scheduler Load Simulator was timed on, with its settings, and what SLS needed for it.

N nodes of 10 GB and 10 cores; N/5 jobs of 100 maps of 1 GB and 20 s, evenly over 60 s, in four equal queues: twice as
many maps as there is room for. Nodes and masters call each second. SLS 3.3.5 ran it with its real ResourceManager on
the same kind of machine (2 cores), in real time.

SCHEDLAB_SLS_TRACE names a trace in SLS's form to be played instead of the one made here; it is the same text.
"""

import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

import msgspec

from engine.formats.traces.formats import read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.observe.journal import Fingerprint
from engine.run import play
from engine.scenario import Scenario
from engine.simulation.records import Record, Submitted
from tests.gates.bench.clock import peak_memory_mb

QUEUES: Final = ("a", "b", "c", "d")
MAPS: Final = 100
NODE_MB: Final = 10_240
NODE_VCORES: Final = 10
PER_RACK: Final = 40
WAVES: Final = 2
ARRIVALS_S: Final = 60
MAP_MS: Final = 20_000
ALLOCATIONS: Final = (
    "<allocations>"
    + "".join(f'<queue name="{queue}"><weight>1.0</weight></queue>' for queue in QUEUES)
    + "<queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault></allocations>"
)
SETTINGS: Final = {
    "yarn.scheduler.minimum-allocation-mb": "1024",
    "yarn.scheduler.maximum-allocation-mb": "8192",
    "yarn.scheduler.fair.assignmultiple": "true",
    "yarn.scheduler.fair.preemption": "false",
    "yarn.scheduler.fair.user-as-default-queue": "false",
}
CAPACITY: Final = {
    "maximum-applications": "100000",
    "maximum-am-resource-percent": "1.0",
    "resource-calculator": "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator",
    "node-locality-delay": "-1",
    "per-node-heartbeat.multiple-assignments-enabled": "true",
    "per-node-heartbeat.maximum-offswitch-assignments": "100",
    "root.queues": ",".join(QUEUES),
    **{f"root.{queue}.capacity": "25" for queue in QUEUES},
    **{f"root.{queue}.maximum-capacity": "100" for queue in QUEUES},
    **{f"root.{queue}.user-limit-factor": "100" for queue in QUEUES},
}


class Recorded(msgspec.Struct, frozen=True):
    """What SLS needed, over its runs."""

    cpu_s: tuple[int, int]
    """(least, most)."""
    load_s: float
    """From the first submission to the last end."""
    job_s: tuple[int, int]
    """(median, longest)."""
    peak_memory_mb: tuple[int, int]


RECORDED: Final = {
    ("fair-3.4", 1_000): Recorded((36, 39), 85.1, (26, 27), (755, 957)),
    ("capacity-3.4", 1_000): Recorded((38, 38), 85.4, (26, 28), (1017, 1017)),
    ("fair-3.4", 10_000): Recorded((201, 208), 189.0, (92, 161), (6185, 8259)),
}
"""(policy, nodes) → SLS. With 10,000 nodes it did not keep up: a node called once in 40 s."""


class Jobs:
    """A listener that keeps how long each job took, and how many containers ran at most."""

    def __init__(self) -> None:
        self.begun_ms: dict[int, int] = {}
        self.took_s: list[float] = []
        self.allocated = self.running = self.most_running = 0
        self.ended_ms = 0

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self.allocated += 1
                self.running += 1
            elif isinstance(record, Completed | Killed):
                self.running -= 1
            elif isinstance(record, Submitted):
                self.begun_ms[record.application] = time_ms
            elif isinstance(record, ApplicationTransitioned) and record.state == "FINISHED":
                self.took_s.append((time_ms - self.begun_ms[record.application]) / 1000)
                self.ended_ms = time_ms
        self.most_running = max(self.most_running, self.running)


def trace(nodes: int) -> Iterator[str]:
    """The lines of the trace in SLS's form."""
    jobs = max(1, nodes * NODE_VCORES * WAVES // MAPS)
    yield json.dumps({"num.nodes": nodes, "num.racks": max(1, nodes // PER_RACK)})
    for place in range(jobs):
        maps = {
            "count": MAPS,
            "duration.ms": MAP_MS,
            "container.priority": 20,
            "container.type": "map",
            "container.memory-mb": 1024,
            "container.vcores": 1,
        }
        job = {
            "am.type": "mapreduce",
            "job.start.ms": place * ARRIVALS_S * 1000 // jobs,
            "job.end.ms": 0,
            "job.queue.name": f"root.{QUEUES[place % len(QUEUES)]}",
            "job.id": f"job_{place + 1}",
            "job.user": f"user{place % 7}",
            "job.tasks": [maps],
        }
        yield json.dumps(job)


def scenario_of(path: Path, policy: str) -> Scenario:
    """A trace on its nodes under a policy, with SLS's settings."""
    report = ImportReport()
    choice = ClusterChoice(policy=policy, node_mb=NODE_MB, node_vcores=NODE_VCORES)
    read = imported_scenario(read_traces([path], report), report, choice)
    capacity = {f"yarn.scheduler.capacity.{key}": value for key, value in CAPACITY.items()}
    own: dict[str, Any] = (
        {"allocations": ALLOCATIONS, "queues": (), "settings": SETTINGS}
        if policy.startswith("fair")
        else {"settings": SETTINGS | capacity}
    )
    return read.model_copy(update=own)


def figures(policy: str, nodes: int) -> dict[str, Any]:
    """Play the load twice, with every record written as the journal has it, and set it beside SLS's figures."""
    given = os.environ.get("SCHEDLAB_SLS_TRACE")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(given) if given else Path(folder) / "trace.json"
        if not given:
            path.write_text("\n".join(trace(nodes)), encoding="utf-8")
        scenario = scenario_of(path, policy)
    runs = [_played(scenario) for _ in range(2)]
    cpu_s, real_s, jobs, _ = min(runs, key=lambda run: run[0])
    digests = {digest for *_, digest in runs}
    found = {
        "bench": f"sls-{policy}-{nodes}",
        "jobs": len(jobs.took_s),
        "containers": jobs.allocated,
        "running_at_once": jobs.most_running,
        "load_s": round((jobs.ended_ms - scenario.start_ms) / 1000, 1),
        "job_s": (round(median(jobs.took_s)), round(max(jobs.took_s))),
        "cpu_s": round(cpu_s, 2),
        "real_s": round(real_s, 2),
        "peak_memory_mb": peak_memory_mb(),
        "digests": len(digests),
        "digest": min(digests)[:16],
    }
    recorded = RECORDED.get((policy, nodes))
    if recorded is None:
        return found
    return {**found, "sls": msgspec.structs.asdict(recorded), "times_sls": round(recorded.cpu_s[0] / cpu_s, 1)}


def _played(scenario: Scenario) -> tuple[float, float, Jobs, str]:
    """(CPU seconds, seconds, what became of the jobs, digest of the journal)."""
    jobs, written = Jobs(), Fingerprint()
    begin, begin_cpu = time.perf_counter(), time.process_time()
    play(scenario, listeners=(jobs, written))
    return time.process_time() - begin_cpu, time.perf_counter() - begin, jobs, written.hexdigest()


MEASURES: Final = {
    f"sls-{policy.partition('-')[0]}-{nodes}": partial(figures, policy, nodes)
    for nodes in (1_000, 10_000)
    for policy in ("fair-3.4", "capacity-3.4")
}
"""Name → the measurement."""
