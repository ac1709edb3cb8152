"""A snapshot as text, as an object or as CSV, for commands that write one."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.errors import ConfigError
from engine.explain.alert import Alert, word_of
from engine.observe.documents import document, row_object, section_rows, table_csv
from engine.observe.snapshot import SECTIONS, CapacityQueueRow, Header, QueueRow, Snapshot
from engine.observe.snapshots import YARN, SystemTerms, WaitTotal, terms_for, terms_of, translate_terms, waits_of
from engine.schedulers.interface import Unknown
from engine.units import iso_text, zone_of
from tui.panes import (
    application,
    capacity_queue,
    container,
    header,
    mapreduce1,
    queue,
    reservation,
    standalone,
    user,
    workers,
)
from tui.panes import nodes as node
from tui.panes.arrangement import FilterError, parse
from tui.panes.field import RowField, RowFields
from tui.panes.fragments import Fragments, RenderContext, flat
from tui.panes.frame import spans_of
from tui.panes.partition import in_partitions, with_partitions
from tui.panes.table import Column, PlacedColumn, cells_of, head_line, place, row_line, widths_of
from tui.panes.waits import sum_words, with_waits
from tui.terminal import format as text
from tui.terminal.format import IN_ASCII

WIDTH: Final = 160  # Columns of the text where there is no terminal to ask

ALERT: Final = ("kind", "sentence", "verdict", "pattern", "applications")
"""What is written of an alert: since when it holds is not known, as it is looked for at the instant only."""

ALERT_FIELDS: Final[Sequence[RowField[Any]]] = (
    RowField("kind"),
    RowField("badge", own=lambda alert, look: word_of(alert.kind, alert.pattern)),
    RowField("sentence"),
)  # What alerts are filtered by

UNCUT: Final = 1000  # Columns no reason is longer than


class SectionTable(NamedTuple):
    columns: Sequence[Column[Any]]
    fields: RowFields[Any]


_YARN: Final = {
    "queues": SectionTable(queue.EVERY_COLUMN, queue.FIELDS),
    "nodes": SectionTable(node.EVERY_COLUMN, node.FIELDS),
    "applications": SectionTable(application.EVERY_COLUMN, application.FIELDS),
    "reservations": SectionTable(reservation.TABLE_COLUMNS, reservation.FIELDS),
    "containers": SectionTable(container.COLUMNS, container.FIELDS),
    "users": SectionTable(user.COLUMNS, user.FIELDS),
}
_SPARK: Final = {
    **_YARN,
    "nodes": SectionTable(workers.EVERY_WORKER_COLUMN, workers.WORKER_FIELDS),
    "applications": SectionTable(standalone.EVERY_COLUMN, standalone.FIELDS),
    "executors": SectionTable(workers.EVERY_EXECUTOR_COLUMN, workers.EXECUTOR_FIELDS),
    "users": SectionTable(user.STANDALONE_COLUMNS, user.FIELDS),
}
_MAPREDUCE_1: Final = {
    "queues": SectionTable(mapreduce1.POOL_COLUMNS, queue.FIELDS),
    "nodes": SectionTable(mapreduce1.TRACKER_COLUMNS, node.FIELDS),
    "applications": SectionTable(mapreduce1.JOB_COLUMNS, application.FIELDS),
    "reservations": _YARN["reservations"],
    "containers": SectionTable(mapreduce1.ATTEMPT_COLUMNS, container.FIELDS),
    "users": SectionTable(mapreduce1.USER_COLUMNS, user.FIELDS),
}
_TABLES: Final = {"yarn": _YARN, "spark": _SPARK, "mr1": _MAPREDUCE_1}  # Dialect of a snapshot → table of each section
_FIFO: Final = {"queues": SectionTable(queue.FIFO_COLUMNS, queue.FIELDS)}
_CAPACITY: Final = {"queues": SectionTable(capacity_queue.EVERY_COLUMN, capacity_queue.FIELDS)}


def _tables(snapshot: Snapshot) -> Mapping[str, SectionTable]:
    queues = _FIFO if snapshot.header.scheduler in queue.FIFO_SCHEDULERS else {}
    if issubclass(snapshot.sections.get("queues", QueueRow), CapacityQueueRow):
        queues = _CAPACITY
    return {**_TABLES[snapshot.dialect], **queues}


def _fields_of(snapshot: Snapshot, section: str) -> list[RowField[Any]]:
    row_type = snapshot.sections.get(section, SECTIONS[section])
    return [
        field
        for field in _tables(snapshot)[section].fields.every
        if field.own is not None or hasattr(row_type, field.attribute or field.name)
    ]


class SnapshotText(NamedTuple):
    name: str  # The name of the scenario, or of what was recorded
    offset_ms: int  # East of Greenwich, for times of day
    picture: Snapshot
    sections: Sequence[str]  # Sections that are written
    alerts: Sequence[Alert]
    notes: Sequence[str] = ()  # Notes on what was assumed and what is not known
    filter_words: str = ""  # Which rows of the sections are wanted, as `/` has it on the screen

    @property
    def look(self) -> RenderContext:
        one = self.picture.header
        look = RenderContext(one.time_ms, one.dimensions, one.total, self.offset_ms)
        return with_waits(with_partitions(look, self.picture), self.picture)

    def rows(self, section: str) -> list[Any]:
        """The rows of a section that the filter keeps; a `ConfigError` where it names no field, or no value of it."""
        rows = list(section_rows(self.picture, section))
        if not self.filter_words or section not in _tables(self.picture):
            return rows
        return self._kept(rows, _fields_of(self.picture, section))

    def kept_alerts(self) -> list[Alert]:
        """The alerts that the filter keeps; raises as `rows` does."""
        return self._kept(self.alerts, ALERT_FIELDS)

    def _kept(self, rows: Sequence[Any], fields: Sequence[RowField[Any]]) -> list[Any]:
        try:
            wanted, look = parse(self.filter_words, fields), self.look
        except FilterError as error:
            raise ConfigError.of(str(error)) from None
        return [row for row in rows if wanted.keeps(row, look)]


def section_csv(shown: SnapshotText) -> str:
    picture, section = shown.picture, shown.sections[0]
    row_type = picture.sections.get(section, SECTIONS[section])
    return table_csv(shown.rows(section), row_type, picture.header.dimensions)


def snapshot_object(shown: SnapshotText) -> dict[str, Any]:
    at = iso_text(shown.picture.header.time_ms, zone_of(shown.offset_ms))
    fields = document(shown.picture, () if shown.filter_words else shown.sections)
    if shown.filter_words:
        dimensions = shown.picture.header.dimensions
        fields |= {name: [row_object(row, dimensions) for row in shown.rows(name)] for name in shown.sections}
    return {
        "schema": fields.pop("schema"),
        "scenario": shown.name,
        "at": at,
        "alerts": [{name: getattr(alert, name) for name in ALERT} for alert in shown.alerts],
        **fields,
    }


def _uncut(column: Column[Any], rows: Sequence[Any], look: RenderContext) -> Column[Any]:
    return column._replace(width=max(column.width, *(widths_of(cells_of([column], row, look))[0] for row in rows)))


def _placed(
    columns: Sequence[Column[Any]], rows: Sequence[Any], look: RenderContext, width: int
) -> list[PlacedColumn[Any]]:
    placed = place([_uncut(column, rows, look) if column.right else column for column in columns], width)
    is_cut = placed[-1].column.grow and not placed[-1].column.right and not sys.stdout.isatty()
    return [*placed[:-1], placed[-1]._replace(width=UNCUT)] if is_cut else placed


def _ascii(spans: Fragments) -> str:
    return flat(spans).translate(IN_ASCII).rstrip()


def counts_words(header: Header, waits: WaitTotal) -> str:
    """Counts applications, nodes and containers in a system's nouns; leaves out what a cluster does not have."""
    words, pending, reserved = terms_for(header.dimensions), header.containers_pending, header.nodes_reserved
    counts = [
        f"{words.application}s {header.applications_running} running, "
        f"{waits.number} waiting{sum_words(waits, header.dimensions)}",
        f"{words.node}s {header.nodes}" + (f", {header.nodes_down} down" if header.nodes_down else ""),
        f"{words.container}s {header.containers}" + ("" if isinstance(pending, Unknown) else f", {pending} asked for"),
        ""
        if isinstance(reserved, Unknown) or not (reserved or words is YARN)
        else f"reserved {reserved} of {header.nodes} {words.node}s",
    ]
    return " " + "   ".join(each for each in counts if each)


def text_lines(shown: SnapshotText) -> list[str]:
    """Write the header, the alerts and every row of the panes one below the other, in ASCII."""
    width = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH
    picture, one = shown.picture, shown.picture.header
    look = shown.look
    lines = [text.date(one.time_ms, look.offset_ms) + " " + text.clock(one.time_ms, look.offset_ms)]
    waits = waits_of(picture.applications(why=False))
    lines.append(_ascii(spans_of(header.meter_line(one, waits, width))))
    lines.append(counts_words(one, waits))
    lines += [f" ! {text.plain(alert.sentence)}" for alert in shown.alerts]
    lines += [f" ({text.plain(note)})" for note in shown.notes]
    tables = _tables(picture)
    for name in shown.sections:
        rows = shown.rows(name)
        if len(shown.sections) > 1 and _is_meaningless(name, rows, terms_for(one.dimensions)):
            continue
        count = container.count_words(rows) if name == "containers" else len(rows)
        lines += ["", f"{translate_terms(name, terms_of(one)).capitalize()} {count}"]
        if rows:
            drawn = in_partitions(picture) if name == "queues" and not shown.filter_words else rows
            placed = _placed(tables[name].columns, drawn, look, width)
            lines += [_ascii(head_line(placed)), *(_ascii(row_line(placed, row, look)) for row in drawn)]
    return lines


def _is_meaningless(section: str, rows: Sequence[Any], words: SystemTerms) -> bool:
    return (section == "reservations" and not rows and words is not YARN) or (
        section == "queues" and not words.has_queues
    )
