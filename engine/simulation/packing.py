"""A simulation packed into few bytes of memory, and made of them again; never written to a file.

A cluster at rest takes a megabyte as objects and a tenth of that packed. Objects that live in one another's hands
(container, node, attempt, application) are written one after the other instead of one inside the other, so that no
chain of them is too deep. What never changes is not packed but kept by reference.
"""

import gc
import pickle
import zlib
from collections.abc import Callable
from io import BytesIO
from operator import attrgetter
from types import MemberDescriptorType
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from engine.model.application import Application
from engine.simulation.simulation import Simulation
from engine.simulation.world import Ground, World

LEVEL: Final = 1
"""How hard zlib tries; more takes longer than it saves."""

_INLINE, _APART, _SHARED, _ENDED = range(4)
"""How a type is treated: within what holds it, one after the other, by reference, by reference once it has ended."""


class Packed(NamedTuple):
    """A simulation as bytes."""

    time_ms: int
    """Epoch ms."""
    acts: int
    """How many actions from outside it had seen."""
    data: bytes
    shared: tuple[object, ...]
    """What never changes, by reference."""

    @property
    def size(self) -> int:
        """Bytes it takes, without what it shares with others."""
        return len(self.data) + 8 * len(self.shared)


class _Types(dict[type, int]):
    """How each type is treated, found out at its first object."""

    def __missing__(self, kind: type) -> int:
        if kind is Ground or issubclass(kind, BaseModel):
            found = _SHARED
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


class _State(NamedTuple):
    """How the attributes of one type are read and set."""

    read: Callable[[Any], tuple[Any, ...]]
    names: tuple[str, ...]
    has_dict: bool


class _States(dict[type, _State]):
    """The same for all types, found out at the first object of each."""

    def __missing__(self, kind: type) -> _State:
        names = tuple(
            sorted(
                name
                for each in kind.__mro__
                for name, value in vars(each).items()
                if isinstance(value, MemberDescriptorType)
            )
        )
        has_dict = any("__dict__" in vars(each) for each in kind.__mro__)
        asked = (*names, "__dict__") if has_dict else names
        getter = attrgetter(*asked)
        read = getter if len(asked) != 1 else lambda each: (getter(each),)
        self[kind] = _State(read, names, has_dict)
        return self[kind]


_STATES: Final = _States()


def _apart(number: int) -> object:
    """Stands for an object that is packed apart; only ever named in what is packed."""
    raise AssertionError(number)


def _shared(number: int) -> object:
    """Stands for an object that is kept by reference; only ever named in what is packed."""
    raise AssertionError(number)


class _Packer(pickle.Pickler):
    """Writes numbers in place of objects that are packed apart or shared."""

    def __init__(self, buffer: BytesIO) -> None:
        super().__init__(buffer, protocol=5)
        self.apart: list[object] = []
        self.shared: list[object] = []

    def reducer_override(self, each: Any) -> Any:
        """What is written for an object met for the first time."""
        treated = _TYPES[type(each)]
        if treated == _INLINE:
            return NotImplemented
        if treated == _SHARED or (treated == _ENDED and each.is_final and each.attempt is None):
            self.shared.append(each)
            return _shared, (len(self.shared) - 1,)
        self.apart.append(each)
        return _apart, (len(self.apart) - 1,)


class _Unpacker(pickle.Unpickler):
    """Reads what `_Packer` wrote."""

    def __init__(self, buffer: BytesIO, apart: list[object], shared: tuple[object, ...]) -> None:
        super().__init__(buffer)
        self._tables = {"_apart": apart.__getitem__, "_shared": shared.__getitem__}

    def find_class(self, module: str, name: str) -> Any:
        """What a name stands for: a class, or one of the two tables."""
        return self._tables[name] if module == __name__ else super().find_class(module, name)


def pack(simulation: Simulation) -> Packed:
    """Pack a simulation; it stays as it is, and its listeners are left out."""
    was_collecting = gc.isenabled()
    gc.disable()  # nothing of it can be let go before it is done
    try:
        return _pack(simulation)
    finally:
        if was_collecting:
            gc.enable()


def _pack(simulation: Simulation) -> Packed:
    buffer = BytesIO()
    packer = _Packer(buffer)
    still = simulation.fork()  # leaves out what a copy does not take along
    packer.dump(still.world)
    done = 0
    while done < len(packer.apart):
        some = packer.apart[done:]
        done += len(some)
        packer.dump([_STATES[type(each)].read(each) for each in some])
    types = list(dict.fromkeys(type(each) for each in packer.apart))
    codes = {kind: code for code, kind in enumerate(types)}
    head = pickle.dumps((types, [codes[type(each)] for each in packer.apart]), protocol=5)
    data = zlib.compress(head + buffer.getvalue(), LEVEL)
    return Packed(simulation.now_ms, len(simulation.acts), data, tuple(packer.shared))


def unpack(packed: Packed) -> Simulation:
    """The simulation again, without listeners and with an empty list of actions."""
    was_collecting = gc.isenabled()
    gc.disable()  # all that is made here lives on
    try:
        return Simulation(_unpack(packed))
    finally:
        if was_collecting:
            gc.enable()


def _unpack(packed: Packed) -> World:
    buffer = BytesIO(zlib.decompress(packed.data))
    types, codes = pickle.load(buffer)
    kinds = [types[code] for code in codes]
    apart: list[object] = [kind.__new__(kind) for kind in kinds]
    unpacker = _Unpacker(buffer, apart, packed.shared)
    world = unpacker.load()
    done = 0
    while done < len(apart):
        states = unpacker.load()
        for each, kind, values in zip(apart[done:], kinds[done:], states, strict=False):
            _set_state(each, _STATES[kind], values)
        done += len(states)
    found: World = world
    return found


def _set_state(each: object, state: _State, values: tuple[Any, ...]) -> None:
    for name, value in zip(state.names, values, strict=False):
        setattr(each, name, value)
    if state.has_dict:
        each.__dict__.update(values[-1])
