"""Records golden cases anew after a scenario has changed.

    python -m tests.scenarios.record NAME... > cases.jsonl       the cases, without answers
    ... have the FairScheduler of their release answer them ...
    python -m tests.scenarios.record --store < answered.jsonl    into tests/cases/recorded/scenarios

Only the last state of an answered case is kept: the tests compare decisions and their instants.
"""

import gzip
import json
import sys
from pathlib import Path

from engine.formats.scenario_toml import load
from tests.scenarios.oracle_case import case_of
from tests.scenarios.test_oracle import CASES, GOLDEN


def ask(names: list[str]) -> None:
    """Write the cases of scenarios to stdout."""
    for name in names or list(CASES):
        sys.stdout.write(json.dumps(case_of(load(name), CASES[name])) + "\n")


def store() -> None:
    """Put answered cases from stdin into the golden files; the same answers give the same bytes."""
    for line in sys.stdin:
        case = json.loads(line)
        for answer in case["expect"][:-1]:
            answer.pop("state", None)
        text = json.dumps(case, separators=(",", ":")) + "\n"
        path = Path(GOLDEN) / f"{case['case'].removeprefix('scenario/')}.jsonl.gz"
        path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    store() if sys.argv[1:] == ["--store"] else ask(sys.argv[1:])
