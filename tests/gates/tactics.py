"""Blunt tactics on every drill, and trainees who act by chance: `python -m tests.gates.tactics [DRILL…] [-o FILE]`.

Prints a table of drills and tactics: the most points of each tactic, * where something was solved by it, ! where it is
worth more than it may be and is no remedy of the drill. `-o` writes every play as CSV. Exit code 1 with any !.
"""

import argparse
import csv
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.training.drill import load_drill, packaged_drills
from engine.training.drill_check import BLUNT
from engine.training.exercise import DrillStage
from engine.training.score import ScoreBaselines
from engine.training.tactics import PlayedTactic, tactics_played


def cell(tries: Sequence[PlayedTactic]) -> str:
    """The most points of a tactic that is no remedy, else of one that is."""
    blunt = [one for one in tries if not one.is_remedy] or tries
    most = max(blunt, key=lambda one: one.points)
    return f"{most.points}{'*' * most.is_solved}{'!' * (most.points > BLUNT and not most.is_remedy)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drills", nargs="*")
    parser.add_argument("-o", type=Path)
    given = parser.parse_args()
    names, rows, wrong = given.drills or packaged_drills(), [], 0
    for name in names:
        found = tuple(tactics_played(ScoreBaselines(DrillStage(load_drill(name))), is_long=True))
        kinds = dict.fromkeys(one.name for one in found)
        cells = {kind: cell([one for one in found if one.name == kind]) for kind in kinds}
        print(name, ", ".join(f"{kind} {words}" for kind, words in cells.items()), flush=True)
        beyond = [one for one in found if one.points > BLUNT and not one.is_remedy]
        for one in beyond:
            print(f"  ! {one.name} {one.points}: {', '.join(one.acts)}")
        wrong += len(beyond)
        rows += [(name, one.name, one.points, one.is_solved, one.is_remedy, "; ".join(one.acts)) for one in found]
    if given.o is not None:
        with given.o.open("w", newline="") as file:
            csv.writer(file).writerows([("drill", "tactic", "points", "solved", "remedy", "acts"), *rows])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
