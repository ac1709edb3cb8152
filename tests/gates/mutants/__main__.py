"""Try a seeded sample of mutants, name those that no test noticed, and print how many were.

python -m tests.gates.mutants                                                    400 of all, by all quick tests
python -m tests.gates.mutants --of engine/observe --tests tests/engine/observe   of one package, by its own tests
python -m tests.gates.mutants --of engine/observe/series.py --sample 9999        every mutant of one file
python -m tests.gates.mutants --survivors                                        those of survivors.txt
python -m tests.gates.mutants --keep                                             and keep who survived in survivors.txt

Who survives and is not in survivors.txt is called new; who is in it and is noticed by now is named, too. With `--keep`
who is noticed, is gone from the source or is equal leaves the file; who is new joins it where all tests were asked.
"""

import argparse
import gc
import importlib
import os
import random
import shutil
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import FunctionType

import pytest

from tests.gates.mutants.changes import Mutant, mutants
from tests.gates.mutants.patching import Place, functions_in_use
from tests.gates.mutants.reach import Reach, fingerprint, put_probes, record, recorded
from tests.gates.mutants.trials import Outcome, Trials, forked

ROOT = Path(__file__).parents[3]
KEPT = ROOT / ".mutants"
SURVIVORS = Path(__file__).parent / "survivors.txt"
"""Who survived when it was tried last, a line each: `Mutant.sentence`, and behind two blanks and # why it may."""
PACKAGES = ("engine", "tui", "scenarios", "tests")
ALL_TESTS = ["tests"]


class Mutation:
    """The pytest plugin that tries mutants in place of running the tests."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self._chosen = chosen
        self.counts: dict[str, Counter[Outcome]] = defaultdict(Counter)
        """Outcomes by package."""
        self._survivors: set[str] = set()
        self._tried: set[str] = set()
        self._known = known_survivors()
        self._equal = equal_mutants()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record which tests run what, unless that is known; then try each mutant of the sample."""
        equal, sample = self._equal, self._sample()
        for path in sorted({one.path for one in sample}):
            importlib.import_module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        in_use = functions_in_use(ROOT)
        reach = self._reach(session.items, sample, in_use)
        trials = Trials(ROOT, session.items, reach, self._chosen.seconds, in_use)
        gc.collect()
        gc.freeze()
        for mutant in sample:
            if mutant.key in equal:
                self._count(mutant, Outcome.EQUAL)
        for mutant, outcome in trials.outcomes([one for one in sample if one.key not in equal], self._chosen.jobs):
            self._count(mutant, outcome)
            self._tell(mutant, outcome)
        return True

    def _tell(self, mutant: Mutant, outcome: Outcome) -> None:
        """Name a mutant that no test noticed, or that was none of those before."""
        self._tried.add(mutant.sentence)
        is_known, words = mutant.sentence in self._known, outcome.value
        if outcome in (Outcome.SURVIVED, Outcome.UNTESTED):
            self._survivors.add(mutant.sentence)
            words += "" if is_known else ", new"
        elif outcome is Outcome.KILLED and is_known:
            words += ", in survivors.txt"
        elif outcome is Outcome.KILLED:
            return
        print(f"{mutant.path}:{mutant.lines[0]} {mutant.function}: {words}")
        print(f"    - {mutant.before}\n    + {mutant.after}", flush=True)

    def _count(self, mutant: Mutant, outcome: Outcome) -> None:
        self.counts["/".join(mutant.path.split("/")[:2])][outcome] += 1

    def _reach(self, items: list[pytest.Item], sample: list[Mutant], in_use: dict[Place, list[FunctionType]]) -> Reach:
        """Which tests run which mutants; what was recorded before an interruption stays."""
        names = [f"{one.path} {one.line} {one.slot}" for one in sample]
        folder = KEPT / fingerprint(ROOT, PACKAGES, [*names, *sorted(item.nodeid for item in items)])
        for other in KEPT.glob("*"):
            if other != folder:
                shutil.rmtree(other)
        folder.mkdir(parents=True, exist_ok=True)
        put_probes(sample, ROOT, in_use)
        self._record(items, folder)
        known = recorded(sorted(folder.glob("*.json")), sample)
        print(f"{len(known.seconds)} of {len(items)} tests pass, in {sum(known.seconds.values()):.0f} s", flush=True)
        return known

    def _record(self, items: list[pytest.Item], folder: Path) -> None:
        """A process for each file of tests: one that dies costs no other file."""
        by_file: dict[Path, list[pytest.Item]] = defaultdict(list)
        for item in items:
            by_file[item.path].append(item)
        parts = {
            folder / f"{str(path.relative_to(ROOT)).replace('/', '.')}.json": some for path, some in by_file.items()
        }
        left = {part: some for part, some in parts.items() if not part.is_file()}
        print(f"recording {len(left)} of {len(parts)} files of tests", flush=True)
        running: dict[int, Path] = {}
        gc.freeze()  # what a fork leaves alone is not copied
        for part, some in left.items():
            running[forked(partial(record, some, part))] = part
            if len(running) >= self._chosen.jobs:
                _say_ended(running)
        while running:
            _say_ended(running)
        gc.unfreeze()

    def _sample(self) -> list[Mutant]:
        every = [one for path in sources(self._chosen.of) for one in mutants(ROOT, path)]
        files = {one.path for one in every}
        for key in sorted(self._equal - {one.key for one in every}):
            if key[0] in files or not (ROOT / key[0]).is_file():
                print(f"equal.toml names a mutant that is gone: {key}")
        if self._chosen.survivors:
            return [one for one in every if one.sentence in self._known]
        size = min(self._chosen.sample, len(every))
        print(f"{size} of {len(every)} mutants, seed {self._chosen.seed}", flush=True)
        return random.Random(self._chosen.seed).sample(every, size)

    def table(self) -> Iterator[str]:
        """The outcomes of each package, a line each."""
        for package, counts in sorted(self.counts.items()):
            outcomes = ", ".join(f"{counts[one]} {one.value}" for one in Outcome if counts[one])
            yield f"{package:22} {share(counts):5.1f} % of {counts.total()}: {outcomes}"
        yield f"{len(self._survivors)} survivors, {len(self._survivors - self._known.keys())} of them new"

    def keep(self) -> None:
        """Write who survived; of those that were not tried, who did before and is still a mutant of the source."""
        files = sources(sorted({one.partition(" ")[0] for one in self._known}))
        still = {one.sentence for path in files for one in mutants(ROOT, path) if one.key not in self._equal}
        known = self._known.keys()
        survivors = self._survivors if self._chosen.tests == ALL_TESTS else self._survivors & known
        left = sorted(survivors | (known & still - self._tried))
        lines = (f"{one}  # {self._known[one]}\n" if self._known.get(one) else f"{one}\n" for one in left)
        SURVIVORS.write_text("".join(lines), encoding="utf-8")


def _say_ended(running: dict[int, Path]) -> None:
    child, status = os.wait()
    part = running.pop(child)
    if status:
        print(f"{part.name} is not recorded: its process ended with {status}", flush=True)


def share(counts: Counter[Outcome]) -> float:
    """Percent of the mutants tried, without the equal ones, that a test noticed."""
    tried = counts.total() - counts[Outcome.EQUAL] - counts[Outcome.IMPOSSIBLE]
    return 100.0 * counts[Outcome.KILLED] / max(1, tried)


def sources(places: list[str]) -> list[Path]:
    """The Python files that are one of these paths or below one."""
    found = [ROOT / place for place in places]
    return sorted(path for each in found for path in ([each] if each.is_file() else each.rglob("*.py")))


def known_survivors() -> dict[str, str]:
    """Who survived when it was tried last → why it may, or nothing."""
    lines = SURVIVORS.read_text(encoding="utf-8").splitlines()
    return {sentence: why for sentence, _, why in (line.partition("  # ") for line in lines)}


def equal_mutants() -> set[tuple[str, str, str, str]]:
    """The keys of the mutants known to change no behaviour."""
    entries = tomllib.loads((Path(__file__).parent / "equal.toml").read_text(encoding="utf-8")).get("equal", [])
    return {(one["file"], one["function"], one["before"], one["after"]) for one in entries}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.gates.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--of", nargs="+", default=["engine", "tui"], metavar="PATH", help="sources to change")
    parser.add_argument("--tests", nargs="+", default=ALL_TESTS, metavar="PATH", help="tests that may notice")
    parser.add_argument("--sample", type=int, default=400, help="how many mutants (default 400)")
    parser.add_argument("--seed", type=int, default=7, help="of the sample (default 7)")
    parser.add_argument("--survivors", action="store_true", help="try those of survivors.txt, no sample")
    parser.add_argument("--keep", action="store_true", help="keep who survives in survivors.txt")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (default 1)")
    parser.add_argument("--seconds", type=float, default=20.0, help="of tests for one mutant at most (default 20)")
    return parser.parse_args()


def main() -> int:
    """Try the sample, name who survives, and print what came of each package; not 0 when pytest could not begin."""
    chosen = arguments()
    mutation = Mutation(chosen)
    options = ["-q", "-s", "-p", "no:cacheprovider", "--hypothesis-profile=unshrunk"]
    status = pytest.main([*options, *chosen.tests], plugins=[mutation])
    print(*mutation.table(), sep="\n")
    if chosen.keep and not status:
        mutation.keep()
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
