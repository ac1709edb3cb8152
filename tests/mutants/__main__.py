"""Try a seeded sample of mutants, name those that no test noticed, and print how many were.

python -m tests.mutants                                               600 of all that `AREAS` holds
python -m tests.mutants --of engine/observe --tests tests/engine      these sources, by these tests
python -m tests.mutants --of engine/observe/series.py --sample 9999   every mutant of one file
"""

import argparse
import gc
import random
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from tests.mutants.changes import Mutant, mutants
from tests.mutants.coverage_by_test import CoverageByTest, fingerprint, record, recorded
from tests.mutants.trials import Outcome, Trials, forked

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".mutants"
PACKAGES = ("engine", "tui", "scenarios", "tests")
AREAS = (
    "engine/schedulers",
    "engine/control_plane",
    "engine/simulation",
    "engine/explain",
    "engine/observe",
    "tui/session",
    "tui/render",
)
LEAST = 90.0
"""Percent of the mutants that change behaviour which the tests have to notice."""


class Mutation:
    """The pytest plugin that tries mutants in place of running the tests."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        """Take what the command line says."""
        self._chosen = chosen
        self.counts: Counter[Outcome] = Counter()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record which tests run what, unless that is known; then try each mutant of the sample."""
        trials = Trials(ROOT, session.items, self._coverage(session.items), self._chosen.seconds)
        gc.collect()
        gc.freeze()
        equal = equal_mutants()
        for mutant in self._sample(equal):
            outcome = Outcome.EQUAL if mutant.key in equal else trials.outcome(mutant)
            self.counts[outcome] += 1
            if outcome not in {Outcome.KILLED, Outcome.EQUAL}:
                print(f"{mutant.path}:{mutant.lines[0]} {mutant.function}: {outcome.value}")
                print(f"    - {mutant.before}\n    + {mutant.after}", flush=True)
        return True

    def _coverage(self, items: list[pytest.Item]) -> CoverageByTest:
        stamp = fingerprint(ROOT, PACKAGES, sorted(item.nodeid for item in items))
        known = recorded(KEPT, stamp)
        if known is None:
            print(f"recording which of {len(items)} tests run which lines", flush=True)
            include = [f"{ROOT}/engine/*", f"{ROOT}/tui/*"]
            forked(lambda: record(items, include, KEPT, stamp))
            known = recorded(KEPT, stamp)
        assert known is not None
        print(f"{len(known.seconds)} of {len(items)} tests pass, in {sum(known.seconds.values()):.0f} s", flush=True)
        return known

    def _sample(self, equal: set[tuple[str, str, str, str]]) -> list[Mutant]:
        every = [one for path in sources(self._chosen.of) for one in mutants(ROOT, path)]
        files = {one.path for one in every}
        for key in sorted(equal - {one.key for one in every}):
            if key[0] in files or not (ROOT / key[0]).is_file():
                print(f"equal.toml names a mutant that is gone: {key}")
        size = min(self._chosen.sample, len(every))
        print(f"{size} of {len(every)} mutants, seed {self._chosen.seed}", flush=True)
        return random.Random(self._chosen.seed).sample(every, size)

    def share(self) -> float:
        """Percent of the mutants tried, without the equal ones, that a test noticed."""
        tried = self.counts.total() - self.counts[Outcome.EQUAL] - self.counts[Outcome.IMPOSSIBLE]
        return 100.0 * self.counts[Outcome.KILLED] / max(1, tried)


def sources(places: list[str]) -> list[Path]:
    """The Python files that are one of these paths or below one."""
    found = [ROOT / place for place in places]
    return sorted(path for each in found for path in ([each] if each.is_file() else each.rglob("*.py")))


def equal_mutants() -> set[tuple[str, str, str, str]]:
    """The keys of the mutants known to change no behaviour."""
    entries = tomllib.loads((Path(__file__).parent / "equal.toml").read_text(encoding="utf-8")).get("equal", [])
    return {(one["file"], one["function"], one["before"], one["after"]) for one in entries}


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--of", nargs="+", default=list(AREAS), metavar="PATH", help="sources to change")
    parser.add_argument("--tests", nargs="+", default=["tests"], metavar="PATH", help="tests that may notice")
    parser.add_argument("--sample", type=int, default=600, help="how many mutants (default 600)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default 1)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of tests for one mutant at most (default 60)")
    return parser.parse_args()


def main() -> int:
    """Try the sample; 1 when fewer are noticed than should be, another status when pytest could not begin."""
    chosen = arguments()
    mutation = Mutation(chosen)
    status = pytest.main(["-q", "-s", "-p", "no:cacheprovider", *chosen.tests], plugins=[mutation])
    print(", ".join(f"{count} {outcome.value}" for outcome, count in mutation.counts.items()))
    print(f"{mutation.share():.1f} % of those that change behaviour are killed (at least {LEAST:.0f} are to be)")
    return int(status) or int(mutation.share() < LEAST)


if __name__ == "__main__":
    sys.exit(main())
