"""Reads fair-scheduler.xml as Hadoop does: refuses what it refuses, accepts what it accepts, and says why.

Hadoop stops at the first mistake and logs it; here all of them are collected. What it ignores silently (unknown
elements and attributes) or lets stand without effect comes back as warnings. Each release has a reader of its own:
`fair_scheduler_27`, `fair_scheduler_34`; what they share is in `fair_scheduler_elements`.

Source: AllocationFileLoaderService, Hadoop 2.7.2 and 3.4.1.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

import msgspec

from engine.errors import ConfigError, Problem, nearest
from engine.formats.fair_scheduler_27 import read_allocation_27
from engine.formats.fair_scheduler_34 import read_allocation_34
from engine.formats.fair_scheduler_elements import CONTAINERS, OLD_IN_QUEUE, OLD_TOP, Draft
from engine.formats.xml_tree import Element, XmlDocument, parse_document, stray_text
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.fair.queue_settings import BAD_ALLOCATION

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
    pools = "its pool" if tags["pool"] == 1 else f"its {tags['pool']} pools"
    message = f"this is a file of {owner}, not of YARN: {pools} would become queues"
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


# Any: each reader fills the allocation of its own release.
_READERS: Final[Mapping[str, Callable[[str, Any, Mapping[str, str]], Draft[Any]]]] = {
    "2.7": read_allocation_27,
    "3.4": read_allocation_34,
}

ERAS: Final = tuple(_READERS)
"""Releases of Hadoop whose reading is known."""


class LoadedAllocation(msgspec.Struct, frozen=True):
    """A fair-scheduler.xml that was accepted."""

    allocation: FairAllocation
    warnings: tuple[Problem, ...]
    """In the order of lines: what is ignored, old, repeated or without effect."""
    lines: Mapping[tuple[str, str], int]
    """Where each value stands: (full queue name, `user NAME` or "", element's name of today) → line."""


def read_fair_scheduler(
    source: str | bytes | XmlDocument, *, file: str = "", settings: Mapping[str, str] | None = None, era: str = "2.7"
) -> LoadedAllocation:
    """The allocation a fair-scheduler.xml describes.

    `settings` are Hadoop keys; they decide the placement where the file has no policy. `era` is the release whose
    reading is imitated, one of `ERAS`.

    Raises:
        ConfigError: Hadoop would refuse the file: every problem, its kind the name of Hadoop's exception. Or the era
            is not known.
    """
    if era not in ERAS:
        message = f"the era {era!r} is not known; there is {', '.join(ERAS)}"
        raise ConfigError([Problem(message, key="era", hint=nearest(era, ERAS))])
    try:
        document = source if isinstance(source, XmlDocument) else parse_document(source, file)
    except ConfigError as error:
        raise ConfigError(error.problems, "SAXParseException") from None
    if document.has_document_type and era == "3.4":
        raise ConfigError([Problem("has a document type; Hadoop 3 refuses it", file, 1)], "SAXParseException")
    root = document.root
    if root.tag != "allocations":
        message = f"the top element is <{root.tag}>, not <allocations>"
        looks_like = "this looks like a yarn-site.xml or capacity-scheduler.xml"
        hint = looks_like if root.tag == "configuration" else nearest(root.tag, ("allocations",))
        raise ConfigError([Problem(message, file, root.line, root.tag, hint)], BAD_ALLOCATION)
    draft = _READERS[era](file, root, settings or {})
    found = [*headlined(root, draft.problems.warnings, file), *stray_text(root, CONTAINERS)]
    warnings = sorted(found, key=attrgetter("line"))
    return LoadedAllocation(draft.allocation, tuple(warnings), draft.lines)
