"""What rows are drawn with: the time, the scale, the terminal, and the hue of each queue."""

from collections.abc import Mapping

from tui.render import capacity_queue
from tui.render.hue import hues
from tui.render.line import ASCII, BLOCKS, Look
from tui.screens.board import BoardOptions, BoardState
from tui.view_state import Picture


class Looks:
    """Makes the look of a board's picture; hues are found anew only when queues changed."""

    def __init__(self, options: BoardOptions, state: BoardState) -> None:
        self._options, self._state = options, state
        self._hues: Mapping[str, str] = {}
        self._hues_for: object = None

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
            hues=self._hues_of(picture),
        )
        return capacity_queue.in_partition(look, picture.snapshot, self._state.partition)

    def _hues_of(self, picture: Picture) -> Mapping[str, str]:
        version = picture.snapshot.version("queues")
        if version != self._hues_for:
            self._hues = hues(row.path for row in picture.snapshot.queues())
            self._hues_for = version
        return self._hues
