"""A snapshot as plain values: whole (a keyframe), or as what differs from the one before it.

Of a row that was there before only the fields that differ are written, column by column: places of rows and their
values, of whole numbers how much they grew. Obstacles and users of YARN are not written: they follow from the rest.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.live.inference import with_obstacles
from engine.observe.documents import ROW_TYPES, Document, FixedSnapshot, known_types, plain_row, row_of_plain
from engine.observe.releases import users_of
from engine.observe.snapshot import UNKNOWN, Header, Snapshot

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "queues": ("path",),
    "nodes": ("id",),
    "applications": ("id",),
    "reservations": ("node",),
    "containers": ("id",),
    "executors": ("application", "executor"),
    "users": ("user",),
}
"""Section that is written → the fields by which one of its rows is known."""

Rows = dict[str, list[Any]]  # Section → its rows
Column = tuple[list[int], list[Any]]  # Places of rows, and a value for each


class RowsDifference(msgspec.Struct, frozen=True, array_like=True):
    """The difference between the rows of a section and those before."""

    order: list[int | Document] | None
    """Each row by its place before, or whole where it is new; None where the rows are those before, in their order."""
    values: dict[str, Column]  # Field → what it is now, by places in the new order
    growths: dict[str, tuple[list[int], list[int]]]  # Field of a whole number → how much it grew
    unknown: dict[str, list[int]]  # Field → where it is not known any more


class SnapshotFrame(msgspec.Struct, frozen=True, array_like=True):
    """A snapshot as it is written."""

    header: Document
    sections: dict[str, str]  # Section → the name of its type of rows; of a difference none, where they are as before
    dialect: str
    rows: dict[str, list[Document]]  # The rows of a keyframe, by section
    differences: dict[str, RowsDifference]
    """The differences of a frame: section → how its rows differ; one in which nothing does is left out."""


class FrameWriter:
    """The rows of the snapshot that was written or read last."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.dialect = snapshot.dialect
        self.sections = {name: row.__name__ for name, row in snapshot.sections.items()}
        written = [name for name in KEYS if name in snapshot.sections and not _follows(snapshot.dialect, name)]
        self.rows: Rows = {name: _rows_of(snapshot, name) for name in written}
        self.header = snapshot.header

    def keyframe(self) -> SnapshotFrame:
        rows = {name: [plain_row(row) for row in some] for name, some in self.rows.items()}
        return SnapshotFrame(plain_row(self.header), self.sections, self.dialect, rows, {})

    def since(self, before: "FrameWriter") -> SnapshotFrame:
        """Return how it differs from the snapshot before it; a keyframe where that is of another kind."""
        if (before.dialect, before.sections) != (self.dialect, self.sections):
            return self.keyframe()
        found = {name: _difference(name, before.rows[name], rows) for name, rows in self.rows.items()}
        return SnapshotFrame(plain_row(self.header), {}, "", {}, {name: each for name, each in found.items() if each})


class FrameReader:
    """Makes snapshots of frames, one after the other."""

    def __init__(self) -> None:
        self._dialect = ""
        self._sections: dict[str, type[msgspec.Struct]] = {}
        self._rows: Rows = {}
        self._header: Header | None = None

    def take(self, frame: SnapshotFrame) -> None:
        """Go on to the next frame.

        Raises msgspec.ValidationError if a value is of another type than its field, LookupError if there is no such
        section, field or row.
        """
        self._header = row_of_plain(Header, frame.header)
        if frame.dialect:
            self._dialect = frame.dialect
            self._sections = {name: ROW_TYPES[row] for name, row in frame.sections.items()}
            self._rows = {
                name: [row_of_plain(self._sections[name], each) for each in rows] for name, rows in frame.rows.items()
            }
        for name, each in frame.differences.items():
            self._rows[name] = _applied(self._sections[name], self._rows[name], each)

    def snapshot(self, version: int) -> FixedSnapshot:
        """The snapshot of the last frame; no two of one version are shown after one another."""
        assert self._header is not None, "a keyframe comes first"
        rows: dict[str, Sequence[Any]] = {**self._rows}
        versions = dict.fromkeys(self._sections, version)
        if not _follows(self._dialect, "users"):
            return FixedSnapshot(self._dialect, self._header, self._sections, rows, versions)
        rows["users"] = users_of(rows["applications"], self._header.total)
        return with_obstacles(FixedSnapshot(self._dialect, self._header, self._sections, rows, versions))


def _follows(dialect: str, section: str) -> bool:
    return section == "users" and dialect == YarnClusterView.kind


def _rows_of(snapshot: Snapshot, section: str) -> list[Any]:
    if section == "applications":
        return list(snapshot.applications(why=not _follows(snapshot.dialect, "users")))
    made: Mapping[str, Any] = {
        "queues": snapshot.queues,
        "nodes": snapshot.nodes,
        "reservations": snapshot.reservations,
        "containers": snapshot.containers,
        "executors": snapshot.executors,
        "users": snapshot.users,
    }
    return list(made[section]())


def _difference(section: str, before: Sequence[Any], after: Sequence[Any]) -> RowsDifference | None:
    """Return how rows differ; None where they do not."""
    order, pairs = _order(KEYS[section], before, after)
    found = RowsDifference(order, {}, {}, {})
    for place, old, new in pairs:
        if old != new:
            _compare(found, place, old, new)
    return found if order is not None or found.values or found.growths or found.unknown else None


def _order(
    keys: Sequence[str], before: Sequence[Any], after: Sequence[Any]
) -> tuple[list[int | Document] | None, list[tuple[int, Any, Any]]]:
    """The order, and (place, row before, row now) of each row that was there before."""
    known = {name: place for place, name in enumerate(_names(keys, before))}
    order: list[int | Document] = []
    pairs = []
    for place, (name, row) in enumerate(zip(_names(keys, after), after, strict=True)):
        was = known.get(name)
        order.append(plain_row(row) if was is None else was)
        if was is not None:
            pairs.append((place, before[was], row))
    is_same = len(before) == len(after) and all(was == place for place, was in enumerate(order))
    return None if is_same else order, pairs


def _names(keys: Sequence[str], rows: Sequence[Any]) -> Iterator[tuple[object, ...]]:
    """What tells each row from the others; of several that are called alike, which one it is."""
    seen: Counter[tuple[object, ...]] = Counter()
    for row in rows:
        name = tuple(getattr(row, key) for key in keys)
        yield (*name, seen[name])
        seen[name] += 1


def _compare(found: RowsDifference, place: int, old: Any, new: Any) -> None:
    for name in new.__struct_fields__:
        was, now = getattr(old, name), getattr(new, name)
        if was == now:
            continue
        if now is UNKNOWN:
            found.unknown.setdefault(name, []).append(place)
        elif type(was) is int and type(now) is int:
            _add(found.growths, name, place, now - was)
        else:
            _add(found.values, name, place, now)


def _add(columns: Document, name: str, place: int, value: object) -> None:
    places, values = columns.setdefault(name, ([], []))
    places.append(place)
    values.append(value)


def _applied(kind: Any, before: Sequence[Any], difference: RowsDifference) -> list[Any]:
    order = difference.order
    rows = (
        list(before)
        if order is None
        else [before[each] if isinstance(each, int) else row_of_plain(kind, each) for each in order]
    )
    changed: dict[int, Document] = {}
    known = known_types(kind)
    for name, (places, values) in difference.values.items():
        for place, value in zip(places, values, strict=True):
            changed.setdefault(place, {})[name] = msgspec.convert(value, known[name])
    for name, (places, growths) in difference.growths.items():
        for place, growth in zip(places, growths, strict=True):
            changed.setdefault(place, {})[name] = getattr(rows[place], name) + growth
    for name, places in difference.unknown.items():
        for place in places:
            changed.setdefault(place, {})[name] = UNKNOWN
    for place, fields in changed.items():
        rows[place] = msgspec.structs.replace(rows[place], **fields)
    return rows
