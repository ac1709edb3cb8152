"""A circle of applications that wait for each other, drawn as boxes with arrows, or as a list without room."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from engine.explain.answer import CycleStep
from engine.grouping import grouped
from engine.observe.snapshot import SOME_NODE, ApplicationRow, Snapshot, column, lazy_rows
from tui.panes.fragments import Fragments, cell_width, crop, folded
from tui.terminal import format as text

BOX_ROWS: Final = 5  # Rows of a box: its frame, the application, its name, what it holds
MARGIN: Final = 4  # Cells left of the first box at most
WORDS: Final = 22  # Cells that a box has for words at least, where its words need as many
ROOMY_WORDS: Final = 30  # What it has at most, where there is room
LEAST_ARROW: Final = 16  # Cells between two of three boxes at least


ANYWHERE: Final = ", on any node"  # What the need of a part ends with where any node will do


class CirclePart(NamedTuple):
    """One application of a circle, or several alike."""

    number: str  # The short id of the first
    name: str
    others: int  # How many there are beside the first
    holds: str  # What it holds of what the part before it needs: `holds 11 nodes`
    needs: str  # What it needs of the next part: `needs 18.5G more on one of its 11 nodes`
    ids: tuple[str, ...] = ()  # The ids of all


def circle_lines(parts: Sequence[CirclePart], width: int, *, is_proven: bool = True) -> list[Fragments]:
    """A circle as boxes for two or three parts, else as a list; `is_proven` where it is known that it never ends."""
    if len(parts) == 2 and (drawn := _two_boxes(parts, width)):
        return drawn
    if len(parts) == 3 and (drawn := _three_boxes(parts, width)):
        return drawn
    return [crop(line, width, "…") for line in _circle_list(parts, width, is_proven=is_proven)]


def _circle_list(parts: Sequence[CirclePart], width: int, *, is_proven: bool = True) -> list[Fragments]:
    lines: list[Fragments] = []
    for place, part in enumerate(parts):
        who: Fragments = [(part.number, "strong"), (f" {_named(part)}", "text")]
        holds: Fragments = [(f" {part.holds}", "soft")]
        lines += [[*who, *holds]] if cell_width([*who, *holds]) <= width else [who, [("  │   ", "line"), *holds]]
        more = folded(part.needs, width - 6)
        lines += [[("  │   ", "line"), (words, "soft")] for words in more]
        if place == len(parts) - 1:
            ending = " again, and so on for ever" if is_proven else " again"
            lines.append([("  ╰─→ ", "line"), (parts[0].number, "strong"), (ending, "soft")])
    return lines


def circle_line(parts: Sequence[CirclePart], width: int) -> Fragments:
    """A circle in one line: each part, what it holds and needs, and the first again; nothing where it does not fit."""
    for has_needs in (True, False):
        line: Fragments = [("circle  ", "faint")]
        for part in parts:
            more = f" and {part.others} more" if part.others else ""
            words = f" {part.holds}, {part.needs}" if has_needs else f" {part.holds}"
            line += [(f"{part.number}{more}", "strong"), (words, "soft"), (" → ", "line")]
        line += [(parts[0].number, "strong")] if parts else []
        if parts and cell_width(line) <= width:
            return line
    return []


def _named(part: CirclePart) -> str:
    if not part.others:
        return part.name
    return f"{part.name} and {part.others} {'other' if part.others == 1 else 'others'}"


def _box_words(part: CirclePart) -> tuple[str, str, str]:
    if part.others:
        return f"{part.others + 1} applications", f"{part.number} {part.name} …", part.holds
    return part.number, part.name, part.holds


def _box(part: CirclePart, words: int) -> list[Fragments]:
    inside = zip(_box_words(part), ("strong", "text", "soft"), strict=True)
    rows: list[Fragments] = [
        [("│ ", "line"), (text.fit(each, words, mark="…"), style), (" │", "line")] for each, style in inside
    ]
    edge = "─" * (words + 2)
    return [[(f"╭{edge}╮", "line")], *rows, [(f"╰{edge}╯", "line")]]


def _longest(parts: Sequence[CirclePart]) -> int:
    return max(cell_width([(words, "")]) for part in parts for words in _box_words(part))


def _two_boxes(parts: Sequence[CirclePart], width: int) -> list[Fragments]:
    """One arrow there and one back, each with what is needed beside it; nothing where that does not fit."""
    label = max(cell_width([(part.needs, "")]) for part in parts)
    words = min(_longest(parts), max(WORDS, min(ROOMY_WORDS, (width - label - 12) // 2)))
    between = width - 2 * (words + 4)
    if between < label + 4:
        return []
    margin = min(MARGIN, (between - label - 4) // 2)
    between -= 2 * margin
    left, right = (_box(part, words) for part in parts)
    line = "─" * (between - 3)
    middle: list[Fragments] = [
        [(parts[0].needs.center(between), "soft")],
        [(f" {line}→ ", "line")],
        [(" " * between, "text")],
        [(f" ←{line} ", "line")],
        [(parts[1].needs.center(between), "soft")],
    ]
    return [
        [(" " * margin, "text"), *one, *arrow, *other] for one, arrow, other in zip(left, middle, right, strict=True)
    ]


def _three_boxes(parts: Sequence[CirclePart], width: int) -> list[Fragments]:
    """Two arrows on, and a line below that comes back; nothing where what is needed does not fit."""
    words = min(_longest(parts), WORDS)
    between = (width - 3 * (words + 4)) // 2
    if between < LEAST_ARROW or cell_width([(parts[2].needs, "")]) > width - words - 8:
        return []
    labels = [folded(part.needs, between - 2) for part in parts[:2]]
    if max(map(len, labels)) > BOX_ROWS - 1:
        return []
    boxes = [_box(part, words) for part in parts]
    arrows = [_arrow(lines, between) for lines in labels]
    rows: list[Fragments] = [
        [*boxes[0][row], *arrows[0][row], *boxes[1][row], *arrows[1][row], *boxes[2][row]] for row in range(BOX_ROWS)
    ]
    half = words // 2 + 2
    inside = 3 * (words + 4) + 2 * between - 2 * half - 1
    rows.append([(" " * half, "text"), ("↑", "line"), (" " * (inside - 1), "text"), ("│", "line")])
    back = f" {parts[2].needs} "
    before = max(1, (inside - 1 - cell_width([(back, "")])) // 2)
    after = inside - 1 - before - cell_width([(back, "")])
    return [*rows, [(" " * half, "text"), ("╰" + "─" * before, "line"), (back, "soft"), ("─" * after + "╯", "line")]]


def _arrow(label: Sequence[str], between: int) -> list[Fragments]:
    rows: list[Fragments] = [[(each.center(between), "soft")] for each in [*label, *[""] * (BOX_ROWS - 1 - len(label))]]
    return [rows[0], [(f" {'─' * (between - 3)}→ ", "line")], *rows[1:]]


# The parts of a circle of waiting applications, with their figures, from a proof or from a snapshot.

NODES_READ: Final = 16  # Of so many reserved nodes the containers are read at most

FILLS: Final = frozenset({"DOES_NOT_FIT", "RESERVATION_LIMIT", "QUEUE_WOULD_EXCEED_MAXIMUM"})
"""Reasons that mean: containers of others are in the way."""

_WORDS: Final = {
    "NODE_RESERVED": ("holds {node}", "needs a container on {node}"),
    "QUEUE_OVER_MAXIMUM": ("fills the queue", "needs room below its queue's maximum"),
    "AM_SHARE_EXHAUSTED": ("fills the masters' share", "needs room for its master"),
    "USER_AM_SHARE_EXHAUSTED": ("fills the user's share", "needs room for its master"),
    "USER_OVER_LIMIT": ("fills the user's limit", "needs room below its user's limit"),
    "QUEUE_NOT_RUNNING_IT": ("runs in its place", "needs its turn to run"),
}  # Reason → what the part holds that the one before waits for, and what is needed
_OTHERWISE: Final = ("fills {node}", "needs room on {node}")  # The same for any other reason


def parts_of(steps: Sequence[CycleStep], names: Mapping[str, str], snapshot: Snapshot | None) -> list[CirclePart]:
    """The parts of a proven circle, whose last step leads back to the first; figures are those of the snapshot."""
    figures = _Figures(snapshot) if snapshot is not None else None
    return [_part(step, steps[place - 1], names, figures) for place, step in enumerate(steps)]


def _part(step: CycleStep, before: CycleStep, names: Mapping[str, str], figures: "_Figures | None") -> CirclePart:
    one, holder = step.application, before.application
    others: list[ApplicationRow] = []
    holds = needs = ""
    if figures is not None:
        if before.because in FILLS:
            others, holds = figures.fillers(one, holder)
        elif before.because == "NODE_RESERVED":
            holds = figures.reserved(one)
        if step.because in FILLS:
            needs = figures.shortage(one)
        elif step.because == "NODE_RESERVED":
            needs = figures.wanted([one, *(each.id for each in others)])
    return CirclePart(
        number=text.short_id(one),
        name=text.plain(names.get(one, "") or (figures.name(one) if figures is not None else "")),
        others=len(others),
        holds=holds or _words(before)[0],
        needs=needs or _words(step)[1],
        ids=(one, *(each.id for each in others)),
    )


def _words(step: CycleStep) -> tuple[str, str]:
    node = text.short_node(step.node) or "a node"
    holds, needs = (words.format(node=node) for words in _WORDS.get(step.because, _OTHERWISE))
    return holds, needs


class _Figures:
    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._applications = {row.id: row for row in snapshot.applications(why=False)}
        self._reservations = grouped((row.application, row) for row in lazy_rows(snapshot.reservations()))

    def name(self, application: str) -> str:
        row = self._applications.get(application)
        return row.name if row is not None else ""

    def reserved(self, application: str) -> str:
        count = len(self._reservations.get(application, ()))
        return f"holds {text.plural(count, 'node')}" if count else ""

    def shortage(self, application: str) -> str:
        """`needs 18.5G more on one of its 11 nodes`: the least shortage; empty when it has reserved none."""
        rows = self._reservations.get(application, ())
        shortages = [row.short_by for row in rows if isinstance(row.short_by, tuple)]
        if not shortages:
            return ""
        least = min(shortages, key=lambda short: (sum(short[1:]) > 0, short))
        dimensions = self._snapshot.header.dimensions
        short = [
            text.dimension(name, value) + ("" if name == "memory_mb" else f" {name}")
            for name, value in zip(dimensions, least, strict=False)
            if value
        ]
        where = "on its node" if len(rows) == 1 else f"on one of its {len(rows)} nodes"
        return f"needs {' and '.join(short) or 'room'} {'more ' if short else ''}{where}"

    def fillers(self, application: str, holder: str) -> tuple[list[ApplicationRow], str]:
        nodes = [row.node for row in self._reservations.get(holder, ())]
        if not nodes:
            return [], ""
        on: list[dict[str, int]] = []
        for node in nodes[:NODES_READ]:
            sizes: dict[str, int] = {}
            for container in self._snapshot.containers(node=node):
                if container.state != "RESERVED":
                    sizes[container.application] = sizes.get(container.application, 0) + container.size[0]
            on.append(sizes)
        alike = [
            row
            for row in self._applications.values()
            if row.id not in {application, holder}
            and row.waiting_since_ms is not None
            and all(row.id in sizes for sizes in on)
        ]
        if any(application not in sizes for sizes in on):
            alike = []
        everybody = [application, *(row.id for row in alike)]
        sums = [sum(sizes.get(one, 0) for one in everybody) for sizes in on]
        return alike, _filled(sums, len(nodes), is_one=not alike)

    def wanted(self, applications: Sequence[str]) -> str:
        """`each needs one container more, on any node`; empty where the asks are not known."""
        rows = [row for each in applications if (row := self._applications.get(each)) is not None]
        asks = [ask for row in rows for ask in row.listed_asks]
        if not asks or len(rows) < len(applications):
            return ""
        is_single = len(asks) == len(rows) and all(ask.count == 1 for ask in asks)
        what = "one container more" if is_single else "containers more"
        where = "" if any(ask.places for ask in asks) else ANYWHERE
        return f"{'each needs' if len(rows) > 1 else 'needs'} {what}{where}"


def _filled(sums: Sequence[int], nodes: int, *, is_one: bool) -> str:
    least, most = min(sums), max(sums)
    verb = "fills" if is_one else "fill"
    if not most:
        return ""
    if not least:
        return f"{verb} its node" if nodes == 1 else f"{verb} {sum(map(bool, sums))} of its nodes"
    if nodes == 1:
        return f"{verb} {text.memory(least)} of the node"
    usual = max(sums, key=sums.count)
    if 2 * sums.count(usual) > len(sums):
        return f"{verb} {text.memory(usual)} of {'each node' if least == most else 'most nodes'}"
    return f"{verb} {text.memory(least)} or more of each"


def reservation_steps(snapshot: Snapshot, application: str) -> list[CycleStep]:
    """The circle that an application is in, or waits for, as far as a snapshot shows the shape of a deadlock.

    Somebody reserves nodes that others fill, and those wait for a reserved node; only a proof says that it never ends.
    """
    reservations = snapshot.reservations()
    owners = zip(column(reservations, "application"), column(reservations, "node"), strict=True)
    reserved = grouped((owner, its_node) for owner, its_node in owners if its_node != SOME_NODE)
    holder = application if application in reserved else max(reserved, key=lambda one: len(reserved[one]), default="")
    if not holder:
        return []
    node, rows = reserved[holder][0], snapshot.applications()
    places = {name: place for place, name in enumerate(column(rows, "id"))}
    for filler in dict.fromkeys(column(snapshot.containers(node=node), "application")):
        if filler == holder or filler not in places:
            continue
        obstacle = rows[places[filler]].obstacle
        if obstacle is not None and obstacle.code == "NODE_RESERVED":
            there = CycleStep(application=holder, waits_for=filler, because="DOES_NOT_FIT", node=node)
            back = CycleStep(application=filler, waits_for=holder, because="NODE_RESERVED", node=node)
            return [there, back]
    return []
