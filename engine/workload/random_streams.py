"""Random streams drawn from the scenario's seed: one for each source, so that no source disturbs another."""

from random import Random


def stream(seed: int, *source: str | int) -> Random:
    """The random stream of one source; the same in every process and on every machine.

    `source` names what draws from it, e.g. `"application", 7, "durations"`.
    """
    return Random(":".join(str(part) for part in (seed, *source)))


def drawn(random: Random, span: tuple[int, int]) -> int:
    """A whole number between the two ends, both included; nothing is drawn when they are equal.

    >>> drawn(stream(0), (7, 7))
    7
    """
    shortest, longest = span
    return shortest if shortest == longest else shortest + int(random.random() * (longest - shortest + 1))
