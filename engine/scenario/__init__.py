"""Scenarios as values: strict, frozen models of what a run consists of.

Nothing here reads files or runs anything; `formats.scenario_toml` reads them, `run` plays them.
"""

from engine.scenario.acts import TimedAct
from engine.scenario.applications import (
    ApplicationSpec,
    AskSpec,
    DynamicAllocation,
    ExecutorTotal,
    JobSpec,
    MapReduceSpec,
    Repeat,
    ScriptedSpec,
    ServiceSpec,
    SparkSpec,
    StageSpec,
    StandaloneSpec,
    TezSpec,
)
from engine.scenario.cluster import ClusterSpec, NodeGroup, NodeSpec, QueueSpec, Size
from engine.scenario.scenario import (
    MEASURES,
    Assumption,
    Expectation,
    PlacedContainers,
    RecoveredContainers,
    RecoveredReservation,
    RecoveredSpec,
    ReservedNode,
    RunningSpec,
    Scenario,
)

__all__ = [
    "MEASURES",
    "ApplicationSpec",
    "AskSpec",
    "Assumption",
    "ClusterSpec",
    "DynamicAllocation",
    "ExecutorTotal",
    "Expectation",
    "JobSpec",
    "MapReduceSpec",
    "NodeGroup",
    "NodeSpec",
    "PlacedContainers",
    "QueueSpec",
    "RecoveredContainers",
    "RecoveredReservation",
    "RecoveredSpec",
    "Repeat",
    "ReservedNode",
    "RunningSpec",
    "Scenario",
    "ScriptedSpec",
    "ServiceSpec",
    "Size",
    "SparkSpec",
    "StageSpec",
    "StandaloneSpec",
    "TezSpec",
    "TimedAct",
]
