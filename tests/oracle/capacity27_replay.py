"""Plays a recorded case of the CapacityScheduler of 2.7.2 on our ResourceManager."""

from typing import Any

from engine.control_plane.protocol import Answer, ApplicationSubmitted
from engine.model.decision import Killed
from engine.model.request import Resource
from engine.schedulers.capacity27.configuration import NO_CAPACITY, NO_LABEL
from engine.schedulers.capacity27.evaluation import absolute_used
from engine.schedulers.capacity27.queues import Attempt27, CapacityQueue27, leaf_of
from engine.schedulers.capacity27.scheduler import CapacityScheduler27
from tests.oracle.capacity_replay import CapacityReplay, decided
from tests.oracle.yarn_state import nodes_of

Json = dict[str, Any]


class Capacity27Replay(CapacityReplay):
    """One case, op by op; what differs from 3.x is how the scheduler is spoken to and looked at."""

    @property
    def scheduler_27(self) -> CapacityScheduler27:
        """The scheduler, which some ops speak to."""
        assert isinstance(self.rm.scheduler.policy, CapacityScheduler27), "cases of this scheduler"
        return self.rm.scheduler.policy

    def state(self) -> Json:
        """Queues, nodes and live applications, by name."""
        queues = {queue.path: self._queue_27(queue) for queue in self.scheduler_27.tree.queues()}
        applications = [self._application(attempt) for attempt in self._attempts_27()]
        return {
            "queues": dict(sorted(queues.items())),
            "nodes": nodes_of(self.rm, self.names),
            "apps": dict(applications),
        }

    @staticmethod
    def _is_killed(op: Json, decision: Killed) -> bool:
        return decision.cause in ("PREEMPTED", "LOST", "RELABELLED") and op["op"] != "finish"

    def _resize_node(self, op: Json) -> Answer:
        node = self.rm.cluster.nodes[self._node(op)]
        return decided(self.rm.scheduler.resize_node(node, op["memory_mb"], op["vcores"]))

    def _submit(self, op: Json) -> Answer:
        name = op["app"]
        number = op.get("id") or len(self.numbers) + 1
        self.numbers[name], self.names[number] = number, name
        am = Resource(op["am"]["memory_mb"], op["am"].get("vcores", 1)) if op.get("am") else None
        event = ApplicationSubmitted(op["user"], op["queue"], am, number, name, partition=op.get("label") or "")
        return self.rm.handle(event, self.now_ms)

    def _reload(self, op: Json) -> Answer:
        return self._reloaded(op, self.scheduler_27.reload)

    def _queue_27(self, queue: CapacityQueue27) -> Json:
        capacity, used = queue.configuration.capacities[NO_LABEL], queue.used(NO_LABEL)
        told: Json = {
            "used_mb": used[0],
            "used_vcores": used[1],
            "abs_capacity": capacity.absolute,
            "abs_max": capacity.absolute_maximum,
            "abs_used": absolute_used(self.scheduler_27.space, queue),
        }
        if queue.leaf is not None:
            told["running"], told["pending"] = len(queue.leaf.active), len(queue.leaf.pending)
            reserved = sum(attempt.reserved_memory_mb for attempt in queue.leaf.attempts.values())
            told |= {"reserved_mb": reserved} if reserved else {}
        if not queue.configuration.is_running:
            told["state"] = "STOPPED"
        if self.labels:
            told["labels"] = {label: _label_state(queue, label) for label in self.labels}
        return told

    def _attempts_27(self) -> list[Attempt27]:
        attempts = [application.attempt for application in self.rm.cluster.applications.values()]
        return [attempt for attempt in attempts if isinstance(attempt, Attempt27)]

    def _application(self, attempt: Attempt27) -> tuple[str, Json]:
        queue, leaf = leaf_of(attempt)
        return self.names[attempt.application.number], {
            "queue": queue.path,
            "used_mb": attempt.used_memory_mb,
            "used_vcores": attempt.used_vcores,
            "reserved_mb": attempt.reserved_memory_mb,
            "runnable": attempt.application.number in leaf.active,
            "live": len(attempt.live),
        }


def _label_state(queue: CapacityQueue27, label: str) -> Json:
    capacity, used = queue.configuration.capacities.get(label, NO_CAPACITY), queue.used(label)
    return {
        "used_mb": used[0],
        "used_vcores": used[1],
        "abs_capacity": capacity.absolute,
        "abs_max": capacity.absolute_maximum,
    }
