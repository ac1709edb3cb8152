"""Run the measurements and print one JSON line for each; talk goes to standard error.

python -m tests.gates.bench                           everything
python -m tests.gates.bench --only fair-1000 clock    these
python -m tests.gates.bench sls fair-1000             these, and all whose names begin so
python -m tests.gates.bench --beside-hadoop           with the real classes in the same run
python -m tests.gates.bench --profile fair-1000       where the time goes, as text
python -m tests.gates.bench --only swf --trace FILE   a recorded workload; SCHEDLAB_TRACES names a folder of them
"""

import argparse
import cProfile
import json
import multiprocessing
import os
import pstats
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from engine.state import build_name
from tests.gates.bench import hadoop, traces
from tests.gates.bench.measures import NAMES, measure


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.gates.bench", description=__doc__.partition("\n")[0])
    parser.add_argument("begins", nargs="*", metavar="BEGINNING", help="those whose names begin so")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--beside-hadoop", action="store_true", help="run the real classes too (SCHEDLAB_ORACLE)")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="the recorded workload of swf and swim-day")
    parser.add_argument("--profile", choices=NAMES, metavar="NAME", help="print where one measurement spends its time")
    chosen = parser.parse_args()
    if chosen.begins:
        chosen.only = [name for name in NAMES if name.startswith(tuple(chosen.begins))]
        if not chosen.only:
            parser.error(f"no measurement begins with {' or '.join(chosen.begins)}; there are {', '.join(NAMES)}")
    return chosen


def print_profile(name: str) -> None:
    """Run one measurement under the profiler and print its costliest functions."""
    profile = cProfile.Profile()
    profile.enable()
    measure(name)
    profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(40)


def main() -> int:
    """Measure; 1 when a scheduler decided anything else than the real one."""
    chosen = arguments()
    if chosen.trace:
        os.environ[traces.FILE] = str(chosen.trace)
    if chosen.profile:
        print_profile(chosen.profile)
        return 0
    if chosen.beside_hadoop and (reason := hadoop.missing()):
        print(f"without the real classes: {reason}", file=sys.stderr)
    right = True
    for name in chosen.only:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
            figures = process.submit(measure, name, beside_hadoop=chosen.beside_hadoop).result()
        print(json.dumps({**figures, "build": build_name()}), flush=True)
        right = right and figures.get("check_is_hadoops", True)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
