"""Replays recorded cases of the real schedulers against ours.

    python -m tests.oracle FILE… [--hadoop V] [--scheduler S] [--kind K] [--answers OUT] [--show CASE] [--fork]

Prints a line for each kind and closes with `N passed, M failed`. Files of Spark's Master are recognised, and come first
with a closing line of their own.
"""

import argparse
import json
import random
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.oracle import spark_replay
from tests.oracle.cases import answer, expected, first_difference, is_supported, read_cases

Json = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 1 when a case failed, 2 for a file that cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description="Replay recorded cases.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--hadoop", help="only cases of this release")
    parser.add_argument("--scheduler", help="only cases of this scheduler")
    parser.add_argument("--kind", help="only cases of this kind")
    parser.add_argument("--answers", type=Path, help="write every case with our own `expect`")
    parser.add_argument("--show", metavar="CASE", help="put ops, expected and ours side by side up to the difference")
    parser.add_argument("--fork", action="store_true", help="also fork at a random op and go on with both copies")
    options = parser.parse_args(arguments)
    missing = [str(file) for file in options.files if not file.is_file()]
    if missing:
        print("no such file: " + ", ".join(missing), file=sys.stderr)
        return 2
    of_spark = [file for file in options.files if _is_spark(file)]
    others = [file for file in options.files if file not in of_spark]
    if of_spark and others and options.answers:
        parser.error("--answers takes files of Spark's Master alone, or none of them")
    codes = [spark_replay.main(_for_spark(of_spark, options))] if of_spark else []
    if others:
        codes.append(_replay(others, options))
    return max(codes)


def _replay(files: list[Path], options: argparse.Namespace) -> int:
    cases = [case for file in files for case in read_cases(file) if _wanted(case, options)]
    if options.show:
        return _show([case for case in cases if case["case"] == options.show])
    return _run(cases, fork=options.fork, answers=options.answers)


def _is_spark(file: Path) -> bool:
    return "spark" in next(iter(read_cases(file)), {})


def _for_spark(files: list[Path], options: argparse.Namespace) -> list[str]:
    arguments = [*map(str, files), *(["--fork"] if options.fork else [])]
    if options.answers is not None:
        arguments += ["--answers", str(options.answers)]
    return [*arguments, "--show", options.show] if options.show else arguments


def _wanted(case: Json, options: argparse.Namespace) -> bool:
    return all(
        wanted is None or case.get(key) == wanted
        for key, wanted in (("hadoop", options.hadoop), ("scheduler", options.scheduler), ("kind", options.kind))
    )


def _run(cases: list[Json], *, fork: bool, answers: Path | None) -> int:
    counts: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    failed: list[str] = []
    ours: list[Json] = []
    for case in cases:
        row = counts[case["hadoop"], case["scheduler"], case.get("kind", "-")]
        if not is_supported(case):
            row[2] += 1
            continue
        told = answer(case)
        ours.append({**case, "expect": told})
        where = first_difference(expected(case), told)
        if where is None and fork and case["ops"]:
            at = random.Random(case["case"]).randrange(len(case["ops"]))
            where = first_difference(expected(case), answer(case, at))
        row[0 if where is None else 1] += 1
        if where is not None:
            op = case["ops"][where]["op"] if case["ops"] else "start"
            failed.append(f"failed: {case['hadoop']} {case['case']} at op {where} {op}")
    if answers is not None:
        answers.write_text("".join(json.dumps(case) + "\n" for case in ours))
    for line in failed:
        print(line)
    for (hadoop, scheduler, kind), (passed, lost, skipped) in sorted(counts.items()):
        print(f"{hadoop} {scheduler} {kind}: {passed} of {passed + lost}" + (f", {skipped} skipped" if skipped else ""))
    print(f"{sum(row[0] for row in counts.values())} passed, {len(failed)} failed")
    return 1 if failed else 0


def _show(cases: list[Json]) -> int:
    for case in cases:
        told = answer(case)
        where = first_difference(expected(case), told)
        print(json.dumps({key: case.get(key) for key in ("case", "about", "hadoop", "conf", "allocations", "groups")}))
        for index, op in enumerate(case["ops"]):
            print(f"{index:4} {json.dumps(op)}")
            print(f"     expected {json.dumps(expected(case)[index])}")
            print(f"     ours     {json.dumps(told[index])}")
            if index == where:
                break
    return 0 if cases else 2


if __name__ == "__main__":
    sys.exit(main())
