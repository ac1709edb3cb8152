"""The real scheduler classes, run on the same workload in the same session, where they are at hand.

`SCHEDLAB_ORACLE` names the folder of the programs that drive them; `yarn/oracle.py` and
`yarn/capacity/capacity_oracle.py` there build and run them.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.gates.bench.workload import Case

VERSIONS = ("2.7.2", "3.4.1")
_CAPACITY = "yarn/capacity/capacity_oracle.py"


def missing() -> str:
    """Why the real classes cannot be run here; empty when they can."""
    folder = os.environ.get("SCHEDLAB_ORACLE", "")
    if not folder:
        return "SCHEDLAB_ORACLE names no folder"
    if not (Path(folder) / "yarn" / "oracle.py").is_file():
        return f"no yarn/oracle.py in {folder}"
    if shutil.which("java") is None:
        return "no java on the PATH"
    home = Path(os.environ.get("YARN_ORACLE_HOME", Path.home() / ".cache" / "yarn-oracle"))
    unbuilt = [version for version in VERSIONS if not (home / version / "classes").is_dir()]
    return f"the classes are not built: run {folder}/yarn/oracle.py build {unbuilt[0]}" if unbuilt else ""


def capacity_missing(version: str) -> str:
    """Why the real CapacityScheduler of a release cannot be run here; empty when it can."""
    folder = os.environ.get("SCHEDLAB_ORACLE", "")
    if not (Path(folder) / _CAPACITY).is_file():
        return f"no {_CAPACITY} in {folder or 'SCHEDLAB_ORACLE, which is not set'}"
    if shutil.which("java") is None:
        return "no java on the PATH"
    home = Path(os.environ.get("YARN_CAPACITY_ORACLE_HOME", Path.home() / ".cache" / "yarn-capacity-oracle"))
    return "" if (home / version).is_dir() else f"the classes are not built: run {folder}/{_CAPACITY} build {version}"


def measure_capacity(version: str, nodes: int) -> int:
    """Containers per CPU second of the real CapacityScheduler in its heartbeats.

    Raises:
        RuntimeError: It ended with an error.
    """
    found = _run([str(Path(os.environ["SCHEDLAB_ORACLE"]) / _CAPACITY), "speed", version, str(nodes)])
    return next(int(each["allocations_per_cpu_s"]) for each in found["results"] if each["variant"] == "default")


def measure(case: Case) -> dict[str, Any]:
    """Run the real class on the case; its own figures, as it prints them.

    Raises:
        RuntimeError: It ended with an error.
    """
    program = Path(os.environ["SCHEDLAB_ORACLE"]) / "yarn" / "oracle.py"
    options = {
        "--scheduler": case.scheduler.partition("-")[0],
        "--nodes": case.nodes,
        "--apps": case.applications,
        "--queues": case.queues,
        "--warm": case.warm_rounds,
        "--rounds": case.rounds,
        "--limit": 600,
    }
    words = [str(word) for pair in options.items() for word in pair]
    return _run([str(program), "speed", case.hadoop, *words])


def _run(words: list[str]) -> dict[str, Any]:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().rpartition("\n")[2] or f"ended with {done.returncode}")
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures
