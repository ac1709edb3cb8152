"""Random pairs of configurations: what `check NEW --against OLD` says of them, beside what the real classes do.

python -m tests.gates.configurations --oracle FOLDER [--count 200] [--played 100] [--seed 1] [--keep FOLDER]

FOLDER has `yarn/oracle.py` and `yarn/capacity/capacity_oracle.py`, which load the schedulers of Hadoop 2.7.2 and 3.4.1
in a JVM. Compared: parts of the cluster, maxima, who may submit, the largest asks, whether Hadoop starts at all, and
what is called a harm. What `check` says of a workload of some pairs is looked up in `play`.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from engine.units import moment_at
from tests.gates.configuration_pairs import (
    GROUPS,
    LABEL,
    Configuration,
    allocations,
    drawn,
    leaves_of,
    named,
    workload_of,
    write,
)
from tests.invoke import said

RELEASES: Final = {"2.7": "2.7.2", "3.4": "3.4.1"}
ORACLES: Final = {"capacity": "yarn/capacity/capacity_oracle.py", "fair": "yarn/oracle.py"}
NODE_MB, NODE_VCORES = 1_000_000_000, 100_000
SMALL: Final = 2e-6  # Parts of a cluster that differ by less are floats of Java rounded


# ---------------------------------------------------------------- probes


def case_of(name: str, configuration: Configuration, largest: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Probes: each user submits to each leaf; one that is let in asks for the largest container and for more."""
    ops: list[dict[str, Any]] = [_node("n1")]
    if any("node-labels" in key for key in configuration.settings):
        ops.append({**_node("n2"), "label": LABEL})
    for path in leaves_of(configuration):
        memory, vcores = largest.get(path, (1024, 1))
        for user in GROUPS:
            app = f"{path}/{user}"
            queue = named(path, configuration)
            ops.append({"op": "submit", "app": app, "user": user, "queue": queue, "am": None})
            sizes = ((memory, 1, 1), (memory + 1, 1, 1), (1024, vcores, 1), (1024, vcores + 1, 1), (1024, 1, 200_000))
            for size in sizes if configuration.family == "fair" else sizes[:4]:
                ask = dict(zip(("memory_mb", "vcores", "count"), size, strict=True))
                ops.append({"op": "ask", "app": app, "asks": [{"priority": 1, "resource_name": "*", **ask}]})
    case: dict[str, Any] = {"case": name, "kind": "pair", "about": "", "scheduler": configuration.family}
    case |= {"hadoop": RELEASES[configuration.era], "conf": dict(configuration.settings), "groups": GROUPS}
    if configuration.family == "fair":
        case["allocations"] = allocations(configuration)
    if any("label" in op for op in ops):
        case["labels"] = [{"name": LABEL, "exclusive": True}]
    return {**case, "ops": [*ops, {"op": "tick"}]}


def _node(name: str) -> dict[str, Any]:
    return {"op": "add_node", "node": name, "rack": "/r", "memory_mb": NODE_MB, "vcores": NODE_VCORES}


def answers(oracle: Path, cases: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Case → what the real classes answered."""
    found: dict[str, dict[str, Any]] = {}
    for family, program in ORACLES.items():
        for release in RELEASES.values():
            some = [each for each in cases if each["scheduler"] == family and each["hadoop"] == release]
            if not some:
                continue
            lines = "".join(f"{json.dumps(each)}\n" for each in some)
            command = [sys.executable, str(oracle / program), "run", release]
            done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"{program}: {done.stderr[-2000:]}")
            found |= {each["case"]: each for each in map(json.loads, done.stdout.splitlines())}
    return found


# ---------------------------------------------------------------- both sides


class Real(NamedTuple):
    """What the classes do with a configuration."""

    is_refused: bool
    queues: Mapping[str, Any]
    takes: Mapping[tuple[str, str], bool]  # (leaf, user) → its application is accepted
    sizes: Mapping[str, tuple[bool, ...]]  # leaf → the answers to the four asks of `case_of`


def real_of(answer: Mapping[str, Any]) -> Real:
    """Read what the oracle printed."""
    if "refused" in answer or str(answer.get("error", "")).startswith("start"):
        return Real(True, {}, {}, {})
    takes: dict[tuple[str, str], bool] = {}
    sizes: dict[str, list[bool]] = {}
    for op, expect in zip(answer["ops"], answer["expect"], strict=True):
        if op["op"] == "submit":
            path, _, user = op["app"].partition("/")
            takes[path, user] = "rejected" not in expect
        elif op["op"] == "ask" and takes[tuple(op["app"].split("/"))]:
            sizes.setdefault(op["app"], []).append("rejected" not in expect)
    by_leaf = {app.partition("/")[0]: tuple(found[:4]) for app, found in sizes.items()}
    return Real(False, answer["expect"][-1]["state"]["queues"], takes, by_leaf)


def differing(side: str, mine: Mapping[str, Any], real: Real, family: str, *, has_maxima: bool) -> Iterator[str]:
    """What `check` says of one configuration and the classes do not do."""
    for path, queue in real.queues.items():
        if path in mine:
            parts = _parts(queue, family, has_maxima=has_maxima)
            yield from (f"{side}: {each}" for each in _parts_differing(path, mine[path]["parts"], parts))
        elif path != "root.default":
            yield f"{side}: queue missing: {path}"
    for (path, user), is_taken in real.takes.items():
        if path in mine and _takes(mine[path], user) is not is_taken:
            yield f"{side}: {user} in {path}: {'accepted' if is_taken else 'refused'} in fact; {mine[path]['rights']}"
    for path, found in real.sizes.items():
        if path in mine and found != (True, False, True, False):
            yield f"{side}: largest ask of {path}: {mine[path]['largest']} said; that, 1 MB more, 1 core more: {found}"


def _parts_differing(
    path: str, mine: Mapping[str, Sequence[float]], real: Mapping[str, tuple[float, float | None]]
) -> Iterator[str]:
    for label, part in real.items():
        shown = mine.get(label)
        if shown is None and part[0] == 0:
            continue
        pairs = zip(shown or (), part, strict=False)
        if shown is None or any(there is not None and abs(here - there) > SMALL for here, there in pairs):
            yield f"part of {path} {label}: {shown} said, {part} real"


def _parts(queue: Mapping[str, Any], family: str, *, has_maxima: bool) -> dict[str, tuple[float, float | None]]:
    if family == "fair":
        return {} if has_maxima else {"": (queue["steady_mb"] / NODE_MB, None)}
    found = {"": (queue["abs_capacity"], queue["abs_max"])}
    return found | {label: (each["abs_capacity"], each["abs_max"]) for label, each in queue.get("labels", {}).items()}


def _takes(queue: Mapping[str, Any], user: str) -> bool:
    rights = queue["rights"]
    is_member = user in rights["users"] or not set(GROUPS[user]).isdisjoint(rights["groups"])
    return not queue["is_stopped"] and (bool(rights["everybody"]) or is_member)


def harms_differing(found: Mapping[str, Any], old: Real, new: Real, family: str) -> Iterator[str]:
    """Harms that are said and are none, and some that are none said."""
    harms = found["harms"]
    if new.is_refused is not any(each["kind"] == "lint" for each in harms):
        yield f"refused by Hadoop: {new.is_refused}; said: {[each['sentence'] for each in harms]}"
    if old.is_refused or new.is_refused:
        return
    lost = {path for (path, user), is_taken in old.takes.items() if is_taken and new.takes.get((path, user)) is False}
    gone = {path for path, _ in old.takes if (path, "una") not in new.takes}
    told = {each["queue"] for each in harms if each["kind"] == "submits"}
    if not lost <= told or not told <= lost | gone:
        yield f"who may submit no more: in {sorted(lost)}, said of {sorted(told)}"
    smaller = {
        path
        for path in {*old.sizes} & {*new.sizes} & {*found["queues"]["old"]} & {*found["queues"]["new"]}
        for place in (0, 1)
        if found["queues"]["new"][path]["largest"][place] < found["queues"]["old"][path]["largest"][place]
    }
    asks = [each for each in harms if each["kind"] == "asks"]
    if smaller and not asks:
        yield f"smaller asks in {sorted(smaller)}, none said"


def maxima_differing(found: Mapping[str, Any], old: Real, new: Real) -> Iterator[str]:
    """FairScheduler: demand is cut at the maximum of a queue, so a queue that asks without end shows it."""
    for each in found["keys"]:
        path, _, name = each["key"].rpartition(".")
        for text, real in ((each["old"], old), (each["new"], new)):
            stated = re.match(r"(\d+) mb", text)
            queue = real.queues.get(path)
            if name != "maxResources" or not stated or not queue:
                continue
            is_leaf = f"{path}." not in " ".join(real.queues)
            if queue["demand_mb"] > int(stated.group(1)) or (is_leaf and 0 < queue["demand_mb"] < int(stated.group(1))):
                yield f"maxResources of {path}: {text} said, demand {queue['demand_mb']} real"


# ---------------------------------------------------------------- one run


class Played(NamedTuple):
    """What came of the applications of a workload."""

    failed: frozenset[str]
    served: frozenset[str]  # Those that got a container beside their application master's
    allocated: tuple[str, ...]  # Times of day


def played(workload: Path, configuration: Path, era: str) -> Played:
    """Play a workload under a configuration, and read the answers of the ResourceManager and the journal."""
    words = [str(workload), "--config", str(configuration), "--release", era, "-q", "-o", "rest"]
    journal = workload.with_name(f"{configuration.name}.jsonl")
    result = said("play", [*words, "-o", f"journal:{journal}"])
    if not result.stdout:
        raise SystemExit(f"{workload}: {result.output[-2000:]}")
    apps = (json.loads(result.stdout)["apps"] or {"app": []})["app"]
    states = {each["name"]: each["state"] for each in apps}
    records = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()[1:]]
    states |= {each["name"]: "REFUSED" for _, each in records if each["kind"] == "Submitted" and each.get("rejected")}
    names = {each["application"]: each["name"] for _, each in records if each["kind"] == "Submitted"}
    allocations = [(at, each) for at, each in records if each["kind"] == "Allocated"]
    counted = Counter(names[each["container"][0]] for _, each in allocations)
    failed = frozenset(name for name, state in states.items() if state in ("REFUSED", "FAILED"))
    served = frozenset(name for name, count in counted.items() if count > 1)
    return Played(failed, served, tuple(f"{moment_at(at):%H:%M:%S}" for at, _ in allocations))


def plays_differing(folder: Path, era: str, counts: Counter[str]) -> Iterator[str]:
    """What is called new of a workload, and is not so when both are played; and the other way round."""
    workload = folder / "day.toml"
    found = _checked(folder, era, "--workload", str(workload))
    assert found is not None, "the pair was read before"
    if not found["effects"]:
        yield f"is not played: {found['assumed']}"
        return
    old, new = (played(workload, folder / side, era) for side in ("old", "new"))
    told = {
        kind: {each["sentence"].split()[1] for each in found["harms"] if each["kind"] == kind and each["workload"]}
        for kind in ("refused", "failed", "never")
    }
    counts["played"] += 1
    for kind, names in told.items():
        counts[f"new {kind}"] += len(names)
    if told["refused"] | told["failed"] != new.failed - old.failed:
        yield f"failed: {sorted(new.failed - old.failed)}; said: {told['refused'] | told['failed']}"
    if told["never"] & new.served or told["never"] - old.served:
        yield f"said to start never: {sorted(told['never'])}; served under new: {sorted(new.served)}"
    for each in found["harms"]:
        if each["kind"] == "deadlock":
            counts["new deadlock"] += 1
            since, until = (*re.findall(r"\d\d:\d\d:\d\d", each["sentence"]), "24:00:00")[:2]
            if any(since < at < until for at in new.allocated):
                yield f"{each['sentence']}; and yet something is"


def _checked(folder: Path, era: str, *more: str) -> dict[str, Any] | None:
    words = [str(folder / "new"), "--against", str(folder / "old"), "--release", era, "-q", "-o", "json", *more]
    result = said("check", words)
    try:
        document: dict[str, Any] = json.loads(result.stdout)
    except ValueError:
        raise SystemExit(f"{folder}: {result.exit_code} {result.output[-2000:]}") from None
    return next((each for each in document.get("items", ()) if each["kind"] == "change"), None)


def run(oracle: Path, folder: Path, count: int, plays: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Compare so many pairs, and play some; how many of each kind, and what differs."""
    pairs: dict[str, tuple[Configuration, Configuration]] = {}
    told: dict[str, dict[str, Any]] = {}
    cases: list[dict[str, Any]] = []
    for number in range(count):
        family, era = ("capacity", "fair")[number % 2], ("2.7", "3.4")[number // 2 % 2]
        name = f"{number:03}-{family}-{era}"
        pairs[name] = drawn(Random(f"{seed}/{number}"), family, era)
        for side, configuration in zip(("old", "new"), pairs[name], strict=True):
            write(configuration, folder / name / side)
        found = _checked(folder / name, era)
        if found is None:
            raise SystemExit(f"{name}: nothing is said of it")
        told[name] = found
        for side, configuration in zip(("old", "new"), pairs[name], strict=True):
            largest = {path: each["largest"] for path, each in found["queues"][side].items()}
            cases.append(case_of(f"{name}/{side}", configuration, largest))
    real = {name: real_of(answer) for name, answer in answers(oracle, cases).items()}
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for name, (before, after) in pairs.items():
        old, new = real[f"{name}/old"], real[f"{name}/new"]
        counts[f"{before.family} {before.era}"] += 1
        counts["refused by Hadoop"] += old.is_refused + new.is_refused
        counts["queues"] += len(old.queues) + len(new.queues)
        counts["submissions"] += len(old.takes) + len(new.takes)
        counts["asks"] += 4 * (len(old.sizes) + len(new.sizes))
        counts["harms"] += len(told[name]["harms"])
        for side, one, configuration in (("old", old, before), ("new", new, after)):
            has_maxima = any("maxResources" in each for each in configuration.queues.values())
            mine = told[name]["queues"][side]
            wrong += [f"{name} {each}" for each in differing(side, mine, one, before.family, has_maxima=has_maxima)]
        wrong += [f"{name} {each}" for each in harms_differing(told[name], old, new, before.family)]
        wrong += [f"{name} {each}" for each in maxima_differing(told[name], old, new)]
    good = [name for name in pairs if not (real[f"{name}/old"].is_refused or real[f"{name}/new"].is_refused)]
    for name in Random(seed).sample(good, min(plays, len(good))):
        text = workload_of(Random(f"{seed}/{name}"), pairs[name][0])
        _ = (folder / name / "day.toml").write_text(text, encoding="utf-8")
        wrong += [f"{name} {each}" for each in plays_differing(folder / name, pairs[name][0].era, counts)]
    return counts, wrong


def main() -> None:
    """Print how much was compared and what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    _ = parser.add_argument("--oracle", type=Path)
    _ = parser.add_argument("--count", type=int, default=200)
    _ = parser.add_argument("--played", type=int, default=100)
    _ = parser.add_argument("--seed", type=int, default=1)
    _ = parser.add_argument("--keep", type=Path, help="a folder that the pairs stay in")
    given = parser.parse_args()
    if given.oracle is None or not all((given.oracle / program).exists() for program in ORACLES.values()):
        print("skipped: no oracle is given")
        return
    with tempfile.TemporaryDirectory() as own:
        counts, wrong = run(given.oracle, given.keep or Path(own), given.count, given.played, given.seed)
    print("\n".join([*wrong, ", ".join(f"{number} {name}" for name, number in counts.items())]))
    print(f"{len(wrong)} differ")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
