"""The garbage collector beside a screen: short pauses, for it stops the keys too.

A large run is a million objects that live as long as it does. Walking all of them takes 0.4 s at 10,000 nodes, and
50,000 young ones 50 ms, so what is there when a run was opened is not walked again, and young ones sooner.
"""

import gc
from typing import Final

THRESHOLD: Final = (5_000, 3, 170)
"""When it looks, so that a pause is some ms for young objects, and some tens of ms for older ones.

Copies that were let go are cycles; they are found after 2.5 million further objects at the latest."""


def settle() -> None:
    """A run was opened: what is there now is not looked at again. Takes no time, for the first frame waits for it."""
    gc.freeze()
    gc.set_threshold(*THRESHOLD)


def settle_again() -> None:
    """Another run goes on in place of one that was settled, which is found and let go; nothing where none was."""
    if gc.get_freeze_count():
        gc.unfreeze()
        _ = gc.collect()
        settle()
