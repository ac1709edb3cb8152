"""State: a class whose objects are state names its slots once, by annotations; how they are copied follows from that.

    class Container(metaclass=State):
        id: ContainerId
        node: Node
        waiting_for: dict[int, None]

`State` makes the annotations the slots of the class; a `ClassVar` is no slot. A slot may have a default, which is set
before `__init__`; of a list, dict or set each object gets its own. The type of a slot says how it is copied:

- `SHARED`: a value that never changes (a number, a text, a tuple, a frozen struct); the copy has the same one.
- `OWNED`: a list, dict, set or deque of values that never change; the copy has its own.
- `REFERENCE`: another object of the state, or None; the copy has that object's copy.
- `REFERENCES`: a list, tuple or dict whose members (a dict's values) are objects of the state, or None.
- `LAZY`: a dict as of `REFERENCES` or, in a copy of what stands still, what makes it: all of it where a property of the
  same name without the underscore is asked for, one member by `get`, none to add or to delete one.
- `NESTED`: lists, tuples and dicts within one another, with objects of the state anywhere in them; copied slowly.
- `DROPPED`: whoever listens to the original; None in the copy.

Protocols and type variables stand for objects of the state. Where a type does not say it, the annotation does:
`Shared[Topology]`, `Owned[deque[Application]]` (of applications that have ended), `Dropped[Recorder | None]`,
`Lazy[dict[int, Container]]`.

A class whose objects never change although slots name them (one policy of several) has `is_constant = True`: each is
its own copy. A struct of settings that is changed in place has `is_copied_whole = True`. `engine.fork` makes copies,
`simulation.checkpoint` packs them.
"""

import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Final, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from engine.errors import InvariantError

if sys.version_info >= (3, 14):
    import annotationlib

SHARED: Final = "shared"
OWNED: Final = "owned"
REFERENCE: Final = "reference"
REFERENCES: Final = "references"
LAZY: Final = "lazy"
NESTED: Final = "nested"
DROPPED: Final = "dropped"

WAYS: Final = (SHARED, OWNED, REFERENCE, REFERENCES, LAZY, NESTED, DROPPED)

_Type = TypeVar("_Type")
_Type_co = TypeVar("_Type_co", covariant=True)

Shared = Annotated[_Type, SHARED]  # A slot whose value never changes, which its type does not say

Owned = Annotated[_Type, OWNED]
"""A slot that each copy has its own of, with the same members, which its type does not say."""

Dropped = Annotated[_Type, DROPPED]  # A slot that is None in every copy


class Later(Protocol[_Type_co]):
    """A dict whose members are made when they are first asked for: one of them, or by a call all."""

    def __call__(self) -> _Type_co:
        """Make the dict, or return what was made."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __setitem__(self, key: Any, member: Any) -> None: ...

    def __delitem__(self, key: Any) -> None: ...

    def get(self, key: Any) -> Any:
        """Make one member; None where there is none."""


Lazy = Annotated[_Type | Later[_Type], LAZY]  # A slot whose value is made when it is first asked for

_CHANGEABLE: Final = (list, dict, set, deque, Counter)
_VALUES: Final = (int, float, str, bytes, bool, NoneType)
_READ_ONLY: Final = (frozenset, Mapping, Sequence)

_LITERALS: Final = (int, str, bool, NoneType, list, dict)


def build_name() -> str:
    """Return which build of the engine runs: `compiled` or `pure Python`."""
    spec = find_spec("engine.model.request")
    return "pure Python" if spec is None or str(spec.origin).endswith(".py") else "compiled"


IS_COMPILED: Final = build_name() == "compiled"


def maker(kind: Any) -> Callable[[Any], Any]:
    """Return what makes an object of a class of the state that has nothing in its slots, given the class.

    Only a compiled class itself can; one in Python would fill in its defaults.
    """
    made: Callable[[Any], Any] = kind.__new__ if IS_COMPILED else object.__new__
    return made


class State(type):
    """The class of the classes whose objects are state; their annotations are their slots."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> "State":
        slots = [slot for slot, hint in _annotations(namespace).items() if not _is_class_variable(hint)]
        defaults = {slot: namespace.pop(slot) for slot in slots if slot in namespace}
        namespace["__slots__"] = tuple(slots)
        every = {slot: value for base in bases for slot, value in _DEFAULTS.get(base, {}).items()} | defaults
        if defaults:
            namespace["__new__"] = _maker(every)
        kind = super().__new__(cls, name, bases, namespace)
        _DEFAULTS[kind], _OWN[kind], _BY_NAME[name] = every, None, kind
        return kind


_DEFAULTS: Final[dict[type, dict[str, Any]]] = {}  # Class → slot → what it is before `__init__`

_OWN: Final[dict[type, Mapping[str, str] | None]] = {}
"""Class of the state → how its own slots are copied, without those of its bases; None before that is asked."""

_BY_NAME: Final[dict[str, type]] = {}  # Name → class, for annotations of modules that cannot import each other


def register(kind: type, ways: Mapping[str, str]) -> None:
    """Make a compiled class, which has no metaclass and keeps no annotations, one of the state.

    Args:
        kind: The class.
        ways: How its own slots are copied.
    """
    _OWN[kind], _BY_NAME[kind.__name__] = ways, kind


def _annotations(namespace: Mapping[str, Any]) -> Mapping[str, Any]:
    if sys.version_info >= (3, 14):
        annotate = annotationlib.get_annotate_from_class_namespace(namespace)
        return annotationlib.call_annotate_function(annotate, annotationlib.Format.STRING) if annotate else {}
    found: Mapping[str, Any] = namespace.get("__annotations__", {})
    return found


def _maker(defaults: Mapping[str, Any]) -> Callable[..., Any]:
    """The `__new__` that makes objects with defaults; each has its own lists, dicts and sets."""
    names: dict[str, Any] = {"blank": object.__new__, "defaults": defaults}
    lines = ["def __new__(cls, *args, **kwargs):", "    made = blank(cls)"]
    for slot, value in defaults.items():
        value_of = repr(value) if type(value) in _LITERALS else f"defaults[{slot!r}]"
        lines.append(f"    made.{slot} = {value_of}{'.copy()' if type(value) in (set, deque, Counter) else ''}")
    exec("\n".join([*lines, "    return made"]), names)  # made of slots and literals alone
    made: Callable[..., Any] = names["__new__"]
    return made


def _is_class_variable(hint: Any) -> bool:
    return hint.startswith("ClassVar") if isinstance(hint, str) else ClassVar in (hint, get_origin(hint))


def is_state(kind: type) -> bool:
    """Tell whether objects of a class are state."""
    return kind in _OWN or is_copied_whole(kind)


def is_constant(kind: type) -> bool:
    """Tell whether objects of a class of the state never change."""
    return kind in _OWN and getattr(kind, "is_constant", False)


def is_copied_whole(kind: type) -> bool:
    """Tell whether a class is a struct that is changed in place."""
    return issubclass(kind, msgspec.Struct) and getattr(kind, "is_copied_whole", False)


def has_slots(kind: type) -> bool:
    """Tell whether a copy of an object is made empty and filled slot by slot."""
    return not is_constant(kind) and not is_copied_whole(kind)


def declared(kind: type) -> dict[str, str]:
    """Return how each slot of a class is copied, those of its base classes first.

    Raises InvariantError if a slot's type does not say how it is copied, or objects of the class are equal to others.
    """
    if not is_state(kind):
        raise InvariantError(f"{kind.__qualname__} is not a class of the state; its objects cannot be copied")
    slots: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        own = _OWN.get(each)
        slots |= _own(each) if own is None else own
    if any("__eq__" in vars(each) for each in kind.__mro__[:-1]):
        raise InvariantError(f"{kind.__qualname__}: objects of the state are equal only to themselves")
    return slots


def _own(kind: type) -> dict[str, str]:
    names = vars(kind).get("__slots__", ())
    if "__dict__" in vars(kind) or (names and kind not in _OWN):
        raise InvariantError(f"{kind.__qualname__}: its slots are not its annotations")
    hints, ways = _hints(kind) if names else {}, {}
    for name in names:
        try:
            ways[name] = _how(hints[name])
        except TypeError as error:
            raise InvariantError(f"{kind.__qualname__}.{name}: {error}") from None
    if kind in _OWN:
        _OWN[kind] = ways
    return ways


def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, localns={**_BY_NAME, **vars(sys.modules[kind.__module__])}, include_extras=True)


def _how(hint: Any) -> str:
    """Return how a slot of a type is copied; raises `TypeError` when the type does not say it."""
    kind, inner = get_origin(hint) or hint, [each for each in get_args(hint) if each not in (..., None, NoneType)]
    if kind is Annotated:
        return next((each for each in inner[1:] if each in WAYS), None) or _how(inner[0])
    if isinstance(kind, TypeVar) or kind in _OWN or getattr(kind, "_is_protocol", False):
        return REFERENCE
    if kind is Callable or kind in _VALUES:
        return SHARED
    ways = [_how(each) for each in inner]
    if kind in (Union, UnionType) and len(set(ways)) == 1:
        return ways[0]
    if kind in _CHANGEABLE and ways:
        return _of_changeable(kind, ways)
    if isinstance(kind, type) and issubclass(kind, tuple):
        members = set(ways or map(_how, _hints(kind).values()))
        return SHARED if members == {SHARED} else REFERENCES if members == {REFERENCE} and ways else NESTED
    if kind in _READ_ONLY and set(ways) == {SHARED}:
        return SHARED
    if isinstance(kind, type) and _is_frozen(kind):
        return SHARED
    if isinstance(kind, type) and is_copied_whole(kind):
        return REFERENCE
    raise TypeError(f"{hint} does not say how it is copied")


def _of_changeable(kind: type, ways: Sequence[str]) -> str:
    if set(ways) == {SHARED}:
        return OWNED
    if kind in (list, dict):
        return REFERENCES if ways[-1] == REFERENCE and REFERENCE not in ways[:-1] else NESTED
    raise TypeError(f"no {kind.__name__} of objects of the state can be copied")


def _is_frozen(kind: type) -> bool:
    """Tell whether a class is a struct or a model whose objects never change."""
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_config__.frozen
    return bool(getattr(kind, "model_config", {}).get("frozen"))
