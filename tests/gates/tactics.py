"""Blunt tactics on every drill, each application killed in turn, and trainees who act by chance.

`python -m tests.gates.tactics [DRILL…] [-o FILE]` prints a line for each drill: the most points of each tactic, * where
something was solved by it, ! where it is worth more than it may be and is no remedy. `-o` writes every play as CSV.
Exit code 1 with any !.
"""

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final

from engine.model.lifecycle import still_live
from engine.observe.snapshot import ApplicationRow, Snapshot
from engine.scenario.acts import (
    Act,
    DrainNode,
    KillApplication,
    LabelNode,
    LoseNode,
    MoveApplication,
    ResizeNode,
    RestartNodeManager,
    ReturnNode,
    SetPreemption,
    SetPriority,
    SetReservationRule,
    timed,
)
from engine.training.drill import load_drill, packaged_drills
from engine.training.exercise import DrillStage, Exercise
from engine.training.score import ScoreBaselines
from engine.training.tactics import AT_MS, CORES, HUGE_MB, PlayedTactic, Tactic, at_once, tactics_played

SEEDS: Final = 200
MOST_ACTS: Final = 4  # So many acts somebody does by chance, at most
ANY: Final = 1_000  # A remedy that is part of acts by chance excuses them, whatever they are worth


def by_kill(stage: DrillStage) -> Iterator[Tactic]:
    """Kill one application, each in turn."""
    for row in _live(Exercise(stage).snapshot()):
        yield Tactic("kill each", (timed(KillApplication(row.id), AT_MS),))


def by_chance(stage: DrillStage) -> Iterator[Tactic]:
    """Some acts by chance for each seed, the same for the same drill."""
    snapshot = Exercise(stage).snapshot()
    for seed in range(SEEDS):
        random = Random(f"{stage.drill.name} {seed}")
        kinds = random.choices(tuple(_CHANCE), k=random.randint(1, MOST_ACTS))
        acts = [_CHANCE[kind](snapshot, random) for kind in kinds]
        times = sorted(random.randrange(stage.drill.drill.lasts_ms) for _ in acts)
        yield Tactic("random", tuple(timed(act, at_ms) for act, at_ms in zip(acts, times, strict=True) if act), ANY)


def _live(snapshot: Snapshot) -> list[ApplicationRow]:
    return list(still_live(snapshot.applications(why=False)))


def _application(make: Callable[[str], Act]) -> Callable[[Snapshot, Random], Act | None]:
    return lambda now, random: make(random.choice(rows).id) if (rows := _live(now)) else None


def _node(make: Callable[[str], Act]) -> Callable[[Snapshot, Random], Act | None]:
    return lambda now, random: make(random.choice(now.nodes()).id)


def _move(now: Snapshot, random: Random) -> Act | None:
    rows, queues = _live(now), [row.path for row in now.queues() if row.is_leaf]
    if not rows or not queues:
        return None
    path = random.choice(queues)
    return MoveApplication(random.choice(rows).id, random.choice((path, path.rpartition(".")[2])))


_CHANCE: Final[Mapping[str, Callable[[Snapshot, Random], Act | None]]] = {
    "kill": _application(KillApplication),
    "priority": lambda now, random: SetPriority(random.choice(rows).id, 9) if (rows := _live(now)) else None,
    "move": _move,
    "drain": _node(DrainNode),
    "return": _node(ReturnNode),
    "label": _node(lambda node: LabelNode(node, "")),
    "restart": _node(RestartNodeManager),
    "lose": _node(LoseNode),
    "resize": _node(lambda node: ResizeNode(node, HUGE_MB, CORES)),
    "preemption": lambda _, random: SetPreemption(on=random.random() < 1 / 2),
    "rule": lambda _, random: SetReservationRule(random.choice(("strict", "limited", "off"))),
}
"""Kind of act → one of it by chance; None where there is nothing to do it to."""


def cell(tries: Sequence[PlayedTactic]) -> str:
    """The most points of a tactic that is no remedy, else of one that is."""
    blunt = [one for one in tries if not one.is_remedy] or tries
    most = max(blunt, key=lambda one: one.points)
    return f"{most.points}{'*' * most.is_solved}{'!' * most.is_cheat}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drills", nargs="*")
    parser.add_argument("-o", type=Path)
    given = parser.parse_args()
    names, rows, wrong = given.drills or packaged_drills(), [], 0
    for name in names:
        stage = DrillStage(load_drill(name))
        found = tuple(tactics_played(ScoreBaselines(stage), (*by_kill(stage), *at_once(stage), *by_chance(stage))))
        kinds = dict.fromkeys(one.name for one in found)
        cells = {kind: cell([one for one in found if one.name == kind]) for kind in kinds}
        print(name, ", ".join(f"{kind} {words}" for kind, words in cells.items()), flush=True)
        cheats = [one for one in found if one.is_cheat]
        for one in cheats:
            print(f"  ! {one.name} {one.points}: {', '.join(one.acts)}")
        wrong += len(cheats)
        rows += [(name, one.name, one.points, one.is_solved, one.is_remedy, "; ".join(one.acts)) for one in found]
    if given.o is not None:
        with given.o.open("w", newline="") as file:
            csv.writer(file).writerows([("drill", "tactic", "points", "solved", "remedy", "acts"), *rows])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
