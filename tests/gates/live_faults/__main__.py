"""`python -m tests.gates.live_faults --hours 24`: one JSON line of what came of it."""

import argparse
import json
import tempfile
from pathlib import Path

from tests.gates.live_faults.replay import SCENARIO, line, replayed


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.gates.live_faults")
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--interval", type=float, default=10.0, help="seconds between two rounds")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a-day.toml"
        path.write_text(SCENARIO, encoding="utf-8")
        outcome = replayed(path, chosen.hours, chosen.seed, int(chosen.interval * 1000))
    print(json.dumps(line(outcome)))


if __name__ == "__main__":
    main()
