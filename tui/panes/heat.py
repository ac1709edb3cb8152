"""Nodes as a map, rack by rack: a character for a node or a few, by how full it is, or a letter or mark for its state.

A cell of several nodes shows the mean of their levels and the worst of their marks.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple

from engine.observe.snapshot import column
from engine.observe.snapshots import MAPREDUCE_1, SPARK, YARN, terms_for
from tui.panes import nodes as node
from tui.panes.field import unit_of
from tui.panes.fragments import Fragments, RenderContext
from tui.panes.pane_view import MAP, NavigationTarget
from tui.terminal import format as text
from tui.terminal.format import CUT, MINUS

RAMPS: Final = {True: " .:~=+*#%@", False: "▁⣀⣤⣶⣿"}  # Whether in ASCII → glyphs from empty to full; `-` is a mark
PARTS: Final = 1000  # Levels go from 0 to this

_MARKS: Final = {
    PARTS + 1: ("R", "held"),
    PARTS + 2: (MINUS, "watch"),
    PARTS + 3: ("D", "watch"),
    PARTS + 4: ("!", "watch"),
    PARTS + 5: ("x", "watch"),
}  # Codes behind the last level, the worst last → mark and style
_RESERVED: Final = PARTS + 1
_STATES: Final = {
    "DECOMMISSIONING": PARTS + 2,
    "DECOMMISSIONED": PARTS + 3,
    "UNHEALTHY": PARTS + 4,
    **dict.fromkeys(("LOST", "DEAD", "SHUTDOWN", "REBOOTED"), PARTS + 5),
}

METRICS: Final = {"vcores": "vcores", "containers": "containers"}  # Sorted by → shown; else the first dimension


def codes(rows: Sequence[Any], metric: str) -> list[int]:
    """The code of every node: its mark, or its use from 0 to `PARTS`; of containers on the scale of the largest."""
    found = _levels(rows, metric)
    for place, held in enumerate(column(rows, "reserved")):
        if isinstance(held, tuple):
            found[place] = _RESERVED
    for place, state in enumerate(column(rows, "state")):
        if state not in node.IN_SERVICE:
            found[place] = _STATES.get(state, found[place])
    return found


def _levels(rows: Sequence[Any], metric: str) -> list[int]:
    if metric == "containers":
        counts = column(rows, "containers")
        most = max(counts, default=0) or 1
        return [count * PARTS // most for count in counts]
    place = 1 if metric == "vcores" else 0
    amounts = zip(column(rows, "used"), column(rows, "total"), strict=True)
    return [max(0, min(PARTS, used[place] * PARTS // (total[place] or 1))) for used, total in amounts]


class CellRun(NamedTuple):
    """Cells beside each other on one line, of one rack or of none."""

    x: int
    first: int  # The first node's place
    end: int  # Behind the last node's place
    label: str = ""  # Stands before the cells, with a space between


class NodeMap(NamedTuple):
    grain: int  # How many nodes a cell has
    by_rack: bool
    lines: Sequence[Sequence[CellRun]]

    def cells(self, run: CellRun) -> int:
        return -(-(run.end - run.first) // self.grain)

    def place_of(self, node: int) -> tuple[int, int]:
        """Line and column of a node's cell."""
        for y, runs in enumerate(self.lines):
            for run in runs:
                if run.first <= node < run.end:
                    return y, run.x + (node - run.first) // self.grain
        return 0, 0

    def nodes_at(self, y: int, x: int, *, near: bool = False) -> range:
        """The nodes of a cell; with `near` those of the nearest cell of its line, else none beside the cells."""
        if not 0 <= y < len(self.lines):
            return range(0)
        runs = self.lines[y]
        inside = next((run for run in runs if run.x <= x < run.x + self.cells(run)), None)
        if inside is None:
            if not near or not runs:
                return range(0)
            inside = min(runs, key=lambda run: max(run.x - x, x - run.x - self.cells(run) + 1))
            x = min(max(x, inside.x), inside.x + self.cells(inside) - 1)
        first = inside.first + (x - inside.x) * self.grain
        return range(first, min(first + self.grain, inside.end))


def node_map(racks: Sequence[str], width: int, height: int) -> NodeMap:
    """Places nodes that are ordered by rack: in labelled blocks, else in blocks, else one after the other.

    As few nodes share a cell as can be; twice as many are taken for keeping racks apart.
    """
    width, height = max(1, width), max(1, height)
    blocks = list(_blocks(racks))
    least = max(1, -(-len(racks) // (width * height)))
    for grain in range(least, 2 * least + 1):
        for lines in (_labelled(blocks, grain, width, height), _beside(blocks, grain, width)):
            if lines is not None and len(lines) <= height:
                return NodeMap(grain, by_rack=True, lines=lines)
    step = width * least
    return NodeMap(
        least, by_rack=False, lines=[(CellRun(0, at, min(at + step, len(racks))),) for at in range(0, len(racks), step)]
    )


def _blocks(racks: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    first = 0
    for place in range(1, len(racks) + 1):
        if place == len(racks) or racks[place] != racks[first]:
            yield racks[first], first, place
            first = place


def _labelled(
    blocks: Sequence[tuple[str, int, int]], grain: int, width: int, height: int
) -> list[tuple[CellRun, ...]] | None:
    """Blocks with their racks' names, in as few columns as the height asks for; None when names leave no room."""
    if not blocks:
        return []
    label = min(16, max(len(text.plain(rack)) for rack, _, _ in blocks))
    most = max(-(-(end - first) // grain) for _, first, end in blocks)
    cells = min(most, width - label - 1)
    if cells < min(most, 8):
        return None
    tall = -(-most // cells)
    beside = max(1, -(-len(blocks) * tall // height))
    if beside > max(1, (width + 2) // (label + 1 + cells + 2)):
        return None
    lines: list[tuple[CellRun, ...]] = []
    for at in range(0, len(blocks), beside):
        runs = [
            run
            for place, block in enumerate(blocks[at : at + beside])
            for run in _parts(block, grain * cells, place * (label + 1 + cells + 2), label)
        ]
        lines += [
            tuple(part for number, part in runs if number == one) for one in sorted({number for number, _ in runs})
        ]
    return lines


def _parts(block: tuple[str, int, int], step: int, x: int, label: int) -> list[tuple[int, CellRun]]:
    rack, first, end = block
    name = text.fit(text.plain(rack), label, mark=CUT)
    return [
        (number, CellRun(x + label + 1, begin, min(end, begin + step), " " * label if number else name))
        for number, begin in enumerate(range(first, end, step))
    ]


def _beside(blocks: Sequence[tuple[str, int, int]], grain: int, width: int) -> list[tuple[CellRun, ...]]:
    lines: list[list[CellRun]] = [[]]
    x = 0
    for _, first, end in blocks:
        begin = first
        while begin < end:
            if x >= width:
                lines.append([])
                x = 0
            stop = min(end, begin + (width - x) * grain)
            lines[-1].append(CellRun(x, begin, stop))
            x += -(-(stop - begin) // grain)
            begin = stop
        x += 1
    return [tuple(runs) for runs in lines]


def line(
    plan: NodeMap, y: int, shown: Sequence[int], cursor: int | None, cursor_style: str, *, is_ascii: bool
) -> Fragments:
    """One line of the map of some codes; the cell that holds node `cursor` is drawn in a style of its own."""
    signs = _signs(RAMPS[is_ascii])
    spans: Fragments = []
    at = 0
    for run in plan.lines[y] if y < len(plan.lines) else ():
        before = f"{run.label} " if run.label else ""
        spans.append((" " * (run.x - at - len(before)) + before, "faint"))
        cells = [signs[code] for code in _cells(shown, run, plan.grain)]
        if cursor is not None and run.first <= cursor < run.end:
            place = (cursor - run.first) // plan.grain
            cells[place] = (cells[place][0], cursor_style)
        for style, run_cells in groupby(cells, itemgetter(1)):
            spans.append(("".join(sign for sign, _ in run_cells), style))
        at = run.x + plan.cells(run)
    return spans


def _cells(shown: Sequence[int], run: CellRun, grain: int) -> Iterable[int]:
    """The code of every cell of a run: of several nodes the mean level, or the worst mark."""
    if grain == 1:
        return shown[run.first : run.end]
    parts = (shown[first : min(first + grain, run.end)] for first in range(run.first, run.end, grain))
    return [worst if (worst := max(part)) > PARTS else sum(part) // len(part) for part in parts]


@cache
def _signs(ramp: str) -> Sequence[tuple[str, str]]:
    steps = len(ramp) - 1
    levels = [(ramp[1 + min(steps - 1, level * steps // PARTS)], "data") for level in range(1, PARTS + 1)]
    return ((ramp[0], "room"), *levels, *_MARKS.values())


def legend(look: RenderContext, metric: str) -> str:
    ramp = RAMPS[look.is_ascii]
    marks = {
        YARN: f"R reserved, x down, {MINUS} draining, D taken out, ! unhealthy",
        SPARK: "x dead, D taken out",
        MAPREDUCE_1: "R reserved, x down, ! blacklisted",
    }
    return f"{ramp[1]} to {ramp[-1]} {words_of(look, metric)}, {marks[terms_for(look.dimensions)]}"


def words_of(look: RenderContext, metric: str) -> str:
    """The name of the metric, in the terms of the cluster."""
    if metric == "containers":
        return f"{terms_for(look.dimensions).container}s"
    return unit_of(look.dimensions[1 if metric == "vcores" and len(look.dimensions) > 1 else 0])


VIEW = node.VIEW._replace(
    grouping=None,
    variant="map",
    layout_mode=MAP,
    enter=lambda row, picture, scope: NavigationTarget("nodes", row.id, variant=node.VIEW.variant),
    enter_help="Go to the node in the list.",
    crumb=lambda row_id: "map",
)  # The map of the nodes, a view of their pane
