"""Names the parts of a cluster in the words of each kind of control plane: YARN, Spark's Master, a JobTracker."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple


class SystemWords(NamedTuple):
    """The nouns of one system, in the singular."""

    application: str = "application"
    container: str = "container"
    node: str = "node"
    master: str = "ResourceManager"
    ranks_asks: bool = True
    """Whether an application gives its asks priorities."""
    has_reasons: bool = True
    """Whether the scheduler names the reasons of its decisions."""


YARN: Final = SystemWords()
SPARK: Final = SystemWords(container="executor", node="worker", master="Master", ranks_asks=False, has_reasons=False)
MAPREDUCE_1: Final = SystemWords("job", "attempt", "tracker", "JobTracker", ranks_asks=False, has_reasons=False)


def words_of(dimensions: Sequence[str]) -> SystemWords:
    """The words of the system whose amounts have these dimensions.

    >>> words_of(("map_slots", "reduce_slots")).node, words_of(("memory_mb", "cores")).node
    ('tracker', 'worker')
    """
    if "map_slots" in dimensions:
        return MAPREDUCE_1
    return SPARK if "cores" in dimensions else YARN


def in_words_of(sentence: str, words: SystemWords) -> str:
    """One of our own sentences, which are written in YARN's nouns, in those of a system; no name of a user is in it.

    >>> in_words_of("Kill an application on the node", MAPREDUCE_1), in_words_of("Restart the ResourceManager.", SPARK)
    ('Kill a job on the tracker', 'Restart the Master.')
    """
    nouns = {"application": words.application, "container": words.container, "node": words.node}
    nouns |= {"ResourceManager": words.master, "ResourceManager or JobTracker": words.master}
    return (
        _NOUNS.sub(lambda found: nouns[found[1]], sentence)
        .replace(" a executor", " an executor")
        .replace(" an job", " a job")
    )


_NOUNS: Final = re.compile(r"\b(application|container|node|ResourceManager or JobTracker|ResourceManager)(?=s?\b)")
