"""Reports why something of a live cluster waits, without a verdict.

Nothing is played ahead, so that there is neither proof nor remedy. Every reason is `known`, `inferred` or `unknown`.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.answer import (
    END_UNKNOWN,
    ApplicationReport,
    HolderReport,
    PlaceReport,
    RefusalReport,
    WaiterReport,
    WhyReport,
    application_report,
    ask_report,
    empty_report,
    place_report,
)
from engine.explain.obstacles import NODES_NAMED, ObstacleRow
from engine.grouping import grouped
from engine.live.inference import (
    KNOWN,
    SAID,
    UNSAID,
    LiveObstacleFinder,
    RatedObstacle,
    reason_said,
    waits,
    waits_for_unknown,
    words_of_server,
)
from engine.live.yarn_answers import Activities
from engine.model.request import is_under
from engine.observe.snapshot import SOME_NODE, ApplicationRow, AskRow, NodeRow, Snapshot, Unknown
from engine.schedulers.obstacle_texts import (
    OBSTACLE_TEXTS,
    Obstacle,
    Reason,
    answer_of,
    binding_units,
    noun_of,
    numbers_of,
    shortage_of,
)

LIVE: Final = "live"  # The verdict of an application of which nothing was played ahead

NOT_SAID: Final = "appears to have room; blacklist, locality delay and ordering are not reported"
HELD_UNSAID: Final = "may be reserved for others; which nodes are, only the ResourceManager's log says (--rm-log)"


def why_application(snapshot: Snapshot, number: int) -> WhyReport:
    """The answer about one application, without what the server recorded of it."""
    row = next((each for each in snapshot.applications() if each.number == number), None)
    time_ms = snapshot.header.time_ms
    if row is None:
        application = ApplicationReport(id=f"application {number}", number=number)
        return msgspec.structs.replace(empty_report(time_ms, application, "unknown"), is_live=True)
    return msgspec.structs.replace(
        empty_report(time_ms, application_report(row, map(ask_report, row.listed_asks)), _verdict(row)),
        reasons=tuple(_reasons(snapshot, LiveObstacleFinder(snapshot), row)),
        holders=tuple(_holders(snapshot, row)),
        is_live=True,
    )


def why_place(snapshot: Snapshot, kind: str, name: str) -> PlaceReport:
    """Return the applications that wait in a queue or below, for a node or in the cluster; `kind` as there."""
    scene = LiveObstacleFinder(snapshot)
    rows = [row for row in snapshot.applications() if waits(row) or waits_for_unknown(row)]
    if kind == "queue":
        rows = [row for row in rows if is_under(row.queue, name) or name == "root"]
    scene_of = scene.at(name) if kind == "node" else scene
    waiting = (
        WaiterReport(
            application=row.id,
            name=row.name,
            queue=row.queue,
            waiting_since_ms=row.waiting_since_ms,
            pending=row.pending_containers,
            reasons=tuple(_reasons(snapshot, scene_of, row)),
        )
        for row in rows
    )
    return place_report(snapshot.header.time_ms, kind, name, waiting, is_live=True)


def with_activities(why: WhyReport, found: Activities) -> WhyReport:
    """The same answer beside what the server itself recorded of the application."""
    facts = tuple(RefusalReport(node=node, code=words, numbers=()) for node, words in found.passed)
    return msgspec.structs.replace(why, facts=facts)


def _reasons(snapshot: Snapshot, scene: LiveObstacleFinder, row: ApplicationRow) -> list[ObstacleRow]:
    if snapshot.dialect == YarnClusterView.kind:
        return _of_yarn(scene, row)
    found = row.obstacle
    if found is None:
        return []
    return [
        ObstacleRow(code=found.code, answer=found.sentence, level="APP", state="SKIPPED", certainty=found.certainty)
    ]


def _of_yarn(scene: LiveObstacleFinder, row: ApplicationRow) -> list[ObstacleRow]:
    if waits_for_unknown(row):
        marked, words = scene.of_unknown_ask(row.id)
        return [_row(marked.obstacle, marked.certainty, [], len(scene.nodes), words)]
    if not waits(row) or isinstance(row.asks, Unknown):
        return []
    ask, words = row.asks[0], words_of_server(row)
    found = [_row(Obstacle(reason_said(words)), KNOWN, [], 0, SAID + words)] if words else []
    found += [_row(each.obstacle, each.certainty, [], len(scene.nodes)) for each in scene.in_queues(row, ask)]
    if not scene.nodes:
        return [*found, _row(Obstacle(Reason.NO_NODE), KNOWN, [], 0)]
    return [*found, *_on_nodes(scene, row, ask)]


def _on_nodes(scene: LiveObstacleFinder, row: ApplicationRow, ask: AskRow) -> list[ObstacleRow]:
    asker = row.id if row.id in scene.holders else ""
    groups: dict[tuple[object, ...], list[tuple[NodeRow, RatedObstacle]]] = {}
    free: list[NodeRow] = []
    for node in scene.nodes:
        found = scene.on_node(asker, ask, node)
        if found is None:
            free.append(node)
            continue
        obstacle = found.obstacle
        key = (obstacle.reason, obstacle.subject, found.certainty, *binding_units(obstacle))
        groups.setdefault(key, []).append((node, found))
    rows = []
    for group in sorted(groups.values(), key=lambda each: -len(each)):
        nearest = min((found for _, found in group), key=lambda each: shortage_of(each.obstacle))
        rows.append(_row(nearest.obstacle, nearest.certainty, [node for node, _ in group], len(scene.nodes)))
    return rows + _of_free(scene, free)


def _of_free(scene: LiveObstacleFinder, free: Sequence[NodeRow]) -> list[ObstacleRow]:
    unsaid = [node for node in free if scene.are_some_reserved and isinstance(node.reserved_by, Unknown)]
    others = [node for node in free if node not in unsaid]
    found = []
    for reason, nodes, words in ((Reason.NODE_RESERVED, unsaid, HELD_UNSAID), (Reason.OTHER_FIRST, others, NOT_SAID)):
        if nodes:
            row = _row(Obstacle(reason), UNSAID, nodes, len(scene.nodes), words)
            found.append(msgspec.structs.replace(row, noun="node"))
    return found


def _row(obstacle: Obstacle, certainty: str, nodes: Sequence[NodeRow], of: int, answer: str = "") -> ObstacleRow:
    text = OBSTACLE_TEXTS[obstacle.reason]
    return ObstacleRow(
        code=obstacle.reason.name,
        answer=answer or answer_of(obstacle),
        level=text.level,
        state=text.state,
        diagnostic=text.diagnostic,
        count=len(nodes),
        of=of,
        nodes=tuple(node.host for node in nodes[:NODES_NAMED]),
        subject=obstacle.subject,
        numbers=numbers_of(obstacle),
        certainty=certainty,
        noun="" if answer else noun_of(obstacle),
    )


def _verdict(row: ApplicationRow) -> str:
    if row.finished_ms is not None:
        return "ended"
    if waits(row) or waits_for_unknown(row):
        return LIVE
    return "unknown" if isinstance(row.asks, Unknown) else "none"


def _holders(snapshot: Snapshot, asker: ApplicationRow) -> list[HolderReport]:
    """Others that hold nodes, as far as they can be concluded; until when is not known."""
    scene = LiveObstacleFinder(snapshot)
    held = grouped((row.application, row.node) for row in snapshot.reservations())
    rows = [row for row in snapshot.applications(why=False) if row.id in scene.holders and row.id != asker.id]
    possible = sum(isinstance(node.reserved_by, Unknown) for node in scene.nodes)
    return [_holder(row, held.get(row.id, ()), possible) for row in rows]


def _holder(row: ApplicationRow, nodes: Sequence[str], possible: int) -> HolderReport:
    """An application that holds nodes; those whose names are not known are some of the `possible` ones."""
    held = tuple(f"one of the {possible} nodes" if node == SOME_NODE else node for node in nodes)
    return HolderReport(
        application=row.id,
        name=row.name,
        queue=row.queue,
        because=Reason.NODE_RESERVED.name,
        memory_mb=row.used[0],
        vcores=row.used[1],
        containers=(),
        container_count=row.containers,
        nodes=held,
        reservations=held,
        waits=waits(row),
        until_ms=END_UNKNOWN,
    )
