"""A scenario's events as a case for Hadoop's own scheduler classes, and a case's decisions with their instants.

The case holds exactly what the control plane was told in a run that leaves nothing out, so the real class given the
same operations on the same clock must decide the same at the same instants.
"""

from typing import Any, Self

from engine.control_plane.protocol import (
    Answer,
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    ApplicationSubmitted,
    ControlPlane,
    Event,
    NodeHeartbeat,
    NodeJoined,
    Pass,
)
from engine.scenario import Scenario
from engine.scenario.acts import KillApplication
from engine.simulation.build import build_simulation
from engine.simulation.initial_state import CONTROL_PLANES

Operation = dict[str, Any]


class EavesdroppedControlPlane:
    """A control plane that writes down as operations what it is told."""

    def __init__(self, inner: ControlPlane) -> None:
        self.inner = inner
        self.operations: list[Operation] = []
        self._now_ms = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def handle(self, event: Event, now_ms: int) -> Answer:
        operation = operation_of(event)
        if operation is not None:
            self._note(operation, now_ms)
        return self._follow(self.inner.handle(event, now_ms), now_ms)

    def run_pass(self, name: str, now_ms: int) -> Answer:
        """Pass a background pass on; update and preemption are one `tick`."""
        if name == "preempt":
            self._note({"op": "tick"}, now_ms)
        elif name == "continuous":
            self._note({"op": "continuous"}, now_ms)
        return self._follow(self.inner.run_pass(name, now_ms), now_ms)

    def _follow(self, answer: Answer, now_ms: int) -> Answer:
        """The ResourceManager fetches an application master's container as soon as it is allocated."""
        for grant in answer.masters:
            self._note({"op": "pull", "app": f"a{grant.container[0]}"}, now_ms)
        return answer

    def passes(self) -> tuple[Pass, ...]:
        return self.inner.passes()

    def fork(self) -> Self:
        raise NotImplementedError

    def _note(self, operation: Operation, now_ms: int) -> None:
        if now_ms > self._now_ms:
            self.operations.append({"op": "advance", "ms": now_ms - self._now_ms})
            self._now_ms = now_ms
        self.operations.append(operation)


def operation_of(event: Event) -> Operation | None:
    """The operation an event is; None for one the scheduler classes are not told of."""
    match event:
        case NodeJoined():
            size = {"memory_mb": event.memory_mb, "vcores": event.vcores}
            return {"op": "add_node", "node": _host(event.node), "rack": event.rack, **size}
        case ApplicationSubmitted():
            am = None if event.am is None else {"memory_mb": event.am.memory_mb, "vcores": event.am.vcores}
            name = f"a{event.application}"
            place = {"queue": event.queue, "am": am, "id": event.application}
            return {"op": "submit", "app": name, "user": event.user, **place}
        case ApplicationMasterHeartbeat() if event.asks:
            asks = [
                {
                    "priority": ask.priority,
                    "resource_name": ask.resource_name,
                    "memory_mb": ask.memory_mb,
                    "vcores": ask.vcores,
                    "count": ask.count,
                    "relax_locality": ask.relax_locality,
                }
                for ask in event.asks
            ]
            return {"op": "ask", "app": f"a{event.application}", "asks": asks}
        case ApplicationMasterHeartbeat():
            return {"op": "pull", "app": f"a{event.application}"}
        case NodeHeartbeat():
            ended = [f"a{number}_{container:06d}" for (number, _, container), _ in event.completed]
            return {"op": "heartbeat", "node": _host(event.node)} | ({"completed": ended} if ended else {})
        case ApplicationFinished():
            return {"op": "finish", "app": f"a{event.application}", "state": event.state}
        case _:
            return None


def _host(node: str) -> str:
    return node.rpartition(":")[0]


def case_of(scenario: Scenario, until_ms: int) -> dict[str, Any]:
    """A scenario up to an instant [ms after the start] as a case without answers; the operator's script is followed."""
    control_plane = EavesdroppedControlPlane(CONTROL_PLANES[scenario.scheduler](scenario, scenario.start_ms))
    simulation = build_simulation(scenario, control_plane=control_plane, naive=True)
    for step in scenario.script:
        if isinstance(step.act, KillApplication) and step.at_ms <= until_ms:
            simulation.run_before(scenario.start_ms + step.at_ms)
            simulation.act(KillApplication(int(step.act.application)))
    simulation.run_until(scenario.start_ms + until_ms)
    return {
        "case": f"scenario/{scenario.name}",
        "about": scenario.title,
        "kind": "scenario",
        "hadoop": "3.4.1" if scenario.era == "3.4" else "2.7.2",
        "scheduler": "fair",
        "conf": scenario.settings,
        "allocations": scenario.allocations_xml(),
        "groups": {user: list(groups) for user, groups in scenario.groups.items()},
        "ops": control_plane.operations,
    }


def decisions(case: dict[str, Any], key: str) -> list[tuple[int, str]]:
    """(epoch ms, container or node) of every decision of one kind in an answered case."""
    found: list[tuple[int, str]] = []
    now_ms = 0
    for operation, expected in zip(case["ops"], case["expect"], strict=True):
        now_ms += operation["ms"] if operation["op"] == "advance" else 0
        found += [(now_ms, _name(one)) for one in expected.get(key, ())]
    return found


def _name(decision: Any) -> str:
    if isinstance(decision, str):
        return decision
    return str(decision.get("container", f"{decision['app']}@{decision['node']}"))
