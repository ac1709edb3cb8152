"""Plays a recorded case of the CapacityScheduler on our ResourceManager.

It adds what only these cases have: node labels, priorities, settings that are loaded again, over-committed nodes. The
recordings speak to the scheduler where the protocol has no word for an op.
"""

from collections.abc import Callable
from typing import Any

from engine.control_plane.protocol import (
    NOTHING,
    Answer,
    ApplicationPriorityChanged,
    ApplicationSubmitted,
    NodeJoined,
    NodeRelabelled,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import RefusedError
from engine.model.decision import Decision, Killed, Warned
from engine.model.ledger import Container
from engine.model.request import Resource
from engine.schedulers.capacity27.configuration import NO_CAPACITY, NO_LABEL
from engine.schedulers.capacity27.evaluation import absolute_used
from engine.schedulers.capacity27.queues import Attempt27, CapacityQueue27, leaf_of
from engine.schedulers.capacity27.scheduler import CapacityScheduler27
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from engine.settings.capacity import LABELS_ENABLED
from tests.oracle.yarn_replay import SCHEDULERS, Replay, nodes_of

Json = dict[str, Any]
PORT = 8041
CLUSTER_TIMESTAMP = 0


class CapacityReplay(Replay):
    """One case, op by op."""

    port = PORT
    cluster_timestamp = CLUSTER_TIMESTAMP

    def __init__(self, case: Json) -> None:
        self.conf = {key: str(value) for key, value in case["conf"].items()}
        self.labels = [label["name"] for label in case.get("labels") or ()]
        if self.labels:
            self.conf[LABELS_ENABLED.name] = "true"
            self.conf["schedlab.node-labels"] = ",".join(_label(label) for label in case["labels"])
        self.now_ms = 0
        self.numbers: dict[str, int] = {}
        self.names: dict[int, str] = {}
        self.rm = ResourceManager(
            self.conf,
            None,
            scheduler=SCHEDULERS[case["scheduler"], case["hadoop"]],
            groups=case.get("groups") or {},
            cluster_timestamp=self.cluster_timestamp,
            now_ms=0,
            follow_attempts=False,
        )
        self.policies = [one.name for one in self.rm.passes()]
        """The recorder's monitor policies stay those of the start, whatever is loaded later."""

    @property
    def scheduler(self) -> CapacityScheduler34:
        """The scheduler, which some ops speak to."""
        assert isinstance(self.rm.scheduler.policy, CapacityScheduler34), "cases of this scheduler"
        return self.rm.scheduler.policy

    def step(self, op: Json, *, last: bool) -> Json:
        """Do one op; what it did, in the recording's keys."""
        told = super().step(op, last=last)
        for key in ("warned", "killed"):
            if key in told:
                told[key] = sorted(told[key])
        return told

    def state(self) -> Json:
        """Queues, nodes and live applications, by name."""
        queues = {queue.path: self._queue(queue) for queue in below(self.scheduler.tree.root)}
        return {
            "queues": dict(sorted(queues.items())),
            "nodes": nodes_of(self.rm, self.names),
            "apps": self._applications(),
        }

    # ---------------------------------------------------------------- ops

    def _add_node(self, op: Json) -> Answer:
        rack = op.get("rack") or "/default-rack"
        label = op.get("label") or ""
        return self.rm.handle(NodeJoined(self._node(op), rack, op["memory_mb"], op["vcores"], label), self.now_ms)

    def _label_node(self, op: Json) -> Answer:
        return decided(
            list(self.rm.handle(NodeRelabelled(self._node(op), op.get("label") or ""), self.now_ms).decisions)
        )

    def _resize_node(self, op: Json) -> Answer:
        node = self.rm.cluster.nodes[self._node(op)]
        size = (op["memory_mb"], op["vcores"])
        if size == (node.total_memory_mb, node.total_vcores):
            return NOTHING
        cluster, rules = self.rm.cluster, self.scheduler
        rules.before_node_resized(node)  # as the front does, which gives no timeout
        cluster.change_total(size[0] - node.total_memory_mb, size[1] - node.total_vcores)
        node.resize(*size)
        self.scheduler.maximum.nodes_changed(cluster.nodes.values())
        return decided(rules.after_node_resized(node, op.get("overcommit_ms", -1), self.now_ms))

    def _submit(self, op: Json) -> Answer:
        self.scheduler.maximum.ask(self.now_ms)
        name = op["app"]
        number = op.get("id") or len(self.numbers) + 1
        self.numbers[name], self.names[number] = number, name
        am = Resource(op["am"]["memory_mb"], op["am"].get("vcores", 1)) if op.get("am") else None
        event = ApplicationSubmitted(
            op["user"],
            op["queue"],
            am,
            number,
            op.get("name") or name,
            priority=op.get("priority"),
            partition=op.get("label") or "",
            tags=tuple(op.get("tags") or ()),
        )
        return self.rm.handle(event, self.now_ms)

    def _tick(self, op: Json) -> Answer:
        return decided([each for name in self.policies for each in self.rm.run_pass(name, self.now_ms).decisions])

    def _priority(self, op: Json) -> Answer:
        return self.rm.handle(ApplicationPriorityChanged(self.numbers[op["app"]], op["priority"]), self.now_ms)

    def _reload(self, op: Json) -> Answer:
        return self._reloaded(op, self.scheduler.reload)

    def _reloaded(self, op: Json, reload: Callable[[object, int], None]) -> Answer:
        """Load the last accepted settings again, with those of the op laid over them."""
        values = dict(self.conf)
        for key, text in op["conf"].items():
            if text is None:
                values.pop(key, None)
            else:
                values[key] = str(text)
        try:
            reload(values, self.now_ms)
        except RefusedError as error:
            return Answer(rejected=error.kind)
        self.conf = values
        return NOTHING

    # ---------------------------------------------------------------- what it did

    @staticmethod
    def _in_order(reservations: dict[str, Container]) -> list[tuple[str, Container]]:
        return list(reservations.items())

    @staticmethod
    def _is_killed(op: Json, decision: Killed) -> bool:
        return decision.cause in ("PREEMPTED", "LOST") and op["op"] != "finish"

    def _told(self, op: Json, answer: Answer, before: dict[str, Container]) -> Json:
        told = super()._told(op, answer, before)
        if op["op"] in ("ask", "pull") and answer.headroom is not None and not answer.rejected:
            told["headroom"] = {"memory_mb": answer.headroom.memory_mb, "vcores": answer.headroom.vcores}
        return told

    def _queue(self, queue: CapacityQueue) -> Json:
        share, space = queue.share(""), self.scheduler.space
        told: Json = {
            "used_mb": share.used[0],
            "used_vcores": share.used[1],
            "abs_capacity": 1.0 if queue.parent is None else share.absolute,
            "abs_max": share.absolute_maximum,
            "abs_used": share.absolute_used(space.total(""), space.calculator),
        }
        if queue.leaf is not None:
            told["running"] = len(queue.leaf.order)
            told["pending"] = len(queue.leaf.waiting)
        reserved = sum(attempt.reserved_in[""][0] for attempt in self._attempts() if attempt.queue is queue)
        if reserved:
            told["reserved_mb"] = reserved
        if queue.state != "RUNNING":
            told["state"] = queue.state
        if self.labels:
            told["labels"] = {label: _label_state(queue, label) for label in self.labels}
        return told

    def _attempts(self) -> list[CapacityAttempt]:
        attempts = [application.attempt for application in self.rm.cluster.applications.values()]
        return [attempt for attempt in attempts if isinstance(attempt, CapacityAttempt)]

    def _applications(self) -> Json:
        told: Json = {}
        for attempt in self._attempts():
            leaf = attempt.queue.leaf
            told[self.names[attempt.application.number]] = {
                "queue": attempt.queue.path,
                "used_mb": attempt.used_memory_mb,
                "used_vcores": attempt.used_vcores,
                "reserved_mb": attempt.reserved_in[""][0],
                "runnable": leaf is not None and attempt in leaf.order,
                "live": len(attempt.live),
            }
        return told


def _label(label: Json) -> str:
    return str(label["name"]) + ("" if label.get("exclusive", True) else "(exclusive=false)")


def _label_state(queue: CapacityQueue, label: str) -> Json:
    share = queue.shares.get(label)
    if share is None:
        return {"used_mb": 0, "used_vcores": 0, "abs_capacity": 0.0, "abs_max": 0.0}
    return {
        "used_mb": share.used[0],
        "used_vcores": share.used[1],
        "abs_capacity": share.absolute,
        "abs_max": share.absolute_maximum,
    }


def decided(decisions: list[Decision]) -> Answer:
    """An answer that only holds decisions; those of a tick are told in the order made."""
    return Answer(tuple(each for each in decisions if not isinstance(each, Warned)) + _warned(decisions))


def _warned(decisions: list[Decision]) -> tuple[Decision, ...]:
    return tuple(each for each in decisions if isinstance(each, Warned))


def below(queue: CapacityQueue) -> list[CapacityQueue]:
    """A queue and all queues below it."""
    return [queue, *(each for child in queue.children for each in below(child))]


# Plays a recorded case of the CapacityScheduler of 2.7.2 on our ResourceManager.


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
            told["labels"] = {label: _older_label_state(queue, label) for label in self.labels}
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


def _older_label_state(queue: CapacityQueue27, label: str) -> Json:
    capacity, used = queue.configuration.capacities.get(label, NO_CAPACITY), queue.used(label)
    return {
        "used_mb": used[0],
        "used_vcores": used[1],
        "abs_capacity": capacity.absolute,
        "abs_max": capacity.absolute_maximum,
    }
