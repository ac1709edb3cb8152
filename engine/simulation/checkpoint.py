"""Checkpoints: a simulation packed into few bytes of memory, and unpacked again; never written to a file.

What is packed follows from what each class declares of its slots (see `engine.state`). Objects of the state name one
another (container, node, attempt, application), so each gets a number, and they are written in rounds: first the world,
then what it names, and so on, until no object is new. In a round, the objects of each class are written slot by slot,
which makes them small. In place of an object there stands its number. What never changes is not written but kept in
the pool, except for small values: numbers, texts, tuples.
"""

import pickle
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterable
from io import BytesIO
from itertools import chain, repeat
from operator import attrgetter
from random import Random
from types import NoneType
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary, ref

import msgspec

from engine.incremental import Incremental, run_to_end, without_gc
from engine.model.ledger import Application
from engine.simulation.simulation import Simulation
from engine.simulation.world import RunConstants, World
from engine.state import DROPPED, LAZY, declared, has_slots, is_constant, is_state, maker
from engine.workload.mapreduce import Tasks
from engine.workload.master import Topology

# Keeps once what the packed copies of one run share; each copy names it by its place.
#
# Scenarios, ended applications and names of nodes never change. The tasks drawn for a job never change either, but they
# are large and soon over: they are packed once, and kept as objects only while in use.


FEW: Final = 8  # Least number of values of an attribute for which it pays to find out whether they are equal
PLAIN: Final = frozenset({int, str, bool})  # Types of values that never change
LEVEL: Final = 1  # Level of zlib; a higher one takes longer than it saves

Column = tuple[Any, ...]


class CheckpointPool:
    """Shared by all packed copies of one run."""

    def __init__(self) -> None:
        self.items: list[Any] = []  # the items, by place
        self.bytes = 0  # size of what is packed in it [bytes]
        self._places: dict[object, int] = {}  # place of each item: by identity, of an ended application by its number
        self._columns: dict[tuple[type, int], Column | None] = {}
        """(type, place of an attribute) → its values in all objects of the type, which were alike in every copy so
        far, or None once they were not."""
        self._alive: WeakKeyDictionary[Tasks, int] = WeakKeyDictionary()  # place of the packed tasks of each job
        self._tasks: dict[int, ref[Tasks]] = {}  # place → the tasks themselves, while they live

    def branch(self) -> None:
        """Forget which applications ended: after a branch, others may end under the same numbers."""
        self._places = {key: place for key, place in self._places.items() if type(key) is int}

    def place(self, item: Any) -> int:
        """Return the place of something that never changes; an ended application is known by its number."""
        key = ("application", item.number) if type(item) is Application else id(item)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.items)
            self.items.append(item)
        return place

    def column(self, key: tuple[type, int], column: Column) -> int | Column:
        """Return an attribute of many objects: its place where it is shared, one value where all are equal, or all."""
        if len(column) < FEW or len(kinds := set(map(type, column)) - {NoneType}) > 1 or not kinds <= PLAIN:
            return column
        before = self._columns.get(key, ())
        if before == column:
            return self.place(before)
        self._columns[key] = None if before != () else column
        return column[:1] if column.count(column[0]) == len(column) else column

    def place_of_tasks(self, tasks: Tasks) -> int:
        place = self._alive.get(tasks)
        if place is None:
            place = len(self.items)
            self.items.append(zlib.compress(pickle.dumps(tasks.drawn(), protocol=5), LEVEL))
            self.bytes += len(self.items[-1])
            self._know(tasks, place)
        return place

    def tasks(self, place: int, topology: Topology) -> Tasks:
        """Return the tasks of a job: the same object while it lives, else an equal one."""
        found = self._tasks.get(place)
        tasks = None if found is None else found()
        if tasks is None:
            tasks = Tasks.of(pickle.loads(zlib.decompress(self.items[place])), topology)
            self._know(tasks, place)
        return tasks

    def _know(self, tasks: Tasks, place: int) -> None:
        self._alive[tasks] = place
        self._tasks[place] = ref(tasks)


PIECE: Final = 500  # Number of objects of a class from which on each slot is written and read in a piece of its own
WRITTEN: Final = 100  # Number of values of a slot that are written in one piece

FEW_WRITTEN: Final = 20
"""The same for a class of few objects: these may be jobs, whose tasks are packed with them the first time."""

SORTED: Final = 10_000  # Number of objects that are sorted by class in one piece
BYTES: Final = 2**18  # Number of bytes that are compressed in one piece

_VALUE, _NUMBERED, _POOLED, _POOLED_AT_END, _DRAWN = range(5)
"""How an object is written: itself, as its number, as its place in the pool, so once it has ended, or packed once for
all checkpoints."""


class Checkpoint(NamedTuple):
    time_ms: int  # Epoch ms
    acts: int  # Number of acts before it
    data: bytes


class _Treatments(dict[type, int]):
    """Maps a class to how its objects are written; an entry is made at the first object."""

    def __missing__(self, kind: type) -> int:
        if kind is Application:
            found = _POOLED_AT_END
        elif kind is Tasks:
            found = _DRAWN
        elif is_state(kind) and not is_constant(kind):
            found = _NUMBERED if has_slots(kind) else _VALUE
        else:
            found = _VALUE if _is_small(kind) else _POOLED
        self[kind] = found
        return found


def _is_small(kind: type) -> bool:
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_config__.frozen
    return kind.__module__ == "builtins" or (
        issubclass(kind, tuple | type | deque | Counter | Random) and kind not in (RunConstants, Topology)
    )


_TREATMENTS: Final = _Treatments()

_Setter = Callable[[Any, Any], None]


class _Slots(NamedTuple):
    readers: tuple[Callable[[Any], Any], ...]  # Each reads one slot of an object
    setters: tuple[_Setter, ...]  # Each sets one slot of an object, in the same order
    dropped: tuple[_Setter, ...]  # The setters of slots that are None in a copy


class _ByClass(dict[type, _Slots]):
    """Maps a class to how its slots are read and set; an entry is made at the first object."""

    def __missing__(self, kind: type) -> _Slots:
        slots = declared(kind)
        names = [name for name, what in slots.items() if what != DROPPED]
        self[kind] = _Slots(
            tuple(attrgetter(name.removeprefix("_") if slots[name] == LAZY else name) for name in names),
            tuple(getattr(kind, name).__set__ for name in names),
            tuple(getattr(kind, name).__set__ for name, what in slots.items() if what == DROPPED),
        )
        return self[kind]


_SLOTS: Final = _ByClass()


def _numbered(number: int) -> object:
    raise AssertionError(number)


def _pooled(place: int) -> object:
    raise AssertionError(place)


def _drawn(place: int, topology: Topology) -> Tasks:
    raise AssertionError(place, topology)


class _Packer(pickle.Pickler):
    def __init__(self, buffer: BytesIO, pool: CheckpointPool) -> None:
        super().__init__(buffer, protocol=5)
        self._pool = pool
        self.objects: list[object] = []  # the objects of the state, by number

    def reducer_override(self, each: Any) -> Any:
        treated = _TREATMENTS[type(each)]
        if treated == _VALUE:
            return NotImplemented
        if treated == _POOLED or (treated == _POOLED_AT_END and each.is_final and each.attempt is None):
            return _pooled, (self._pool.place(each),)
        if treated == _DRAWN:
            return _drawn, (self._pool.place_of_tasks(each), each.topology)
        self.objects.append(each)
        return _numbered, (len(self.objects) - 1,)


class _Unpacker(pickle.Unpickler):
    def __init__(self, buffer: BytesIO, objects: list[object], pool: CheckpointPool) -> None:
        super().__init__(buffer)
        self._tables: dict[str, Callable[..., Any]] = {
            "_numbered": objects.__getitem__,
            "_pooled": pool.items.__getitem__,
            "_drawn": pool.tasks,
        }

    def find_class(self, module: str, name: str) -> Any:
        return self._tables[name] if module == __name__ else super().find_class(module, name)


def pack(simulation: Simulation, pool: CheckpointPool) -> Checkpoint:
    """Pack a simulation, without its listeners; `pool` is one for all checkpoints of a run."""
    return run_to_end(packing(simulation, pool))


def packing(simulation: Simulation, pool: CheckpointPool) -> Incremental[Checkpoint]:
    """Pack in pieces; the simulation must stand still until it is done."""
    data = yield from without_gc(_packed(simulation.world, pool))
    return Checkpoint(simulation.now_ms, len(simulation.acts), data)


def _packed(world: World, pool: CheckpointPool) -> Incremental[bytes]:
    buffer = BytesIO()
    packer = _Packer(buffer, pool)
    packer.dump(world)
    done = 0
    while done < len(packer.objects):
        begin, done = done, len(packer.objects)
        yield from _write_round(packer, begin, pool)
    classes = list(dict.fromkeys(type(each) for each in packer.objects))
    codes = {kind: code for code, kind in enumerate(classes)}
    yield
    squeezed = zlib.compressobj(LEVEL)
    head = pickle.dumps((classes, bytes(codes[type(each)] for each in packer.objects)), protocol=5)
    found = [squeezed.compress(head)]
    written = buffer.getbuffer()
    for begin in range(0, len(written), BYTES):
        yield
        found.append(squeezed.compress(written[begin : begin + BYTES]))
    yield
    packer.clear_memo()
    yield
    return b"".join((*found, squeezed.flush()))


def _write_round(packer: _Packer, begin: int, pool: CheckpointPool) -> Incremental[None]:
    """Write the slots of all objects met so far, from one number on; it pauses between two slots."""
    some = packer.objects[begin:]
    packer.dump(len(packer.objects))
    by_class: dict[type, list[Any]] = {}
    for first in range(0, len(some), SORTED):
        _sort(some[first : first + SORTED], by_class)
        yield
    for kind, objects in by_class.items():
        for place, read in enumerate(_SLOTS[kind].readers):
            column = tuple(map(read, objects))
            if len(column) >= PIECE:
                yield
            yield from _write(packer, pool.column((kind, place), column))


def _write(packer: _Packer, found: int | Column) -> Incremental[None]:
    if isinstance(found, int):
        packer.dump(found)
        return
    size = WRITTEN if len(found) >= PIECE else FEW_WRITTEN
    for begin in range(0, len(found), size):
        packer.dump(found[begin : begin + size])
        if len(found) >= size:
            yield


def _sort(some: list[Any], by_class: dict[type, list[Any]]) -> None:
    for each in some:
        by_class.setdefault(type(each), []).append(each)


def unpack(checkpoint: Checkpoint, pool: CheckpointPool) -> Simulation:
    """The simulation again, without listeners and acts; `pool` is the one it was packed with."""
    return run_to_end(unpacking(checkpoint, pool))


def unpacking(checkpoint: Checkpoint, pool: CheckpointPool) -> Incremental[Simulation]:
    simulation = Simulation((yield from without_gc(_unpacked(checkpoint, pool))))
    simulation.flush()  # what the original has still to record for its listeners counts as recorded
    return simulation


def _unpacked(checkpoint: Checkpoint, pool: CheckpointPool) -> Incremental[World]:
    buffer = BytesIO(zlib.decompress(checkpoint.data))
    yield
    classes, codes = pickle.load(buffer)
    objects: list[Any] = [maker(kind)(kind) for kind in map(classes.__getitem__, codes)]
    unpacker = _Unpacker(buffer, objects, pool)
    world: World = unpacker.load()
    done = 0
    while done < len(objects):
        some = objects[done : unpacker.load()]
        done += len(some)
        by_class: dict[type, list[Any]] = {}
        _sort(some, by_class)
        for kind, of_class in by_class.items():
            yield from _set(of_class, _SLOTS[kind], unpacker, pool)
    return world


def _set(objects: list[Any], slots: _Slots, unpacker: _Unpacker, pool: CheckpointPool) -> Incremental[None]:
    for setter in slots.dropped:
        deque(map(setter, objects, repeat(None)), maxlen=0)
    for setter in slots.setters:
        if len(objects) >= PIECE:
            yield
        found: int | Column = unpacker.load()
        values: Iterable[Any] = pool.items[found] if isinstance(found, int) else found
        if not isinstance(found, int) and 1 < len(found) < len(objects):
            # A column that was written in pieces; only as many are read as there are objects.
            values = chain(found, chain.from_iterable(iter(unpacker.load, None)))
        elif not isinstance(found, int) and len(found) == 1:
            values = repeat(found[0])
        deque(map(setter, objects, values), maxlen=0)


def to_bytes(simulation: Simulation) -> bytes:
    """A simulation with all it rests on, for a process of the same program; its acts are left out."""
    pool = CheckpointPool()
    packed = pack(simulation, pool)
    return pickle.dumps((packed, pool.items))


def from_bytes(data: bytes) -> Simulation:
    pool = CheckpointPool()
    packed, pool.items = pickle.loads(data)
    return unpack(packed, pool)
