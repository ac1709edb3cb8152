"""What runs on each node, as blocks; and what the names of all nodes begin with."""

from collections.abc import Callable, Iterable
from itertools import takewhile

from engine.observe.section import column, glimpses
from engine.observe.snapshot import Snapshot
from tui import format as text
from tui.render.hue import hue_of, hue_of_number
from tui.render.line import Look
from tui.render.node_bar import Block

Blocks = tuple[Block, ...]
BlocksOn = Callable[[Snapshot, Look], Callable[[str], Blocks]]  # Gives what runs on the nodes of a snapshot


def common_prefix(names: Iterable[str]) -> str:
    """The common prefix of names, cut before a dot; empty where they have none.

    >>> common_prefix(["10.120.117.84", "10.120.117.100"]), common_prefix(["n1", "n2"]), common_prefix(["a.b"])
    ('10.120.117', '', '')
    """
    some = list(names)
    if len(some) < 2:
        return ""
    first, last = min(some).split("."), max(some).split(".")
    shared = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first[:-1], last[:-1], strict=False))]
    return ".".join(shared)


def containers_on(snapshot: Snapshot, look: Look) -> Callable[[str], Blocks]:
    """Gives the containers on a node; each node is looked at once, when it is asked for."""
    known: dict[str, Blocks] = {}

    def blocks(node: str) -> Blocks:
        if node not in known:
            known[node] = _containers(snapshot, node, look)
        return known[node]

    return blocks


def executors_on(snapshot: Snapshot, look: Look) -> Callable[[str], Blocks]:
    """Gives the executors on a worker; all of them are looked at when one is asked for."""
    known: dict[str, Blocks] = {}

    def blocks(node: str) -> Blocks:
        if not known:
            known.update(_executors(snapshot))
        return known.get(node, ())

    return blocks


def _containers(snapshot: Snapshot, node: str, look: Look) -> Blocks:
    rows = snapshot.containers(node=node)
    names = ("queue", "application", "id", "size", "state")
    return tuple(
        Block(queue, application, row_id, size[0], hue_of(queue, look), text.short_queue(queue))
        for queue, application, row_id, size, state in zip(*(column(rows, name) for name in names), strict=True)
        if state != "RESERVED"
    )


def _executors(snapshot: Snapshot) -> dict[str, Blocks]:
    """Worker → its executors."""
    some = {row.number: (row.id, row.name) for row in glimpses(snapshot.applications(why=False))}
    found: dict[str, list[Block]] = {}
    for row in snapshot.executors():
        application, name = some.get(row.application, ("", ""))
        number, hue = f"{row.application:08d}", hue_of_number(row.application)
        block = Block(number, application, f"{row.executor:08d}", row.cores, hue, text.plain(name))
        found.setdefault(row.worker, []).append(block)
    return {worker: tuple(blocks) for worker, blocks in found.items()}
