"""The operator's script: what each step means in the cluster as it is at that moment, and which step an act is."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.errors import RefusedError
from engine.model.identity import container_of_name
from engine.observe.snapshot import Snapshot
from engine.run.measures import find_application
from engine.scenario import OperatorAction, script
from engine.scenario.cluster import DEFAULT_RACK
from engine.simulation import actions, faults


def action_of(step: OperatorAction, snapshot: Snapshot) -> actions.Action:
    """The action a step of a script stands for, its names resolved against a picture of the cluster.

    Raises:
        RefusedError: It names an application, container or node that is not there.
    """
    return _MAKERS[type(step)](step, snapshot)


def _number(name: str, snapshot: Snapshot) -> int:
    row = find_application(snapshot.applications(why=False), name)
    if row is None:
        raise RefusedError("ApplicationNotFoundException", f"no single application is meant by {name}")
    return row.number


def _node(name: str, snapshot: Snapshot) -> str:
    for row in snapshot.nodes():
        if name in (row.id, row.host):
            return row.id
    raise RefusedError("UnknownNode", f"there is no node {name}")


def _container(name: str) -> tuple[int, int, int]:
    """A container by its id, or its last three numbers (`0012_01_000003`), an epoch before them included."""
    container = container_of_name(name)
    if container is None:
        raise RefusedError("ContainerNotFoundException", f"{name} is no container id")
    return container


_MAKERS: Final[Mapping[type, Callable[[Any, Snapshot], actions.Action]]] = {
    script.SubmitStep: lambda step, snapshot: actions.SubmitApplication.of(step.application),
    script.KillStep: lambda step, snapshot: actions.KillApplication(_number(step.application, snapshot)),
    script.KillContainerStep: lambda step, snapshot: actions.KillContainer(_container(step.container)),
    script.MoveStep: lambda step, snapshot: actions.MoveApplication(_number(step.application, snapshot), step.queue),
    script.PriorityStep: lambda step, snapshot: actions.SetPriority(_number(step.application, snapshot), step.priority),
    script.LabelStep: lambda step, snapshot: actions.LabelNode(_node(step.node, snapshot), step.partition),
    script.AddNodeStep: lambda step, snapshot: actions.AddNode(step.id, step.memory_mb, step.vcores, step.rack),
    script.DrainStep: lambda step, snapshot: actions.DrainNode(_node(step.node, snapshot)),
    script.ReturnStep: lambda step, snapshot: faults.ReturnNode(_node(step.node, snapshot)),
    script.LoseStep: lambda step, snapshot: faults.LoseNode(_node(step.node, snapshot)),
    script.ResizeStep: lambda step, snapshot: faults.ResizeNode(
        _node(step.node, snapshot), step.memory_mb, step.vcores
    ),
    script.HealthStep: lambda step, snapshot: faults.SetHealth(_node(step.node, snapshot), step.healthy),
    script.NodeManagerRestartStep: lambda step, snapshot: faults.RestartNodeManager(
        _node(step.node, snapshot), step.down_ms
    ),
    script.RmRestartStep: lambda step, snapshot: faults.RestartResourceManager(step.down_ms),
    script.JobTrackerRestartStep: lambda step, snapshot: faults.RestartJobTracker(step.down_ms),
    script.RmFailoverStep: lambda step, snapshot: faults.FailOverResourceManager(step.orderly, step.down_ms),
    script.RmLostStep: lambda step, snapshot: faults.LoseResourceManager(),
    script.MasterLostStep: lambda step, snapshot: faults.LoseMaster(
        str(_number(step.application, snapshot)), step.hangs
    ),
    script.PreemptionStep: lambda step, snapshot: actions.SetPreemption(step.on),
    script.RuleStep: lambda step, snapshot: actions.SetReservationRule(step.rule),
    script.QueueSettingStep: lambda step, snapshot: actions.SetQueueSetting(step.queue, step.key, step.value),
    script.SettingStep: lambda step, snapshot: actions.SetSetting(step.key, step.value),
    script.ReloadStep: lambda step, snapshot: actions.Reload(step.allocations),
}
"""Kind of step → the action it stands for."""

ApplicationId = Callable[[int], str]
"""Number of an application → how a step names it."""

_FIELDS: Final[Mapping[type, Callable[[Any, ApplicationId], dict[str, Any]]]] = {
    actions.SubmitApplication: lambda act, _: {"do": "submit", "application": dict(act.application)},
    actions.KillApplication: lambda act, name: {"do": "kill", "application": name(act.application)},
    actions.KillContainer: lambda act, _: {"do": "kill-container", "container": "_".join(map(str, act.container))},
    actions.MoveApplication: lambda act, name: {
        "do": "move",
        "application": name(act.application),
        "queue": act.queue,
    },
    actions.SetPriority: lambda act, name: {
        "do": "priority",
        "application": name(act.application),
        "priority": act.priority,
    },
    actions.AddNode: lambda act, _: {
        "do": "add-node",
        "host": act.node.partition(":")[0],
        "memory": act.memory_mb,
        "vcores": act.vcores,
        **({} if act.rack == DEFAULT_RACK else {"rack": act.rack}),
    },
    actions.LabelNode: lambda act, _: {"do": "label", "node": act.node, "partition": act.partition},
    actions.DrainNode: lambda act, _: {"do": "drain", "node": act.node},
    actions.SetPreemption: lambda act, _: {"do": "preemption", "on": act.on},
    actions.SetReservationRule: lambda act, _: {"do": "reservation-rule", "rule": act.rule},
    actions.SetQueueSetting: lambda act, _: {
        "do": "queue-setting",
        "queue": act.queue,
        "key": act.key,
        "value": act.value,
    },
    actions.SetSetting: lambda act, _: {"do": "setting", "key": act.key, "value": act.value},
    actions.Reload: lambda act, _: {"do": "reload", "allocations": act.allocations},
    faults.ReturnNode: lambda act, _: {"do": "return", "node": act.node},
    faults.LoseNode: lambda act, _: {"do": "lose", "node": act.node},
    faults.ResizeNode: lambda act, _: {
        "do": "resize",
        "node": act.node,
        "memory": act.memory_mb,
        "vcores": act.vcores,
    },
    faults.SetHealth: lambda act, _: {"do": "health", "node": act.node, "healthy": act.healthy},
    faults.RestartResourceManager: lambda act, _: {"do": "rm_restart", "down": act.down_ms / 1000},
    faults.RestartJobTracker: lambda act, _: {"do": "job_tracker_restart", "down": act.down_ms / 1000},
    faults.FailOverResourceManager: lambda act, _: {
        "do": "rm_failover",
        "orderly": act.orderly,
        **({} if act.down_ms is None else {"down": act.down_ms / 1000}),
    },
    faults.LoseResourceManager: lambda act, _: {"do": "rm_lost"},
    faults.LoseMaster: lambda act, _: {"do": "master_lost", "application": act.application, "hangs": act.hangs},
    faults.RestartNodeManager: lambda act, _: {
        "do": "node_manager_restart",
        "node": act.node,
        "down": act.down_ms / 1000,
    },
}
"""Kind of action → the keys of the step that stands for it."""


def script_step(action: actions.Action, application_id: ApplicationId = str) -> dict[str, Any]:
    """The step of a scenario's script that does what an action does; `at` is to be added."""
    return _FIELDS[type(action)](action, application_id)
