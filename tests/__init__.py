"""The tests mirror the tree; `oracle` replays recorded cases of the real schedulers, `bench` measures.

`traces` checks the importers against files that are not part of the repository.
"""

from typing import Final

PATIENCE_S: Final = 300.0
"""How long another program, a thread or a socket is waited for before a test fails; no test needs a tenth of it."""
