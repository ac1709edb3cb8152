"""Racks: the sums of their nodes, and the largest free amount on one node."""

from collections.abc import Sequence
from typing import Any

import msgspec

from engine.grouping import grouped
from engine.observe.snapshot import Amounts, column, summed
from engine.observe.snapshots import terms_for
from tui.panes import nodes as node
from tui.panes.arrangement import natural
from tui.panes.field import AMOUNTS, COUNT, MEMORY, RACK, SOME, Draw, RowField, RowFields, Scope, fixed_cell, text_cell
from tui.panes.fragments import Fragments, RenderContext, line_meter
from tui.panes.pane_view import NavigationTarget, PaneView, Reference, by_row, made_of, scope_crumb
from tui.panes.table import Column, figure
from tui.terminal import format as text


class RackRow(msgspec.Struct, frozen=True):
    rack: str
    nodes: int  # Nodes that are in service
    nodes_down: int  # Nodes that are not, for whatever reason
    total: Amounts  # The total of nodes in service; so are the following
    used: Amounts
    free: Amounts
    largest_free: Amounts  # What is free on the node that has most of the first dimension free
    containers: int
    reservations: int


def racks(rows: Sequence[Any]) -> list[RackRow]:
    names = ("rack", "state", "total", "used", "free", "containers", "reserved")
    places = grouped((row[0], row[1:]) for row in zip(*(column(rows, name) for name in names), strict=True))
    return [_row(name, places[name]) for name in sorted(places, key=natural)]


def _row(rack: str, nodes: Sequence[tuple[Any, ...]]) -> RackRow:
    up = [one for one in nodes if one[0] in node.IN_SERVICE]
    states, totals, used, free, containers, reserved = zip(*up, strict=True) if up else ((),) * 6
    return RackRow(
        rack=rack,
        nodes=len(states),
        nodes_down=len(nodes) - len(up),
        total=summed(totals),
        used=summed(used),
        free=summed(free),
        largest_free=max(free, default=(0, 0)),
        containers=sum(containers),
        reservations=sum(isinstance(one, tuple) for one in reserved),
    )


_rack: Draw[RackRow] = fixed_cell(lambda row, look: (text.plain(row.rack), "text" if row.nodes else "faint"))


def _bar(row: RackRow, look: RenderContext, width: int) -> Fragments:
    return line_meter(width, row.used[0], row.total[0])


_used: Draw[RackRow] = text_cell(lambda row, look: text.percent(row.used[0], row.total[0]))


def _details(row: RackRow, look: RenderContext) -> list[Fragments]:
    down, words = f", {row.nodes_down} not" if row.nodes_down else "", terms_for(look.dimensions)
    used, total, free = (text.amounts(each, look.dimensions) for each in (row.used, row.total, row.largest_free))
    held = text.plural(row.containers, words.container)
    most = f"; most free on one {free}" if row.nodes else ""
    reserved = f", {text.plural(row.reservations, 'reservation')}" if row.reservations else ""
    return [
        [(f"{text.plural(row.nodes, words.node)} in service{down}{most}", "strong")],
        [("used ", "faint"), (f"{used} of {total} in {held}{reserved}", "text")],
        [(f"enter shows its {words.node}s", "faint")],
    ]


FIELDS: RowFields[RackRow] = RowFields(
    (
        RowField("rack", letter="r", column=Column("RACK", 24, 0, _rack, least=8, repeats=False)),
        RowField("nodes", "", COUNT, "n", "nodes in service", Column("UP", 5, 0, right=True)),
        RowField("down", "nodes_down", SOME, "d", "nodes out of service", Column("DOWN", 4, 1, right=True)),
        RowField("used", "", MEMORY, "u", "used memory", figure("USED", 4, 2, _used)),
        RowField("bar", column=Column("MEMORY", 12, 4, _bar, grow=1, is_bar=True, sorts="used")),
        RowField("free", "", MEMORY, "f", "free memory", figure("FREE", 5, 1)),
        RowField(
            "largest", "largest_free", AMOUNTS, "l", "most free on one node", Column("ON ONE NODE", 11, 3, right=True)
        ),
        RowField("containers", "", COUNT, "c", column=figure("CONT", 5, 6)),
        RowField("reserved", "reservations", SOME, "s", "reservations", Column("RESERVED", 8, 5, right=True)),
    )
)
COLUMNS = FIELDS.columns("rack nodes down bar used free largest containers reserved")


VIEW = PaneView(
    name="nodes",
    title="Nodes",
    source=made_of(lambda snapshot: racks(snapshot.nodes()), "nodes", 0.5),
    columns=COLUMNS,
    is_tight=True,
    identity=lambda row: row.rack,
    details=by_row(_details),
    kind="racks",
    criteria=FIELDS.criteria(lambda row, look: row.nodes_down > 0 or row.reservations > 0),
    facts=FIELDS.facts(),
    variant="racks",
    empty_text="No node has registered yet.",
    crumb=scope_crumb(RACK),
    size=lambda rows, picture, arrangement: (
        f"{node.count(rows, picture, arrangement)}  {text.plural(len(rows), 'rack')}"
    ),
    subject=lambda row: text.plain(row.rack),
    refers_to=lambda row, look: (Reference(RACK, row.rack),),
    enter=lambda row, picture, scope: NavigationTarget("nodes", scope=Scope(RACK, row.rack), variant=node.VIEW.variant),
    enter_help="Go to the nodes of the rack.",
)
