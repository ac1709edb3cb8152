"""Escape sequences of a terminal: those that draw pass, every other one is left out.

Left out is what asks the terminal for an answer, switches how keys and the mouse are sent, fills a clipboard or names a
window: a recording of it would do that to whoever plays it.
"""

import re
from typing import Final

LONGEST: Final = 4096
"""Longest sequence that is waited for [characters]."""

_SEQUENCE: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # a control sequence
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # a string: title, clipboard, colours, images
    r"|\x1b[ -/]*[0-~]"
    r"|[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_DRAWS: Final = re.compile(
    r"\x1b\[[0-9:;]*[@-HJ-MPSTXZ`abdefmrsu]"
    r"|\x1b\[\?(?:7|25|47|1047|1048|1049|2026)[hl]"
    r"|\x1b[78DEM]|\x1b\([0B]"
)
"""Moves, erasure, colours, the other screen, the cursor, frames that are shown at once, line drawing."""
_UNFINISHED: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)\Z")

RESTORED: Final = "\x1b[0m\x1b[r\x1b[?7h\x1b[?25h\x1b[?2026l\x1b[?1049l"
"""Leaves the other screen, with cursor, margins and colours as they were."""


class DrawingOnly:
    """Takes what a program writes to a terminal, in pieces, and gives what draws."""

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, text: str) -> str:
        r"""What draws in a piece; a sequence that is not at its end waits for the next one.

        >>> DrawingOnly().feed("\x1b[1mbold\x1b]52;c;eA==\x07\x1b[?1000h\x1b[6n\x07 end")
        '\x1b[1mbold end'
        """
        text = self._rest + text
        unfinished = _UNFINISHED.search(text, max(0, len(text) - LONGEST))
        whole = text if unfinished is None else text[: unfinished.start()]
        self._rest = text[len(whole) :]
        return _SEQUENCE.sub(lambda found: found[0] if _DRAWS.fullmatch(found[0]) else "", whole)
