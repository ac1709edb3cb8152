"""What a snapshot says of a cluster, as far as a twin has to say the same."""

from collections.abc import Mapping

from engine.live.twin.cluster_holdings import LIVE
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.snapshot import Amounts, AskRow, QueueRow, Snapshot, Unknown

Likeness = Mapping[tuple[str, str], object]


def likeness(snapshot: Snapshot) -> Likeness:
    """(noun, id) → what is said of it.

    Left out: queues that nobody uses and no file names, which come and go; shares and demands, which an update of
    half a second ago may have computed; and of nodes what has ended there and is not let go of yet.
    """
    return {
        **_nodes(snapshot),
        **{("queue", row.path): _queue(row) for row in snapshot.queues() if row.applications_running or row.containers},
        **_applications(snapshot),
        **{
            ("reservation", row.node): (row.application, row.queue, row.size, row.since_ms)
            for row in snapshot.reservations()
        },
    }


def _nodes(snapshot: Snapshot) -> Likeness:
    ended: dict[str, list[Amounts]] = {}
    for row in snapshot.containers():
        if row.state not in {*LIVE, "RESERVED"}:
            ended.setdefault(row.node, []).append(row.size)
    return {
        ("node", row.id): (
            (row.host, row.rack, row.state, row.partition, row.total, row.reserved_by, row.reserved),
            row.containers - len(ended.get(row.id, ())),
            tuple(used - sum(size[at] for size in ended.get(row.id, ())) for at, used in enumerate(row.used)),
        )
        for row in snapshot.nodes()
    }


def _queue(row: QueueRow) -> object:
    return row.used, row.reserved, row.applications_running, row.applications_pending, row.containers, row.max_share


def _applications(snapshot: Snapshot) -> Likeness:
    return {
        ("application", row.id): (
            (row.number, row.name, row.user, row.queue, row.type, row.state, row.submitted_ms, row.waiting_since_ms),
            (row.used, row.containers, row.reserved, row.reservations, row.pending_containers),
            () if isinstance(row.asks, Unknown) else tuple(map(_ask, row.asks)),
        )
        for row in snapshot.applications(why=False)
        if row.state not in FINAL_APPLICATION_STATES
    }


def _ask(ask: AskRow) -> object:
    return ask.priority, ask.count, ask.size, ask.relax_locality
