"""Import every file of a folder and compare what was read with what is known to be there.

python -m tests.gates.traces FOLDER           every file: format, applications, tasks, faults, and the known number
python -m tests.gates.traces --series FOLDER  logs of ResourceManagers beside the answers recorded with them
python -m tests.gates.traces --play POLICY [--nodes N] [--vcores V] [--processors P] FILE
                                        how long it takes to play a trace
python -m tests.gates.traces --first-fit FILE starts of a batch log beside an independent program
"""

import argparse
import sys
import time
from pathlib import Path

from engine.errors import ConfigError
from engine.formats.traces.formats import read_traces
from engine.formats.traces.report import ImportReport
from tests.gates.traces.batch import compared
from tests.gates.traces.counts import APPLICATIONS, CONTAINERS, NODES, TASKS
from tests.gates.traces.playing import played
from tests.gates.traces.series import agreement, folders


def check(folder: Path) -> bool:
    """Import every file and say what is in it; whether every known number was met."""
    right = True
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        report, begin = ImportReport(), time.perf_counter()
        masters = 0
        try:
            for each in read_traces([path], report):
                masters += each.has_master
        except ConfigError as error:
            print(f"refused  {name}: {error.problems[0].message}")
            right = right and name not in APPLICATIONS
            continue
        found = [
            (word, number, known[name])
            for word, number, known in (
                ("applications", report.applications, APPLICATIONS),
                ("tasks", report.tasks, TASKS),
                ("containers", report.tasks + masters, CONTAINERS),
                ("nodes", len(report.nodes), NODES),
            )
            if name in known
        ]
        verdict = "" if not found else "right" if all(number == wanted for _, number, wanted in found) else "WRONG"
        right = right and verdict != "WRONG"
        print(
            f"{verdict:8} {name}: {report.files[0].format}, {report.applications} applications, {report.tasks} tasks,"
            f" {len(report.nodes)} nodes, {report.faults} faults, {time.perf_counter() - begin:.2f} s"
            + "".join(f", {word} {number} of {wanted}" for word, number, wanted in found)
        )
    return right


def compare(top: Path) -> None:
    """Say for each log how far it agrees with its series."""
    for folder in folders(top):
        found = agreement(folder)
        print(
            f"{folder.name}: of {found.polls} polls, allocated memory agrees in {found.memory}"
            f" (at most {found.worst_mb} MB off), reservations in {found.reservations}"
        )


def main() -> int:
    """Check or compare; 1 where a known number was not met."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.gates.traces", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folder", type=Path, metavar="PATH")
    parser.add_argument("--series", action="store_true", help="compare logs with recorded answers")
    parser.add_argument("--play", metavar="POLICY", help="play a trace under this scheduler and measure it")
    parser.add_argument("--nodes", type=int, help="so many nodes, not the trace's")
    parser.add_argument("--vcores", type=int, default=10, help="of a node, with 1 GB for each")
    parser.add_argument("--processors", type=int, default=1, help="of a batch system: so many are one container")
    parser.add_argument("--first-fit", action="store_true", help="compare a batch log's starts under FIFO")
    chosen = parser.parse_args()
    if chosen.play:
        print(played(chosen.folder, chosen.play, chosen.nodes, chosen.vcores, chosen.processors))
        return 0
    if chosen.first_fit:
        print(compared(chosen.folder))
        return 0
    if chosen.series:
        compare(chosen.folder)
        return 0
    return 0 if check(chosen.folder) else 1


if __name__ == "__main__":
    sys.exit(main())
