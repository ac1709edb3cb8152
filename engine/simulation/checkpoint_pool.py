"""What the packed copies of one run share: kept once, and named by its place in each copy.

Scenarios, ended applications and what nodes are called never change. What was drawn for a job never changes either,
but is large and soon over: it is packed by itself, once, and kept as an object only while somebody uses it.
"""

import pickle
import zlib
from types import NoneType
from typing import Any, Final
from weakref import WeakKeyDictionary, ref

from engine.model.ledger import Application
from engine.workload.mapreduce import Tasks
from engine.workload.master import Topology

FEW: Final = 8
"""Fewer values than this of an attribute are not worth a look at whether they are alike."""

PLAIN: Final = frozenset({int, str, bool})
"""Types of values that never change."""

LEVEL: Final = 1
"""How hard zlib tries; more takes longer than it saves."""

Column = tuple[Any, ...]


class CheckpointPool:
    """Shared by all packed copies of one run."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        """By place."""
        self.bytes = 0
        """What was packed for it."""
        self._places: dict[object, int] = {}
        """Place of each item: by identity, of an ended application by its number."""
        self._columns: dict[tuple[type, int], Column | None] = {}
        """(type, place of an attribute) → its values in all objects of the type, which were alike in every copy so
        far, or None once they were not."""
        self._alive: WeakKeyDictionary[Tasks, int] = WeakKeyDictionary()
        """Place of what is packed of each job's tasks."""
        self._tasks: dict[int, ref[Tasks]] = {}
        """Place → the tasks themselves, while they live."""

    def branch(self) -> None:
        """From now on other applications may end under the numbers of those that did."""
        self._places = {key: place for key, place in self._places.items() if type(key) is int}

    def place(self, item: Any) -> int:
        """Where something that never changes is kept; an ended application is known by its number."""
        key = ("application", item.number) if type(item) is Application else id(item)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.items)
            self.items.append(item)
        return place

    def column(self, key: tuple[type, int], column: Column) -> int | Column:
        """One attribute of many objects: the place where it is shared, or one value for all of them, or all values."""
        if len(column) < FEW or len(kinds := set(map(type, column)) - {NoneType}) > 1 or not kinds <= PLAIN:
            return column
        before = self._columns.get(key, ())
        if before == column:
            return self.place(before)
        self._columns[key] = None if before != () else column
        return column[:1] if column.count(column[0]) == len(column) else column

    def place_of_tasks(self, tasks: Tasks) -> int:
        """Where what was drawn for a job is kept, packed."""
        place = self._alive.get(tasks)
        if place is None:
            place = len(self.items)
            self.items.append(zlib.compress(pickle.dumps(tasks.drawn(), protocol=5), LEVEL))
            self.bytes += len(self.items[-1])
            self._know(tasks, place)
        return place

    def tasks(self, place: int, topology: Topology) -> Tasks:
        """What was drawn for a job: the same object while it lives, else another like it."""
        found = self._tasks.get(place)
        tasks = None if found is None else found()
        if tasks is None:
            tasks = Tasks.of(pickle.loads(zlib.decompress(self.items[place])), topology)
            self._know(tasks, place)
        return tasks

    def _know(self, tasks: Tasks, place: int) -> None:
        self._alive[tasks] = place
        self._tasks[place] = ref(tasks)
