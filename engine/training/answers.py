"""Names in a trainee's answers: as typed or chosen on the screen, and brought to the one that counts."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Final

from engine.observe.snapshot import Snapshot
from engine.run.measures import find_application
from engine.training.drill import Drill, DrillQuestion
from engine.training.steps import QuestionKind

OWNERS: Final = ("queue ", "pool ", "yarn.scheduler.capacity.", "mapred.capacity-scheduler.queue.")
"""Words that a screen or a file writes before the owner of a setting."""
USERS: Final = "user "


def named(question: DrillQuestion, words: str) -> tuple[str, ...]:
    """The names in words typed or chosen: a choice is one name, commas and all; else commas part names.

    >>> named(DrillQuestion(asks="cause", text="?", answers=("a, b",), choices=("a, b", "c")), "a, b")
    ('a, b',)
    """
    if words.strip() in question.choices:
        return (words.strip(),)
    return tuple(name.strip() for name in words.split(",") if name.strip())


class AnswerNames:
    """The things of an instant by all of their names."""

    def __init__(self, snapshot: Snapshot, drill: Drill) -> None:
        """Know what is there; the owners of the drill's setting are the queues that it asks for or changes."""
        self._snapshot = snapshot
        queue = drill.question("queue")
        changed = [getattr(step, "queue", "") for step in drill.reference]
        found = map(self._queues.get, [*(queue.answers if queue is not None else ()), *changed])
        self._owners = {path for path in found if path is not None}

    def meant(self, asks: QuestionKind, name: str) -> str:
        """The one name of what an answer names; the name itself where nothing is called so.

        A setting is meant by its key alone, by a user's, and by that of a queue of which it is asked.
        """
        kinds: Mapping[str, Callable[[str], str]] = {
            "application": self._application,
            "node": lambda given: self._nodes.get(given, given),
            "queue": lambda given: self._queues.get(given, given),
            "setting": self._setting,
        }
        return kinds[asks](name) if asks in kinds else name

    def shown(self, asks: QuestionKind, name: str) -> Iterator[str]:
        """Every name by which the screens show what an answer names, the given one first."""
        yield name
        one = self.meant(asks, name)
        if asks == "application" and (row := find_application(self._snapshot.applications(why=False), one)) is not None:
            yield from (row.id, str(row.number), f"{row.number:04}")
            if find_application(self._snapshot.applications(why=False), row.name) is row:
                yield row.name
        elif asks in ("node", "queue"):
            names = self._nodes if asks == "node" else self._queues
            yield from (each for each, found in names.items() if found == one)

    def is_there(self, asks: QuestionKind, name: str) -> bool:
        """Tell whether an application or queue is called so; of other kinds anything may be asked."""
        one = self.meant(asks, name)
        if asks == "queue":
            return one in self._queues
        return asks != "application" or find_application(self._snapshot.applications(why=False), one) is not None

    def _application(self, name: str) -> str:
        row = find_application(self._snapshot.applications(why=False), name)
        return name if row is None else row.id

    @cached_property
    def _nodes(self) -> dict[str, str]:
        return {name: row.id for row in self._snapshot.nodes() for name in (row.id, row.host)}

    @cached_property
    def _queues(self) -> dict[str, str]:
        """Path, path without `root.`, and last part where one queue has it → path."""
        paths = [row.path for row in self._snapshot.queues()]
        last = [path.rpartition(".")[2] for path in paths]
        leaves = {leaf: path for leaf, path in zip(last, paths, strict=True) if last.count(leaf) == 1}
        return {**leaves, **{path.removeprefix("root."): path for path in paths}, **{path: path for path in paths}}

    def _setting(self, name: str) -> str:
        bare = next((name.removeprefix(word) for word in OWNERS if name.startswith(word)), name)
        owner, _, key = bare.rpartition(".")
        if owner.startswith(USERS):
            return f"{USERS}{key}"
        path = self._queues.get(owner)
        if path is None:
            return bare if owner else key
        return f"{path}.{key}" if self._owners and path not in self._owners else key


def worth(question: DrillQuestion, names: AnswerNames, answer: tuple[str, ...]) -> float:
    """Return the worth of an answer, by any name of a thing: 1, 1/n among n named, or 0."""
    right = [names.meant(question.asks, name) for name in question.answers]
    alone = {name.removeprefix(USERS) for name in right if name.startswith(USERS)} & set(answer)
    given = tuple(name if name in alone else names.meant(question.asks, name) for name in answer)
    return question.model_copy(update={"answers": (*right, *alone)}).worth(given)
