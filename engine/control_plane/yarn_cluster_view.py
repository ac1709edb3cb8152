"""Reads a ResourceManager's cluster for observers; `PolicyView` reads its policy."""

from collections.abc import Iterator
from operator import attrgetter

from engine.control_plane.cluster_view import (
    ApplicationSummary,
    ClusterFigures,
    ClusterModes,
    ClusterView,
    RecoveryFigures,
)
from engine.control_plane.recovery import Recovery
from engine.model.identity import application_name, container_name
from engine.model.ledger import Application, Attempt, Container
from engine.schedulers.interface import UNKNOWN, Unknown
from engine.schedulers.obstacle_texts import Reason, Recorder
from engine.schedulers.yarn_scheduler import YarnScheduler, obstacle_before_nodes

_MANY = 8  # One node in so many is many


class YarnClusterView(ClusterView):
    kind = "yarn"
    records_refusals = True

    def __init__(self, scheduler: YarnScheduler, recovery: Recovery) -> None:
        self.scheduler = scheduler
        self._recovery = recovery
        self.policy = scheduler.policy.view()
        self._cluster = scheduler.cluster

    def figures(self) -> ClusterFigures:
        cluster = self._cluster
        return ClusterFigures(
            total=(cluster.total_memory_mb, cluster.total_vcores),
            used=(cluster.used_memory_mb, cluster.used_vcores),
            reserved=self.policy.reserved(),
            nodes=len(cluster.nodes),
            nodes_down=len(cluster.down),
            nodes_reserved=cluster.reservations,
            applications=len(cluster.applications),
            containers=cluster.live,
            containers_pending=cluster.pending,
        )

    def modes(self) -> ClusterModes:
        settings = self._recovery.settings
        keeps = "containers" if settings.preserves_work else "applications" if settings.enabled else "nothing"
        return ClusterModes(self.policy.preemption(), self.policy.reservation_rule(), UNKNOWN, keeps)

    def recovery(self) -> RecoveryFigures | None:
        recovery = self._recovery
        if recovery.state == "ACTIVE":
            return None
        return RecoveryFigures(
            not recovery.answers,
            recovery.since_ms,
            recovery.nodes_known - len(recovery.missing),
            recovery.nodes_known,
            len(recovery.unregistered),
            recovery.waits_until_ms,
        )

    def applications(self) -> list[ApplicationSummary]:
        return [_summary(each) for each in self._cluster.applications.values()]

    def application(self, number: int) -> ApplicationSummary | None:
        application = self._cluster.applications.get(number)
        return _summary(application) if application is not None else None

    def service_fields(self, number: int) -> tuple[str, int | Unknown, int | None, int] | None:
        each = self._cluster.applications.get(number)
        if each is None:
            return None
        attempt = each.attempt
        pending, held = (0, 0) if attempt is None else (attempt.pending, len(attempt.live))
        return each.state, pending, each.waiting_since_ms, held

    def numbers_running(self) -> list[int]:
        return [each.number for each in self._cluster.applications.values() if each.state == "RUNNING"]

    def ended(self) -> Iterator[tuple[int, int]]:
        return ((each.number, each.submitted_ms) for each in self._cluster.finished)

    def somebody_waits(self) -> bool:
        return self._cluster.pending > 0

    def application_id(self, number: int) -> str:
        return application_name(self._cluster.cluster_timestamp, number)

    def container_id(self, container: tuple[int, int, int]) -> str:
        return container_name(self._cluster.cluster_timestamp, container)

    def reservations(self) -> list[Container]:
        cluster = self._cluster  # where there are many it is quicker to go through the nodes than to sort
        if cluster.reservations * _MANY > len(cluster.nodes):
            return [held for node in cluster.nodes.values() if (held := node.reserved) is not None]
        some = (one for attempt in self._attempts() for one in attempt.reserved.values())
        return sorted(some, key=attrgetter("node.joined"))

    def take_apart(self) -> None:
        for node in self._cluster.nodes.values():
            node.containers, node.reserved = {}, None
        for application in self._cluster.applications.values():
            if application.attempt is not None:
                application.attempt.live, application.attempt.reserved = {}, {}

    def longest_timer_ms(self) -> int:
        return self.scheduler.policy.longest_timer_ms()

    def repeats(self, now_ms: int) -> bool:
        return self.scheduler.policy.repeats(now_ms)

    def delay_offers(self, now_ms: int) -> int:
        most = self.policy.delay_offers()
        return most if most and any(self._lets_pass(attempt, now_ms) for attempt in self._attempts()) else 0

    def _attempts(self) -> Iterator[Attempt]:
        return (each.attempt for each in self._cluster.applications.values() if each.attempt is not None)

    def _lets_pass(self, attempt: Attempt, now_ms: int) -> bool:
        """Tell whether on some node only a better place is waited for, or nothing but the next offer any more."""
        scheduler = self.scheduler
        if not attempt.pending or obstacle_before_nodes(scheduler, attempt) is not None:
            return False
        found = (scheduler.policy.obstacle_on(attempt, node, now_ms) for node in self._cluster.nodes.values())
        return any(each is None or each.reason is Reason.DELAY_SCHEDULING for each in found)

    def has_room_ever(self, memory_mb: int, vcores: int) -> bool:
        sizes = {(node.total_memory_mb, node.total_vcores) for node in self._cluster.nodes.values()}
        needed = vcores if self.policy.counts_vcores else 0
        return not sizes or any(memory_mb <= most_mb and needed <= most for most_mb, most in sizes)

    def record_refusals(self, recorder: Recorder) -> None:
        self.scheduler.policy.recorder = recorder


def _summary(each: Application) -> ApplicationSummary:
    attempt = each.attempt
    waits = attempt is not None and attempt.pending > 0
    since_ms = each.waiting_since_ms if waits else None
    works = attempt is not None and attempt.has_live_beside_master
    about = (each.number, each.name, each.user, each.queue, each.submitted_ms)
    return ApplicationSummary(*about, since_ms, waits, works, since_ms)
