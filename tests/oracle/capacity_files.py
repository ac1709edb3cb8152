"""Files beside the real CapacityScheduler: makes changed capacity-scheduler.xml files and compares what became of them.

    python -m tests.oracle.capacity_files make --count N [--seed S] [--from DIR] > FILES
    python -m tests.oracle.capacity_files compare FILES ANSWERS --era 2.7|3.4

A line of FILES is `{"case", "text"}`. A line of ANSWERS is what the class of a release said to one of them: `case`,
`refused` (simple name of the innermost exception, or null) and, where it was accepted, `queues` with the parts of each
partition that a queue has and may have before a node has joined.
"""

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final
from xml.sax.saxutils import escape

from engine.errors import ConfigError
from engine.formats.capacity_listing import read_rows
from engine.formats.hadoop_configuration import parse_configuration
from engine.settings.capacity import CAPACITY_34
from tests.gates.attacks.readers import mutated
from tests.oracle.capacity_samples import PREFIX, SAMPLES, properties_of

Json = dict[str, Any]
Pairs = list[tuple[str, str]]

NUMBERS: Final = (
    "0", "1", "2", "10", "33.3", "40", "50", "60", "99", "99.96", "100", "100.04", "100.06", "101", "-1", "-2", "-0",
    "0.1", "0.5", "1.0", "1e2", "5e-1", "0x1F", "0X10", "+5", "00050", ".5", "5.", "3f", "3d", "NaN", "Infinity",
    "2147483647", "2147483648", "-2147483649", "9" * 30, "1,000", "50%", "50 %", " 50 ", "5 0", "", " ", "abc", "-",
)  # fmt: skip
AMOUNTS: Final = (
    "3w", "0w", "-1w", "1.5w", "w", "2 w", "10001w", "NaNw", "3W", "[memory=1024,vcores=2]", "[memory=50%,vcores=50%]",
    "[memory=20Gi,vcores=10]", "[memory=1024]", "[vcores=4]", "[]", "[memory]", "[memory=]", "[memory=x,vcores=1]",
    "[memory=1024,vcores=2", "[memory=1Q,vcores=1]", "[memory=10 Gi, vcores=1]", "[memory=1w,vcores=1w]",
    "[yarn.io/gpu=2,memory=10]",
)  # fmt: skip
WORDS: Final = (
    "true", "false", "TRUE", "True ", "yes", "RUNNING", "running", "STOPPED", "Stopped", "DRAINING", "stopped ",
    "fifo", "fair", "FAIR", "utilization", "priority-utilization", "fifo-with-partitions", "fifo-for-pending-apps",
    "*", " ", "alice", "alice ops", " ops", "a,b", "gpu", "ssd,gpu", "nowhere", "*,gpu", "${user.name}", "${a}",
    "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator", "org.example.None", "json", "legacy",
    "[user=alice max_priority=3]", "[user=alice max_priority=x]", "[max_priority=2 default_priority=1]", "[what=1]",
    "u:alice:default", "u:%user:%primary_group", "g:ops:a,u:bob:b", "u:alice", "x:a:b", "u:a:root.a", "u::a", "q:a:b",
    "u:%user:users.%user", "alice:1", "u:a:nowhere", ",", "u:a:b:c", '{"rules":[]}', "{", "{}",
)  # fmt: skip
LISTS: Final = (
    "a,b", "a", "", " ", "a,,b", "a, b ,c", "a,a", "default", "prod", "root", "a.b", "A,b", ",", "a,", "x,y", "*",
    "dev,prod,test", "%user", "a b",
)  # fmt: skip
VALUES: Final = (*NUMBERS, *NUMBERS, *AMOUNTS, *WORDS, *LISTS)

GLOBAL_KEYS: Final = tuple(key for key, entry in CAPACITY_34.whole.items() if entry.key.prefix)
QUEUE_NAMES: Final = (
    *CAPACITY_34.queue, "queues", "queues", "reservable",
    "accessible-node-labels.gpu.capacity",
    "accessible-node-labels.gpu.maximum-capacity", "accessible-node-labels.ssd.capacity", "accessible-node-labels.gpu",
    "accessible-node-labels.", "accessible-node-labels.gpu.", "accessible-node-labels..capacity",
    "accessible-node-labels.gpu.maximum-am-resource-percent", "user-settings.alice.weight", "user-settings.weight",
    "auto-create-child-queue.enabled", "auto-queue-creation-v2.enabled", "leaf-queue-template.capacity",
    "leaf-queue-template.maximum-capacity", "leaf-queue-template.accessible-node-labels.gpu.capacity",
    "auto-create-child-queue.management-policy", "auto-create-child-queue.max-queues",
    "auto-queue-creation-v2.template.capacity", "auto-queue-creation-v2.max-queues",
    "maximum-capactiy", "acl_submit_jobs",
)  # fmt: skip
CLUSTER_NAMES: Final = (
    "yarn.scheduler.minimum-allocation-mb", "yarn.scheduler.maximum-allocation-mb", "yarn.acl.enable",
    "yarn.scheduler.minimum-allocation-vcores", "yarn.scheduler.maximum-allocation-vcores", "yarn.node-labels.enabled",
    "yarn.cluster.max-application-priority", "yarn.resourcemanager.scheduler.monitor.enable",
    "yarn.scheduler.include-port-in-node-name",
)  # fmt: skip


def made(count: int, seed: int, folder: Path | None = None) -> Iterator[tuple[str, str]]:
    """Names and texts of changed files, each of another sample or file in turn.

    Args:
        count: How many.
        seed: Same seed, same files.
        folder: Where more files are, each of which takes its turn.
    """
    texts = {name: written(properties_of(name)) for name in SAMPLES}
    for path in sorted(folder.glob("*.xml")) if folder is not None else ():
        texts[path.stem] = path.read_bytes().decode("latin-1")
    names = list(texts)
    for number in range(count):
        name, chance = names[number % len(names)], Random(f"capacity files {seed} {number}")
        yield f"{name} {number}", _changed(texts[name], chance)


def written(pairs: Pairs, chance: Random | None = None) -> str:
    """A file of these properties; with chance in one of the forms that Hadoop reads."""
    forms = [_plain if chance is None or chance.random() < 0.97 else chance.choice(_FORMS) for _ in pairs]
    lines = [form(key, escape(text)) for form, (key, text) in zip(forms, pairs, strict=True)]
    return "\n".join(['<?xml version="1.0"?>', "<configuration>", *lines, "</configuration>", ""])


def _plain(key: str, text: str) -> str:
    return f"<property><name>{key}</name><value>{text}</value></property>"


_FORMS: Final[Sequence[Callable[[str, str], str]]] = (
    lambda key, text: f"<property><name>\n {key} \n</name><value>{text}</value><final>true</final></property>",
    lambda key, text: f"<property><value>{text}</value><name>{key}</name><description>x</description></property>",
    lambda key, text: f'<property name="{key}" value="{text}"/>'.replace("{", "&#123;"),
    lambda key, text: f"<property><name>{key}</name><value><![CDATA[{text}]]></value></property>",
    lambda key, text: f"<property><name>{key}</name><value>{text}<!-- {key} --></value></property>",
    lambda key, text: f"<property><name>{key}</name><value><!-- x -->{text}</value></property>",
    lambda key, text: f"<property><name>{key}</name><value>{text}</value><value>7</value></property>",
    lambda key, text: f"<property><name>{key}</name></property><!-- {len(text)} -->",
    lambda key, text: f"<property><name>{key}</name><value/></property><!-- {len(text)} -->",
    lambda key, text: f"<configuration>{_plain(key, text)}</configuration>",
    lambda key, text: f"<properties>{_plain(key, text)}</properties>",
    lambda key, text: f"<Property><name>{key}</name><value>{text}</value></Property>",
    lambda key, text: f"<property><Name>{key}</Name><value>{text}</value></property>",
    lambda key, text: f"<property><name>{key}</name><value>{text}<b/>2</value></property>",
    lambda key, text: f"<property><name>{key}</name><value>&#50;{text}</value></property>",
    lambda key, text: _plain(key, text).replace("</property>", "<final> true </final></property>") + _plain(key, "5"),
    lambda key, text: f"text {_plain(key, text)} text",
)  # fmt: skip
"""Ways to write a property, some of which only one release reads, and some neither."""


def _changed(text: str, chance: Random) -> str:
    """A text with one to three changes: mostly of its properties, sometimes of its bytes."""
    try:
        settings = parse_configuration(text.encode("latin-1", "replace"))
    except ConfigError:
        return text
    if chance.random() < 0.1:
        return mutated(text.encode("utf-8", "replace"), chance).decode("latin-1")
    pairs = list(settings.raw.items())
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        _change(pairs, chance)
    return written(pairs, chance).encode().decode("latin-1")


def _change(pairs: Pairs, chance: Random) -> None:
    kind = chance.random()
    at = chance.randrange(len(pairs)) if pairs else 0
    if not pairs or kind < 0.35:
        pairs.insert(at, (_name(pairs, chance), chance.choice(VALUES)))
    elif kind < 0.7:
        pairs[at] = (pairs[at][0], chance.choice(VALUES))
    elif kind < 0.8:
        pairs[at] = (_name(pairs, chance), pairs[at][1])
    elif kind < 0.85:
        pairs[at] = (
            pairs[at][0].replace("root.", chance.choice(("", "root.root.", "Root.", "root..")), 1),
            pairs[at][1],
        )
    elif kind < 0.92:
        del pairs[at]
    else:
        _divide(pairs, chance)


def _divide(pairs: Pairs, chance: Random) -> None:
    """Give a queue two queues below it that share its capacity."""
    path = chance.choice(_queues(pairs))
    first = chance.choice(("30", "0", "100", "99.96", "2w", "[memory=1024,vcores=1]"))
    second = {"30": "70", "0": "100", "100": "0", "99.96": "0", "2w": "1w"}.get(first, "[memory=2048,vcores=1]")
    pairs += [
        (f"{PREFIX}{path}.queues", "one,two"),
        (f"{PREFIX}{path}.one.capacity", first),
        (f"{PREFIX}{path}.two.capacity", second),
    ]


def _name(pairs: Pairs, chance: Random) -> str:
    """A property's name: of a queue, of the scheduler, or of the cluster."""
    kind = chance.random()
    if kind < 0.75:
        return f"{PREFIX}{chance.choice(_queues(pairs))}.{chance.choice(QUEUE_NAMES)}"
    return chance.choice(GLOBAL_KEYS) if kind < 0.92 else chance.choice(CLUSTER_NAMES)


def _queues(pairs: Pairs) -> list[str]:
    found = {key.removeprefix(PREFIX).rpartition(".")[0] for key, _ in pairs if key.startswith(f"{PREFIX}root.")}
    return sorted({"root", *found})


# ---------------------------------------------------------------- comparing


def verdict(text: str, era: str) -> Json:
    """What our reader of a release makes of a file, in the words of the recorded answers."""
    try:
        rows = read_rows(parse_configuration(text.encode("latin-1"), "f.xml", era=era), era)
    except ConfigError as error:
        return {"refused": error.kind or "not readable"}
    parts = {row.path: {part.label: (part.capacity, part.maximum) for part in row.partitions} for row in rows}
    return {"refused": None, "queues": parts}


def difference(recorded: Json, ours: Json) -> str:
    """How our verdict is another than the recorded one; empty where it is the same."""
    theirs, mine = recorded["refused"], ours["refused"]
    if theirs or mine:
        if bool(theirs) != bool(mine):
            return f"accepted, not {theirs}" if theirs else f"refused with {mine}"
        return "" if mine in (theirs, "not readable") else f"refused with {mine}, not {theirs}"
    queues, expected = ours["queues"], recorded["queues"]
    if set(queues) != set(expected):
        return f"queues {sorted(set(queues) ^ set(expected))}"
    for path, parts in queues.items():
        for label in {*parts, *expected[path]["parts"]}:
            have = parts.get(label, (0.0, 0.0))
            want = [float(number) for number in expected[path]["parts"].get(label, ("0", "0"))]
            if not all(_same(one, other) for one, other in zip(have, want, strict=True)):
                return f"{path} {label}: {have}, not {want}"
    return ""


def _same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other)) or abs(one - other) < 1e-7


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 1 when an answer differs."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.oracle.capacity_files", description=(__doc__ or "").split("\n")[0]
    )
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make")
    make.add_argument("--count", type=int, required=True)
    make.add_argument("--seed", type=int, default=1)
    make.add_argument("--from", dest="folder", type=Path)
    compare = commands.add_parser("compare")
    compare.add_argument("files", type=Path)
    compare.add_argument("answers", type=Path)
    compare.add_argument("--era", required=True)
    options = parser.parse_args(arguments)
    if options.command == "make":
        for case, text in made(options.count, options.seed, options.folder):
            print(json.dumps({"case": case, "text": text}))
        return 0
    return _compare(options.files, options.answers, options.era)


def _compare(files: Path, answers: Path, era: str) -> int:
    texts = {each["case"]: each["text"] for each in map(json.loads, files.read_text().splitlines())}
    counts: Counter[str] = Counter()
    for recorded in map(json.loads, answers.read_text().splitlines()):
        wrong = difference(recorded, verdict(texts[recorded["case"]], era))
        counts["differ" if wrong else "refused alike" if recorded["refused"] else "accepted alike"] += 1
        if wrong:
            print(f"{recorded['case']}: {wrong}; {recorded.get('at', '')} {recorded.get('why', '')}")
    print(", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
    return 1 if counts["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
