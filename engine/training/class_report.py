"""Reports on a class: the last try of each trainee at each drill, played again and measured beside par."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Final, NamedTuple

from engine.training.acts_file import read_record
from engine.training.drill import DrillScenario
from engine.training.exercise import Exercise
from engine.training.history import PlayedDrill
from engine.training.instructor_steps import injected
from engine.training.protocol import begins_at
from engine.training.score import CLOCKS, Score, Yardstick, played
from engine.training.stage import DrillStage
from engine.training.variation import varied
from engine.units import plural

_GROUPS: Final = {
    "Naming the fault costs": CLOCKS,
    "The repair costs": ("solved",),
    "Lost work and waiting cost": ("work kept", "waiting"),
}
"""Words → lines of a score that cost something together."""
_PRICES: Final = "Hints and prices cost"
"""Every other line."""


class ClassTry(NamedTuple):
    """One try of one trainee."""

    trainee: str
    drill: DrillScenario
    score: Score
    par: Score
    hints: int
    forbidden: tuple[str, ...]
    costs: tuple["ClassCost", ...]

    @property
    def lost_s(self) -> float:
        """Container-seconds lost beyond par."""
        return max(0.0, self.score.harm.lost_s - self.par.harm.lost_s)

    @property
    def waited_s(self) -> float:
        """Application-seconds waited beyond par."""
        return max(0.0, self.score.harm.waiting_s - self.par.harm.waiting_s)


class ClassCost(NamedTuple):
    """Something a trainee did, or did not do, and what that cost."""

    trainee: str
    drill: str
    at_ms: int
    """Ms after the drill's beginning."""
    words: str
    cost_s: float
    """Container-seconds lost, or application-seconds waited beyond par."""
    unit: str


def latest(histories: Mapping[str, Sequence[PlayedDrill]], drills: Sequence[str]) -> Iterator[tuple[str, PlayedDrill]]:
    """(trainee, the last try) for each of the drills and each trainee who played it."""
    for drill in drills:
        for trainee, history in histories.items():
            found = next((one for one in reversed(history) if one.drill == drill), None)
            if found is not None:
                yield trainee, found


def replayed(trainee: str, kept: PlayedDrill, drill: DrillScenario) -> ClassTry:
    """A kept try, played again.

    Raises:
        ConfigError: What was kept is no record.
    """
    drill = drill if kept.seed is None else varied(drill, kept.seed)
    drill = drill.as_exam() if kept.is_exam else drill
    steps, stage = read_record(kept.steps, begins_at(drill)), DrillStage(drill)
    yardstick, exercise = Yardstick(stage, injected(steps)), played(stage, steps)
    score, par = yardstick.score(exercise), yardstick.score(yardstick.par)
    found = ClassTry(trainee, drill, score, par, exercise.hints, tuple(exercise.used), ())
    return found._replace(costs=tuple(_costs(found, exercise, yardstick.par)))


def _costs(one: ClassTry, exercise: Exercise, par: Exercise) -> Iterator[ClassCost]:
    name = one.drill.name
    for number, loss in exercise.sacrificed.items():
        if number not in par.sacrificed and loss.lost_s > 0:
            at_ms = loss.killed_ms - one.drill.begins_ms
            yield ClassCost(
                one.trainee, name, at_ms, f"{number} is ended, which par leaves alone", loss.lost_s, "container"
            )
    for shortcut, at_ms in exercise.used.items():
        yield ClassCost(one.trainee, name, at_ms, f"forbidden: {shortcut}", one.lost_s, "container")
    if one.score.solved_ms is None:
        yield ClassCost(
            one.trainee, name, one.drill.drill.lasts_ms, "not solved when time is up", one.waited_s, "application"
        )


def middle(values: Sequence[float]) -> float | None:
    """The median; None of nothing."""
    return median(values) if values else None


def share_until_named(tries: Sequence[ClassTry]) -> float | None:
    """The median part of the time to a solution that passes before somebody or something is named."""
    clocks = [one.score.clocks for one in tries]
    pairs = [(each.get("localise"), each.get("solved")) for each in clocks]
    return middle([named / solved for named, solved in pairs if named is not None and solved])


def repair_ms(tries: Sequence[ClassTry]) -> float | None:
    """The median time from the explanation to the solution, of those that explained first."""
    clocks = [one.score.clocks for one in tries]
    pairs = [(each.get("explain"), each.get("solved")) for each in clocks]
    return middle(
        [solved - named for named, solved in pairs if named is not None and solved is not None and solved >= named]
    )


def summary(tries: Sequence[ClassTry]) -> str:
    """Return what costs the class most, repairs without explanation, and the drill with most work lost.

    A sentence for each that there is something to say of; empty for none.
    """
    return " ".join(sentence for sentence in (_costliest(tries), _unexplained(tries), _most_lost(tries)) if sentence)


def _costliest(tries: Sequence[ClassTry]) -> str:
    """The group of lines that costs most points; empty where two cost as much, or less than a point is lost."""
    lost = dict.fromkeys((*_GROUPS, _PRICES), 0.0)
    for line in (line for one in tries for line in one.score.lines):
        group = next((words for words, names in _GROUPS.items() if line.what in names), _PRICES)
        lost[group] += line.most - line.points
    (words, most), (_, second) = sorted(lost.items(), key=lambda pair: -pair[1])[:2]
    if sum(lost.values()) < 1 or round(most, 1) == round(second, 1):
        return ""
    return f"{words} most: {most:.0f} of the {sum(lost.values()):.0f} points lost."


def _unexplained(tries: Sequence[ClassTry]) -> str:
    solved = [one.score for one in tries if one.score.solved_ms is not None and "explain" in one.score.clocks]
    unexplained = sum(one.clocks["explain"] is None for one in solved)
    was = "was" if unexplained == 1 else "were"
    return f"{unexplained} of {len(solved)} repairs {was} made without an explanation." if unexplained else ""


def _most_lost(tries: Sequence[ClassTry]) -> str:
    lost: dict[str, float] = {}
    for one in tries:
        lost[one.drill.name] = lost.get(one.drill.name, 0.0) + one.lost_s
    drill = max(lost, key=lambda name: lost[name], default="")
    minutes = round(lost.get(drill, 0.0) / 60)
    own = [one for one in tries if one.drill.name == drill]
    who = sum(one.lost_s > 0 for one in own)
    words = f"In {drill} {who} of {len(own)} lost work that par keeps: {plural(minutes, 'container-minute')}."
    return words if minutes else ""
