"""Copies of state: each class declares once what its slots are, and every copy of its objects follows from that.

A class whose objects are state has a table `STATE`, which is also its `__slots__`:

    class Container:
        STATE: ClassVar[Slots] = {"id": SHARED, "node": REFERENCE, "waiting_for": OWNED}
        __slots__ = STATE

- `SHARED`: a value that never changes (a number, a text, a tuple, a specification); the copy has the same one.
- `OWNED`: a list, dict, set or deque of values that never change; the copy has its own.
- `REFERENCE`: another object of the state, or None; the copy has that object's copy.
- `REFERENCES`: a list, tuple or dict whose members (a dict's values) are objects of the state.
- `NESTED`: lists, tuples and dicts within one another, with objects of the state anywhere in them; copied slowly.
- `DROPPED`: whoever listens to the original; None in the copy.

A subclass declares only what it adds. An object that never changes although such slots name it (one policy of several)
is of a class with `STATE = CONSTANT`: it is its own copy.

`fork` starts at one object and goes on to what it names. An object met for the first time gets an empty copy, which
`Copies` remembers and fills later. So every object is copied once, cycles end, and no chain is too deep. What fills the
copies of a class is a function, written from the table when the first object of the class is met: it costs no more
than one written by hand. `simulation.checkpoint` reads the same tables.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

from engine.errors import InvariantError
from engine.incremental import Incremental, finish

SHARED: Final = "shared"
OWNED: Final = "owned"
REFERENCE: Final = "reference"
REFERENCES: Final = "references"
NESTED: Final = "nested"
DROPPED: Final = "dropped"

Slots = Mapping[str, str]
"""Slot → what it is."""

CONSTANT: Final[Slots] = MappingProxyType({})
"""The `STATE` of a class whose objects never change."""

PIECE: Final = 4_000
"""Objects copied in one piece."""

Stateful = TypeVar("Stateful")

_STATEMENTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        SHARED: "copy.{0} = original.{0}",
        OWNED: "copy.{0} = original.{0}.copy()",
        REFERENCE: "copy.{0} = copies[original.{0}]",
        REFERENCES: "copy.{0} = references(original.{0}, copies)",
        NESTED: "copy.{0} = nested(original.{0}, copies)",
        DROPPED: "copy.{0} = None",
    }
)
"""How a slot is copied."""


class StateError(InvariantError):
    """A class whose objects are copied does not declare its slots as it should."""


class Copies(dict[Any, Any]):
    """Object → its copy, which is empty at first; asking for an object that is not there begins its copy."""

    __slots__ = ("originals",)

    def __init__(self) -> None:
        super().__init__({None: None})
        self.originals: list[Any] = []
        """In the order they were met."""

    def __missing__(self, original: Any) -> Any:
        kind: Any = type(original)
        if _FILLING[kind] is None:
            copy = original
        else:
            copy = kind.__new__(kind)
            self.originals.append(original)
        self[original] = copy
        return copy


_Fill = Callable[[Any, Any, Copies], None]


class _Filling(dict[type, _Fill | None]):
    """Class → what fills a copy of its objects from the original; None when its objects never change."""

    def __missing__(self, kind: type) -> _Fill | None:
        self[kind] = None if is_constant(kind) else _written(declared(kind))
        return self[kind]


_FILLING: Final = _Filling()


def fork(original: Stateful) -> Stateful:
    """An independent copy of an object and of all the state it leads to.

    Raises:
        StateError: Some object it leads to is of a class that declares no state.
    """
    return finish(forking(original))


def forking(original: Stateful, copies: Copies | None = None) -> Incremental[Stateful]:
    """As `fork`, made in pieces; the original must stand still until it is done."""
    copies = Copies() if copies is None else copies
    copy: Stateful = copies[original]
    originals, done = copies.originals, 0
    while done < len(originals):
        if done:
            yield
        piece = originals[done : done + PIECE]
        done += len(piece)
        for each in piece:
            fill = _FILLING[type(each)]
            assert fill is not None, "what never changes is not filled"
            fill(each, copies[each], copies)
    return copy


def is_state(kind: type) -> bool:
    """Whether a class declares what its slots are, or that its objects never change."""
    return "STATE" in vars(kind)


def is_constant(kind: type) -> bool:
    """Whether a class declares that its objects never change."""
    return vars(kind).get("STATE") is CONSTANT


def declared(kind: type) -> dict[str, str]:
    """What each slot of a class is, those of its base classes first.

    Raises:
        StateError: Some slots are not declared, or objects of the class are not the same only when they are identical.
    """
    if not is_state(kind):
        raise StateError(f"{kind.__qualname__} declares no STATE; its objects cannot be copied")
    slots: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        names = vars(each).get("__slots__", ())
        if "__dict__" in vars(each) or (names and vars(each).get("STATE") is not names):
            raise StateError(f"{each.__qualname__}: its slots are not those of its STATE")
        slots |= vars(each).get("STATE", {})
    if unknown := sorted(set(slots.values()) - set(_STATEMENTS)):
        raise StateError(f"{kind.__qualname__}: no kind of slot is called {', '.join(unknown)}")
    if any("__eq__" in vars(each) for each in kind.__mro__[:-1]):
        raise StateError(f"{kind.__qualname__}: objects of the state are equal only to themselves")
    return slots


def _written(slots: Slots) -> _Fill:
    """The function that fills a copy."""
    lines = [_STATEMENTS[what].format(name) for name, what in slots.items()] or ["pass"]
    source = "\n    ".join(["def fill(original, copy, copies):", *lines])
    names: dict[str, Any] = {"references": references, "nested": nested}
    exec(source, names)  # made of the names of slots alone
    fill: _Fill = names["fill"]
    return fill


def references(members: Any, copies: Copies) -> Any:
    """A list, tuple or dict like this one, with copies as its members."""
    if type(members) is dict:
        return {key: copies[member] for key, member in members.items()}
    return type(members)(map(copies.__getitem__, members)) if members else type(members)()


def nested(value: Any, copies: Copies) -> Any:
    """A copy of lists, tuples and dicts within one another; objects of the state in them are copied, too."""
    kind: type[Any] = type(value)
    if kind is dict:
        return {nested(key, copies): nested(member, copies) for key, member in value.items()}
    if kind is list or kind is tuple:
        return kind([nested(member, copies) for member in value])
    return copies[value] if is_state(kind) else value
