"""Which acts ask before they are done."""

from typing import Final

ALWAYS, LOSS, NEVER = "always", "loss", "never"
CONFIRM: Final = (ALWAYS, LOSS, NEVER)
"""Every act asks, those that lose something, none."""


def asks(confirm: str, *, loses: bool) -> bool:
    """Tell whether an act asks first.

    >>> [asks(confirm, loses=False) for confirm in CONFIRM], [asks(confirm, loses=True) for confirm in CONFIRM]
    ([True, False, False], [True, True, False])
    """
    return confirm == ALWAYS or (confirm == LOSS and loses)
