"""A simulation packed into few bytes of memory, and made of them again; never written to a file.

A cluster at rest takes a megabyte as objects and a tenth of that packed. Objects that live in one another's hands
(container, node, attempt, application) are written one after the other instead of one inside the other, so that no
chain of them is too deep, and attribute by attribute, which makes them small. What never changes is not packed but
kept by reference.
"""

import gc
import pickle
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import chain, repeat
from operator import attrgetter
from types import MemberDescriptorType
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from engine.incremental import Incremental, finish
from engine.model.application import Application
from engine.simulation.checkpoint_pool import LEVEL, CheckpointPool, Column
from engine.simulation.simulation import Simulation
from engine.simulation.world import Ground, World
from engine.workload.mapreduce import Tasks
from engine.workload.master import Topology

PIECE: Final = 500
"""Of so many objects of a type each attribute is read and set in a piece of its own."""

WRITTEN: Final = 100
"""So many values of an attribute are written at once."""

FEW_WRITTEN: Final = 20
"""So many of few objects: these may be jobs, and what was drawn for each is packed with it the first time."""

SORTED: Final = 10_000
"""So many objects are sorted by type at once."""

BYTES: Final = 2**18
"""So many are compressed at once."""

_INLINE, _APART, _SHARED, _ENDED, _DRAWN = range(5)
"""How a type is treated: within what holds it, one after the other, by reference, by reference once it has ended, or
packed once for all copies."""


class Checkpoint(NamedTuple):
    """A simulation as bytes."""

    time_ms: int
    """Epoch ms."""
    acts: int
    """How many actions from outside it had seen."""
    data: bytes


class _Types(dict[type, int]):
    """How each type is treated, found out at its first object."""

    def __missing__(self, kind: type) -> int:
        if kind in (Ground, Topology) or issubclass(kind, BaseModel):
            found = _SHARED
        elif kind is Tasks:
            found = _DRAWN
        elif kind is Application:
            found = _ENDED
        elif kind.__module__.startswith("engine.") and kind.__reduce_ex__ is object.__reduce_ex__:
            plain = kind.__reduce__ is object.__reduce__ and not issubclass(kind, tuple | type)
            found = _APART if plain and not hasattr(kind, "__members__") else _INLINE
        else:
            found = _INLINE
        self[kind] = found
        return found


_TYPES: Final = _Types()


_Setter = Callable[[Any, Any], None]


class _State(NamedTuple):
    """How the attributes of one type are read and set."""

    readers: tuple[Callable[[Any], Any], ...]
    """Reads one attribute of an object each."""
    setters: tuple[_Setter, ...]
    """Sets one attribute of an object each, in the same order."""


class _States(dict[type, _State]):
    """The same for all types, found out at the first object of each."""

    def __missing__(self, kind: type) -> _State:
        names = sorted(
            {
                name
                for each in kind.__mro__
                for name, value in vars(each).items()
                if isinstance(value, MemberDescriptorType)
            }
        )
        setters: list[_Setter] = [getattr(kind, name).__set__ for name in names]
        if any("__dict__" in vars(each) for each in kind.__mro__):
            names.append("__dict__")
            setters.append(_update)
        self[kind] = _State(tuple(map(attrgetter, names)), tuple(setters))
        return self[kind]


def _update(each: Any, attributes: dict[str, Any]) -> None:
    each.__dict__.update(attributes)


_STATES: Final = _States()


def _apart(number: int) -> object:
    """Stands for an object that is packed apart; only ever named in what is packed."""
    raise AssertionError(number)


def _shared(number: int) -> object:
    """Stands for an object that is kept by reference; only ever named in what is packed."""
    raise AssertionError(number)


def _drawn(number: int, topology: Topology) -> Tasks:
    """Stands for tasks that are packed once; only ever named in what is packed."""
    raise AssertionError(number)


class _Packer(pickle.Pickler):
    """Writes numbers in place of objects that are packed apart or shared."""

    def __init__(self, buffer: BytesIO, stock: CheckpointPool) -> None:
        super().__init__(buffer, protocol=5)
        self._stock = stock
        self.apart: list[object] = []

    def reducer_override(self, each: Any) -> Any:
        """What is written for an object met for the first time."""
        treated = _TYPES[type(each)]
        if treated == _INLINE:
            return NotImplemented
        if treated == _SHARED or (treated == _ENDED and each.is_final and each.attempt is None):
            return _shared, (self._stock.place(each),)
        if treated == _DRAWN:
            return _drawn, (self._stock.place_of_tasks(each), each.topology)
        self.apart.append(each)
        return _apart, (len(self.apart) - 1,)


class _Unpacker(pickle.Unpickler):
    """Reads what `_Packer` wrote."""

    def __init__(self, buffer: BytesIO, apart: list[object], stock: CheckpointPool) -> None:
        super().__init__(buffer)
        self._tables: dict[str, Callable[..., Any]] = {
            "_apart": apart.__getitem__,
            "_shared": stock.items.__getitem__,
            "_drawn": stock.tasks,
        }

    def find_class(self, module: str, name: str) -> Any:
        """What a name stands for: a class, or one of the three tables."""
        return self._tables[name] if module == __name__ else super().find_class(module, name)


def pack(simulation: Simulation, stock: CheckpointPool) -> Checkpoint:
    """Pack a simulation; it stays as it is, and its listeners are left out.

    Args:
        simulation: Any.
        stock: The same for all copies of one run.
    """
    return finish(packing(simulation, stock))


def packing(simulation: Simulation, stock: CheckpointPool) -> Incremental[Checkpoint]:
    """As `pack`, made in pieces; the simulation must stand still until it is done."""
    work = _packed(simulation, stock)
    while True:
        was_collecting = gc.isenabled()
        gc.disable()  # nothing of it can be let go before it is done
        try:
            next(work)
        except StopIteration as done:
            return Checkpoint(simulation.now_ms, len(simulation.acts), done.value)
        finally:
            if was_collecting:
                gc.enable()
        yield


def _packed(simulation: Simulation, stock: CheckpointPool) -> Incremental[bytes]:
    buffer = BytesIO()
    packer = _Packer(buffer, stock)
    with _set_aside(simulation) as world:  # all of the world itself is written in the first round
        packer.dump(world)
        finish(_write_round(packer, 0, stock))
    done = 1
    while done < len(packer.apart):
        begin, done = done, len(packer.apart)
        yield from _write_round(packer, begin, stock)
    types = list(dict.fromkeys(type(each) for each in packer.apart))
    codes = {kind: code for code, kind in enumerate(types)}
    yield
    squeezed = zlib.compressobj(LEVEL)
    found = [squeezed.compress(pickle.dumps((types, bytes(codes[type(each)] for each in packer.apart)), protocol=5))]
    written = buffer.getbuffer()
    for begin in range(0, len(written), BYTES):
        yield
        found.append(squeezed.compress(written[begin : begin + BYTES]))
    yield
    packer.clear_memo()
    yield
    return b"".join((*found, squeezed.flush()))


def _write_round(packer: _Packer, begin: int, stock: CheckpointPool) -> Incremental[None]:
    """Write the attributes of all objects met so far, from one on; it pauses between two attributes."""
    some = packer.apart[begin:]
    packer.dump(len(packer.apart))
    by_type: dict[type, list[Any]] = {}
    for first in range(0, len(some), SORTED):
        _sort(some[first : first + SORTED], by_type)
        yield
    for kind, objects in by_type.items():
        for place, read in enumerate(_STATES[kind].readers):
            column = tuple(map(read, objects))
            if len(column) >= PIECE:
                yield
            yield from _write(packer, stock.column((kind, place), column))


def _write(packer: _Packer, found: int | Column) -> Incremental[None]:
    """Write what the stock made of a column."""
    if isinstance(found, int):
        packer.dump(found)
        return
    size = WRITTEN if len(found) >= PIECE else FEW_WRITTEN
    for begin in range(0, len(found), size):
        packer.dump(found[begin : begin + size])
        if len(found) >= size:
            yield


@contextmanager
def _set_aside(simulation: Simulation) -> Iterator[World]:
    """The world without what a copy does not take along: what listeners are still to be told, and who else listens.

    A fork leaves both out too, but takes as long as the packing itself.
    """
    world = simulation.world
    scheduler = getattr(world.control_plane, "scheduler", None)
    if scheduler is not None and (scheduler.recorder is not None or scheduler.posted):
        yield simulation.fork().world
        return
    records, delivered = world.records, world.delivered
    world.records, world.delivered = [], delivered + len(records)
    try:
        yield world
    finally:
        world.records, world.delivered = records, delivered


def _sort(some: list[Any], by_type: dict[type, list[Any]]) -> None:
    """Add objects to those of their type."""
    for each in some:
        by_type.setdefault(type(each), []).append(each)


def unpack(packed: Checkpoint, stock: CheckpointPool) -> Simulation:
    """The simulation again, without listeners and with an empty list of actions.

    Args:
        packed: As `pack` made it.
        stock: With which it did.
    """
    return finish(unpacking(packed, stock))


def unpacking(packed: Checkpoint, stock: CheckpointPool) -> Incremental[Simulation]:
    """As `unpack`, made in pieces."""
    work = _unpacked(packed, stock)
    while True:
        was_collecting = gc.isenabled()
        gc.disable()  # all that is made here lives on
        try:
            next(work)
        except StopIteration as done:
            return Simulation(done.value)
        finally:
            if was_collecting:
                gc.enable()
        yield


def _unpacked(packed: Checkpoint, stock: CheckpointPool) -> Incremental[World]:
    buffer = BytesIO(zlib.decompress(packed.data))
    yield
    types, codes = pickle.load(buffer)
    apart: list[Any] = [kind.__new__(kind) for kind in map(types.__getitem__, codes)]
    unpacker = _Unpacker(buffer, apart, stock)
    world = unpacker.load()
    done = 0
    while done < len(apart):
        some = apart[done : unpacker.load()]
        done += len(some)
        by_type: dict[type, list[Any]] = {}
        _sort(some, by_type)
        for kind, objects in by_type.items():
            yield from _set(objects, _STATES[kind].setters, unpacker, stock)
    found: World = world
    return found


def _set(
    objects: list[Any], setters: tuple[_Setter, ...], unpacker: _Unpacker, stock: CheckpointPool
) -> Incremental[None]:
    """Set all attributes of some objects of one type."""
    for setter in setters:
        if len(objects) >= PIECE:
            yield
        found: int | Column = unpacker.load()
        values: Iterable[Any] = stock.items[found] if isinstance(found, int) else found
        if not isinstance(found, int) and 1 < len(found) < len(objects):
            values = chain(found, _read(unpacker, len(objects) - len(found)))
        elif not isinstance(found, int) and len(found) == 1:
            values = repeat(found[0])
        deque(map(setter, objects, values), maxlen=0)


def _read(unpacker: _Unpacker, left: int) -> Iterator[Any]:
    """The rest of a column that was written in pieces."""
    while left > 0:
        column: Column = unpacker.load()
        left -= len(column)
        yield from column
