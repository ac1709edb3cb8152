"""The look rows are drawn with: the time, the scale, the terminal, and the hue of each queue."""

from collections.abc import Callable
from typing import Any

from engine.observe.section import column
from tui import format as text
from tui.picture import Picture
from tui.render import capacity_queue
from tui.render.hue import HueTable
from tui.render.line import Look, nothing_there
from tui.render.node_bar import Blocks, BlocksOn, common_prefix
from tui.render.noun import application_of, look_at
from tui.render.scope import APPLICATION
from tui.render.unsaid import watched_from
from tui.render.waits import NOBODY, with_waits
from tui.screens.board import BoardOptions, BoardState
from tui.widgets.pane import RowPane


class Looks:
    """Makes the look of a board's picture; hues once given stay."""

    def __init__(self, options: BoardOptions, state: BoardState, blocks_on: BlocksOn) -> None:
        self._options, self._state, self._blocks_on = options, state, blocks_on
        self._hues = HueTable(self._queues)
        self._blocks_for: object = None
        self._waits_for: object = None
        self._waits = NOBODY
        self._names_for: object = None
        self._prefix = ""
        self._blocks: Callable[[str], Blocks] = nothing_there

    def look(self) -> Look:
        """The `Look` with which the rows of the picture are drawn; before the first picture there is no row."""
        picture, options = self._state.picture, self._options
        plain = Look(
            0, ("memory_mb",), (0,), is_ascii=options.ascii_only, is_colourless=options.styles.palette == "none"
        )
        if picture is None:
            return plain
        header = picture.snapshot.header
        look = plain._replace(
            now_ms=header.time_ms,
            dimensions=header.dimensions,
            total=header.total,
            offset_ms=picture.run.offset_ms,
            watched_from_ms=watched_from(picture.run),
            hues=self._hues,
        )
        look = self._of_waits(self._of_nodes(look, picture), picture)
        return capacity_queue.in_partition(look, picture.snapshot, self._state.partition)

    def _queues(self) -> list[str]:
        picture = self._state.picture
        return [] if picture is None else [row.path for row in picture.snapshot.queues()]

    def _of_waits(self, look: Look, picture: Picture) -> Look:
        """With who waits where; it is counted when applications change."""
        version = picture.snapshot.version("applications"), picture.run.present_ms is None
        if version != self._waits_for:
            self._waits, self._waits_for = with_waits(look, picture.snapshot).waits, version
        return look._replace(waits=self._waits)

    def _of_nodes(self, look: Look, picture: Picture) -> Look:
        """With what runs on nodes, and how these are called; names are looked at when nodes come or go."""
        snapshot, header = picture.snapshot, picture.snapshot.header
        version = snapshot.version("nodes"), look.now_ms, id(snapshot)
        if version != self._blocks_for:
            self._blocks, self._blocks_for = self._blocks_on(snapshot, look), version
        there = header.nodes + header.nodes_down, header.total
        if there != self._names_for:
            names = map(text.short_node, column(snapshot.nodes(), "id"))
            self._prefix, self._names_for = common_prefix(names), there
        return look._replace(blocks=self._blocks, prefix=self._prefix)


def selected_application(pane: RowPane[Any], picture: Picture | None) -> str:
    """The id of the application that the user put the cursor of a pane on; empty where nobody has moved it there."""
    row = pane.selected if pane.was_moved else None
    if picture is None or row is None:
        return ""
    found = next(iter(pane.noun.leads.about(row, look_at(picture))), None)
    if found is None or found.kind != APPLICATION:
        return ""
    if isinstance(found.key, str):
        return found.key
    application = application_of(found.key, picture)
    return "" if application is None else application.id
