"""Makes the control plane of a scenario: the one place where control planes are chosen by name."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.protocol import ControlPlane
from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.spark_master import SparkMaster
from engine.errors import ConfigError, Problem
from engine.formats.fair_pools_xml import read_pools
from engine.formats.fair_scheduler_xml import read_fair_scheduler
from engine.scenario import MapReduceSpec, Scenario, StandaloneSpec
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.mr1.fair_allocations import PoolAllocations
from engine.schedulers.registry import SCHEDULERS, TASK_SCHEDULERS
from engine.settings.spark import SEED


def _resource_manager(scenario: Scenario, now_ms: int) -> ControlPlane:
    text = scenario.allocations_xml()
    return ResourceManager(
        scenario.settings,
        None if text is None else read_allocations(text, scenario.settings, scenario.era),
        scheduler=scenario.scheduler,
        groups=scenario.groups,
        cluster_timestamp=scenario.timestamp,
        now_ms=now_ms,
    )


def _job_tracker(scenario: Scenario, now_ms: int) -> ControlPlane:
    text = scenario.allocations
    return JobTracker(
        scenario.settings,
        scheduler=scenario.scheduler,
        allocations=None if text is None else read_pool_allocations(text),
        racks={node.host: node.rack for node in scenario.cluster.all_nodes()},
        now_ms=now_ms,
    )


CONTROL_PLANES: Final[Mapping[str, Callable[[Scenario, int], ControlPlane]]] = {
    **dict.fromkeys(SCHEDULERS, _resource_manager),
    "spark": lambda scenario, now_ms: SparkMaster({SEED.name: str(scenario.seed)} | scenario.settings),
    **dict.fromkeys(TASK_SCHEDULERS, _job_tracker),
}
"""Scheduler named by a scenario → makes its control plane, given the scenario and the time [epoch ms]."""


def check_kinds(scenario: Scenario) -> None:
    """Refuse applications that the scenario's control plane does not run.

    Raises:
        ConfigError: With a problem for each.
    """
    system = scenario.system
    problems = [
        Problem(f"type {spec.type} does not run on scheduler {scenario.scheduler}", key=f"{table}.{spec.name or place}")
        for table, specs in (
            ("workload", scenario.workload),
            ("running", [each.application for each in scenario.running]),
        )
        for place, spec in enumerate(specs)
        if isinstance(spec, StandaloneSpec) is not (system == "spark")
        or (system == "mr1" and not isinstance(spec, MapReduceSpec))
    ]
    if system != "yarn" and (scenario.running or scenario.recovered):
        table = "running" if scenario.running else "recovered"
        problems.append(Problem(f"on scheduler {scenario.scheduler} nothing runs before the start", key=table))
    if system != "yarn" and any(node.state != "RUNNING" for node in scenario.cluster.nodes):
        problems.append(Problem(f"on scheduler {scenario.scheduler} every node is up at the start", key="cluster"))
    if problems:
        raise ConfigError(problems)


def read_pool_allocations(text: str) -> PoolAllocations:
    """Read the pools of a MapReduce 1 fair scheduler."""
    return read_pools(text).allocations


def read_allocations(text: str, settings: Mapping[str, str], era: str) -> FairAllocation:
    """Read an allocation file of the fair scheduler."""
    return read_fair_scheduler(text, settings=settings, era=era).allocation
