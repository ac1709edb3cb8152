"""Replays recorded cases of the real Spark Master against ours.

    python -m tests.oracle.spark_replay FILE… [--fork] [--answers OUT] [--show CASE]

A file holds one case on each line (`{"spark": version, "case": …, "result": …}`), plain or gzipped. A case passes when
our answer equals the recorded one in every key. Prints a line for each kind and closes with `N passed, M failed`.
"""

import argparse
import gzip
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.control_plane.protocol import (
    Answer,
    ApplicationFinished,
    DriverStateChanged,
    DriverSubmitted,
    Event,
    ExecutorProfile,
    ExecutorsKilled,
    ExecutorsRequested,
    ExecutorStateChanged,
    NodeLost,
    SparkApplicationRegistered,
    WorkerRegistered,
)
from engine.control_plane.spark_master import SparkMaster
from engine.errors import ConfigError
from engine.fork import fork as forked
from engine.model.decision import Allocated
from engine.model.spark.application import Driver, Worker
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT
from engine.settings.spark import SPARK

Json = dict[str, Any]
STEP_MS = 1_000
"""Time between two events of a case; nothing decided hangs on it."""


class Replay:
    """One recorded scenario played on our Master."""

    def __init__(self, conf: Json) -> None:
        self.master = SparkMaster({key: str(value) for key, value in conf.items()})
        self.now_ms = 0
        self.nodes: dict[str, str] = {}
        self.profiles: dict[int, list[ExecutorProfile]] = {}
        self.drivers: list[int] = []
        """Our number of each driver submitted; a relaunch keeps the recorded one."""

    def fork(self) -> "Replay":
        """An independent copy that has seen the same events."""
        copy = Replay({})
        copy.master = forked(self.master)
        copy.now_ms = self.now_ms
        copy.nodes = dict(self.nodes)
        copy.drivers = list(self.drivers)
        copy.profiles = {application: list(profiles) for application, profiles in self.profiles.items()}
        return copy

    def play(self, event: Json) -> Json:
        """One event and the state after it, in the recorded form."""
        self.now_ms += STEP_MS
        step: Json = {}
        translated = self._translated(event)
        if event["op"] == "schedule":
            answer = self.master.run_pass("schedule", self.now_ms)
        else:
            answer = Answer() if translated is None else self.master.handle(translated, self.now_ms)
        if event["op"] == "submit_driver" and answer.application is not None:
            self.drivers.append(answer.application)
        if event["op"] == "driver_state":
            step["reported"] = translated is not None
        if event["op"] in ("request_executors", "kill_executors"):
            step["reply"] = "false" if answer.rejected else "true"
        elif answer.rejected:
            return {"error": answer.rejected}
        step["sent"] = self._sent(answer)
        return step | self._state()

    def _translated(self, event: Json) -> Event | None:
        """The event in our words; None where nothing is sent."""
        return _TRANSLATORS[event["op"]](self, event)

    def worker_added(self, event: Json) -> Event:
        """Every worker gets an address of its own, as in the recorded run."""
        node = f"127.0.0.1:{10_001 + len(self.nodes)}"
        self.nodes[event["id"]] = node
        return WorkerRegistered(node, event["id"], event["cores"], event["memory_mb"])

    def submitted(self, event: Json) -> Event:
        self.profiles[len(self.profiles)] = []
        return SparkApplicationRegistered(
            event["memory_per_executor_mb"],
            max_cores=event["max_cores"],
            executor_cores=event["cores_per_executor"],
            executor_limit=event["executor_limit"],
        )

    def requested(self, event: Json) -> Event:
        """A profile is sent with every total that names it; the Master keeps the first shape."""
        known = self.profiles[event["app"]]
        for shape in event.get("new_profiles", ()):
            known.append(
                ExecutorProfile(len(known) + 1, shape.get("cores_per_executor"), shape.get("memory_per_executor_mb"))
            )
        named = {profile for profile, _ in event["totals"]}
        return ExecutorsRequested(
            event["app"],
            tuple((profile, total) for profile, total in event["totals"]),
            tuple(profile for profile in known if profile.id in named),
        )

    def driver_reported(self, event: Json) -> Event | None:
        """Only a driver on a live worker is reported; a relaunched one keeps its recorded number."""
        if event["driver"] >= len(self.drivers):
            return None
        for driver in self.master.cluster.drivers.values():
            worker = driver.worker
            if driver.origin == self.drivers[event["driver"]] and worker is not None and worker.state == "ALIVE":
                return DriverStateChanged(driver.number, event["state"])
        return None

    def _sent(self, answer: Answer) -> list[Json]:
        """Launches and kills in order; the real Master orders kills before the pass that follows them."""
        ids = {worker.node: worker.id for worker in self.master.cluster.workers}
        ordered = {cleanup.container for cleanup in answer.cleanups}
        sent: list[Json] = []
        for decision in answer.decisions:
            container = getattr(decision, "container", None)
            if container is None:
                continue
            application, attempt, id = container
            to = f"worker {ids[getattr(decision, 'node', '')]}"
            if isinstance(decision, Allocated) and attempt == DRIVER_ATTEMPT:
                sent.append({"msg": "LaunchDriver", "to": to, "driver": self._origin(application)})
            elif isinstance(decision, Allocated):
                launch = {"msg": "LaunchExecutor", "to": to, "app": application, "id": id}
                sent.append(launch | {"cores": decision.vcores, "memory_mb": decision.memory_mb})
            elif container in ordered:
                sent.append({"msg": "KillExecutor", "to": to, "app": application, "id": id})
        return sent

    def _origin(self, number: int) -> int:
        cluster = self.master.cluster
        known = [*cluster.drivers.values(), *cluster.completed_drivers]
        return self._recorded(next(driver for driver in known if driver.number == number))

    def _recorded(self, driver: Driver) -> int:
        # The driver being submitted may launch before its number is noted.
        return self.drivers.index(driver.origin) if driver.origin in self.drivers else len(self.drivers)

    def _state(self) -> Json:
        cluster = self.master.cluster
        return {
            "workers": [self._worker_state(worker) for worker in sorted(cluster.workers, key=lambda worker: worker.id)],
            "waiting_apps": [
                {
                    "app": application.number,
                    "state": application.state,
                    "cores_granted": application.cores_granted,
                    "cores_left": application.cores_left,
                    "executors": len(application.executors),
                }
                for application in cluster.applications.values()
            ],
            "waiting_drivers": [self._recorded(driver) for driver in cluster.waiting_drivers],
        }

    def _worker_state(self, worker: Worker) -> Json:
        executors = sorted(worker.executors.values(), key=lambda executor: (executor.application, executor.id))
        return {
            "id": worker.id,
            "state": worker.state,
            "cores_free": worker.cores_free,
            "memory_free_mb": worker.memory_free_mb,
            "executors": [
                {
                    "app": executor.application,
                    "id": executor.id,
                    "cores": executor.cores,
                    "memory_mb": executor.memory_mb,
                }
                for executor in executors
            ],
            "drivers": sorted(self._recorded(driver) for driver in worker.drivers.values()),
        }


_TRANSLATORS: dict[str, Callable[[Replay, Json], Event | None]] = {
    "add_worker": Replay.worker_added,
    "lose_worker": lambda replay, event: NodeLost(replay.nodes[event["id"]]),
    "decommission_worker": lambda replay, event: NodeLost(replay.nodes[event["id"]], "DECOMMISSIONED"),
    "submit_app": Replay.submitted,
    "finish_app": lambda replay, event: ApplicationFinished(event["app"]),
    "request_executors": Replay.requested,
    "kill_executors": lambda replay, event: ExecutorsKilled(event["app"], tuple(event["executors"])),
    "executor_state": lambda replay, event: ExecutorStateChanged(
        event["app"], event["executor"], event["state"], event.get("exit_status")
    ),
    "submit_driver": lambda replay, event: DriverSubmitted(
        event["cores"], event["memory_mb"], event.get("supervise", False)
    ),
    "driver_state": Replay.driver_reported,
    "schedule": lambda replay, event: None,
}
"""How each recorded kind of event is said in ours."""


def replay(case: Json, fork_seed: int | None = None) -> Json:
    """Our answer to a case, in the recorded form.

    Args:
        case: A short case or a scenario.
        fork_seed: Fork at an event drawn with this seed; the copy goes on first, and both must answer alike.
    """
    events = case["events"] if "events" in case else _events_of_short(case)
    player = Replay(_conf(case))
    at = -1 if fork_seed is None else random.Random(fork_seed).randrange(len(events) + 1)
    steps: list[Json] = []
    ahead: list[Json] = []
    for position, event in enumerate(events):
        if position == at:
            copy = player.fork()
            ahead = [copy.play(later) for later in events[position:]]
        steps.append(player.play(event))
    if ahead and ahead != steps[at:]:
        return {"error": f"the copy forked before event {at} answered otherwise", "steps": ahead}
    failed = next((step for step in steps if "error" in step), None)
    if failed is not None:
        return failed
    return {"steps": steps} if "events" in case else _short_result(case, steps)


def _conf(case: Json) -> Json:
    spread_out = str(case.get("spread_out", True)).lower()
    conf: Json = {"spark.deploy.spreadOut": spread_out, "spark.deploy.spreadOutApps": spread_out}
    conf |= {key: value for key, value in (case.get("conf") or {}).items() if key in SPARK.whole}
    if case.get("policy"):
        conf["spark.deploy.workerSelectionPolicy"] = case["policy"]
    if case.get("default_cores"):
        conf["spark.deploy.defaultCores"] = case["default_cores"]
    return conf


def _worker_ids(case: Json) -> list[str]:
    return [worker.get("id") or f"w{number:02d}" for number, worker in enumerate(case["workers"], 1)]


def _applications(case: Json) -> list[Json]:
    return case["apps"] if "apps" in case else [case["app"]]


def _events_of_short(case: Json) -> list[Json]:
    ids = _worker_ids(case)
    workers = [worker | {"op": "add_worker", "id": id} for worker, id in zip(case["workers"], ids, strict=True)]
    return workers + [application | {"op": "submit_app"} for application in _applications(case)]


def _short_result(case: Json, steps: Sequence[Json]) -> Json:
    """The recorded form of a short case: per worker in the given order."""
    ids, last = _worker_ids(case), steps[-1]
    held = {worker["id"]: worker for worker in last["workers"]}
    left = {waiting["app"]: waiting["cores_left"] for waiting in last["waiting_apps"]}
    applications = []
    for number in range(len(_applications(case))):
        executors = [[each["cores"] for each in held[id]["executors"] if each["app"] == number] for id in ids]
        assigned = [sum(cores) for cores in executors]
        applications.append({"assigned_cores": assigned, "executors": executors, "cores_left": left.get(number)})
    result: Json = {"apps": applications} if "apps" in case else dict(applications[0])
    result["launches"] = [
        [message["app"], message["id"], ids.index(message["to"].split(" ", 1)[1]), message["cores"]]
        for step in steps
        for message in step["sent"]
        if message["msg"] == "LaunchExecutor"
    ]
    result["free"] = [[held[id]["cores_free"], held[id]["memory_free_mb"]] for id in ids]
    return result


def compare(expected: Any, ours: Any, path: str = "") -> str:
    """The first difference in words; empty when both are equal."""
    if isinstance(expected, dict) and isinstance(ours, dict):
        pairs: Iterable[tuple[str, Any, Any]] = (
            (f"{path}.{key}", expected.get(key), ours.get(key)) for key in {**expected, **ours}
        )
    elif isinstance(expected, list) and isinstance(ours, list) and len(expected) == len(ours):
        pairs = ((f"{path}[{at}]", one, two) for at, (one, two) in enumerate(zip(expected, ours, strict=True)))
    else:
        return "" if expected == ours else f"{path or 'result'}: expected {expected}, got {ours}"
    return next((difference for place, one, two in pairs if (difference := compare(one, two, place))), "")


def read_cases(path: Path) -> Iterator[Json]:
    """The records of a case file, plain or gzipped."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def check(record: Json, *, fork: bool = False) -> str:
    """The first difference between a recorded case and our answer; empty when it passes."""
    seed = len(json.dumps(record["case"])) if fork else None
    try:
        return compare(record["result"], replay(record["case"], seed))
    except (LookupError, ConfigError) as error:
        return f"cannot be replayed: {error!r}"


def show(record: Json) -> None:
    """Print a case's events with expected and own steps up to the first difference."""
    case, expected, ours = record["case"], record["result"], replay(record["case"])
    events = case.get("events") or _events_of_short(case)
    if "steps" not in expected:
        print(f"events   {json.dumps(events)}\nexpected {json.dumps(expected)}\nours     {json.dumps(ours)}")
        return
    for event, one, two in zip(events, expected["steps"], ours.get("steps", ()), strict=False):
        print(f"event    {json.dumps(event)}\nexpected {json.dumps(one)}\nours     {json.dumps(two)}")
        if one != two:
            break


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay files; 0 when every case passes."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.spark_replay")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--fork", action="store_true", help="also fork at a random event and continue both copies")
    parser.add_argument("--answers", type=Path, help="write each case with our result")
    parser.add_argument("--show", metavar="CASE", help="show one case side by side")
    options = parser.parse_args(arguments)
    passed: dict[str, int] = defaultdict(int)
    failed: dict[str, int] = defaultdict(int)
    answers: list[str] = []
    for record in (record for file in options.files for record in read_cases(file)):
        id = record["case"]["id"]
        kind = id.split("/")[0]
        if options.show == id:
            show(record)
        if options.answers:
            answers.append(json.dumps(record | {"result": replay(record["case"])}, separators=(",", ":")))
        difference = check(record, fork=options.fork)
        (failed if difference else passed)[kind] += 1
        if difference:
            print(f"{id}: {difference[:300]}")
    if options.answers:
        options.answers.write_text("".join(f"{line}\n" for line in answers), encoding="utf-8")
    for kind in sorted({**passed, **failed}):
        print(f"{kind}: {passed[kind]} passed, {failed[kind]} failed")
    print(f"{sum(passed.values())} passed, {sum(failed.values())} failed")
    return 1 if sum(failed.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
