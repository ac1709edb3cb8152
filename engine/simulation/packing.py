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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import repeat
from operator import attrgetter
from types import MemberDescriptorType
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from engine.model.application import Application
from engine.pieces import Work, finish
from engine.simulation.simulation import Simulation
from engine.simulation.stock import LEVEL, Column, Stock
from engine.simulation.world import Ground, World
from engine.workload.mapreduce import Tasks
from engine.workload.master import Topology

PIECE: Final = 500
"""Of so many objects of a type each attribute is set in a piece of its own."""

_INLINE, _APART, _SHARED, _ENDED, _DRAWN = range(5)
"""How a type is treated: within what holds it, one after the other, by reference, by reference once it has ended, or
packed once for all copies."""


class Packed(NamedTuple):
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

    read: Callable[[Any], tuple[Any, ...]]
    setters: tuple[_Setter, ...]
    """Sets one attribute of an object, in the order in which they are read."""


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
        getter = attrgetter(*names) if names else _nothing
        read = getter if len(names) != 1 else lambda each: (getter(each),)
        self[kind] = _State(read, tuple(setters))
        return self[kind]


def _update(each: Any, attributes: dict[str, Any]) -> None:
    each.__dict__.update(attributes)


def _nothing(_: object) -> tuple[Any, ...]:
    return ()


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

    def __init__(self, buffer: BytesIO, stock: Stock) -> None:
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

    def __init__(self, buffer: BytesIO, apart: list[object], stock: Stock) -> None:
        super().__init__(buffer)
        self._tables: dict[str, Callable[..., Any]] = {
            "_apart": apart.__getitem__,
            "_shared": stock.items.__getitem__,
            "_drawn": stock.tasks,
        }

    def find_class(self, module: str, name: str) -> Any:
        """What a name stands for: a class, or one of the three tables."""
        return self._tables[name] if module == __name__ else super().find_class(module, name)


def pack(simulation: Simulation, stock: Stock) -> Packed:
    """Pack a simulation; it stays as it is, and its listeners are left out.

    Args:
        simulation: Any.
        stock: The same for all copies of one run.
    """
    was_collecting = gc.isenabled()
    gc.disable()  # nothing of it can be let go before it is done
    try:
        return _pack(simulation, stock)
    finally:
        if was_collecting:
            gc.enable()


def _pack(simulation: Simulation, stock: Stock) -> Packed:
    buffer = BytesIO()
    packer = _Packer(buffer, stock)
    with _set_aside(simulation) as world:
        packer.dump(world)
        done = 0
        while done < len(packer.apart):
            some = packer.apart[done:]
            done += len(some)
            packer.dump(done)
            for kind, objects in _by_type(some).items():
                values = zip(*map(_STATES[kind].read, objects), strict=True)
                packer.dump([stock.column((kind, place), each) for place, each in enumerate(values)])
    types = list(dict.fromkeys(type(each) for each in packer.apart))
    codes = {kind: code for code, kind in enumerate(types)}
    head = pickle.dumps((types, bytes(codes[type(each)] for each in packer.apart)), protocol=5)
    data = zlib.compress(head + buffer.getvalue(), LEVEL)
    return Packed(simulation.now_ms, len(simulation.acts), data)


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
    records, told = world.records, world.told
    world.records, world.told = [], told + len(records)
    try:
        yield world
    finally:
        world.records, world.told = records, told


def _by_type(some: list[Any]) -> dict[type, list[Any]]:
    found: dict[type, list[Any]] = {}
    for each in some:
        found.setdefault(type(each), []).append(each)
    return found


def unpack(packed: Packed, stock: Stock) -> Simulation:
    """The simulation again, without listeners and with an empty list of actions.

    Args:
        packed: As `pack` made it.
        stock: With which it did.
    """
    return finish(unpacking(packed, stock))


def unpacking(packed: Packed, stock: Stock) -> Work[Simulation]:
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


def _unpacked(packed: Packed, stock: Stock) -> Work[World]:
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
        for kind, objects in _by_type(some).items():
            yield from _set(objects, _STATES[kind].setters, unpacker.load(), stock)
    found: World = world
    return found


def _set(objects: list[Any], setters: tuple[_Setter, ...], columns: list[int | Column], stock: Stock) -> Work[None]:
    """Set all attributes of some objects of one type."""
    for setter, column in zip(setters, columns, strict=True):
        if len(objects) >= PIECE:
            yield
        values: Column = stock.items[column] if isinstance(column, int) else column
        deque(map(setter, objects, values if len(values) > 1 else repeat(values[0])), maxlen=0)
