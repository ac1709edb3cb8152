"""Blunt tactics: acts of a trainee who has understood nothing; the check plays them on every drill."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine.model.lifecycle import still_live
from engine.observe.snapshot import Snapshot
from engine.scenario import acts
from engine.scenario.acts import Act, timed
from engine.training.exercise import DrillStage, Exercise
from engine.training.score import ScoreBaselines, played
from engine.training.steps import HARMLESS, TraineeStep

AT_MS: Final = 10_000  # When a tactic begins [ms after the drill's beginning]
BACK_MS: Final = 40_000  # When it brings back what it took away
HUGE_MB: Final = 9_000_000  # Memory of an invented node
CORES: Final = 9_000  # Its cores
OWN: Final = {"type": "scripted", "name": "mine", "user": "me", "am": None, "waits": False} | {
    "asks": [{"memory": "64m", "vcores": 1, "count": 80, "duration": "1s"}]
}
"""A job without a purpose."""

BLUNT: Final = 40  # The most points of a tactic that is no remedy
LESS: Final = 15  # So many points a tactic may be worth less than a remedy that is part of it
OBJECTS: Final = ("application", "container", "queue", "key", "on", "rule")
"""Fields of acts that say what they are done to, or how a switch stands; the first one counts. Nodes are all alike."""


class Tactic(NamedTuple):
    """What is done whatever is wrong."""

    name: str
    steps: tuple[TraineeStep, ...]
    less: int = LESS  # So many points it may be worth less than a remedy that is part of it


class PlayedTactic(NamedTuple):
    """A tactic, played on a drill without an answer."""

    name: str
    points: int
    is_solved: bool
    acts: tuple[str, ...]  # What was done, and to what
    is_remedy: bool  # Whether the reference or another remedy does that; only told where it is worth much

    @property
    def is_cheat(self) -> bool:
        """Tell whether it is worth more than a tactic may be that is no remedy."""
        return self.points > BLUNT and not self.is_remedy


def tactics_played(yardstick: ScoreBaselines, tactics: Iterable[Tactic]) -> Iterator[PlayedTactic]:
    """Play tactics on a drill, and tell which of them do what one of its remedies does."""
    remedies: list[tuple[frozenset[tuple[str, str]], int]] | None = None
    for tactic in tactics:
        exercise = Exercise(yardstick.stage)
        for step in tactic.steps:
            exercise.take(step)
        done = _acts(exercise)
        score = yardstick.score(exercise if done else yardstick.idle)
        if score.total > BLUNT and remedies is None:
            remedies = list(_remedies(yardstick))
        is_remedy = any(done >= remedy and score.total >= worth - tactic.less for remedy, worth in remedies or ())
        words = tuple(sorted(" ".join(act) for act in done))
        yield PlayedTactic(tactic.name, score.total, score.solved_ms is not None, words, is_remedy)


def _remedies(yardstick: ScoreBaselines) -> Iterator[tuple[frozenset[tuple[str, str]], int]]:
    drill = yardstick.stage.drill.drill
    reference = tuple(step for step in drill.reference if not isinstance(step, HARMLESS))
    for steps in (reference, *(way.steps for way in drill.ways if way.solves)):
        if steps:
            exercise = played(yardstick.stage, steps)
            yield _acts(exercise), yardstick.score(exercise).total


def _acts(exercise: Exercise) -> frozenset[tuple[str, str]]:
    return frozenset((act.do, _object(act)) for act in exercise.acts)


def _object(act: Act) -> str:
    if isinstance(act, acts.SubmitApplication):
        return str(act.application.get("name", ""))
    return str(next((value for name in OBJECTS if (value := getattr(act, name, None)) is not None), ""))


def at_once(stage: DrillStage) -> Iterator[Tactic]:
    """The tactics that do one thing to everything at once."""
    snapshot = Exercise(stage).snapshot()
    for name, acts_on in _BLUNT.items():
        yield Tactic(name, tuple(timed(act, AT_MS) for act in acts_on(snapshot)))
    back = tuple(timed(acts.ReturnNode(row.id), BACK_MS) for row in snapshot.nodes())
    yield Tactic("crash and return", (*_each(snapshot, acts.LoseNode), *back))
    yield Tactic("drain and return", (*_each(snapshot, acts.DrainNode), *back))


def _each(snapshot: Snapshot, kind: Callable[[str], Act]) -> tuple[TraineeStep, ...]:
    return tuple(timed(kind(row.id), AT_MS) for row in snapshot.nodes())


_BLUNT: Final[Mapping[str, Callable[[Snapshot], Sequence[Act]]]] = {
    "kill all": lambda now: [acts.KillApplication(row.id) for row in still_live(now.applications(why=False))],
    "restart": lambda _: [acts.RestartResourceManager(), acts.RestartJobTracker()],
    "fail over": lambda _: [acts.FailOverResourceManager()],
    "restart nodes": lambda now: [acts.RestartNodeManager(row.id) for row in now.nodes()],
    "return nodes": lambda now: [acts.ReturnNode(row.id) for row in now.nodes()],
    "invented node": lambda _: [acts.AddNode("mine:45454", HUGE_MB, CORES)],
    "invented job": lambda now: [acts.SubmitApplication({**OWN, "queue": queue}) for queue in _leaves(now)],
    "resize all": lambda now: [acts.ResizeNode(row.id, HUGE_MB, CORES) for row in now.nodes()],
    "no reservations": lambda _: [acts.SetReservationRule("off")],
    "preemption on": lambda _: [acts.SetPreemption(on=True)],
    "preemption off": lambda _: [acts.SetPreemption(on=False)],
}
"""Name of a tactic → what it does at once."""


def _leaves(snapshot: Snapshot) -> list[str | None]:
    return [row.path for row in snapshot.queues() if row.is_leaf] if "queues" in snapshot.sections else [None]
