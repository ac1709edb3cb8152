"""Copies of state: each class declares once what its slots are, and every copy of its objects follows from that.

A class whose objects are state has a table `STATE`, which is also its `__slots__`:

    class Container:
        STATE: ClassVar[Slots] = {"id": SHARED, "node": REFERENCE, "waiting_for": OWNED}
        __slots__ = STATE

- `SHARED`: a value that never changes (a number, a text, a tuple, a specification); the copy has the same one.
- `OWNED`: a list, dict, set or deque of values that never change; the copy has its own.
- `REFERENCE`: another object of the state, or None; the copy has that object's copy.
- `REFERENCES`: a list, tuple or dict whose members (a dict's values) are objects of the state, or None.
- `NESTED`: lists, tuples and dicts within one another, with objects of the state anywhere in them; copied slowly.
- `DROPPED`: whoever listens to the original; None in the copy.

A subclass declares only what it adds. An object that never changes although such slots name it (one policy of several)
is of a class with `STATE = CONSTANT`: it is its own copy. A struct of settings that is changed in place has `WHOLE`.

`fork` starts at one object and goes on to what it names. An object met for the first time gets an empty copy, which
`Copies` remembers and fills later. So every object is copied once, cycles end, and no chain is too deep. What fills the
copies of a class is a function, written from the table when the first object of the class is met, so a fork costs about
what one written by hand would. `simulation.checkpoint` reads the same tables.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import repeat
from types import MappingProxyType
from typing import Any, Final, TypeVar

from msgspec.structs import replace

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

WHOLE: Final[Slots] = MappingProxyType({"": SHARED})
"""The `STATE` of a struct that is changed in place and whose fields never change: its copy is another struct."""

FEW: Final = 500
"""Members of a list or dict up to which their copies are filled at once, while they are at hand."""

SOME: Final = 4
"""Objects filled between two looks at whether it is time to pause."""

PIECE: Final = 3_000
"""Objects whose copies are begun or filled in one piece, about."""

Stateful = TypeVar("Stateful")

_STATEMENTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        SHARED: "copy.{0} = original.{0}",
        OWNED: "copy.{0} = original.{0}.copy()",
        REFERENCE: """
            try:
                copy.{0} = known[original.{0}]
            except KeyError:
                copy.{0} = copies.begin(original.{0})""",
        REFERENCES: "copy.{0} = nothing if original.{0} is nothing else copies.of_members(original.{0})",
        NESTED: "copy.{0} = copies.of_nested(original.{0})",
        DROPPED: "copy.{0} = None",
    }
)
"""How a slot is copied."""


class Copies:
    """The copies of one fork: those that are known, and those of them that are still empty."""

    __slots__ = ("empty", "known")

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {None: None}
        """Object → its copy."""
        self.empty: dict[type, tuple[list[Any], list[Any]]] = {}
        """Class → objects and their copies, which are still to be filled."""

    def of(self, original: Any) -> Any:
        """An object's copy, begun when it is not known."""
        return self.known[original] if original in self.known else self.begin(original)

    def begin(self, original: Any) -> Any:
        """An empty copy of an object that has none yet."""
        kind: Any = type(original)
        if _FILLING[kind] is None:
            copy = original if is_constant(kind) else replace(original)
        else:
            copy = kind.__new__(kind)
            originals, copies = self.empty.setdefault(kind, ([], []))
            originals.append(original)
            copies.append(copy)
        self.known[original] = copy
        return copy

    def of_members(self, members: Any) -> Any:
        """A list, tuple or dict like this one, with copies as its members (a dict's values); None of None."""
        if not members:
            return None if members is None else type(members)()
        if type(members) is dict:
            return dict(zip(members, self._of_all(members.values()), strict=True))
        return type(members)(self._of_all(members))

    def _of_all(self, originals: Collection[Any]) -> list[Any]:
        """The copies of objects, in the same order; many of one class that are not known are begun together."""
        try:
            return list(map(self.known.__getitem__, originals))
        except KeyError:
            kinds = set(map(type, originals))
        kind: Any = kinds.pop()
        fill = _FILLING[kind]
        if kinds or fill is None or not self.known.keys().isdisjoint(originals):
            return list(map(self.of, originals))
        copies = list(map(kind.__new__, repeat(kind, len(originals))))
        before = len(self.known)
        self.known.update(zip(originals, copies, strict=True))
        if len(self.known) < before + len(copies):  # one is there twice
            copies = list(map(self.known.__getitem__, originals))
        if len(copies) <= FEW:
            fill(originals, copies, self)
        else:
            to_fill = self.empty.setdefault(kind, ([], []))
            to_fill[0].extend(originals)
            to_fill[1].extend(copies)
        return copies

    def of_nested(self, value: Any) -> Any:
        """A copy of lists, tuples and dicts within one another; objects of the state in them are copied, too."""
        kind: type[Any] = type(value)
        if kind is dict:
            return {self.of_nested(key): self.of_nested(member) for key, member in value.items()}
        if kind is list:
            return [self.of_nested(member) for member in value]
        if issubclass(kind, tuple):
            return tuple.__new__(kind, [self.of_nested(member) for member in value])
        return self.of(value) if is_state(kind) else value

    def fill(self) -> Incremental[None]:
        """Fill all copies, and those that are begun meanwhile; made in pieces."""
        filled, enough = 0, len(self.known) + PIECE
        while self.empty:
            kind = next(iter(self.empty))
            originals, copies = self.empty.pop(kind)
            fill = _FILLING[kind]
            assert fill is not None, "only an empty copy is filled"
            for begin in range(0, len(originals), SOME):
                fill(originals[begin : begin + SOME], copies[begin : begin + SOME], self)
                filled += SOME
                if filled + len(self.known) > enough:
                    enough = filled + len(self.known) + PIECE
                    yield


_Fill = Callable[[Iterable[Any], Iterable[Any], Copies], None]


class _Filling(dict[type, _Fill | None]):
    """Class → what fills copies of its objects from the originals; None when its copies are never empty."""

    def __missing__(self, kind: type) -> _Fill | None:
        self[kind] = _written(declared(kind)) if has_slots(kind) else None
        return self[kind]


_FILLING: Final = _Filling()


def _written(slots: Slots) -> _Fill:
    """The function that fills copies."""
    lines = [
        "def fill(originals, empty, copies):",
        "    known = copies.known",
        "    for original, copy in zip(originals, empty):",
        *(f"            {_STATEMENTS[what].format(name)}" for name, what in slots.items()),
        "            pass",
    ]
    names: dict[str, Any] = {"nothing": ()}
    exec("\n".join(lines), names)  # made of the names of slots alone
    fill: _Fill = names["fill"]
    return fill


def fork(original: Stateful) -> Stateful:
    """An independent copy of an object and of all the state it leads to.

    Raises:
        InvariantError: Some object it leads to is of a class that declares no state.
    """
    return finish(forking(original))


def forking(original: Stateful) -> Incremental[Stateful]:
    """As `fork`, made in pieces; the original must stand still until it is done."""
    copies = Copies()
    copy: Stateful = copies.of(original)
    yield from copies.fill()
    return copy


def is_state(kind: type) -> bool:
    """Whether a class declares what its slots are, or that its objects never change."""
    return "STATE" in vars(kind)


def is_constant(kind: type) -> bool:
    """Whether a class declares that its objects never change."""
    return vars(kind).get("STATE") is CONSTANT


def has_slots(kind: type) -> bool:
    """Whether a class declares its slots, so that a copy is made empty and filled; else it is `CONSTANT` or `WHOLE`."""
    state = vars(kind).get("STATE")
    return state is not CONSTANT and state is not WHOLE


def declared(kind: type) -> dict[str, str]:
    """What each slot of a class is, those of its base classes first.

    Raises:
        InvariantError: Some slots are not declared, or objects of the class are equal to others than themselves.
    """
    if not is_state(kind):
        raise InvariantError(f"{kind.__qualname__} declares no STATE; its objects cannot be copied")
    slots: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        names = vars(each).get("__slots__", ())
        if "__dict__" in vars(each) or (names and vars(each).get("STATE") is not names):
            raise InvariantError(f"{each.__qualname__}: its slots are not those of its STATE")
        slots |= vars(each).get("STATE", {})
    if unknown := sorted(set(slots.values()) - set(_STATEMENTS)):
        raise InvariantError(f"{kind.__qualname__}: no kind of slot is called {', '.join(unknown)}")
    if any("__eq__" in vars(each) for each in kind.__mro__[:-1]):
        raise InvariantError(f"{kind.__qualname__}: objects of the state are equal only to themselves")
    return slots
