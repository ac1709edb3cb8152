"""How fast a scheduler decides, alone or beside the real class."""

from operator import itemgetter
from typing import Any

from engine.control_plane.resource_manager import ResourceManager
from tests.gates.bench import hadoop
from tests.gates.bench.clock import journal, peak_memory_mb
from tests.gates.bench.workload import CASES, Case, Played, Player

Figures = dict[str, Any]
"""The figures of one line."""

SETTINGS = {
    "yarn.scheduler.fair.assignmultiple": "true",
    "yarn.scheduler.fair.max.assign": "-1",
    "yarn.scheduler.fair.dynamic.max.assign": "false",
}


def control_plane(case: Case) -> ResourceManager:
    """The control plane the case is played against, without nodes and applications."""
    return ResourceManager(
        SETTINGS,
        None,
        scheduler=case.scheduler,
        groups={},
        cluster_timestamp=1,
        now_ms=0,
        follow_attempts=False,
    )


def loop_cpu(played: Played) -> float:
    return played.loop_cpu_s


def scheduler(name: str, *, beside_hadoop: bool) -> Figures:
    """Containers per CPU second of a policy, with the journal written, on one size of the workload."""
    case = next(case for case in CASES if case.name == name)
    with journal() as (writer, path):
        played = min(
            (Player(case, control_plane(case), writer.on_records).play() for _ in range(case.runs)), key=loop_cpu
        )
        figures: Figures = {
            "bench": name,
            "scheduler": case.scheduler,
            "nodes": case.nodes,
            "applications": case.applications,
            "queues": case.queues,
            "heartbeats": played.heartbeats,
            "containers": played.containers,
            "check": played.check,
            "check_is_hadoops": played.check == case.check,
            "containers_per_cpu_s": round(played.containers / played.loop_cpu_s),
            "containers_per_cpu_s_heartbeats": round(played.containers / played.heartbeat_cpu_s),
            "heartbeats_per_cpu_s": round(played.heartbeats / played.heartbeat_cpu_s),
            "journal_mb": round(path.stat().st_size / case.runs / 2**20, 1),
            "peak_memory_mb": peak_memory_mb(),
        }
    return figures | beside(case, figures) if beside_hadoop else figures


def beside(case: Case, ours: Figures) -> Figures:
    """The real class on the same case, and how many times its figures ours are.

    `ratio` sets our whole loop against its heartbeats alone, `ratio_heartbeats` compares like with like.
    """
    reason = hadoop.missing()
    if reason:
        return {"hadoop": f"skipped: {reason}"}
    real = max((hadoop.measure(case) for _ in range(case.runs)), key=itemgetter("containers_per_cpu_s"))
    return {
        "hadoop": real["hadoop"],
        "hadoop_check": real["check"],
        "hadoop_containers_per_cpu_s": real["containers_per_cpu_s"],
        "ratio": round(ours["containers_per_cpu_s"] / real["containers_per_cpu_s"], 1),
        "ratio_heartbeats": round(ours["containers_per_cpu_s_heartbeats"] / real["containers_per_cpu_s"], 1),
    }
