"""What explanations ask of a cluster, alike for every kind of control plane: who is there, waits, holds, and why."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from engine.control_plane.protocol import ControlPlane
from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.spark_cluster_view import QUEUE, wanted_shapes
from engine.control_plane.spark_master import SparkMaster
from engine.explain.obstacles import standing_found
from engine.explain.reasons import ReasonRow, reason_rows
from engine.explain.spark_reasons import TOO_SMALL as WORKER_TOO_SMALL
from engine.explain.spark_reasons import answer_of, spark_holds, spark_reasons
from engine.explain.waits import Hold, Waits, YarnHolds
from engine.incremental import Incremental, finish
from engine.model.application import Application, Attempt
from engine.model.spark.application import SparkApplication
from engine.model.spark.naming import application_id
from engine.observe.spark_waits import refusal_of
from engine.schedulers.activity import Reason
from engine.simulation.simulation import Simulation


class Party(NamedTuple):
    """An application as it is named in an answer."""

    number: int
    name: str
    user: str
    queue: str
    submitted_ms: int
    waiting_since_ms: int | None
    """Since when it has been given nothing of what it waits for [epoch ms]; None when it waits for nothing."""
    waits: bool
    """Whether it asks for more than it has."""
    works: bool
    """Whether it has more than its application master."""


def living(control_plane: ControlPlane) -> list[Party]:
    """All applications that have not ended, in order of submission."""
    if isinstance(control_plane, ResourceManager):
        return [_of_yarn(each) for each in control_plane.cluster.applications.values()]
    if isinstance(control_plane, SparkMaster):
        return [_of_spark(control_plane, each) for each in control_plane.cluster.applications.values()]
    return []


def party(control_plane: ControlPlane, number: int) -> Party | None:
    """A live application; None when there is none of that number."""
    if isinstance(control_plane, ResourceManager):
        application = control_plane.cluster.applications.get(number)
        return _of_yarn(application) if application is not None else None
    if isinstance(control_plane, SparkMaster):
        spark = control_plane.cluster.applications.get(number)
        return _of_spark(control_plane, spark) if spark is not None else None
    return None


def _of_yarn(each: Application) -> Party:
    waits = each.attempt is not None and each.attempt.pending > 0
    since_ms = each.waiting_since_ms if waits else None
    works = each.attempt is not None and any(number != each.attempt.master for number in each.attempt.live)
    return Party(each.number, each.name, each.user, each.queue, each.submitted_ms, since_ms, waits, works)


def _of_spark(master: SparkMaster, each: SparkApplication) -> Party:
    """Whoever has executors goes on with those: it wants more, but does not wait."""
    since_ms = each.waiting_since_ms if not each.executors and _is_unserved(each) else None
    waits = refusal_of(each, master.cluster) is not None
    return Party(each.number, each.name, each.user, QUEUE, each.submitted_ms, since_ms, waits, bool(each.executors))


def _is_unserved(each: SparkApplication) -> bool:
    """Whether it asks for something, also for more than its own maximum allows."""
    return bool(wanted_shapes(each)) or any(each.executors_left(profile) > 0 for profile in each.profiles)


def ended(control_plane: ControlPlane) -> Iterator[tuple[int, int]]:
    """(number, submission [epoch ms]) of applications that ended, as far as they are remembered."""
    if isinstance(control_plane, ResourceManager):
        yield from ((each.number, each.submitted_ms) for each in control_plane.cluster.finished)
    elif isinstance(control_plane, SparkMaster):
        yield from ((each.number, each.submitted_ms) for each in control_plane.cluster.completed_applications)


def spark_ids(control_plane: ControlPlane) -> dict[int, str]:
    """Ids of a Master's applications by number, ended ones too; none of anything else."""
    if not isinstance(control_plane, SparkMaster):
        return {}
    cluster = control_plane.cluster
    both = (*cluster.applications.values(), *cluster.completed_applications)
    return {each.number: application_id(each.submitted_ms, each.number) for each in both}


def waiting(control_plane: ControlPlane) -> list[Party]:
    """Those that are given nothing of what they wait for, longest first."""
    found = [each for each in living(control_plane) if each.waiting_since_ms is not None]
    return sorted(found, key=_since)


def _since(each: Party) -> tuple[int, int]:
    return (each.waiting_since_ms or 0, each.number)


def somebody_waits(control_plane: ControlPlane, known: Collection[int] = ()) -> bool:
    """Whether anybody waits, but for some who are known; asked often, so it is cheap."""
    if isinstance(control_plane, ResourceManager) and not control_plane.cluster.pending:
        return False
    if isinstance(control_plane, ResourceManager) and not known:
        return True
    return any(each.number not in known for each in waiting(control_plane))


def longest_waiting(simulation: Simulation, known: Collection[int] = ()) -> int | None:
    """The number of the application that waits longest, but for some who are known; None when none does."""
    return next((each.number for each in waiting(simulation.control_plane) if each.number not in known), None)


def attempt_of(simulation: Simulation, number: int) -> Attempt | None:
    """A YARN application's present attempt; None when it has none."""
    control_plane = simulation.control_plane
    application = control_plane.cluster.applications.get(number) if isinstance(control_plane, ResourceManager) else None
    return application.attempt if application is not None else None


def reasons_of(simulation: Simulation, number: int) -> tuple[ReasonRow, ...]:
    """All that stands in an application's way, the first reason first; nothing when it waits for nothing."""
    return finish(reasons_found(simulation, number))


def reasons_found(simulation: Simulation, number: int) -> Incremental[tuple[ReasonRow, ...]]:
    """As `reasons_of`, made in pieces; the simulation must stand still until it is done."""
    control_plane = simulation.control_plane
    attempt = attempt_of(simulation, number)
    if isinstance(control_plane, ResourceManager) and attempt is not None and attempt.pending:
        scheduler = control_plane.scheduler
        found = yield from standing_found(scheduler, attempt, simulation.now_ms)
        yield
        return reason_rows(scheduler, attempt, found)
    if isinstance(control_plane, SparkMaster) and number in control_plane.cluster.applications:
        return spark_reasons(control_plane.cluster.applications[number], control_plane.cluster)
    return ()


def too_large_found(simulation: Simulation, number: int) -> Incremental[bool]:
    """Whether every node says that it will never hold what an application asks for; found in pieces."""
    control_plane = simulation.control_plane
    attempt = attempt_of(simulation, number)
    if isinstance(control_plane, ResourceManager) and attempt is not None:
        on_nodes = (yield from standing_found(control_plane.scheduler, attempt, simulation.now_ms)).on_nodes
        return bool(on_nodes) and all(obstacle.reason is Reason.NODE_TOO_SMALL for _, obstacle in on_nodes)
    if isinstance(control_plane, SparkMaster) and number in control_plane.cluster.applications:
        shapes = wanted_shapes(control_plane.cluster.applications[number])
        workers = [worker for worker in control_plane.cluster.workers if worker.state == "ALIVE"]
        answers = {answer_of(worker, shape) for worker in workers for shape in shapes}
        return answers == {WORKER_TOO_SMALL}
    return False


def waits_in(simulation: Simulation) -> Waits:
    """The graph of who waits for whom where a simulation stands; it must stand still while it is followed."""
    control_plane = simulation.control_plane
    if isinstance(control_plane, ResourceManager):
        return Waits(YarnHolds(control_plane.scheduler, simulation.now_ms).of)
    return Waits(_SparkHolds(control_plane).of)


class _SparkHolds:
    """Who holds what applications of a Master wait for."""

    def __init__(self, control_plane: ControlPlane) -> None:
        self._control_plane = control_plane

    def of(self, number: int) -> Incremental[list[Hold]]:
        """Who holds what an application waits for; nobody when it waits for nothing."""
        yield
        master = self._control_plane
        application = master.cluster.applications.get(number) if isinstance(master, SparkMaster) else None
        if not isinstance(master, SparkMaster) or application is None:
            return []
        return spark_holds(application, master.cluster)


def resting(parties: Sequence[Party]) -> set[int]:
    """Numbers of those that wait for nothing."""
    return {each.number for each in parties if not each.waits}
