"""A ResourceManager's state store, and its progress in recovering from it after a start.

In the store are applications, their attempts with the AM's container, and the epoch. Not there: nodes, other
containers, asks, reservations, the use of queues, locality waits and the clocks of preemption. Nodes and masters bring
back the containers and asks; the rest is lost.

Source: RMStateStore, RMAppManager#recover, AbstractYarnScheduler#recoverContainersOnNode,
RMActiveServiceContext#isSchedulerReadyForAllocatingContainers, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterable
from typing import Final

from engine.control_plane.protocol import NodeContainer
from engine.model.decision import Completed, Decision, Killed
from engine.model.identity import EPOCH_BITS
from engine.model.ledger import Application, Node
from engine.model.lifecycle import CONTROL_PLANE, move
from engine.schedulers.settings import RecoverySettings
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.state import State

EXIT_KILLED_BY_RM: Final = -106
"""Exit status of a container that its node killed to resync. Source: ContainerExitStatus."""

ORPHANED: Final = "ORPHANED"  # Why a container ends that no live attempt of this control plane owns


def recovered(former: Application) -> Application:
    """An application again, new, in the queue its client named; its next attempt is the one that lived."""
    made = Application(former.number, former.user, former.requested, former.am, former.submitted_ms)
    made.name, made.type, made.partition, made.tags = former.name, former.type, former.partition, former.tags
    made.priority, made.priority_given = former.priority, former.priority_given
    made.max_attempts = former.max_attempts
    made.attempts_made, made.failed_ms = former.attempts_made - 1, former.failed_ms
    made.failures_validity_ms, made.keeps_containers = former.failures_validity_ms, former.keeps_containers
    return made


class ServerState(metaclass=State):
    """Tells whether a control plane is there, and which nodes have not come back since it stopped."""

    state: str = "ACTIVE"
    since_ms: int  # Since when it is in that state [epoch ms]
    missing: dict[str, None] = {}  # Nodes that were up when it stopped and are not back
    nodes_known: int = 0  # How many were up then
    gives_up_ms: int  # When it no longer counts on what is missing [epoch ms]

    def __init__(self, now_ms: int) -> None:
        self.since_ms = now_ms
        self.gives_up_ms = now_ms

    @property
    def answers(self) -> bool:
        return self.state != "DOWN"

    def stop(self, nodes: Iterable[str], now_ms: int) -> None:
        if self.state == "ACTIVE":
            self.missing = {}
        self.missing |= dict.fromkeys(nodes)
        self.nodes_known = len(self.missing)
        self.move("STOP", now_ms)

    def move(self, happening: str, now_ms: int) -> None:
        self.state = move(CONTROL_PLANE, self.state, happening)
        self.since_ms = now_ms


class Recovery(ServerState):
    """Tells whether a ResourceManager is up, and what it waits for after its start."""

    settings: RecoverySettings
    epoch: int = 0  # How often it was started on a store with work preserved; the upper bits of container numbers
    unregistered: dict[int, int] = {}  # Application → its recovered attempt whose master has not spoken
    lost_masters: dict[int, int] = {}
    """Application → number of its master's container, where no attempt is recovered with it."""
    waits_until_ms: int = -1  # The last instant at which it allocates nothing [epoch ms]; -1 when it never waited

    def __init__(self, settings: RecoverySettings, now_ms: int) -> None:
        super().__init__(now_ms)
        self.settings = settings

    @property
    def last_container_number(self) -> int:
        """The container number after which the attempts of this life count. Source: ResourceManager#getEpoch."""
        return self.epoch << EPOCH_BITS

    def start(self, held_any: bool, now_ms: int) -> None:
        """It is there again; `held_any` says whether the store had any application, also an ended one."""
        self.move("START", now_ms)
        waits = self.settings.preserves_work and held_any
        self.epoch += self.settings.preserves_work
        self.waits_until_ms = now_ms + self.settings.wait_ms if waits else -1
        self.gives_up_ms = now_ms + self.settings.node_expiry_ms
        self.unregistered, self.lost_masters = {}, {}

    def look(self, now_ms: int) -> bool:
        """Tell whether recovery ends now: the wait is over, and nothing is missing or it has been given up."""
        missing = bool(self.missing or self.unregistered)
        if self.state != "RECOVERING" or now_ms <= self.waits_until_ms or (missing and now_ms < self.gives_up_ms):
            return False
        self.move("RECOVERED", now_ms)
        return True

    def master_known(self, number: int) -> None:
        self.unregistered.pop(number, None)
        self.lost_masters.pop(number, None)


def recover_containers(
    recovery: Recovery, scheduler: YarnScheduler, node: Node, containers: Iterable[NodeContainer]
) -> list[Decision]:
    """Take over what a node new to this ResourceManager runs; return containers without an owner, to be killed.

    Without work preserved only the ends of masters' containers matter. Source: #recoverContainersOnNode.
    """
    decisions: list[Decision] = []
    for each in containers:
        if each.exit_status is not None:
            decisions.append(Completed(each.container, node.id, each.exit_status))
        elif not _recover(recovery, scheduler, node, each):
            decisions.append(Killed(each.container, node.id, ORPHANED))
    return decisions


def _recover(recovery: Recovery, scheduler: YarnScheduler, node: Node, known: NodeContainer) -> bool:
    application = scheduler.cluster.applications.get(known.container[0])
    attempt = application.attempt if application is not None else None
    if application is None or attempt is None or attempt.stopped:
        return False
    # Of a former attempt only what outlives attempts runs on.
    if attempt.number != known.container[1] and not application.keeps_containers:
        return False
    if attempt.unmanaged and not recovery.settings.recovers_unmanaged:
        return False
    container = scheduler.cluster.recover(
        attempt, known.container, node, known.priority, known.memory_mb, known.vcores, known.created_ms
    )
    container.is_am = attempt.master == container.number
    scheduler.policy.charge_recovered(container)
    return True
