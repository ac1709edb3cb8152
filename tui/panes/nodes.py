"""Nodes: what runs on each as blocks, what is free, and what is missing for its reservation."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby, takewhile
from operator import sub
from typing import Any, Final, NamedTuple

from engine.observe.snapshot import UNKNOWN, NodeRow, Snapshot, Unknown, column, lazy_rows
from engine.observe.snapshots import MAPREDUCE_1, SPARK, YARN, terms_for
from engine.observe.spark_snapshot import WorkerRow
from tui.panes.application import marked_nodes
from tui.panes.arrangement import Filter, SortFilter, natural
from tui.panes.field import (
    APPLICATION,
    COUNT,
    MEMORY,
    NODE,
    RACK,
    SECOND,
    SPAN,
    TEXT,
    RowField,
    RowFields,
    RowOrder,
    Scope,
)
from tui.panes.fragments import Fragment, Fragments, RenderContext, hue_of, hue_of_number, merge_fragments
from tui.panes.group import by_holder
from tui.panes.pane_view import NavigationTarget, PaneView, Reference, by_row, scope_crumb, section, to_application
from tui.panes.table import Column
from tui.protocol.picture import SessionState
from tui.terminal import format as text

# The bar of a node: what runs on it as blocks in the hues of its queues, then what is free; and those blocks.
#
# A bar has half cells. A container takes those from where the ones before it end, and leaves the last one out as a
# gap.


class Block(NamedTuple):
    queue: str  # By which blocks are ordered; of Spark, which has no queues, the application
    application: str  # Id
    id: str
    size: int  # In the dimension of the bar
    style: str  # The hue of the queue
    name: str  # The name of the queue or application, whose first letter stands for the hue where there is none
    dimension: int = 0  # Place of the size among the amounts: of an attempt that takes reduce slots 1


class _Piece(NamedTuple):
    """A part drawn as one block: a container, or small ones of one queue together."""

    size: int
    style: str
    letter: str


class _Half(NamedTuple):
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
) -> Fragments:
    """The bar of a node; where blocks are letters, those of the `selected` application are capital ones.

    Its free part is reserved for the application `reserved`; both are ids, empty for none.
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
    free = (text.RESERVED if reserved else text.FREE), "held" if is_held else "room"
    cells = []
    for place in range(width):
        left, right = halves[2 * place : 2 * place + 2]
        one = left or right
        if one is None:
            cells.append((" ", "room") if place < taken and reserved else free)
        elif has_letters:
            is_end = right is None and place > 0 and (before := halves[2 * place - 1]) and before.piece == one.piece
            cells.append((text.BLOCK_END if is_end else one.letter, one.style))
        else:
            sign = text.BLOCK if left and right else text.BLOCK_LEFT if left else text.BLOCK_RIGHT
            cells.append((sign, one.style))
    return merge_fragments(cells)


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


Blocks = tuple[Block, ...]
BlocksOn = Callable[[Snapshot, RenderContext], Callable[[str], Blocks]]  # Gives what runs on the nodes of a snapshot


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


def containers_on(snapshot: Snapshot, look: RenderContext) -> Callable[[str], Blocks]:
    """Gives the containers on a node; each node is looked at once, when it is asked for."""
    return cache(lambda node: _containers(snapshot, node, look))


def executors_on(snapshot: Snapshot, look: RenderContext) -> Callable[[str], Blocks]:
    """Gives the executors on a worker; all of them are looked at when one is asked for."""
    known = cache(lambda: _executors(snapshot))
    return lambda node: known().get(node, ())


def _containers(snapshot: Snapshot, node: str, look: RenderContext) -> Blocks:
    rows = snapshot.containers(node=node)
    names = ("queue", "application", "id", "size", "state")
    return tuple(
        Block(queue, application, row_id, *_sized(size, hue_of(queue, look), text.short_queue(queue)))
        for queue, application, row_id, size, state in zip(*(column(rows, name) for name in names), strict=True)
        if state != "RESERVED"
    )


def _sized(size: Sequence[int], hue: str, name: str) -> tuple[int, str, str, int]:
    place = next((place for place, amount in enumerate(size) if amount), 0)
    return size[place], hue, name, place


def _executors(snapshot: Snapshot) -> dict[str, Blocks]:
    some = {row.number: (row.id, row.name) for row in lazy_rows(snapshot.applications(why=False))}
    found: dict[str, list[Block]] = {}
    for row in snapshot.executors():
        application, name = some.get(row.application, ("", ""))
        number, hue = f"{row.application:08d}", hue_of_number(row.application)
        block = Block(number, application, f"{row.executor:08d}", row.cores, hue, text.plain(name))
        found.setdefault(row.worker, []).append(block)
    return {worker: tuple(blocks) for worker, blocks in found.items()}


IN_SERVICE = frozenset({"RUNNING", "ALIVE"})  # States in which a node gets containers
DRAINING = "DECOMMISSIONING"
USUAL = "usual"  # The scale of a node that shrinks while it is drained: the largest node's memory [MB]


def is_out(row: NodeRow) -> bool:
    """True for a node that is given no containers, for whatever reason; it can be returned to service."""
    return row.state not in IN_SERVICE


def name_cell(row: NodeRow, look: RenderContext, width: int) -> Fragment:
    return look.node_name(row.host or row.id), "faint" if is_out(row) else "text"


WIDTHS = (50, 25)  # Cells a bar may have, so that a container of usual size takes whole cells


def _bar(row: NodeRow, look: RenderContext, width: int) -> Fragments:
    size = next((cells for cells in WIDTHS if cells <= width), width)
    holder = _holder(row) or ""
    is_gone = row.state not in {*IN_SERVICE, DRAINING}
    if is_gone:
        return [(text.GONE * size, "faint"), (" " * (width - size), "text")]
    total = max(row.total[0], look.scales.get(USUAL, 0)) if row.state == DRAINING else row.total[0]
    blocks = look.blocks(row.id) or (Block("", "", "", row.used[0], "q6", ""),)
    spans = node_bar(size, total, blocks, selected=look.selected, reserved=holder, has_letters=look.has_letters)
    return [*spans, (" " * (width - size), "text")]


def _used(row: NodeRow, look: RenderContext, width: int) -> Fragment:
    if row.state == DRAINING:  # its size shrinks to what is used, so a share of it says nothing
        return text.NONE, "text"
    return (text.percent(row.used[0], row.total[0]) if row.total[0] else "?"), "text"


def _free(row: NodeRow, look: RenderContext, width: int) -> Fragment:
    if not row.total[0]:
        return "?", "text"
    return (text.NONE if is_out(row) else text.dimension(look.dimensions[0], row.free[0])), "text"


def _short(row: NodeRow, look: RenderContext, width: int) -> Fragment:
    if isinstance(row.reserved_by, Unknown):
        return "?", "faint"
    if not isinstance(row.reserved, tuple):
        return "", "text"
    held = look.held.get(row.reserved_by or "")
    missing = held and held.short_on.get(row.id)
    return text.lacking(missing or tuple(map(sub, row.reserved, row.free)), look.dimensions) or "fits", "text"


def _second(row: NodeRow, look: RenderContext, width: int) -> Fragment:
    if not row.total[0]:
        return "?", "text"
    return f"{row.used[1]}/{row.total[1]}" if len(row.total) > 1 else "", "text"


def _reserved(row: NodeRow, look: RenderContext, width: int) -> Fragment:
    if isinstance(row.reserved_by, Unknown):
        return "?", "faint"
    if row.reserved_by is None:
        return "", "text"
    size = row.reserved
    wanted = "" if size is None or isinstance(size, Unknown) else " " + text.amounts(size, look.dimensions)
    return text.short_id(row.reserved_by) + wanted, "held"


_BAR: Column[NodeRow] = Column(
    "MEMORY",
    25,
    1,
    _bar,
    grow=1,
    gap=1,
    is_bar=True,
    steps=WIDTHS,
    letters=f"a = a queue's letter, {text.BLOCK_END} end",
    legend=("▄ container  ▁ free  ╌ free, but reserved", "▄ used  ╌ free, reserved"),
)


def count_drivers(rows: Sequence[NodeRow]) -> int:
    """The drivers on workers, as far as a Master tells; they are no containers."""
    known = [row.drivers for row in rows if isinstance(row, WorkerRow)]
    return sum(count for count in known if isinstance(count, int))


def format_held(rows: Sequence[NodeRow], held: str) -> str:
    """What is on nodes: so many of what is `held`, and the drivers beside them where there are any."""
    drivers, count = count_drivers(rows), text.plural(sum(column(rows, "containers")), held)
    return f"{count}, {text.plural(drivers, 'driver')}" if drivers else count


def amounts_line(row: NodeRow, look: RenderContext, holds: str) -> Fragments:
    used, total, free = (text.amounts(each, look.dimensions) for each in (row.used, row.total, row.free))
    return [(f"{holds}, {used} of {total}; {free} free", "text")]


_DRAIN: Final = {
    YARN: ("drain", "stays", "stay"),
    MAPREDUCE_1: ("exclude", "is lost", "are lost"),
    SPARK: ("decommission", "goes", "go"),
}  # System → what taking a node out is called, and what becomes of one that runs there, and of many


def _details(row: NodeRow, look: RenderContext) -> list[Fragments]:
    is_heard = isinstance(row.last_heartbeat_ms, int)
    heard = f"  last heartbeat {text.age(row.last_heartbeat_ms, look.now_ms)} ago" if is_heard else ""
    label = f"  partition {text.plain(row.partition) or 'default'}" if look.partitions else ""
    where: Fragment = (f"  {text.plain(row.rack)}{label}{heard}", "soft")
    lines: list[Fragments] = [[(row.state, "strong"), where]]
    holder, held = _holder(row), terms_for(look.dimensions).container
    if holder is not None:
        wanted = "" if not isinstance(row.reserved, tuple) else f": {text.amounts(row.reserved, look.dimensions)}"
        short = _short(row, look, 0)[0]
        missing = ", which fits now" if short == "fits" else f", {short} short" if short else ""
        lines = [[(f"reserved for {text.short_id(holder)}", "strong"), (f"{wanted}{missing}", "text")]]
    lines.append(amounts_line(row, look, format_held([row], held)))
    gone = "its reservation goes, " if holder is not None else ""
    verb, *goes = _DRAIN[terms_for(look.dimensions)]
    count = row.containers
    stay = f"its {text.plural(count, held)} {goes[count != 1]}" if count else "nothing runs there"
    act = "bring it back" if is_out(row) else f"{verb} it: {gone}{stay}"
    return [*lines, [("D ", "bold accent"), (act, "text")], *([] if holder is None else [[(row.state, "text"), where]])]


_WORDS = {"RUNNING": "ok", "ALIVE": "ok", "DECOMMISSIONING": "draining", "DECOMMISSIONED": "drained"}
"""State → what people call it; `state:` finds any of them."""


def _holder(row: NodeRow) -> str | None:
    return row.reserved_by if isinstance(row.reserved_by, str) else None


FIELDS: RowFields[NodeRow] = RowFields(
    (
        RowField("node", "id", TEXT, "n", "node", Column("NODE", 24, 0, name_cell, least=5, repeats=False), "node"),
        RowField("host", group="node"),
        RowField("rack", "", TEXT, "r", "rack", Column("RACK", 13, 8), "node", RACK),
        RowField("label", "partition", TEXT, "l", "label", Column("LABEL", 8, 10), "node"),
        RowField(
            "state",
            letter="s",
            own=lambda row, look: f"{row.state} {_WORDS.get(row.state, '')}",
            column=Column("STATE", 15, 1),
            group="state",
        ),
        RowField("heard", "last_heartbeat_ms", SPAN, column=Column("HEARD", 6, 9, right=True), group="state"),
        RowField("containers", "", COUNT, "c", "containers", Column("CONT", 4, 3, right=True), "state"),
        RowField("total", group="amounts"),
        RowField("used", "", MEMORY, "u", "used memory", _BAR, "amounts"),
        RowField("part", column=Column("USED", 4, 5, _used, right=True, sorts="used")),
        RowField("free", "", MEMORY, "f", "free memory", Column("FREE", 5, 0, _free, right=True), "amounts"),
        RowField("vcores", "used", SECOND, "v", "used vcores", Column("VCORES", 6, 2, _second, right=True)),
        RowField(
            "app",
            "reserved_by",
            letter="a",
            help="held for",
            own=lambda row, look: _holder(row) or "",
            column=Column("RESERVED BY", 17, 4, _reserved),
            group="reservation",
        ),
        RowField(
            "short",
            "reserved",
            MEMORY,
            "o",
            "missing for what it is reserved for",
            Column("SHORT", 6, 0, _short, right=True),
            "reservation",
            own=lambda row, look: row.reserved[0] - row.free[0] if isinstance(row.reserved, tuple) else None,
        ),
    ),
    letters="nrslufvcao",
)
COLUMNS = FIELDS.columns("node used free short vcores containers")
SORTED_COLUMNS = FIELDS.columns("node state used free short vcores containers")  # In another order, without headlines
EVERY_COLUMN = FIELDS.columns("node state used part free short vcores containers app rack heard label")


def is_problem(row: NodeRow, look: RenderContext) -> bool:
    """True for a node that is out of service, reserved or overcommitted."""
    return is_out(row) or row.free[0] < 0 or _holder(row) is not None


def refers_to(row: NodeRow, look: RenderContext) -> Sequence[Reference]:
    holder = _holder(row)
    reserved = [] if holder is None else [Reference(APPLICATION, holder)]
    return (Reference(NODE, row.id), *reserved, Reference(RACK, row.rack))


def _enter(row: NodeRow, picture: SessionState, scope: Scope | Filter | None) -> NavigationTarget | str:
    holds = row.containers > 0 or _holder(row) is not None
    return NavigationTarget("containers", scope=Scope(NODE, row.id)) if holds else _empty_words(row)


def _empty_words(row: NodeRow) -> str:
    drivers = count_drivers([row])
    but = f" but {text.plural(drivers, 'driver')}" if drivers else ""
    return f"Nothing is on {row.id}{but}."


def owner_among(owners: Sequence[str], row: NodeRow, picture: SessionState) -> NavigationTarget | str:
    """A node belongs to the application that reserved it, else to the one that owns most of what is on it."""
    most = Counter(owners).most_common(1)
    reserved = to_application(VIEW, row, picture)
    return reserved or (NavigationTarget("applications", most[0][0]) if most else _empty_words(row))


def count(rows: Sequence[object], picture: SessionState, arrangement: SortFilter) -> str:
    """Tells how many are up, reserved and down in the cluster."""
    header = picture.snapshot.header
    held = header.nodes_reserved
    if header.pages_ms is not None:  # the header's number is of another instant
        holders = column(picture.snapshot.nodes(), "reserved_by")
        held = held if UNKNOWN in holders else sum(each is not None for each in holders)
    words = (
        f"{held} of {header.nodes} reserved"
        if isinstance(held, int) and 0 < held <= header.nodes
        else f"{header.nodes}"
    )
    labels = Counter(column(picture.snapshot.nodes(), "partition")) if not held else Counter[str]()
    if len(labels) > 1:
        words = "  ".join(f"{labels[label]} {text.plain(label) or 'default'}" for label in sorted(labels))
    return words + (f"  {header.nodes_down} down" if header.nodes_down else "")


def scales(rows: Sequence[Any], look: RenderContext) -> dict[str, int]:
    return {USUAL: max(column(rows, "total"), default=(0,))[0]}


def _linked(picture: SessionState, look: RenderContext) -> str:
    if not look.selected:
        return ""
    nodes = len(set(column(picture.snapshot.containers(application=look.selected), "node")))
    return f"{text.short_id(look.selected)} on {nodes}" if nodes else ""


VIEW = PaneView(
    name="nodes",
    title="Nodes",
    source=section("nodes"),
    columns=COLUMNS,
    grouping=by_holder,
    scales=scales,
    sorted_columns=SORTED_COLUMNS,
    every_column=EVERY_COLUMN,
    is_tight=True,
    identity=lambda row: row.id,
    details=by_row(_details),
    criteria=FIELDS.criteria(is_problem, RowOrder(("id",), natural)),
    facts=FIELDS.facts(),
    is_linked=True,
    variant="list",
    marks=marked_nodes,
    empty_text="No node has registered yet.",
    crumb=scope_crumb(NODE),
    subject=lambda row: text.plain(row.host or row.id),
    size=count,
    caption=lambda look: f"{look.prefix}.*" if look.prefix else "",
    linked=_linked,
    refers_to=refers_to,
    enter=_enter,
    enter_help="Go to what is on the node.",
    owner=lambda row, picture: owner_among(
        column(picture.snapshot.containers(node=row.id), "application"), row, picture
    ),
)
