"""Random pairs of configurations of one cluster, and a workload for its queues."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

C: Final = "yarn.scheduler.capacity."
MAXIMUM_MB, MAXIMUM_VCORES = "yarn.scheduler.maximum-allocation-mb", "yarn.scheduler.maximum-allocation-vcores"
LABEL: Final = "gpu"
GROUPS: Final = {"una": [], "ben": [], "cai": ["ops"], "dot": ["science"], "stranger": ["others"]}
"""Users of the probes and their groups; lists name the first two, and both groups."""
LISTS: Final = (" ", "una", "una,ben", " ops", "una ops", " ops,science", "*")
TREE: Final = (("a", ("a1", "a2")), ("b", ()), ("c", ("c1", "c2", "c3")), ("d", ()))


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
    keys = {C + "root.queues": ",".join(tree), C + "maximum-applications": "1000000", **_site(random, era)}
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
        _ = (folder / "fair-scheduler.xml").write_text(allocations(configuration), encoding="utf-8")


def _properties(keys: Mapping[str, str]) -> str:
    lines = [f"<property><name>{key}</name><value>{text}</value></property>" for key, text in keys.items()]
    return "\n".join(["<configuration>", *lines, "</configuration>\n"])


def allocations(configuration: Configuration) -> str:
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
            ask = (
                f'{{ memory = "{random.choice((1, 2, 3, 6, 12))}g", count = {random.randint(1, 8)}, duration = "40s" }}'
            )
            lines += ["[[workload]]", 'type = "scripted"', f'name = "{path}/{user}"', f'user = "{user}"']
            lines += [
                f'queue = "{named(path, configuration)}"',
                f'at = "+{random.randint(1, 200)}s"',
                f"asks = [{ask}]",
            ]
    if configuration.family == "capacity":
        queues = {key: text for key, text in configuration.settings.items() if key.startswith(C)}
        lines += ["[settings]", *(f"{json.dumps(key)} = {json.dumps(text)}" for key, text in queues.items())]
    return "\n".join(lines) + "\n"
