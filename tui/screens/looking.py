"""What rows are drawn with: the time, the scale, the terminal, and the hue of each queue."""

from tui.render import capacity_queue
from tui.render.hue import HueTable
from tui.render.line import ASCII, BLOCKS, Look
from tui.screens.board import BoardOptions, BoardState


class Looks:
    """Makes the look of a board's picture; hues once given stay."""

    def __init__(self, options: BoardOptions, state: BoardState) -> None:
        self._options, self._state = options, state
        self._hues = HueTable(self._queues)

    def look(self) -> Look:
        """What rows of the picture are drawn with; before the first picture there is no row."""
        picture, options = self._state.picture, self._options
        plain = Look(
            0,
            ("memory_mb",),
            (0,),
            glyphs=ASCII if options.ascii_only else BLOCKS,
            is_ascii=options.ascii_only,
            is_colourless=options.styles.palette == "none",
        )
        if picture is None:
            return plain
        header = picture.snapshot.header
        look = plain._replace(
            now_ms=header.time_ms,
            dimensions=header.dimensions,
            total=header.total,
            offset_ms=picture.run.offset_ms,
            hues=self._hues,
        )
        return capacity_queue.in_partition(look, picture.snapshot, self._state.partition)

    def _queues(self) -> list[str]:
        picture = self._state.picture
        return [] if picture is None else [row.path for row in picture.snapshot.queues()]
