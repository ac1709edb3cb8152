"""Plays a recorded YARN case on our ResourceManager and says what it did in the recording's own terms.

The format is that of the recorded cases: names are translated (`a1` → application number, `n1` → `n1:1`), the verbs
are the ResourceManager's own. Reservations are told as the difference an op made, as the recording tells them.
"""

from typing import Any, Self

from engine.control_plane.applications import check as check_call
from engine.control_plane.applications import requests
from engine.control_plane.protocol import (
    NOTHING,
    AllocationsReloaded,
    Answer,
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    ApplicationMovedToQueue,
    ApplicationSubmitted,
    Ask,
    NodeHeartbeat,
    NodeJoined,
    NodeLost,
    NodeResized,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import ConfigError, RefusedError
from engine.fork import fork as forked
from engine.formats.fair_files import read_fair_scheduler
from engine.model.decision import Allocated, ContainerId, Killed, Reserved, Warned
from engine.model.ledger import Container
from engine.model.request import Resource
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairQueue
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.fair34.scheduler import FairScheduler34
from engine.settings.site import SCHEDULING_WAIT
from tests.engine.model.invariants import check

Json = dict[str, Any]


def state_of(rm: ResourceManager, names: dict[int, str]) -> Json:
    """Queues, nodes and live applications, by name."""
    return {"queues": _queues(rm), "nodes": nodes_of(rm, names), "apps": _applications(rm, names)}


def _queues(rm: ResourceManager) -> Json:
    if not isinstance(rm.scheduler.policy, FairScheduler27 | FairScheduler34):
        used = {"used_mb": rm.cluster.metrics_memory_mb, "used_vcores": rm.cluster.metrics_vcores}
        return {"default": used}
    return {path: _queue(queue) for path, queue in sorted(rm.scheduler.policy.tree.queues.items())}


def _queue(queue: FairQueue) -> Json:
    return {
        "used_mb": queue.used_memory_mb,
        "used_vcores": queue.used_vcores,
        "demand_mb": queue.demand_memory_mb,
        "demand_vcores": queue.demand_vcores,
        "fair_mb": queue.fair_memory_mb,
        "fair_vcores": queue.fair_vcores,
        "steady_mb": queue.steady_memory_mb,
        "steady_vcores": queue.steady_vcores,
        "running": queue.runnable_count,
        "pending": sum(len(leaf.parked) for leaf in queue.leaves()),
    }


def nodes_of(rm: ResourceManager, names: dict[int, str]) -> Json:
    """What is used and free on each node, and for whom it is reserved."""
    return {
        node.host: {
            "used_mb": node.used_memory_mb,
            "used_vcores": node.used_vcores,
            "free_mb": node.free_memory_mb,
            "free_vcores": node.free_vcores,
            "reserved_for": names[node.reserved.id[0]] if node.reserved is not None else None,
        }
        for node in rm.cluster.nodes.values()
    }


def _applications(rm: ResourceManager, names: dict[int, str]) -> Json:
    told: Json = {}
    for number, application in rm.cluster.applications.items():
        attempt = application.attempt
        if attempt is None:
            continue
        headroom = rm.scheduler.policy.headroom(attempt)
        of_one: Json = {
            "queue": attempt.queue.path,
            "used_mb": attempt.used_memory_mb,
            "used_vcores": attempt.used_vcores,
            "reserved_mb": attempt.reserved_memory_mb,
            "runnable": True,
            "live": len(attempt.live),
            "headroom_mb": headroom.memory_mb,
            "headroom_vcores": headroom.vcores,
        }
        if isinstance(attempt, FairAttempt) and isinstance(attempt.queue, FairLeaf):
            of_one["runnable"] = attempt in attempt.queue.order.members
            of_one["fair_mb"] = attempt.fair_memory_mb
            of_one["fair_vcores"] = attempt.fair_vcores
        told[names[number]] = of_one
    return told


# Plays a recorded YARN case on our ResourceManager and says what it did in the recording's own terms.
#
# The format is that of the recorded cases: names are translated (`a1` → application number, `n1` → `n1:1`), the verbs
# are the ResourceManager's own. Reservations are told as the difference an op made, as the recording tells them.

PORT = 1
ENDLESS_MS = 10**13
CLUSTER_TIMESTAMP = 1
SCHEDULERS = {
    ("fair", "2.7.2"): "fair-2.7",
    ("fair", "3.4.1"): "fair-3.4",
    ("fifo", "2.7.2"): "fifo",
    ("fifo", "3.4.1"): "fifo-3.4",
    ("capacity", "2.7.2"): "capacity-2.7",
    ("capacity", "3.4.1"): "capacity-3.4",
}
"""(scheduler, release) of a case → our policy."""
ERAS = {"2.7.2": "2.7", "3.4.1": "3.4"}
"""Release of a case → the era of its allocation files."""
TICK = ("due_kills", "update", "preempt")
"""The passes that a recorded tick is made of, in their order."""


class Replay:
    """One case on our ResourceManager, op by op."""

    port = PORT

    def __init__(self, case: Json) -> None:
        self.conf: dict[str, str] = {key: str(value) for key, value in case["conf"].items()}
        self.now_ms = 0
        self.numbers: dict[str, int] = {}
        """Application name → number, refused ones included."""
        self.names: dict[int, str] = {}
        self.allocations: str | None = case.get("allocations")
        self.era = ERAS[case["hadoop"]]
        name = SCHEDULERS[case["scheduler"], case["hadoop"]]
        loaded = None
        if self.allocations is not None and case["scheduler"] == "fair":
            loaded = read_fair_scheduler(self.allocations, settings=self.conf, era=self.era).allocation
        self.rm = ResourceManager(
            self.conf,
            loaded,
            scheduler=name,
            groups=case.get("groups") or {},
            cluster_timestamp=CLUSTER_TIMESTAMP,
            now_ms=0,
            follow_attempts=False,
        )
        # The recordings begin long after the start-up period, unless a case makes it endless.
        if int(self.conf.get(SCHEDULING_WAIT.name, "0")) < ENDLESS_MS:
            self.rm.scheduler.policy.maximum.ask(ENDLESS_MS)
        if isinstance(self.rm.scheduler.policy, FairScheduler34):
            self.rm.scheduler.policy.updates_promptly = False  # an update is only recorded with a tick

    def fork(self) -> Self:
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.rm = forked(self.rm)
        other.numbers, other.names = dict(self.numbers), dict(self.names)
        return other

    def step(self, op: Json, *, last: bool) -> Json:
        """Do one op; what it did, in the recording's keys."""
        before = self._reservations()
        answer = getattr(self, "_" + op["op"])(op)
        check(self.rm.cluster)
        told = self._told(op, answer, before)
        if op["op"] == "tick" or last:
            told["state"] = self.state()
        return told

    def state(self) -> Json:
        """Queues, nodes and live applications, by name."""
        return state_of(self.rm, self.names)

    # ---------------------------------------------------------------- ops

    def _advance(self, op: Json) -> Answer:
        self.now_ms += op["ms"]
        return NOTHING

    def _add_node(self, op: Json) -> Answer:
        rack = op.get("rack") or "/default-rack"
        if self._node(op) in self.rm.cluster.nodes:  # the recordings speak to the scheduler, which takes it
            self.rm.scheduler.add_node(op["node"], PORT, rack, op["memory_mb"], op["vcores"], "")
            return NOTHING
        return self.rm.handle(NodeJoined(self._node(op), rack, op["memory_mb"], op["vcores"]), self.now_ms)

    def _remove_node(self, op: Json) -> Answer:
        return self.rm.handle(NodeLost(self._node(op)), self.now_ms)

    def _resize_node(self, op: Json) -> Answer:
        return self.rm.handle(NodeResized(self._node(op), op["memory_mb"], op["vcores"]), self.now_ms)

    def _submit(self, op: Json) -> Answer:
        name = op["app"]
        number = op.get("id") or len(self.numbers) + 1
        self.numbers[name], self.names[number] = number, name
        am = Resource(op["am"].get("memory_mb", 0), op["am"].get("vcores", 1)) if op.get("am") else None
        return self.rm.handle(ApplicationSubmitted(op["user"], op.get("queue"), am, number), self.now_ms)

    def _ask(self, op: Json) -> Answer:
        number = self.numbers[op["app"]]
        event = ApplicationMasterHeartbeat(
            number,
            tuple(_ask(ask) for ask in op.get("asks", ())),
            tuple(self._container(name) for name in op.get("release", ())),
            tuple(op.get("blacklist_add", ())),
            tuple(op.get("blacklist_remove", ())),
        )
        if number in self.rm.cluster.applications:
            return self.rm.handle(event, self.now_ms)
        try:  # the real driver checks the call of an ended application too, which then changes nothing
            check_call(
                self.rm.scheduler, (number, 1), requests(event.asks), event.releases, event.blacklist_add, self.now_ms
            )
        except RefusedError as error:
            return Answer(rejected=error.kind)
        return NOTHING

    def _pull(self, op: Json) -> Answer:
        return self._ask({"app": op["app"]})

    def _heartbeat(self, op: Json) -> Answer:
        node = self._node(op)
        started = [
            container.id
            for number in self.names
            for container in sorted(self._live(number), key=lambda container: container.id)
            if container.node.id == node and container.state == "ACQUIRED"
        ]
        completed = tuple((self._container(name), 0) for name in op.get("completed", ()))
        return self.rm.handle(NodeHeartbeat(node, tuple(started), completed), self.now_ms)

    def _tick(self, op: Json) -> Answer:
        decisions = [
            decision
            for a_pass in self.rm.passes()
            if a_pass.name in TICK
            for decision in self.rm.run_pass(a_pass.name, self.now_ms).decisions
        ]
        return Answer(tuple(decisions))

    def _continuous(self, op: Json) -> Answer:
        return self.rm.run_pass("continuous", self.now_ms) if self.rm.scheduler.policy.kind != "fifo" else NOTHING

    def _finish(self, op: Json) -> Answer:
        return self.rm.handle(ApplicationFinished(self.numbers[op["app"]], op.get("state", "FINISHED")), self.now_ms)

    def _move(self, op: Json) -> Answer:
        return self.rm.handle(ApplicationMovedToQueue(self.numbers[op["app"]], op["queue"]), self.now_ms)

    def _reload(self, op: Json) -> Answer:
        if op.get("conf") is not None or op.get("allocations") is None:
            # 2.7.2 reads the same file again, with the settings it was started with.
            text = self.allocations if op.get("conf") is not None else None
        else:
            text = op["allocations"]
        if op.get("conf") is None and any(a_pass.name == "clean_queues" for a_pass in self.rm.passes()):
            self.rm.run_pass("clean_queues", self.now_ms)
        if text is None:
            return NOTHING
        try:
            loaded = read_fair_scheduler(text, settings=self.conf, era=self.era)
        except ConfigError as error:
            return Answer(rejected=error.kind if op.get("conf") is None else "")
        finally:
            self.allocations = text
        return self.rm.handle(AllocationsReloaded(loaded.allocation), self.now_ms)

    # ---------------------------------------------------------------- what it did

    def _told(self, op: Json, answer: Answer, before: dict[str, Container]) -> Json:
        decisions = answer.decisions
        after = self._reservations()
        became = {decision.container for decision in decisions if isinstance(decision, Allocated)}
        held = {container.id for container in after.values()}
        killed = [
            self._name(decision.container)
            for decision in decisions
            if isinstance(decision, Killed) and self._is_killed(op, decision)
        ]
        told = {
            "allocated": [
                {"container": self._name(one.container), **self._placed(one)}
                for one in decisions
                if isinstance(one, Allocated) and self.rm.cluster.container(one.container) is not None
            ],
            "reserved": [self._placed(one) for one in decisions if isinstance(one, Reserved) and one.container in held],
            "unreserved": [
                self._held(container, node)
                for node, container in self._in_order(before)
                if (node not in after or after[node].id != container.id) and container.id not in became
            ],
            "warned": [self._name(decision.container) for decision in decisions if isinstance(decision, Warned)],
            "killed": sorted(killed) if op["op"] == "remove_node" else killed,
            "pulled": [self._name(grant.container) for grant in answer.granted],
            "notice": sorted(self._name(container) for container in answer.to_be_preempted),
            "rejected": answer.rejected,
        }
        return {key: value for key, value in told.items() if value}

    @staticmethod
    def _in_order(reservations: dict[str, Container]) -> list[tuple[str, Container]]:
        """Reservations in the order the recording tells of them: by the node's name."""
        return sorted(reservations.items())

    @staticmethod
    def _is_killed(op: Json, decision: Killed) -> bool:
        """Whether the recording tells of the end of a container."""
        return decision.cause == "PREEMPTED" or op["op"] == "remove_node"

    def _reservations(self) -> dict[str, Container]:
        nodes = self.rm.cluster.nodes.values()
        return {node.host: node.reserved for node in nodes if node.reserved is not None}

    def _placed(self, decision: Allocated | Reserved) -> Json:
        return {
            "app": self.names[decision.container[0]],
            "node": decision.node.rpartition(":")[0],
            "priority": decision.priority,
            "memory_mb": decision.memory_mb,
            "vcores": decision.vcores,
        }

    def _held(self, container: Container, host: str) -> Json:
        return {
            "app": self.names[container.id[0]],
            "node": host,
            "priority": container.priority,
            "memory_mb": container.memory_mb,
            "vcores": container.vcores,
        }

    # ---------------------------------------------------------------- names

    def _live(self, number: int) -> list[Container]:
        application = self.rm.cluster.applications.get(number)
        return list(application.attempt.live.values()) if application and application.attempt else []

    def _node(self, op: Json) -> str:
        return f"{op['node']}:{self.port}"

    def _container(self, name: str) -> ContainerId:
        application, _, number = name.rpartition("_")
        return (self.numbers[application], 1, int(number))

    def _name(self, container: ContainerId) -> str:
        return f"{self.names[container[0]]}_{container[2]:06d}"


def _ask(ask: Json) -> Ask:
    return Ask(
        ask.get("priority", 1),
        ask.get("resource_name") or "*",
        ask.get("memory_mb", 1024),
        ask.get("vcores", 1),
        ask.get("count", 1),
        ask.get("relax_locality") in (None, True),
        ask.get("label") or "",
        ask.get("allocation_id", -1),
    )
