"""Writes one queue of a running fair scheduler as an element of an allocation file, each value with its origin."""

from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from engine.formats.allocation_listing import EffectiveValue, Where, list_queue
from engine.formats.fair_scheduler_queues import SETTINGS_34
from engine.formats.fair_scheduler_xml import LoadedAllocation
from engine.model.resource import Resource
from engine.schedulers.fair.allocation import ADMINISTER_QUEUE, SUBMIT_APPLICATIONS, FairAllocation
from engine.schedulers.fair.queue_settings import QUEUE_SETTINGS
from engine.schedulers.fair34.allocation import FairAllocation34
from engine.schedulers.fair34.resources import Amount34

CHANGED = "changed while it ran"
"""The origin of a value that an operator has set since the file was loaded."""

_RIGHTS = {"aclSubmitApps": SUBMIT_APPLICATIONS, "aclAdministerApps": ADMINISTER_QUEUE}
_WIDTH = 76


def queue_definition(
    path: str, live: FairAllocation, loaded: LoadedAllocation | None, where: Where, *, parent: bool
) -> list[str]:
    """The lines of a queue's element: what it is given itself stands in elements, everything else in comments.

    Args:
        path: The queue's full name; it need not be in the file.
        loaded: What the file says; None where none was loaded.
        where: How to name the place of a value that the file states.
    """
    changed = {} if loaded is None else _changed(live, loaded.allocation)
    lines = {} if loaded is None else dict(loaded.lines)

    def place(scope: str, name: str, line: int) -> str:
        return CHANGED if (scope, name) in changed else where(scope, name, line)

    listing = list_queue(LoadedAllocation(live, (), {**lines, **changed}), path, parent=parent, where=place)
    kind = ' type="parent"' if parent else ""
    head = f"<queue name={quoteattr(path.rpartition('.')[2])}{kind}>"
    stated, others = [], []
    for value in listing.values:
        own = path, value.name
        if own in changed or own in lines:
            text = f"  <{value.name}>{escape(_written(value, path, live))}</{value.name}>"
            stated.append((text, place(*own, lines.get(own, 0))))
        else:
            others.append((f"  {value.name} {value.text}", value.origin))
    return [head, *_commented(stated), *_comments(others), "</queue>"]


def _changed(live: FairAllocation, file: FairAllocation) -> Mapping[tuple[str, str], int]:
    """(queue, element) of every value that is not the file's."""
    settings = SETTINGS_34 if isinstance(live, FairAllocation34) else QUEUE_SETTINGS
    found = {}
    for element, setting in settings.items():
        now, before = getattr(live, setting.attribute), getattr(file, setting.attribute)
        found.update({(queue, element): 0 for queue, value in now.items() if before.get(queue) != value})
    return found


def _written(value: EffectiveValue, path: str, live: FairAllocation) -> str:
    """A value as the file has to say it, which is not always how people do."""
    if value.name in _RIGHTS:
        return str(live.acl(path, _RIGHTS[value.name]))
    if value.name == "allowPreemptionFrom" and isinstance(live, FairAllocation34):
        return "false" if path in live.not_preemptable else "true"
    settings = SETTINGS_34 if isinstance(live, FairAllocation34) else QUEUE_SETTINGS
    kept = getattr(live, settings[value.name].attribute).get(path)
    if isinstance(kept, Amount34):
        kept = kept.fixed
    if isinstance(kept, Resource):
        return f"{kept.memory_mb} mb, {kept.vcores} vcores"
    if value.name.endswith("Timeout"):
        return str(kept // 1000)
    if isinstance(kept, float):
        return f"{kept:g}"
    return str(kept) if isinstance(kept, int) else value.text


def _commented(rows: list[tuple[str, str]]) -> list[str]:
    """Elements with their origins in a column beside them, or right behind them where that would be too wide."""
    width = max((len(text) for text, _ in rows), default=0)
    longest = max((len(origin) for _, origin in rows), default=0)
    column = width if width + longest + len("  <!--  -->") <= _WIDTH else 0
    return [f"{text.ljust(column)}  <!-- {_plain(origin)} -->" for text, origin in rows]


def _comments(rows: list[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    width = max(len(text) for text, _ in rows)
    return ["  <!-- not given here:", *(f"  {text.ljust(width)}  {_plain(origin)}" for text, origin in rows), "  -->"]


def _plain(origin: str) -> str:
    """Words that may stand in a comment."""
    return origin.replace("--", "- -")
