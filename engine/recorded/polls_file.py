"""The form of kept polls on disk: a beginning, and parts of sealed lines, one line for each poll.

The directory of the run holds `run.jsonl` with the beginning (and the end of one that was ended), and parts
`part-000001.jsonl` and so on. A part begins with a keyframe, a snapshot as plain values, and can be read without the
others, so that old ones can be deleted. Each other frame is what differs from the one before: of a row that was there
only the fields that differ, column by column, of whole numbers how much they grew. Obstacles and users of YARN are not
written: they follow from the rest. The frames from one keyframe to the next are one stream of zlib, flushed after each:
a program that is killed leaves every frame that it has written.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, NamedTuple

import msgspec

from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.errors import ConfigError
from engine.explain.alert import Alert
from engine.live.inference import with_obstacles
from engine.observe.documents import ROW_TYPES, Document, FixedSnapshot, known_types, plain_row, row_of_plain
from engine.observe.history import SERIES
from engine.observe.journal import program_version
from engine.observe.releases import users_of
from engine.observe.snapshot import UNKNOWN, Header, Snapshot
from engine.run.run_store import FILE, PART, DamagedLineError, Instant, check_there, lock_file, open_regular, read_lines
from engine.simulation.records import Record

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
    order: list[int | Document] | None
    """Each row by its place before, or whole where it is new; None where the rows are those before, in their order."""
    values: dict[str, Column]  # Field → what it is now, by places in the new order
    growths: dict[str, tuple[list[int], list[int]]]  # Field of a whole number → how much it grew
    unknown: dict[str, list[int]]  # Field → where it is not known any more


class SnapshotFrame(msgspec.Struct, frozen=True, array_like=True):
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
    def __init__(self) -> None:
        self._dialect = ""
        self._sections: dict[str, type[msgspec.Struct]] = {}
        self._rows: Rows = {}
        self._header: Header | None = None

    def take(self, frame: SnapshotFrame) -> None:
        """Raises msgspec.ValidationError if a value has another type, LookupError if there is no such name or row."""
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
    return list(getattr(snapshot, section)())


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


FORMAT: Final = 1  # Version of the form; a reader refuses others
_OURS: Final = re.compile(rb'\{"kind":"schedlab polls","format":(\d{1,9})[,}]')


class PollsBeginning(msgspec.Struct, frozen=True, tag="schedlab polls", tag_field="kind"):
    """The first line of `run.jsonl`: what is polled."""

    format: int
    where: str  # `host:port` of the server; never what a user names to be let in
    dialect: str  # The kind of control plane, as of a snapshot
    scheduler: str
    created: str  # When it was begun, as its maker wrote it
    program: str  # Version of the program that keeps it
    start_ms: Instant  # The instant of the first poll, by the cluster's clock [epoch ms]
    offset_ms: Annotated[int, msgspec.Meta(gt=-86_400_000, lt=86_400_000)]  # East of Greenwich, where it was kept
    keep_for_ms: int = 0  # How long polls are kept; 0 for ever


class PollsEnd(msgspec.Struct, frozen=True, tag="End", tag_field="kind"):
    """The last line of `run.jsonl`; there is none of polls that go on, or whose program was killed."""

    until_ms: Instant
    polls: int
    failure: str = ""  # Why it was not kept to its end; empty when it was


class Poll(msgspec.Struct, frozen=True, array_like=True):
    time_ms: Instant  # By the cluster's clock, and later than that of the line before [epoch ms]
    is_keyframe: bool
    frame: bytes  # The next piece of the stream, which begins anew with a keyframe
    number: int  # Records that happened before
    reading: tuple[int, ...] = ()  # What graphs show; empty where it is as before
    queues: dict[str, int] = {}  # Leaf queue → memory it uses [MB], where it changed
    records: tuple[Record, ...] = ()  # What happened since the poll before
    alerts: tuple[Alert, ...] = ()  # Alerts that began or ended


_ENDS: Final[msgspec.json.Decoder[PollsBeginning | PollsEnd]] = msgspec.json.Decoder(PollsBeginning | PollsEnd)
_POLL: Final = msgspec.json.Decoder(Poll)


class PlacedPoll(NamedTuple):
    poll: Poll
    begin: int
    end: int


def is_polls(root: Path, name: str) -> bool:
    """Tell whether a kept run holds polls. Raises ConfigError if there is no such run, or it cannot be read."""
    with open_regular(check_there(root, name) / FILE) as file:
        return _OURS.match(file.read(64)) is not None


def read_ends(path: Path) -> tuple[PollsBeginning, PollsEnd | None]:
    """Kept polls' beginning, and end if there is one. Raises ConfigError if damaged or of another format."""
    place = path / FILE
    with open_regular(place) as file:
        found = _OURS.match(file.read(64))
        if found is not None and int(found[1]) != FORMAT:
            words = f"it has format {int(found[1])}, this program ({program_version()}) reads {FORMAT}"
            raise ConfigError.of(words, file=str(place), hint="open it with the version that made it")
        try:
            first, *rest = [_ENDS.decode(line.body) for line in read_lines(file)]
        except (DamagedLineError, msgspec.MsgspecError, ValueError) as error:
            raise ConfigError.of(f"its beginning is damaged: {error}", file=str(place)) from None
    if not isinstance(first, PollsBeginning) or first.dialect not in SERIES:
        raise ConfigError.of("its beginning is damaged", file=str(place))
    return first, next((each for each in rest if isinstance(each, PollsEnd)), None)


def parts_of(path: Path) -> list[int]:
    """The numbers of the parts there are, in order. Raises ConfigError if the directory cannot be read."""
    try:
        found = [PART.fullmatch(each.name) for each in path.iterdir()]
    except OSError as error:
        raise ConfigError.of(f"cannot be read: {error.strerror}", file=str(path)) from None
    return sorted(int(match[1]) for match in found if match is not None)


def part_path(path: Path, number: int) -> Path:
    return path / f"part-{number:06d}.jsonl"


def read_polls(file: BinaryIO) -> Iterator[PlacedPoll]:
    """Polls of a part, without a last one cut off. Raises DamagedLineError if a line is not what was written."""
    begin = 0
    for line in read_lines(file):
        try:
            poll = _POLL.decode(line.body)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise DamagedLineError(line.number, str(error)) from None
        yield PlacedPoll(poll, begin, line.end)
        begin = line.end


def polls_from(file: BinaryIO, begin: int) -> Iterator[PlacedPoll]:
    """The polls from a line on that was read before: no seals. Raises msgspec.MsgspecError if a line holds none."""
    file.seek(begin)
    while data := file.readline():
        if not data.endswith(b"\n"):
            return
        end = begin + len(data)
        yield PlacedPoll(_POLL.decode(data[:-18]), begin, end)
        begin = end


class PollsRepair(NamedTuple):
    damaged: tuple[str, ...]  # Names of the files in which something was damaged
    polls: int  # The number of polls that are kept
    cut_bytes: int


def repair_polls(root: Path, name: str) -> PollsRepair:
    """Cut off what is damaged; parts after it are kept, as each begins anew.

    Raises ConfigError if they are being written, their beginning is damaged, or nothing can be cut off.
    """
    path = check_there(root, name)
    read_ends(path)
    damaged: list[str] = []
    polls = cut_bytes = 0
    with lock_file(path, os.O_RDWR, "repaired"):
        for number in parts_of(path):
            place = part_path(path, number)
            kept, good, is_damaged = _survey(place)
            polls += kept
            if is_damaged:
                damaged.append(place.name)
                cut_bytes += _cut(place, good)
    return PollsRepair(tuple(damaged), polls, cut_bytes)


def _survey(place: Path) -> tuple[int, int, bool]:
    """Count the good polls of a part, with how far they reach [bytes] and whether damage follows."""
    kept = good = 0
    with open_regular(place) as file:
        try:
            for placed in read_polls(file):
                kept, good = kept + 1, placed.end
        except DamagedLineError:
            return kept, good, True
    return kept, good, False


def _cut(place: Path, size: int) -> int:
    """Cut a part off behind its good lines; how much that was [bytes]."""
    with open_regular(place, os.O_RDWR) as file:
        before = file.seek(0, os.SEEK_END)
        try:
            file.truncate(size)
            os.fsync(file.fileno())
        except OSError as error:
            words = f"it cannot be repaired: {(error.strerror or str(error)).lower()}"
            raise ConfigError.of(words, file=str(place)) from None
    return before - size
