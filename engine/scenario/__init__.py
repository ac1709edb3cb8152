"""Scenarios as values: strict, frozen models of what a run consists of.

Nothing here reads files or runs anything; `formats.scenario_toml` reads them, `run` plays them.
"""

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
from engine.scenario.cluster import ClusterSpec, NodeGroup, NodeSpec
from engine.scenario.expectations import MEASURES, Expectation
from engine.scenario.parts import Size
from engine.scenario.queues import QueueSpec
from engine.scenario.recovered import Assumption, RecoveredContainers, RecoveredReservation, RecoveredSpec
from engine.scenario.running import PlacedContainers, ReservedNode, RunningSpec
from engine.scenario.scenario import Scenario
from engine.scenario.timed_acts import TimedAct

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
