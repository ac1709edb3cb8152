"""Infers why applications of a live cluster wait, a sentence each, as far as its server's answers allow."""

from typing import Final

import msgspec

from engine.live.scene import INFERRED, KNOWN, UNSAID, LiveScene
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.obstacle_summary import NodeTally
from engine.observe.snapshot import ApplicationRow, AskRow, ObstacleSummary, Unknown
from engine.schedulers.activity import Reason
from engine.schedulers.obstacle_texts import sentence_of

SAID: Final = "the ResourceManager says: "
"""How a sentence of the server begins."""


_SAID_REASONS: Final = {
    "has reached the maximum limit of runnable applications": Reason.QUEUE_NOT_RUNNING_IT,
    "Queue's AM resource limit exceeded": Reason.AM_SHARE_EXHAUSTED,
    "User's AM resource limit exceeded": Reason.USER_AM_SHARE_EXHAUSTED,
    "exceeds maximum AM resource allowed": Reason.AM_SHARE_EXHAUSTED,
    "exceeds current queue or its parents maximum resource allowed": Reason.QUEUE_OVER_MAXIMUM,
    "exceeds the available resources of the node": Reason.DOES_NOT_FIT,
}
"""Part of what a server says of an application → the reason it is.

Source: FSAppAttempt, MaxRunningAppsEnforcer, CSAMContainerLaunchDiagnosticsConstants, 3.4.1.
"""


def with_obstacles(snapshot: FixedSnapshot) -> FixedSnapshot:
    """The same snapshot, in which applications that wait have an obstacle."""
    scene = LiveScene(snapshot)
    known: dict[tuple[object, ...], ObstacleSummary] = {}
    """Sentences of asks that were looked at: many applications ask for the same."""
    rows = [_explained(row, scene, known) for row in snapshot.applications()]
    return snapshot.with_obstacles(rows)


def _explained(
    row: ApplicationRow, scene: LiveScene, known: dict[tuple[object, ...], ObstacleSummary]
) -> ApplicationRow:
    """With the obstacle of its first ask in order of priority; the server's own words where it has any."""
    if waits_for_unknown(row):
        marked, words = scene.of_unknown_ask(row.id)
        return msgspec.structs.replace(
            row, obstacle=ObstacleSummary(marked.obstacle.reason.name, words, marked.certainty)
        )
    if not waits(row) or isinstance(row.asks, Unknown):
        return row
    ask = row.asks[0]
    words = words_of_server(row)
    in_queue = None if words else next(scene.in_queues(row, ask), None)
    if words:
        found = ObstacleSummary(reason_said(words).name, SAID + words, KNOWN)
    elif in_queue is not None:
        found = ObstacleSummary(in_queue.obstacle.reason.name, sentence_of(in_queue.obstacle), in_queue.certainty)
    elif not scene.nodes:
        found = ObstacleSummary(Reason.NO_NODE.name, "there is no node", KNOWN)
    else:
        asker = row.id if row.id in scene.holders else ""
        key = (ask.size, asker, () if ask.relax_locality else ask.places)
        found = known.get(key) or known.setdefault(key, _on_nodes(scene, asker, ask))
    return msgspec.structs.replace(row, obstacle=found)


def _on_nodes(scene: LiveScene, asker: str, ask: AskRow) -> ObstacleSummary:
    """Return the obstacles of an ask on all nodes; `asker` is empty for one that holds nothing."""
    tally, certainty = NodeTally(), KNOWN
    for node in scene.nodes:
        found = scene.on_node(asker, ask, node)
        tally.add(node.host, None if found is None else found.obstacle)
        certainty = UNSAID if found is None else INFERRED if certainty == KNOWN != found.certainty else certainty
    return tally.sum_up(certainty)


def waits(row: ApplicationRow) -> bool:
    """Tell whether an application asks for something."""
    return row.state not in FINAL_APPLICATION_STATES and bool(row.listed_asks)


def waits_for_unknown(row: ApplicationRow) -> bool:
    """Tells whether an application waits for an ask of unknown size: its first container, or one it holds nodes for."""
    is_waiting = row.waiting_since_ms is not None or (row.state == "ACCEPTED" and not row.containers)
    return is_waiting and row.state not in FINAL_APPLICATION_STATES and isinstance(row.asks, Unknown)


def words_of_server(row: ApplicationRow) -> str:
    """Return what the server itself says of one that waits for its master; empty where it says nothing."""
    return said_of(row.diagnostics) if row.state == "ACCEPTED" else ""


def said_of(words: str) -> str:
    """A server's diagnostics without the date in brackets that 3.x begins with, and without the figures at the end."""
    text = " ".join(words.split())
    if text.startswith("["):
        text = text.partition("]")[2].strip() or text
    return text.partition(" Details :")[0].rstrip(". ")


def reason_said(words: str) -> Reason:
    """The reason that a server's diagnostics name; `OTHER_FIRST` where they name none that is known."""
    return next((reason for part, reason in _SAID_REASONS.items() if part in words), Reason.OTHER_FIRST)
