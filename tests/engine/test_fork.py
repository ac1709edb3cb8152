"""The types of a class's slots decide what a fork has of its own."""

from typing import Annotated, Any, ClassVar

import pytest

from engine.errors import InvariantError
from engine.fork import Copies, fork, forking
from engine.incremental import Task
from engine.state import REFERENCES, Dropped, State


class Policy(metaclass=State):
    """Never changes."""

    name: str
    is_constant: ClassVar[bool] = True


class Part(metaclass=State):
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
    by_name: dict[str, Part]
    first: Part | None
    groups: dict[str, list[tuple[Part, list[str]]]]
    policy: Policy
    listener: Dropped[object | None]

    def __init__(self, parts: int) -> None:
        self.size = (parts, 1)
        self.numbers = {1, 2}
        self.order = [Part(f"p{number}", self) for number in range(parts)]
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


def test_a_fork_in_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("PIECE", 4), ("SOME", 1), ("FEW", 0)):
        monkeypatch.setattr(f"engine.fork.{name}", number)
    work = Task(forking(Whole(6), Copies()))
    pieces = 1
    while not work.advance():
        pieces += 1

    assert (pieces, [part.name for part in work.result().order]) == (3, ["p0", "p1", "p2", "p3", "p4", "p5"])


def test_an_object_that_is_no_state_cannot_be_copied() -> None:
    whole = Whole(1)
    whole.first = object()  # type: ignore[assignment]  # no part

    with pytest.raises(InvariantError, match="object is no class of the state"):
        fork(whole)
