"""The tabs: a title for every pane, as long as the width has room for."""

from collections.abc import Mapping

_SHORT = {"Applications": "Apps", "Reservations": "Resv", "Containers": "Cont", "Executors": "Exec"}
"""Titles that are said shorter where there is little room, as in `yarn top`."""


def titles(full: Mapping[str, str], active: str, width: int) -> dict[str, str]:
    """Name of a pane → what its tab says, with a blank on each side.

    In full, else shorter; where even that is too long, only the active pane has more than its digit.

    Args:
        full: Name of a pane → its title with its digit.
        active: The pane whose tab says the most.
        width: Cells there are for all.
    """
    said = {name: f" {title} " for name, title in full.items()}
    if _width(said) <= width:
        return said
    short = {name: f" {shortened(title)} " for name, title in full.items()}
    if _width(short) <= width:
        return short
    digits = {name: f" {title[:1]} " for name, title in full.items()}
    return {name: short[name] if name == active else digit for name, digit in digits.items()}


def shortened(title: str) -> str:
    """A title with its digit, as short as people still understand it.

    >>> shortened("1 Applications"), shortened("5 Events")
    ('1 Apps', '5 Events')
    """
    digit, _, words = title.partition(" ")
    return f"{digit} {_SHORT.get(words, words)}"


def _width(said: Mapping[str, str]) -> int:
    return 1 + sum(len(one) for one in said.values())
