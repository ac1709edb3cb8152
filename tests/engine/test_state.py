"""The type of a slot says how it is copied; a type that does not say it is an error."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import msgspec
import pytest

from engine.errors import InvariantError
from engine.model.request import Resource
from engine.scenario import ApplicationSpec
from engine.state import (
    DROPPED,
    NESTED,
    OWNED,
    REFERENCE,
    REFERENCES,
    SHARED,
    Dropped,
    Owned,
    Shared,
    State,
    declared,
    has_slots,
    is_state,
)

Item = TypeVar("Item")


class Part(metaclass=State):
    """One of the state."""

    name: str


class Kind(Protocol):
    """What objects of the state may implement."""


class Pair(NamedTuple):
    """Of values."""

    left: int
    right: str


class Due(NamedTuple):
    """Names an object of the state."""

    at_ms: int
    part: Part


class Settings(msgspec.Struct):
    """Changed in place."""

    is_copied_whole: ClassVar[bool] = True
    limit: int = 0


class Changed(msgspec.Struct):
    """May change, and does not say that it does."""

    limit: int = 0


class Helper:
    """No state."""


@pytest.mark.parametrize(
    ("hint", "how"),
    [
        (int, SHARED),
        (str | None, SHARED),
        (tuple[int, ...], SHARED),
        (tuple[tuple[int, str], ...] | None, SHARED),
        (Mapping[str, Sequence[str]], SHARED),
        (frozenset[str], SHARED),
        (Callable[[Part], int], SHARED),
        (Resource, SHARED),
        (Pair, SHARED),
        (ApplicationSpec, SHARED),
        (Shared[dict[str, Part]], SHARED),
        ("Shared[tuple[Any, ...]] | None", SHARED),
        (list[int], OWNED),
        (dict[int, None], OWNED),
        (dict[tuple[int, str], Pair | None], OWNED),
        (set[str], OWNED),
        (deque[int], OWNED),
        (Counter[str], OWNED),
        (Owned[deque[Part]], OWNED),
        (Part, REFERENCE),
        ("Part | None", REFERENCE),
        (Kind, REFERENCE),
        (Item, REFERENCE),
        (Settings, REFERENCE),
        (list[Part], REFERENCES),
        (list[Part | None] | None, REFERENCES),
        (dict[str, Part], REFERENCES),
        (tuple[Part, ...], REFERENCES),
        (dict[Part, int], NESTED),
        (dict[Part, Part], NESTED),
        (dict[str, list[int]], NESTED),
        (list[list[Part]], NESTED),
        (list[Due], NESTED),
        (Due, NESTED),
        (tuple[int, Part], NESTED),
        (Dropped[Kind], DROPPED),
    ],
    ids=str,
)
def test_a_type_says_how_a_slot_is_copied(hint: Any, how: str) -> None:
    kind = State("Each", (), {"__module__": __name__, "__annotations__": {"slot": hint}})

    assert declared(kind) == {"slot": how}


@pytest.mark.parametrize(
    "hint",
    [
        Any,
        object,
        Helper,
        Changed,
        list,
        list[Any],
        Part | int,
        set[Part],
        deque[Part],
        Mapping[str, Part],
        dict[str, Helper],
    ],
    ids=str,
)
def test_a_type_that_does_not_say_it_is_refused(hint: Any) -> None:
    kind = State("Each", (), {"__module__": __name__, "__annotations__": {"slot": hint}})

    with pytest.raises(InvariantError, match=r"^Each\.slot: "):
        declared(kind)


def test_each_object_has_its_own_defaults() -> None:
    class Node(metaclass=State):
        name: str
        state: str = "NEW"
        used: list[int] = [0, 0]
        labels: set[str] = set()
        limit: float = float("inf")

        def __init__(self, name: str) -> None:
            self.name = f"{name} {self.state}"

    class Worker(Node):
        ended: deque[int] = deque()

    one, other = Worker("one"), Worker("other")
    one.used[0] = 1
    one.labels.add("gpu")
    one.ended.append(7)

    assert (one.name, one.used, one.labels, one.ended) == ("one NEW", [1, 0], {"gpu"}, deque([7]))
    assert (other.used, other.labels, other.ended, other.limit) == ([0, 0], set(), deque(), float("inf"))


def _state_classes(base: type) -> Iterator[type[Any]]:
    kind: type[Any]
    for kind in type.__subclasses__(base):
        if is_state(kind) and kind.__module__.startswith("engine."):
            yield kind
        yield from _state_classes(kind)


def test_every_state_class_of_the_engine_says_how_its_slots_are_copied() -> None:
    import engine.simulation.build  # noqa: F401, PLC0415  # loads every class of a simulation

    classes = [kind for kind in _state_classes(object) if has_slots(kind)]

    assert len(classes) > 130
    assert [kind for kind in classes if not declared(kind) and not kind.__subclasses__()] == []
