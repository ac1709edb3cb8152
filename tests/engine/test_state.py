"""The type of a slot says how it is copied; a type that does not say it is an error."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple, Protocol, TypeVar

import msgspec
import pytest

from engine.errors import InvariantError
from engine.fork import Copies, fork, fork_in_steps
from engine.incremental import Task
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


# The types of a class's slots decide what a fork has of its own.


class Policy(metaclass=State):
    """Never changes."""

    name: str
    is_constant: ClassVar[bool] = True


class ForkPart(metaclass=State):
    """One of several that know each other."""

    name: str
    whole: "Whole"

    def __init__(self, name: str, whole: "Whole") -> None:
        self.name = name
        self.whole = whole


class Whole(metaclass=State):
    """Has a slot of each kind."""

    size: tuple[int, int]
    numbers: set[int]
    order: Annotated[list[Any], REFERENCES]
    by_name: dict[str, ForkPart]
    first: ForkPart | None
    groups: dict[str, list[tuple[ForkPart, list[str]]]]
    policy: Policy
    listener: Dropped[object | None]

    def __init__(self, parts: int) -> None:
        self.size = (parts, 1)
        self.numbers = {1, 2}
        self.order = [ForkPart(f"p{number}", self) for number in range(parts)]
        self.by_name = {part.name: part for part in reversed(self.order)}
        self.first = self.order[0] if parts else None
        self.groups = {"all": [(part, [part.name]) for part in self.order]}
        self.policy = Policy()
        self.listener = object()


def test_references_lead_to_the_copies_of_what_they_led_to() -> None:
    """Lists, tuples, dicts and single slots name the same copy of an object, also where objects name each other."""
    whole = Whole(3)
    copy = fork(whole)

    assert copy.first is copy.order[0] is copy.by_name["p0"] is copy.groups["all"][0][0]
    assert {id(part.whole) for part in copy.order} == {id(copy)}
    assert not {id(part) for part in copy.order} & {id(part) for part in whole.order}
    assert list(copy.by_name) == ["p2", "p1", "p0"]


def test_what_is_owned_is_copied_and_what_is_shared_is_not() -> None:
    """Changing the copy's set or its nested lists leaves the original alone; a tuple is the same object."""
    whole = Whole(1)
    copy = fork(whole)
    copy.numbers.add(3)
    copy.groups["all"][0][1].append("more")

    assert (whole.numbers, whole.groups["all"][0][1]) == ({1, 2}, ["p0"])
    assert (copy.size is whole.size, copy.policy is whole.policy) == (True, True)


def test_what_is_lazy_is_a_dict_before_all_of_it_is_made() -> None:
    whole = Whole(4)
    later = Copies(is_lazy=True).of_lazy(whole.by_name)
    del later["p1"]
    later["p4"], part = ForkPart("p4", whole), later.get("p2")

    with pytest.raises(KeyError):
        del later["p1"]
    assert (later.get("p1"), [*later], len(later)) == (None, ["p3", "p2", "p0", "p4"], 4)
    assert ([each.name for each in later().values()], later()["p2"]) == ([*later], part)


def test_a_fork_in_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("PIECE", 4), ("SOME", 1), ("FEW", 0)):
        monkeypatch.setattr(f"engine.fork.{name}", number)
    work = Task(fork_in_steps(Whole(6), Copies()))
    pieces = 1
    while not work.advance():
        pieces += 1

    assert (pieces, [part.name for part in work.result().order]) == (3, ["p0", "p1", "p2", "p3", "p4", "p5"])


def test_an_object_that_is_no_state_cannot_be_copied() -> None:
    whole = Whole(1)
    whole.first = object()  # type: ignore[assignment]  # no part

    with pytest.raises(InvariantError, match="object is not a class of the state"):
        fork(whole)
