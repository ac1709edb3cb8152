"""Check what is claimed of random closed scenarios: `python -m tests.gates.claims --seeds 100 [--first 0] [--kind K]`.

`python -m tests.gates.claims FILE…` checks it about scenarios of files.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator

from engine.formats.scenario_toml import load
from engine.scenario import Scenario
from tests.gates.claims.alerting import alerts_of
from tests.gates.claims.cases import Claim, played
from tests.gates.claims.checks import CHECKS
from tests.gates.claims.scenarios import scenario_of

KINDS = (*CHECKS, "losses", "alerts")
"""`losses` are checked with the remedies."""


def claims_of(scenario: Scenario, kinds: tuple[str, ...] = KINDS) -> Iterator[Claim]:
    checks = [CHECKS[kind] for kind in kinds if kind in CHECKS]
    if checks:
        case = played(scenario)
        for question in case.questions:
            for check in checks:
                yield from check(case, question)
    if "alerts" in kinds:
        yield from alerts_of(scenario)


def main() -> int:
    """Print the wrong claims as they are found, then the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="scenarios, instead of random ones")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no further seed after so long")
    options = parser.parse_args()
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    began, done = time.perf_counter(), 0
    seeds = range(options.first, options.first + options.seeds)
    for scenario in map(load, options.files) if options.files else map(scenario_of, seeds):
        if time.perf_counter() - began >= options.seconds:
            break
        done += 1
        for claim in claims_of(scenario, tuple(options.kind or KINDS)):
            (right if claim.is_right else wrong)[claim.kind] += 1
            if not claim.is_right:
                sys.stdout.write(f"{scenario.name}: {claim.kind}: {claim.what}\n")
                sys.stdout.flush()
    for kind in KINDS:
        sys.stdout.write(f"{kind:10} {right[kind] + wrong[kind]:6} claims, {wrong[kind]:4} wrong\n")
    sys.stdout.write(f"{done} scenarios in {time.perf_counter() - began:.0f} s\n")
    return min(sum(wrong.values()), 1)


if __name__ == "__main__":
    raise SystemExit(main())
