"""Selects a part of a trace and changes it on the way: queues renamed, time scaled, names hidden."""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from engine.formats.traces.application import TraceApplication
from engine.formats.traces.report import ImportReport

OUTSIDE = "applications outside the stretch asked for"


class TracePart(msgspec.Struct, frozen=True):
    """Which applications are taken, and how they are changed."""

    first: int | None = None
    """Only so many, in the order of the files; None takes all."""
    between_ms: tuple[int, int] | None = None
    """Only those submitted from the one to before the other, counted from the first submission read."""
    queues: dict[str, str] = {}
    """Queue of the trace → queue of the scenario; others keep theirs."""
    time_scale: float = 1.0
    """Arrivals come so many times later; how long things run stays."""
    is_anonymous: bool = False
    """Whether users, queues, applications and hosts get other names, the same for the same."""

    def of(self, applications: Iterable[TraceApplication], report: ImportReport) -> Iterator[TraceApplication]:
        """The applications taken, changed; what is left out is counted in the report."""
        taken = applications if self.first is None else islice(applications, self.first)
        first_ms: int | None = None
        for each in taken:
            first_ms = each.submitted_ms if first_ms is None else first_ms
            after_ms = each.submitted_ms - first_ms
            if self.between_ms is not None and not self.between_ms[0] <= after_ms < self.between_ms[1]:
                report.drop(OUTSIDE)
                continue
            yield self._changed(each, first_ms)

    def hide_nodes(self, report: ImportReport) -> None:
        """Give the machines of a report the names their applications have now."""
        if self.is_anonymous:
            renamed = [msgspec.structs.replace(each, host=hidden("host", host)) for host, each in report.nodes.items()]
            report.nodes = {node.host: node for node in renamed}

    def _changed(self, each: TraceApplication, first_ms: int) -> TraceApplication:
        queue = self.queues.get(each.queue or "", each.queue)
        if queue == each.queue and self.time_scale == 1 and not self.is_anonymous:
            return each
        submitted_ms = first_ms + round((each.submitted_ms - first_ms) * self.time_scale)
        if not self.is_anonymous:
            return msgspec.structs.replace(each, queue=queue, submitted_ms=submitted_ms)
        return msgspec.structs.replace(
            each,
            queue=hidden("queue", queue),
            submitted_ms=submitted_ms,
            user=hidden("user", each.user),
            id=hidden("job", each.id) or "",
            name=hidden("job", each.name) or "",
            tasks=tuple(
                msgspec.structs.replace(tasks, hosts=tuple(hidden("host", host) or "" for host in tasks.hosts))
                for tasks in each.tasks
            ),
        )


def hidden(kind: str, name: str | None) -> str | None:
    """Another name that says nothing, the same for the same; what is empty stays so.

    >>> hidden("user", "ann") == hidden("user", "ann"), hidden("user", "ann") == hidden("user", "bob")
    (True, False)
    """
    if not name:
        return name
    return f"{kind}-{hashlib.sha256(f'{kind}:{name}'.encode()).hexdigest()[:8]}"
