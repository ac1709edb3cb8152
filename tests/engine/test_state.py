"""What a class declares of its slots decides what a fork has of its own; a declaration that is missing is an error."""

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from engine.errors import InvariantError
from engine.incremental import Task
from engine.state import (
    CONSTANT,
    DROPPED,
    FEW,
    NESTED,
    OWNED,
    REFERENCE,
    REFERENCES,
    SHARED,
    Slots,
    declared,
    fork,
    forking,
    has_slots,
)


class Policy:
    """Never changes."""

    STATE: ClassVar[Slots] = CONSTANT
    __slots__ = ()


class Part:
    """One of several that know each other."""

    STATE: ClassVar[Slots] = {"name": SHARED, "whole": REFERENCE}
    __slots__ = STATE

    def __init__(self, name: str, whole: "Whole") -> None:
        self.name = name
        self.whole = whole


class Whole:
    """Has a slot of each kind."""

    STATE: ClassVar[Slots] = {
        "by_name": REFERENCES,
        "first": REFERENCE,
        "groups": NESTED,
        "listener": DROPPED,
        "numbers": OWNED,
        "order": REFERENCES,
        "policy": REFERENCE,
        "size": SHARED,
    }
    __slots__ = STATE

    def __init__(self, parts: int) -> None:
        self.size = (parts, 1)
        self.numbers = {1, 2}
        self.order: list[Any] = [Part(f"p{number}", self) for number in range(parts)]
        self.by_name = {part.name: part for part in reversed(self.order)}
        self.first: Any = self.order[0] if parts else None
        self.groups = {"all": [(part, [part.name]) for part in self.order]}
        self.policy = Policy()
        self.listener: object | None = object()


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


def test_members_of_several_classes_and_members_listed_twice_are_copied_once() -> None:
    """A list may name one object twice, known or not, and objects of several classes."""
    whole = Whole(2)
    first, second = list(whole.order)
    whole.by_name = {"a": first, "b": second, "c": first}
    whole.order[:] = [first, first, whole, Policy()]
    copy = fork(whole)

    assert copy.order[0] is copy.order[1] is copy.by_name["a"] is copy.by_name["c"] is copy.first
    assert (copy.order[2] is copy, copy.order[3] is whole.order[3]) == (True, True)
    assert [copy.order[0].name, copy.order[2].by_name["b"].name] == ["p0", "p1"]


@pytest.mark.parametrize("parts", [FEW, FEW + 1])
def test_however_many_members_there_are_all_are_filled(parts: int) -> None:
    """A long list is copied as a short one."""
    assert [part.name for part in fork(Whole(parts)).order] == [f"p{number}" for number in range(parts)]


def test_a_listener_stays_with_the_original() -> None:
    """What is dropped is None in the copy and untouched in the original."""
    whole = Whole(0)

    assert (fork(whole).listener, whole.listener is None, fork(whole).first) == (None, False, None)


def test_a_fork_in_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """It pauses after so many objects, and not after the last."""
    for name, number in (("PIECE", 4), ("SOME", 1), ("FEW", 0)):
        monkeypatch.setattr(f"engine.state.{name}", number)
    work = Task(forking(Whole(6)))
    pieces = 1
    while not work.advance():
        pieces += 1

    assert (pieces, [part.name for part in work.result().order]) == (3, ["p0", "p1", "p2", "p3", "p4", "p5"])


def test_an_object_without_a_declaration_cannot_be_copied() -> None:
    """A fork that meets one says of which class it is."""
    whole = Whole(1)
    whole.first = object()

    with pytest.raises(InvariantError, match="object declares no STATE"):
        fork(whole)


class _Undeclared:
    STATE: ClassVar[Slots] = {"one": SHARED}
    __slots__ = ("one", "two")


class _Open:
    STATE: ClassVar[Slots] = {"one": SHARED}


class _Added(Whole):
    __slots__ = ("more",)


class _Misspelt:
    STATE: ClassVar[Slots] = {"one": "owend"}
    __slots__ = STATE


class _Equal:
    STATE: ClassVar[Slots] = {"one": SHARED}
    __slots__ = STATE
    __hash__ = None  # type: ignore[assignment]  # as Python does it with `__eq__`

    def __eq__(self, other: object) -> bool:
        return True


@pytest.mark.parametrize("kind", [_Undeclared, _Open, _Added, _Misspelt, _Equal])
def test_a_declaration_that_is_not_whole_is_refused(kind: type) -> None:
    """Slots beside the table, a `__dict__`, a subclass without its own, an unknown word, objects equal to others."""
    with pytest.raises(InvariantError):
        declared(kind)


def test_a_subclass_declares_what_it_adds() -> None:
    """Slots of its bases come first."""

    class More(Part):
        STATE: ClassVar[Slots] = {"less": OWNED}
        __slots__ = STATE

    assert declared(More) == {"name": SHARED, "whole": REFERENCE, "less": OWNED}


def _state_classes(base: type) -> Iterator[type[Any]]:
    kind: type[Any]
    for kind in type.__subclasses__(base):
        if "STATE" in vars(kind) and kind.__module__.startswith("engine."):
            yield kind
        yield from _state_classes(kind)


def test_every_state_class_of_the_engine_declares_all_its_slots() -> None:
    """None has slots beside its table, or a `__dict__` that would escape it."""
    import engine.simulation.build  # noqa: F401, PLC0415  # loads every class of a simulation

    classes = [kind for kind in _state_classes(object) if has_slots(kind)]

    assert len(classes) > 15
    assert [kind for kind in classes if not declared(kind)] == []
