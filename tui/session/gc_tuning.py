"""Keeps the pauses of the garbage collector short, for they stop the keys too.

A large run is a million objects that live as long as it does. A walk over all of them takes 0.4 s at 10,000 nodes, one
over 50,000 young ones 50 ms. So the objects of an opened run are not walked again, and young ones sooner.
"""

import gc
import sys
from typing import Final

THRESHOLD: Final = (5_000, 3, 170)
"""Thresholds that make a pause some ms for young objects, and some tens of ms for older ones.

Copies that were let go are cycles; they are found after 2.5 million further objects at the latest."""

SWITCH_S: Final = 0.001
"""How long a thread that works aside may keep the interpreter from the screen; a key needs it some ten times [s]."""


def settle() -> None:
    """Exempt the objects of a run that was opened. It takes no time, for the first frame waits for it."""
    sys.setswitchinterval(SWITCH_S)
    gc.freeze()
    gc.set_threshold(*THRESHOLD)


def settle_again() -> None:
    """Exempt another run in place of one that was settled, which is collected; do nothing where none was."""
    if gc.get_freeze_count():
        gc.unfreeze()
        _ = gc.collect()
        settle()
