"""Scenarios as values: strict, frozen models of what a run consists of.

A `Scenario` has a cluster (`cluster`: nodes, racks, queues), a scheduler with its settings, applications of several
kinds (`applications`), faults, the script of an operator (`acts`), expectations, and the state in which it opens:
containers that run already, or what a restarted server recovers. A field that breaks a rule is an error with its place;
rules that need several fields are checked by the model that has them. The sentences below fields are their
documentation, from which schemas and reference pages are made.

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
