"""The bar of a node: what runs on it as blocks in the hues of its queues, then what is free; and those blocks.

A bar has half cells. A container takes those from where the ones before it end, and leaves the last one out as a gap.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, takewhile
from typing import NamedTuple

from engine.observe.section import column, glimpses
from engine.observe.snapshot import Snapshot
from tui import format as text
from tui import glyphs
from tui.render.hue import hue_of, hue_of_number
from tui.render.line import Look, Spans, joined


class Block(NamedTuple):
    """One container, or executor, as a bar shows it."""

    queue: str
    """By which blocks are ordered; of Spark, which has no queues, the application."""
    application: str
    """Id."""
    id: str
    size: int
    """In the dimension of the bar."""
    style: str
    """The hue of the queue."""
    name: str
    """The name of the queue or application, whose first letter stands for the hue where there is none."""
    dimension: int = 0
    """Place of the size among the amounts: of an attempt that takes reduce slots 1."""


class _Piece(NamedTuple):
    """A part drawn as one block: a container, or small ones of one queue together."""

    size: int
    style: str
    letter: str


class _Half(NamedTuple):
    """One half cell that is taken."""

    piece: int
    style: str
    letter: str


@lru_cache(4096)
def node_bar(
    width: int,
    capacity: int,
    blocks: tuple[Block, ...],
    *,
    selected: str = "",
    reserved: str = "",
    has_letters: bool = False,
) -> Spans:
    """The bar of a node.

    Args:
        selected: Id of the application whose blocks stand out; empty where none does.
        reserved: Id of the application the free part is reserved for; empty where it is for nobody.
        has_letters: Whether blocks are letters of their queues, those of the selected application capital ones.
    """
    halves: list[_Half | None] = [None] * (2 * width)
    done = 0
    for place, piece in enumerate(_pieces(width, capacity, blocks, selected)):
        begin, end = (_half(amount, width, capacity) for amount in (done, done + piece.size))
        done += piece.size
        filled = end - 1 if end - begin >= 2 else end
        halves[begin:filled] = [_Half(place, piece.style, piece.letter)] * (filled - begin)
    taken = -(-_half(done, width, capacity) // 2)
    is_held = bool(reserved) and selected in {"", reserved}
    free = (glyphs.RESERVED if reserved else glyphs.FREE), "held" if is_held else "room"
    cells = []
    for place in range(width):
        left, right = halves[2 * place : 2 * place + 2]
        one = left or right
        if one is None:
            cells.append((" ", "room") if place < taken and reserved else free)
        elif has_letters:
            is_end = right is None and place > 0 and (before := halves[2 * place - 1]) and before.piece == one.piece
            cells.append((glyphs.BLOCK_END if is_end else one.letter, one.style))
        else:
            sign = glyphs.BLOCK if left and right else glyphs.BLOCK_LEFT if left else glyphs.BLOCK_RIGHT
            cells.append((sign, one.style))
    return joined(cells)


def _half(amount: int, width: int, capacity: int) -> int:
    return 0 if capacity <= 0 else max(0, min(2 * width, (4 * width * amount + capacity) // (2 * capacity)))


def _pieces(width: int, capacity: int, blocks: tuple[Block, ...], selected: str) -> Iterator[_Piece]:
    """Blocks in order; of each queue those smaller than a cell come last, as one piece."""
    for _, of_queue in groupby(sorted(blocks), key=lambda block: block.queue):
        small: dict[bool, Block] = {}
        for block in of_queue:
            is_selected = bool(selected) and block.application == selected
            if block.size * width < capacity:
                before = small.get(is_selected)
                small[is_selected] = block._replace(size=block.size + (before.size if before else 0))
            else:
                yield _piece(block, selected, is_selected=is_selected)
        for is_selected, block in small.items():
            yield _piece(block, selected, is_selected=is_selected)


def _piece(block: Block, selected: str, *, is_selected: bool) -> _Piece:
    style = block.style if not selected else "accent" if is_selected else "room"
    letter = letter_of(block.name)
    return _Piece(block.size, style, letter.upper() if is_selected else letter)


def letter_of(name: str) -> str:
    """The letter of a queue where there is no colour: the first of its name.

    >>> letter_of("reports"), letter_of("_Etl"), letter_of("队")
    ('r', 'e', 'o')
    """
    first = next((sign for sign in name if sign.isalnum()), "")
    return first.lower() if first.isascii() and first else "o"


# What runs on each node

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
        Block(queue, application, row_id, *_sized(size, hue_of(queue, look), text.short_queue(queue)))
        for queue, application, row_id, size, state in zip(*(column(rows, name) for name in names), strict=True)
        if state != "RESERVED"
    )


def _sized(size: Sequence[int], hue: str, name: str) -> tuple[int, str, str, int]:
    """The last fields of a block: an attempt takes slots of one kind only."""
    place = next((place for place, amount in enumerate(size) if amount), 0)
    return size[place], hue, name, place


def _executors(snapshot: Snapshot) -> dict[str, Blocks]:
    some = {row.number: (row.id, row.name) for row in glimpses(snapshot.applications(why=False))}
    found: dict[str, list[Block]] = {}
    for row in snapshot.executors():
        application, name = some.get(row.application, ("", ""))
        number, hue = f"{row.application:08d}", hue_of_number(row.application)
        block = Block(number, application, f"{row.executor:08d}", row.cores, hue, text.plain(name))
        found.setdefault(row.worker, []).append(block)
    return {worker: tuple(blocks) for worker, blocks in found.items()}
