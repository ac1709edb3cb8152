"""The figures in reasons held against the cluster, and the dimensions a reason names against what is short."""

from collections.abc import Callable, Iterator
from typing import Final

from engine.control_plane.spark_cluster_view import SparkClusterView, known_application, wanted_shapes
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.obstacles import ObstacleRow
from engine.model.ledger import Attempt, Node
from tests.gates.claims.cases import Case, Claim, Question

Amounts = tuple[int, int]
"""Memory [MB] and vcores."""

GONE: Final = ("NODE_LOST", "NODE_UNHEALTHY", "NODE_DECOMMISSIONED")
"""Codes of reasons about nodes that are out of service."""


def numbers(case: Case, question: Question) -> Iterator[Claim]:
    """Counts, sizes and uses are those of the cluster; every node is told of once, but where all are too small."""
    rows = question.answer.reasons
    counted = [row for row in rows if row.count]
    # A limit that says no before any node is asked does not hide that no node is large enough.
    counted = [row for row in counted if row.code != "NODE_TOO_SMALL" or row.count < row.of] or counted
    if counted:
        # What holds for the whole queue is not told again of every node in service.
        is_of_queue = rows[0].count == 0 and all(row.code in GONE for row in counted)
        is_all = is_of_queue or sum(row.count for row in counted) == counted[0].of
        yield Claim("numbers", is_all, f"{question}: {[(row.count, row.of) for row in counted]}")
    for row in rows:
        yield Claim("numbers", len(row.nodes) == row.count, f"{question}: {row.sentence} on {row.nodes}")
        for name, is_right in _figures(question, row):
            yield Claim("numbers", is_right, f"{question}: {name} in {row.numbers}: {row.sentence}")


def dimension(case: Case, question: Question) -> Iterator[Claim]:
    """What is short on every node of a reason is what its sentence names."""
    for row in question.answer.reasons:
        short = _short(question, row)
        if short is not None:
            named = _named(row)
            yield Claim("dimension", named == short, f"{question}: short {short}, told {named}: {row.sentence}")


def _named(row: ObstacleRow) -> set[str]:
    sentence = row.sentence
    return {unit for unit, word in (("mb", " MB"), ("vcores", " vcore"), ("vcores", " cores")) if word in sentence}


def _short(question: Question, row: ObstacleRow) -> set[str] | None:
    """The dimensions short on every node of a row; None where a row is not about amounts."""
    if row.code not in _LIMITS:
        return None
    view = question.here.control_plane.view()
    if isinstance(view, SparkClusterView):
        return _short_for_spark(view, question, row)
    if not isinstance(view, YarnClusterView):
        return None  # slots of trackers are no memory or vcores
    counted = ("mb", "vcores") if view.policy.counts_vcores else ("mb",)
    wanted = _wanted(_attempt(view, question.number), question.ask[1])
    found = []
    for node in _nodes(view, row):
        limit = _LIMITS[row.code](node)
        found.append(
            {unit for place, unit in enumerate(("mb", "vcores")) if wanted[place] > limit[place]} & set(counted)
        )
    return set.intersection(*found) if found else set()


def _short_for_spark(view: SparkClusterView, question: Question, row: ObstacleRow) -> set[str]:
    application = known_application(view.cluster, question.number)
    assert application is not None, "whoever is asked about is known"
    shape = wanted_shapes(application)[0]
    workers = [worker for worker in view.cluster.workers if worker.node.rpartition(":")[0] in row.nodes]
    is_total = row.code == "NODE_TOO_SMALL"
    short = []
    for worker in workers:
        cores = worker.cores if is_total else worker.cores_free
        memory_mb = worker.memory_mb if is_total else worker.memory_free_mb
        lacks = {"vcores": shape.step > cores, "mb": shape.memory_mb > memory_mb}
        short.append({unit for unit, is_short in lacks.items() if is_short})
    return _named(row) if _named(row) and any(_named(row) <= each for each in short) else set()


_LIMITS: Final[dict[str, Callable[[Node], Amounts]]] = {
    "DOES_NOT_FIT": lambda node: (node.free_memory_mb, node.free_vcores),
    "NODE_TOO_SMALL": lambda node: (node.total_memory_mb, node.total_vcores),
}
"""Reason → what of a node it is about."""


def _nodes(view: YarnClusterView, row: ObstacleRow) -> list[Node]:
    return [node for node in view.scheduler.cluster.nodes.values() if node.host in row.nodes]


def _attempt(view: YarnClusterView, number: int) -> Attempt:
    attempt = view.scheduler.cluster.applications[number].attempt
    assert attempt is not None
    return attempt


def _wanted(attempt: Attempt, priority: int | None) -> Amounts:
    anywhere = attempt.groups[priority if priority is not None else attempt.priorities[0]].anywhere
    assert anywhere is not None
    return anywhere.memory_mb, anywhere.vcores


def _figures(question: Question, row: ObstacleRow) -> Iterator[tuple[str, bool]]:
    """Every figure of a row, and whether it is that of the cluster."""
    view = question.here.control_plane.view()
    if not isinstance(view, YarnClusterView) or not _attempt(view, question.number).pending:
        return
    attempt, told = _attempt(view, question.number), row.numbers
    wanted = _wanted(attempt, question.ask[1])
    nodes = _nodes(view, row)
    if row.count:
        places = {
            "wanted": {wanted},
            "free": {(node.free_memory_mb, node.free_vcores) for node in nodes},
            "total": {(node.total_memory_mb, node.total_vcores) for node in nodes},
        }
        if row.code == "NODE_RESERVED":
            held = {node.reserved.memory_mb for node in nodes if node.reserved is not None}
            yield "held", told["held_mb"] in held
        for stem, real in places.items():
            said = tuple(told.get(f"{stem}_{unit}") for unit in ("mb", "vcores"))
            if said != (None, None):
                yield stem, any(all(a in (None, b) for a, b in zip(said, each, strict=True)) for each in real)
    elif row.code == "QUEUE_OVER_MAXIMUM":
        used = _used(view, row.subject)
        yield "used", (told["used_mb"], told.get("used_vcores", used[1])) in (used, (used[0], used[1]))
        if "wanted_mb" in told:
            yield "wanted", told["wanted_mb"] == wanted[0]
    elif row.code in ("AM_SHARE_EXHAUSTED", "USER_AM_SHARE_EXHAUSTED") and told.get("wanted_mb"):
        short = [
            told.get(f"used_{u}", 0) + told.get(f"wanted_{u}", 0) > told.get(f"share_{u}", 1 << 40)
            for u in ("mb", "vcores")
        ]
        yield "share", any(short)
    elif row.code == "QUEUE_NOT_RUNNING_IT":
        yield "limit", told["running"] >= told["limit"]


def _used(view: YarnClusterView, path: str) -> Amounts:
    """What the live containers of a queue and those below it take."""
    memory_mb = vcores = 0
    for application in view.scheduler.cluster.applications.values():
        attempt = application.attempt
        if attempt is not None and f"{attempt.queue.path}.".startswith(f"{path}."):
            memory_mb += sum(each.memory_mb for each in attempt.live.values())
            vcores += sum(each.vcores for each in attempt.live.values())
    return memory_mb, vcores
