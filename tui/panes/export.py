"""A table as it stands on screen, as CSV and JSON, and names for files with the simulated time."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.observe.documents import SCHEMA, csv_line, row_object, table_csv
from engine.observe.snapshot import QueueRow
from tui.panes.events import event_text
from tui.panes.fragments import RenderContext
from tui.panes.graphs import Trace
from tui.protocol.picture import EventRow, SessionState
from tui.terminal import format as text

_EVENT_CELLS: Final = ("time_ms", "event", "application", "node", "sentence")


def stem(picture: SessionState, what: str = "") -> str:
    """The name of a file without its ending: the scenario, the cluster's time, and what is in it."""
    time_ms, offset_ms = picture.snapshot.header.time_ms, picture.run.offset_ms
    moment = f"{text.date(time_ms, offset_ms)}T{text.instant(time_ms, offset_ms)}".replace(":", ".")
    name = re.sub(r"[^\w.-]+", "_", picture.run.name).strip("._") or "cluster"
    return "-".join([name, moment.removesuffix(".000"), *([what] if what else [])])


def table_files(name: str, rows: Sequence[Any], picture: SessionState, look: RenderContext) -> dict[str, str]:
    """Ending → text of a pane's rows, in their order on screen.

    The CSV has a header; the JSON names scenario, time and pane beside its rows. Rows of a snapshot are as in
    `schedlab get`; events carry their record; graphs are what was noted in their window, instant by instant.
    """
    dimensions = picture.snapshot.header.dimensions
    if name == "events":
        objects: Sequence[Mapping[str, object]] = [_event(row, look) for row in rows]
        table = _csv(_EVENT_CELLS, objects)
    elif name == "graphs":
        objects = _series(rows, picture)
        table = _csv(tuple(objects[0]) if objects else ("time_ms",), objects)
    else:
        objects = [row_object(row, dimensions) for row in rows]
        table = table_csv(rows, picture.snapshot.sections.get(name, QueueRow), dimensions)
    document = {
        "schema": SCHEMA,
        "scenario": picture.run.name,
        "time_ms": picture.snapshot.header.time_ms,
        "table": name,
        "rows": objects,
    }
    return {"csv": table, "json": json.dumps(document, indent=1, ensure_ascii=False) + "\n"}


def _event(row: EventRow, look: RenderContext) -> dict[str, object]:
    what = event_text(row, look)
    cells = (row.time_ms, what.verb, what.application, what.node, what.sentence)
    return {**dict(zip(_EVENT_CELLS, cells, strict=True)), "record": {"kind": row.kind, **row.fields}}


def _series(rows: Sequence[Trace], picture: SessionState) -> Sequence[Mapping[str, object]]:
    if picture.graphs is None or not rows:
        return []
    history, reading = picture.graphs.history, picture.graphs.reading
    since_ms, until_ms = rows[0].window
    queues = {row.key: history.queues[row.key] for row in rows if row.key in history.queues}
    noted = {since_ms, until_ms}.union(history.cluster.times, *(steps.times for steps in queues.values()))
    objects = []
    for time_ms in sorted(time_ms for time_ms in noted if since_ms <= time_ms <= until_ms):
        values = reading if time_ms == until_ms else history.cluster.at(time_ms)
        if values is not None:
            of_queues = {path: steps.at(time_ms) or 0 for path, steps in queues.items()}
            objects.append({"time_ms": time_ms, **dict(zip(history.names, values, strict=True)), **of_queues})
    return objects


def _csv(cells: Sequence[str], objects: Sequence[Mapping[str, Any]]) -> str:
    return "".join([csv_line(cells), *(csv_line([one[cell] for cell in cells]) for one in objects)])
