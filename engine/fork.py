"""Independent copies of an object and of all the state it leads to.

`fork` starts at one object and goes on to what it names. An object met for the first time gets an empty copy, which
`Copies` remembers and fills later. So every object is copied once, cycles end, and no chain is too deep. What fills the
copies of a class is a function, written from its slots when the first object of the class is met, so a fork costs about
what one written by hand would.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain, repeat
from types import MappingProxyType
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from engine.incremental import Incremental, run_to_end
from engine.state import (
    DROPPED,
    LAZY,
    NESTED,
    OWNED,
    REFERENCE,
    REFERENCES,
    SHARED,
    declared,
    has_slots,
    is_constant,
    is_state,
    maker,
    register,
)

FEW: Final = 500  # Members of a list or dict up to which their copies are filled at once, while they are at hand
MANY: Final = 8  # Members from which on it pays to begin their copies together
SOME: Final = 4  # Objects filled between two looks at whether it is time to pause
PIECE: Final = 3_000  # Objects whose copies are begun or filled in one piece, about

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
        LAZY: "copy.{0} = copies.of_lazy(original.{0})",
        NESTED: "copy.{0} = copies.of_nested(original.{0})",
        DROPPED: "copy.{0} = None",
    }
)
"""How a slot is copied."""


class Copies:
    """The copies of one fork: those that are known, and those of them that are still empty."""

    __slots__ = ("empty", "groups", "is_lazy", "known")

    def __init__(self, *, is_lazy: bool = False) -> None:
        """Begin without any; `is_lazy` where the originals never change any more."""
        self.is_lazy = is_lazy
        self.groups: list[dict[Any, Any] | list[Any]] = []
        """The dicts and lists of copies, by which copies name one another in circles."""
        self.known: dict[Any, Any] = {None: None}  # object → its copy
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
            copy = maker(kind)(kind)
            originals, copies = self.empty.setdefault(kind, ([], []))
            originals.append(original)
            copies.append(copy)
        self.known[original] = copy
        return copy

    def of_members(self, members: Any) -> Any:
        """A list, tuple or dict like this one, with copies as its members (a dict's values); None of None."""
        if not members:
            return None if members is None else type(members)()
        made: Any = self._of_all(members.values() if type(members) is dict else members)
        if type(members) is tuple:
            return tuple(made)
        made = made if type(members) is list else dict(zip(members, made, strict=True))
        self.groups.append(made)
        return made

    def of_lazy(self, members: Any) -> Any:
        """A dict as `of_members` makes it, or what makes it when it is first asked for."""
        if not isinstance(members, dict):
            members = members()
        return _Later(self, members) if self.is_lazy and members else self.of_members(members)

    def _of_all(self, originals: Collection[Any]) -> list[Any]:
        """The copies of objects, in the same order; many of one class that are not known are begun together."""
        try:
            return list(map(self.known.__getitem__, originals))
        except KeyError:
            pass
        if len(originals) < MANY:
            return list(map(self.of, originals))
        kinds = set(map(type, originals))
        kind: Any = next(iter(kinds))
        fill = None if len(kinds) > 1 else _FILLING[kind]
        if fill is None or not self.known.keys().isdisjoint(originals):
            return list(map(self.of, originals))
        copies = list(map(maker(kind), repeat(kind, len(originals))))
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


class _Later:
    """The copy of a dict that never changes any more, as far as it is needed."""

    __slots__ = ("_added", "_copies", "_gone", "_made", "_members")

    def __init__(self, copies: Copies, members: dict[Any, Any]) -> None:
        self._copies = copies
        self._members = members
        self._added: dict[Any, Any] = {}
        self._gone: set[Any] = set()
        self._made: dict[Any, Any] | None = None

    def __call__(self) -> dict[Any, Any]:
        if self._made is None:
            left = {key: member for key, member in self._members.items() if key not in self._gone}
            self._made = self._copies.of_members(left if self._gone else self._members)
            run_to_end(self._copies.fill())
            self._made.update(self._added)
        return self._made

    def __len__(self) -> int:
        return len(self._members) - len(self._gone) + len(self._added)

    def __iter__(self) -> Iterator[Any]:
        return chain((key for key in self._members if key not in self._gone), self._added)

    def __setitem__(self, key: Any, member: Any) -> None:
        if not self._added:
            self._copies.groups.append(self._added)
        self._added[key] = member

    def __delitem__(self, key: Any) -> None:
        if key in self._added:
            del self._added[key]
        elif key in self._members and key not in self._gone:
            self._gone.add(key)
        else:
            raise KeyError(key)

    def get(self, key: Any) -> Any:
        if key in self._added or key in self._gone or key not in self._members:
            return self._added.get(key)
        member = self._copies.of(self._members[key])
        run_to_end(self._copies.fill())
        return member


_Fill = Callable[[Iterable[Any], Iterable[Any], Copies], None]


class _Filling(dict[type, _Fill | None]):
    """Class → what fills copies of its objects from the originals; None when its copies are never empty."""

    def __missing__(self, kind: type) -> _Fill | None:
        self[kind] = _written(declared(kind)) if has_slots(kind) else None
        return self[kind]


_FILLING: Final = _Filling()


def register_compiled(kind: type, ways: Mapping[str, str], fill: _Fill | None) -> None:
    """Make a compiled class one of the state, with the function that fills copies of its objects.

    Args:
        kind: The class.
        ways: How its own slots are copied.
        fill: None when its objects are their own copies.
    """
    register(kind, ways)
    _FILLING[kind] = fill


def _written(slots: Mapping[str, str]) -> _Fill:
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

    Raises InvariantError if some object it leads to is of no class of the state.
    """
    return run_to_end(fork_in_steps(original, Copies()))


def fork_in_steps(original: Stateful, copies: Copies) -> Incremental[Stateful]:
    """Fork in pieces; the original must stand still until it is done. `copies` is told all that is made."""
    copy: Stateful = copies.of(original)
    yield from copies.fill()
    return copy
