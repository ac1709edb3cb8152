"""A queue: a place in the tree and what its applications use. Limits and shares belong to the policies.

Its ledger is *charge*: what its live containers cost it. Reservations are counted apart, as in the fair scheduler.
"""

from collections.abc import Collection, Iterator
from typing import Any, Generic

from typing_extensions import TypeVar

from engine.state import State

Parent = TypeVar("Parent", bound="Queue", default=Any)
"""The policy's own class of queues that have others below."""


class Queue(Generic[Parent], metaclass=State):
    """One queue of the tree; policies extend it."""

    path: str
    """Full name, e.g. `root.etl.daily`."""
    name: str
    parent: Parent | None
    used_memory_mb: int = 0
    used_vcores: int = 0
    reserved_memory_mb: int = 0
    reserved_vcores: int = 0

    def __init__(self, path: str, parent: Parent | None) -> None:
        self.path = path
        self.name = path.rpartition(".")[2]
        self.parent = parent

    def reserve(self, memory_mb: int, vcores: int) -> None:
        """Add to (or, negative, take from) what is reserved here and in every ancestor."""
        queue: Queue | None = self
        while queue is not None:
            queue.reserved_memory_mb += memory_mb
            queue.reserved_vcores += vcores
            queue = queue.parent


def is_under(path: str, above: str) -> bool:
    """True where a path is that of a queue or of one below it.

    >>> is_under("root.etl.daily", "root.etl"), is_under("root.etl", "root.etl"), is_under("root.etl2", "root.etl")
    (True, True, False)
    """
    return path == above or path.startswith(above + ".")


def upwards(path: str) -> Iterator[str]:
    """A queue and all above it, the root last.

    >>> list(upwards("root.etl.daily"))
    ['root.etl.daily', 'root.etl', 'root']
    """
    while path:
        yield path
        path = path.rpartition(".")[0]


def full_name(name: str) -> str:
    """The name of a queue with `root.` in front unless it is there.

    >>> full_name("etl"), full_name("root.etl"), full_name("root")
    ('root.etl', 'root.etl', 'root')
    """
    return name if is_under(name, "root") else f"root.{name}"


def queue_named(name: str, paths: Collection[str]) -> str | None:
    """The path that is meant by a name, with or without the root; None where there is none."""
    return next((path for path in (name, f"root.{name}") if path in paths), None)
