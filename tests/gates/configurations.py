"""Random pairs of configurations: what `check NEW --against OLD` says of them, beside what the real classes do.

python -m tests.gates.configurations --oracle FOLDER [--count 200] [--played 100] [--seed 1] [--keep FOLDER]

FOLDER has `yarn/oracle.py` and `yarn/capacity/capacity_oracle.py`, which load the schedulers of Hadoop 2.7.2 and 3.4.1 in a
JVM. Compared: parts of the cluster, maxima, who may submit, the largest asks, whether Hadoop starts at all, and what is
called a harm. Of pairs that are played, applications that `check` calls refused or never started are looked up in `play`.
"""

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from tests.invoke import said

RELEASES: Final = {"2.7": "2.7.2", "3.4": "3.4.1"}
ORACLES: Final = {"capacity": "yarn/capacity/capacity_oracle.py", "fair": "yarn/oracle.py"}
C: Final = "yarn.scheduler.capacity."
MAXIMUM_MB, MAXIMUM_VCORES = "yarn.scheduler.maximum-allocation-mb", "yarn.scheduler.maximum-allocation-vcores"
LABEL: Final = "gpu"
NODE_MB, NODE_VCORES = 1_000_000_000, 100_000
GROUPS: Final = {"una": [], "ben": [], "cai": ["ops"], "dot": ["science"], "stranger": ["others"]}
"""Users of the probes and their groups; lists name the first two, and both groups."""
LISTS: Final = (" ", "una", "una,ben", " ops", "una ops", " ops,science", "*")
TREE: Final = (("a", ("a1", "a2")), ("b", ()), ("c", ("c1", "c2", "c3")), ("d", ()))
SMALL: Final = 2e-6  # Parts of a cluster that differ by less are floats of Java rounded


class Configuration(NamedTuple):
    """The files of one cluster: keys of both XML files, or of yarn-site.xml and an allocation file."""

    family: str
    era: str
    settings: Mapping[str, str]
    queues: Mapping[str, Mapping[str, str]] = {}  # FairScheduler: path → element → text


# ---------------------------------------------------------------- drawing


def _tree(random: Random) -> dict[str, tuple[str, ...]]:
    """Queue below the root → its children."""
    chosen = random.sample(TREE, random.randint(2, len(TREE)))
    return {name: children if random.random() < 0.7 else () for name, children in chosen}


def _capacities(random: Random, count: int) -> list[float]:
    """Shares of siblings that are 100 together."""
    cuts = sorted(random.sample(range(1, 200), count - 1))
    return [(after - before) / 2 for before, after in zip([0, *cuts], [*cuts, 200], strict=True)]


def _capacity(random: Random, era: str) -> Configuration:
    tree = _tree(random)
    keys = {C + "root.queues": ",".join(tree), **_site(random, era)}
    has_weights = era == "3.4" and random.random() < 0.2
    for above, children in {"root": tuple(tree), **{f"root.{name}": below for name, below in tree.items()}}.items():
        if not children:
            continue
        keys[f"{C}{above}.queues"] = ",".join(children)
        for name, share in zip(children, _capacities(random, len(children)), strict=True):
            path = f"{C}{above}.{name}."
            keys[path + "capacity"] = f"{1 + round(share / 20)}w" if has_weights else f"{share:g}"
            _set_queue(random, keys, path, share)
    keys |= {f"{C}root.acl_{right}": random.choice(LISTS) for right in ("submit_applications", "administer_queue")}
    if not has_weights and random.random() < 0.3:
        keys |= _labelled(random, tree)
    return Configuration("capacity", era, keys)


def _set_queue(random: Random, keys: dict[str, str], path: str, share: float) -> None:
    draws = {
        "maximum-capacity": (0.5, f"{random.randint(math.ceil(share), 100)}"),
        "user-limit-factor": (0.3, random.choice(("0.5", "1", "2"))),
        "acl_submit_applications": (0.5, random.choice(LISTS)),
        "acl_administer_queue": (0.3, random.choice(LISTS)),
        "state": (0.08, "STOPPED"),
        "maximum-allocation-mb": (0.2, str(random.choice((1024, 2048, 4096)))),
    }
    keys |= {path + key: value for key, (chance, value) in draws.items() if random.random() < chance}


def _labelled(random: Random, tree: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """A partition that some queues below the root, and all below those, have a part of."""
    some = random.sample([*tree], random.randint(1, len(tree)))
    keys = {f"{C}root.accessible-node-labels.{LABEL}.capacity": "100"}
    for above, children in [("root", some), *((f"root.{name}", tree[name]) for name in some)]:
        shares = _capacities(random, len(children)) if children else []
        for name, share in zip(children, shares, strict=True):
            path = f"{C}{above}.{name}.accessible-node-labels"
            keys |= {path: LABEL, f"{path}.{LABEL}.capacity": f"{share:g}"}
            if random.random() < 0.4:
                keys[f"{path}.{LABEL}.maximum-capacity"] = f"{random.randint(math.ceil(share), 100)}"
    return keys


def _site(random: Random, era: str) -> dict[str, str]:
    keys = {MAXIMUM_MB: str(random.choice((4096, 8192, 16384))), MAXIMUM_VCORES: str(random.choice((2, 4, 8)))}
    if era == "2.7" or random.random() < 0.7:
        keys["yarn.acl.enable"] = random.choice(("true", "true", "false"))
    return keys


def _fair(random: Random, era: str) -> Configuration:
    queues: dict[str, dict[str, str]] = {"root": {}}
    has_maxima = random.random() < 0.5
    for name, children in _tree(random).items():
        for path in (f"root.{name}", *(f"root.{name}.{child}" for child in children)):
            maximum = f"{random.randint(1, 40) * 1000} mb, 1000 vcores"
            draws = {
                "weight": (0.6, random.choice(("0.5", "2", "3.5", "10"))),
                "maxResources": (0.4 * has_maxima, maximum),
                "maxRunningApps": (0.2, str(random.randint(1, 9))),
                "aclSubmitApps": (0.5, random.choice(LISTS)),
                "aclAdministerApps": (0.3, random.choice(LISTS)),
                "maxContainerAllocation": (0.2 * (era == "3.4"), f"{random.choice((1024, 2048, 4096))} mb, 2 vcores"),
            }
            queues[path] = {key: value for key, (chance, value) in draws.items() if random.random() < chance}
    for key in ("aclSubmitApps", "aclAdministerApps"):
        if random.random() < 0.7:
            queues["root"][key] = random.choice(LISTS)
    return Configuration("fair", era, _site(random, era), queues)


def drawn(random: Random, family: str, era: str) -> tuple[Configuration, Configuration]:
    """OLD and NEW: NEW is OLD with some values of another drawing, seldom one that Hadoop refuses."""
    draw = _capacity if family == "capacity" else _fair
    old, other = draw(random, era), draw(random, era)
    if random.random() < 0.25:
        return old, other
    settings = dict(old.settings)
    alone = [key for key in {**settings, **other.settings} if not re.search(r"capacity$|\.queues$|labels", key)]
    for key in random.sample(sorted(alone), min(len(alone), random.randint(1, 6))):
        settings.pop(key, None)
        if key in other.settings and _has_queue(old, key):
            settings[key] = other.settings[key]
    if family == "capacity" and random.random() < 0.6:
        _shift(random, settings)
    queues = {path: dict(values) for path, values in old.queues.items()}
    for path in random.sample(sorted(queues), min(len(queues), 3)):
        queues[path] = dict(other.queues.get(path, {}))
    return old, old._replace(settings=settings, queues=queues)


def _has_queue(configuration: Configuration, key: str) -> bool:
    path = key.removeprefix(C).rpartition(".")[0] if key.startswith(C) else "root"
    return path == "root" or any(f"{C}{path}.capacity" == each for each in configuration.settings)


def _shift(random: Random, settings: dict[str, str]) -> None:
    """Move a part of one queue to its sibling; of every tenth pair only half arrives, which Hadoop refuses."""
    found = [key for key in settings if re.fullmatch(rf"{re.escape(C)}root\.\w+\.capacity", key)]
    if len(found) < 2 or settings[found[0]].endswith("w"):
        return
    source, target = random.sample(found, 2)
    part = float(settings[source]) / 2
    settings[source] = f"{float(settings[source]) - part:g}"
    settings[target] = f"{float(settings[target]) + part * (0.5 if random.random() < 0.1 else 1):g}"


# ---------------------------------------------------------------- files and cases


def write(configuration: Configuration, folder: Path) -> None:
    """Write the files of a cluster."""
    folder.mkdir(parents=True)
    is_own = {key: key.startswith(C) for key in configuration.settings}
    name = f"{configuration.family.capitalize()}Scheduler"
    scheduler = f"org.apache.hadoop.yarn.server.resourcemanager.scheduler.{configuration.family}.{name}"
    site = {"yarn.resourcemanager.scheduler.class": scheduler}
    site |= {key: text for key, text in configuration.settings.items() if not is_own[key]}
    _ = (folder / "yarn-site.xml").write_text(_properties(site), encoding="utf-8")
    if configuration.family == "capacity":
        own = {key: text for key, text in configuration.settings.items() if is_own[key]}
        _ = (folder / "capacity-scheduler.xml").write_text(_properties(own), encoding="utf-8")
    else:
        _ = (folder / "fair-scheduler.xml").write_text(_allocations(configuration), encoding="utf-8")


def _properties(keys: Mapping[str, str]) -> str:
    lines = [f"<property><name>{key}</name><value>{text}</value></property>" for key, text in keys.items()]
    return "\n".join(["<configuration>", *lines, "</configuration>\n"])


def _allocations(configuration: Configuration) -> str:
    def element(path: str) -> str:
        own = [f"<{key}>{text}</{key}>" for key, text in configuration.queues[path].items()]
        below = [element(each) for each in configuration.queues if each.rpartition(".")[0] == path]
        return "\n".join([f'<queue name="{path.rpartition(".")[2]}">', *own, *below, "</queue>"])

    return f"<allocations>\n{element('root')}\n</allocations>\n"


def leaves_of(configuration: Configuration) -> list[str]:
    """Paths of the leaf queues that the files make; 2.7 always makes root.default, 3.4 when it is named."""
    if configuration.family == "fair":
        above = {path.rpartition(".")[0] for path in configuration.queues}
        default = ["root.default"] if configuration.era == "2.7" else []
        return [*(path for path in configuration.queues if path not in above), *default]
    prefix, end = len(C), ".capacity"
    keys = configuration.settings
    paths = [key[prefix : -len(end)] for key in keys if key.endswith(end) and "node-labels" not in key]
    return [path for path in paths if f"{C}{path}.queues" not in keys]


def named(path: str, configuration: Configuration) -> str:
    """A queue as an application names it: CapacityScheduler 2.7 knows it by the last part of its path."""
    is_short = configuration.family == "capacity" and configuration.era == "2.7"
    return path.rpartition(".")[2] if is_short else path


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
        case["allocations"] = _allocations(configuration)
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
        elif op["op"] == "ask" and takes[tuple(op["app"].split("/"))]:  # type: ignore[index]  # it has two parts
            sizes.setdefault(op["app"], []).append("rejected" not in expect)
    by_leaf = {app.partition("/")[0]: tuple(found[:4]) for app, found in sizes.items()}
    return Real(False, answer["expect"][-1]["state"]["queues"], takes, by_leaf)


def differing(side: str, mine: Mapping[str, Any], real: Real, family: str, *, has_maxima: bool) -> Iterator[str]:
    """What `check` says of one configuration and the classes do not do."""
    for path, queue in real.queues.items():
        if path not in mine:
            if path != "root.default":
                yield f"{side}: queue missing: {path}"
            continue
        said_parts = mine[path]["parts"]
        for label, part in _parts(queue, family, has_maxima=has_maxima).items():
            shown = said_parts.get(label)
            if shown is None and part[0] == 0:
                continue
            if shown is None or any(
                there is not None and abs(here - there) > SMALL for here, there in zip(shown, part, strict=True)
            ):
                yield f"{side}: part of {path} {label}: {shown} said, {part} real"
    for (path, user), is_taken in real.takes.items():
        if path in mine and _takes(mine[path], user) is not is_taken:
            yield f"{side}: {user} in {path}: {'accepted' if is_taken else 'refused'} in fact; {mine[path]['rights']}"
    for path, found in real.sizes.items():
        if path in mine and found != (True, False, True, False):
            yield f"{side}: largest ask of {path}: {mine[path]['largest']} said; taken, one MB more, taken, one core more: {found}"


def _parts(queue: Mapping[str, Any], family: str, *, has_maxima: bool) -> dict[str, tuple[float, float | None]]:
    if family == "fair":
        return {} if has_maxima else {"": (queue["steady_mb"] / NODE_MB, None)}
    found = {"": (queue["abs_capacity"], queue["abs_max"])}
    return found | {
        label: (each["abs_capacity"], each["abs_max"]) for label, each in queue.get("labels", {}).items()
    }


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
            if name == "maxResources" and stated and queue and queue["demand_mb"]:
                if queue["demand_mb"] > int(stated.group(1)):
                    yield f"maxResources of {path}: {text} said, demand {queue['demand_mb']} real"


# ---------------------------------------------------------------- one run


def workload_of(random: Random, configuration: Configuration) -> str:
    """A scenario whose users submit to each leaf queue; some of their containers fill a node."""
    groups = ", ".join(f"{user} = {json.dumps(names)}" for user, names in GROUPS.items())
    lines = [
        "start = 2024-03-04T09:00:00Z",
        'duration = "10m"',
        f'scheduler = "{configuration.family}-{configuration.era}"',
        f"groups = {{ {groups} }}",
        "[cluster]",
        'groups = [{ prefix = "n", count = 4, memory = "12g", vcores = 12 }]',
    ]
    for path in leaves_of(configuration):
        for user in random.sample([*GROUPS], 2):
            ask = f'{{ memory = "{random.choice((1, 2, 3, 6, 12))}g", count = {random.randint(1, 8)}, duration = "40s" }}'
            lines += ["[[workload]]", 'type = "scripted"', f'name = "{path}/{user}"', f'user = "{user}"']
            lines += [f'queue = "{named(path, configuration)}"', f'at = "+{random.randint(1, 200)}s"', f"asks = [{ask}]"]
    if configuration.family == "capacity":
        lines += ["[settings]", *(f"{json.dumps(key)} = {json.dumps(text)}" for key, text in configuration.settings.items())]
    return "\n".join(lines) + "\n"


class Played(NamedTuple):
    """What came of the applications of a workload."""

    failed: frozenset[str]
    started: frozenset[str]
    last_ms: int  # The last allocation


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
    allocated = [at for at, each in records if each["kind"] == "Allocated"]
    started = frozenset(name for name, state in states.items() if state in ("RUNNING", "FINISHED"))
    failed = frozenset(name for name, state in states.items() if state in ("REFUSED", "FAILED"))
    return Played(failed, started, max(allocated, default=0))


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
    if told["never"] & new.started or told["never"] - old.started:
        yield f"said to start never: {sorted(told['never'])}; under old {sorted(old.started)}, new {sorted(new.started)}"
    for each in found["harms"]:
        if each["kind"] == "deadlock":
            counts["new deadlock"] += 1
            since = re.search(r"from (\d\d):(\d\d):(\d\d)", each["sentence"])
            assert since is not None, each["sentence"]
            hours, minutes, seconds = map(int, since.groups())
            if new.last_ms % 86_400_000 > ((hours * 60 + minutes) * 60 + seconds + 1) * 1000:
                yield f"{each['sentence']}; allocated at {new.last_ms}"


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
