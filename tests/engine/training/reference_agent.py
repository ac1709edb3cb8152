"""A trainee of rules that knows only the protocol: looks, names what looks wrong, and tries what would help.

As a program it reads replies from standard input and writes steps to standard output, as `drill bench --agent` wants.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import Any

Reply = dict[str, Any]
Rows = list[Reply]

WORDS = {
    "AM limit": "masters", "queue limit": "maximum", "user limit": "user limit", "FIFO head of line": "first in",
    "reservation deadlock": "reservation", "preemption livelock": "preemption too eager",
    "ask above every node": "larger", "locality never relaxed": "locality", "cores hoarded": "hoarded",
    "LOST_TO_PREEMPTION": "preemption too eager",
}  # fmt: skip
"""Pattern of a verdict, or code of a reason → a word of the choice that means it."""
LOOSE = {
    "maxResources": "1000000 mb, 1000 vcores", "maxRunningApps": "1000", "maxAMShare": "-1.0",
    "user-limit-factor": "10", "maximum-am-resource-percent": "0.9", "maximum-capacity": "100",
}  # fmt: skip
"""Setting of a queue → a value that is in nobody's way."""
WAIT_S = 60  # How long an act is given to show
FINE = ("waiting", "later", "none")
STUCK = {"deadlocked", "blocked", "FIFO head of line", "cores hoarded"}


def play(brief: Reply) -> Generator[Reply, Reply, None]:
    """The steps of a drill, one after the other; each is sent its reply."""
    seen = yield from look()
    waiting = [row for row in seen["applications"] if row["waiting_since_ms"]]
    waiting.sort(key=lambda row: row["waiting_since_ms"])
    down = [row for row in seen["nodes"] if row["state"] not in ("RUNNING", "ALIVE")]
    why = (yield from ask(waiting)) if brief["level"] != "on your own" else []
    is_fine = bool(waiting) and all(has_its_share(row, seen["queues"]) for row in waiting[:5])
    is_wrong = bool(down) or not is_fine or any(one["pattern"] or one["verdict"] not in FINE for one in why)
    yield {"do": "answer", "question": "fault", "answer": ["yes" if is_wrong else "no"]}
    for question in brief["questions"][1:]:
        if named := name(question, seen, waiting, down, why):
            yield {"do": "answer", "question": question["asks"], "answer": [named]}
    tried, killed = 0, False
    for act in acts(seen, waiting, down, why) if is_wrong else ():
        if act["do"] == "kill" and killed:
            continue
        killed, reply = killed or act["do"] == "kill", (yield act)
        if not reply["ok"] or act["do"] in ("health", "return"):
            continue
        yield {"do": "advance", "at": reply["at_s"] + WAIT_S}
        tried += 1
        reply = yield {"do": "observe", "pane": "applications"}
        waits = {row["id"] for row in reply["applications"] if row["waiting_since_ms"]}
        if tried == 5 or (waiting and waiting[0]["id"] not in waits):
            return


def has_its_share(row: Reply, queues: Rows) -> bool:
    """Whether the queue of an application uses what it is due."""
    own = [(one["used"], one["fair_share"] or one.get("guaranteed")) for one in queues if one["path"] == row["queue"]]
    return any(due and any(used[name] >= 0.9 * most > 0 for name, most in due.items()) for used, due in own)


def look() -> Generator[Reply, Reply, Reply]:
    rows: Reply = {}
    for pane in ("applications", "queues", "nodes", "reservations"):
        rows |= yield {"do": "observe", "pane": pane}
    return rows


def ask(waiting: Rows) -> Generator[Reply, Reply, Rows]:
    """Why those wait that wait longest; what would help the first ones."""
    found = []
    for row in [*waiting[:2], *waiting[2:][-1:]]:
        reply = yield {"do": "why", "application": row["id"], "remedies": True}
        found += [reply["why"]] if reply["ok"] else []
    return [one | {"signs": [one["verdict"], one["pattern"], *(it["code"] for it in one["reasons"])]} for one in found]


def name(question: Reply, seen: Reply, waiting: Rows, down: Rows, why: Rows) -> str:
    """What to answer; empty for no idea."""
    reasons = [reason for one in why for reason in one["reasons"]]
    reserved = [one for one, _ in Counter(row["application"] for row in seen["reservations"]).most_common(1)]
    kinds = {
        "node": [row["id"] for row in down],
        "queue": [row["queue"] for row in waiting],
        "application": reserved + [one["application"] for each in why for one in each["holders"]],
        "setting": [reason["decided_by"]["key"] for reason in reasons if reason["decided_by"]],
    }  # fmt: skip
    if question["asks"] != "cause":
        return next(iter(kinds[question["asks"]]), "")
    words = ["lost"] * bool(down) + [WORDS[sign] for one in why for sign in one["signs"] if sign in WORDS]
    return next((choice for word in words for choice in question["choices"] if word in choice), "")


def acts(seen: Reply, waiting: Rows, down: Rows, why: Rows) -> Iterator[Reply]:
    """What to try, the most harmless first."""
    for row in down:
        yield {"do": "health", "node": row["id"], "healthy": True}
        yield {"do": "return", "node": row["id"]}
    yield {"do": "advance"}
    known = {sign for one in why for sign in one["signs"]}
    if known & {"preemption livelock", "LOST_TO_PREEMPTION"}:
        yield {"do": "preemption", "on": False}
        return
    yield from loosened([] if "AM-only deadlock" in known else waiting[:1], why)
    is_stuck = bool(known & STUCK) and "user limit" not in known
    if not is_stuck and seen["cluster"]["preemption"] is False:
        yield {"do": "preemption", "on": True}
    tried = [one for each in why if each["would_help"] for one in each["would_help"]["remedies"]]
    for one in sorted(tried, key=lambda one: (one["group"] != "now", one["loses"]["containers"])):
        if one["group"] != "patch" and (one["kind"] != "kill" or is_stuck):
            yield {key: value for key, value in one["step"].items() if key != "at"}
    for row in seen["nodes"] if "ask above every node" in known else []:
        memory = f"{2 * waiting[0]['asks'][0]['size']['memory_mb']}mb"
        yield {"do": "resize", "node": row["id"], "memory": memory, "vcores": row["total"]["vcores"]}
    for holder, nodes in Counter(row["application"] for row in seen["reservations"]).most_common(1):
        if nodes > 1 and (is_stuck or not why):
            yield {"do": "kill", "application": holder}


def loosened(first: Rows, why: Rows) -> Iterator[Reply]:
    """Settings that stand in the way, made as loose as can be."""
    keys = [reason["decided_by"]["key"] for one in why for reason in one["reasons"] if reason["decided_by"]]
    for path, key in [key.removeprefix("yarn.scheduler.capacity.").rpartition(".")[::2] for key in dict.fromkeys(keys)]:
        if key in LOOSE:
            yield {"do": "queue-setting", "queue": path, "key": key, "value": LOOSE[key]}
    for row in first:
        if re.search("MAXIMUM|LIMIT", (row["refusal"] or {"code": ""})["code"]):
            for path in (row["queue"], row["queue"].rpartition(".")[0]):
                for key in ("maximum-capacity", "maxResources"):
                    yield {"do": "queue-setting", "queue": path, "key": key, "value": LOOSE[key]}


def main() -> None:
    """Play the drill that is told on standard input."""
    steps = play(json.loads(sys.stdin.readline()))
    print(json.dumps(next(steps)), flush=True)  # noqa: T201 -- this is how it talks
    with suppress(StopIteration):
        for line in sys.stdin:
            print(json.dumps(steps.send(json.loads(line))), flush=True)  # noqa: T201 -- this is how it talks


if __name__ == "__main__":
    main()
