"""Files with `<allocations>` that are not YARN's: pools of Spark or of MapReduce 1, said once, not line by line."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from engine.errors import Problem
from engine.formats.fair_scheduler_elements import OLD_IN_QUEUE, OLD_TOP
from engine.formats.xml_tree import Element

_SPARK: Final = frozenset({"minShare"})
_MAPREDUCE: Final = frozenset(
    {
        "minMaps", "minReduces", "maxMaps", "maxReduces", "maxRunningJobs", "userMaxJobsDefault", "poolMaxJobsDefault",
        "defaultPoolSchedulingMode", "defaultMaxTotalInitedTasks", "maxTotalInitedTasks", "systemPools",
    }
)  # fmt: skip
_OF_YARN: Final = frozenset(
    {"queue", "minResources", "maxResources", "maxRunningApps", "queuePlacementPolicy", "maxAMShare"}
)
_OLD: Final = frozenset({*OLD_TOP, *OLD_IN_QUEUE})


def headlined(root: Element, warnings: Sequence[Problem], file: str) -> list[Problem]:
    """The warnings of an allocation file, those that follow from its being another's put into one at its top."""
    tags = Counter(element.tag for element in _all(root))
    owner, foreign = _owner(tags)
    if not owner:
        return list(warnings)
    ignored = [f"{tag} ({count})" if count > 1 else tag for tag, count in tags.items() if tag in foreign]
    read = [tag for tag in tags if tag in ("weight", "schedulingMode", "user")]
    message = f"this is a file of {owner}, not of YARN: {_plural(tags['pool'], 'pool')} would become queues"
    hint = "; ".join(
        part
        for part in (
            f"ignored: {', '.join(ignored)}" if ignored else "",
            f"read: {', '.join(read)}" if read else "",
        )
        if part
    )
    headline = Problem(message, file, root.line, root.tag, hint)
    return [headline, *(each for each in warnings if each.key.rpartition(".")[2] not in foreign | _OLD)]


def _owner(tags: Counter[str]) -> tuple[str, frozenset[str]]:
    """Whose file it is, and the elements that only it reads; empty for YARN's."""
    if "pool" not in tags or tags.keys() & _OF_YARN:
        return "", frozenset()
    if tags.keys() & _MAPREDUCE:
        return "MapReduce 1's fair scheduler", _MAPREDUCE
    if tags.keys() <= {"allocations", "pool", "schedulingMode", "weight", "minShare"}:
        return "Spark's fair pools", _SPARK
    return "", frozenset()


def _all(element: Element) -> Iterator[Element]:
    yield element
    for child in element.elements():
        yield from _all(child)


def _plural(number: int, noun: str) -> str:
    return f"its {number} {noun}s" if number != 1 else f"its {noun}"
