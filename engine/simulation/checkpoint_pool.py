"""Keeps once what the packed copies of one run share; each copy names it by its place.

Scenarios, ended applications and names of nodes never change. The tasks drawn for a job never change either, but
they are large and soon over: they are packed once, and kept as objects only while somebody uses them.
"""

import pickle
import zlib
from types import NoneType
from typing import Any, Final
from weakref import WeakKeyDictionary, ref

from engine.model.ledger import Application
from engine.workload.mapreduce import Tasks
from engine.workload.master import Topology

FEW: Final = 8  # Least number of values of an attribute for which it pays to find out whether they are equal

PLAIN: Final = frozenset({int, str, bool})  # Types of values that never change

LEVEL: Final = 1  # Level of zlib; a higher one takes longer than it saves

Column = tuple[Any, ...]


class CheckpointPool:
    """Shared by all packed copies of one run."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        """The items, by place."""
        self.bytes = 0
        """Size of what is packed in it [bytes]."""
        self._places: dict[object, int] = {}
        """Place of each item: by identity, of an ended application by its number."""
        self._columns: dict[tuple[type, int], Column | None] = {}
        """(type, place of an attribute) → its values in all objects of the type, which were alike in every copy so
        far, or None once they were not."""
        self._alive: WeakKeyDictionary[Tasks, int] = WeakKeyDictionary()
        """Place of the packed tasks of each job."""
        self._tasks: dict[int, ref[Tasks]] = {}
        """Place → the tasks themselves, while they live."""

    def branch(self) -> None:
        """Forget which applications ended: after a branch, others may end under the same numbers."""
        self._places = {key: place for key, place in self._places.items() if type(key) is int}

    def place(self, item: Any) -> int:
        """Return the place of something that never changes; an ended application is known by its number."""
        key = ("application", item.number) if type(item) is Application else id(item)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.items)
            self.items.append(item)
        return place

    def column(self, key: tuple[type, int], column: Column) -> int | Column:
        """Return an attribute of many objects: its place where it is shared, one value where all are equal, or all."""
        if len(column) < FEW or len(kinds := set(map(type, column)) - {NoneType}) > 1 or not kinds <= PLAIN:
            return column
        before = self._columns.get(key, ())
        if before == column:
            return self.place(before)
        self._columns[key] = None if before != () else column
        return column[:1] if column.count(column[0]) == len(column) else column

    def place_of_tasks(self, tasks: Tasks) -> int:
        """Return the place of the packed tasks of a job."""
        place = self._alive.get(tasks)
        if place is None:
            place = len(self.items)
            self.items.append(zlib.compress(pickle.dumps(tasks.drawn(), protocol=5), LEVEL))
            self.bytes += len(self.items[-1])
            self._know(tasks, place)
        return place

    def tasks(self, place: int, topology: Topology) -> Tasks:
        """Return the tasks of a job: the same object while it lives, else an equal one."""
        found = self._tasks.get(place)
        tasks = None if found is None else found()
        if tasks is None:
            tasks = Tasks.of(pickle.loads(zlib.decompress(self.items[place])), topology)
            self._know(tasks, place)
        return tasks

    def _know(self, tasks: Tasks, place: int) -> None:
        self._alive[tasks] = place
        self._tasks[place] = ref(tasks)
