"""Recounts what `compare` says of runs in which a control plane starts again, from their journals alone.

`python -m tests.gates.recount [SCENARIO ...]` takes every packaged scenario with a restart, each under every policy of
its kind, and prints each figure that differs. Exit code 1: one does.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from engine.compare import ComparedRun, ComparisonCandidate, carried_over, compared
from engine.errors import ConfigError
from engine.formats.scenario_toml import load, packaged
from engine.measures import Quantiles, RunMeasures
from engine.observe.journal import encode_records
from engine.run.player import Run
from engine.scenario import Scenario
from engine.scenario.acts import RESTARTS
from engine.scenario.scenario import POLICIES, family_of, system_of
from engine.simulation.records import Record

NEAR: Final = 0.002
"""Shares may differ by so much: trackers of MapReduce 1 count from their first heartbeat on, not from their start."""
CHORE: Final = 2  # Priority of the setup and cleanup tasks of MapReduce 1
ENDED: Final = ("FINISHED", "SUCCEEDED", "FAILED", "KILLED")


class Journal:
    """A listener that keeps the lines of a journal."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def on_records(self, time_ms: int, records: list[Record]) -> None:
        """Keep the lines of one instant."""
        self.lines += encode_records(time_ms, records).splitlines()


class Recount:
    """The figures of a run, of its journal's lines."""

    def __init__(self, lines: Iterable[bytes], start_ms: int, until_ms: int, system: str) -> None:
        self.until_ms, self._system = until_ms, system
        self.containers = self.refused = 0
        self.held_ms, self.there_ms = [0, 0], [0, 0]
        self.applications: dict[int, dict[str, Any]] = {}
        self._nodes: dict[str, tuple[int, int]] = {}
        self._held: dict[tuple[int, ...], tuple[str, tuple[int, int]]] = {}
        self._now_ms = start_ms
        for line in lines:
            time_ms, record = json.loads(line)
            self._pass_time(time_ms)
            getattr(self, f"_{record['kind']}", self._nothing)(record)
        self._pass_time(until_ms)

    def shares(self) -> list[float]:
        return [held / there if there else 0.0 for held, there in zip(self.held_ms, self.there_ms, strict=True)]

    def waits(self) -> Quantiles:
        waits = sorted(self._wait(each) for each in self.applications.values())
        if not waits:
            return Quantiles()
        ranks = ((len(waits) - 1) // 2, -(-len(waits) * 95 // 100) - 1, -1)
        return Quantiles(len(waits), *(waits[rank] for rank in ranks))

    def states(self) -> tuple[int, int, int]:
        """Applications FINISHED, ended otherwise, and not ended."""
        states = [each["state"] for each in self.applications.values()]
        finished, ended = states.count("FINISHED") + states.count("SUCCEEDED"), sum(state in ENDED for state in states)
        return finished, ended - finished, len(states) - ended

    def _wait(self, each: dict[str, Any]) -> int:
        begun = each["served"] if each["asked"] or each["served"] else each["first"]
        return int((begun or each["ended"] or self.until_ms) - each["at"])

    def _pass_time(self, time_ms: int) -> None:
        elapsed_ms, self._now_ms = time_ms - self._now_ms, time_ms
        held = [size for node, size in self._held.values() if node in self._nodes]
        for place in (0, 1):
            self.held_ms[place] += elapsed_ms * sum(size[place] for size in held)
            self.there_ms[place] += elapsed_ms * sum(size[place] for size in self._nodes.values())

    def _nothing(self, record: dict[str, Any]) -> None:
        """What changes no figure."""

    def _NodeJoined(self, record: dict[str, Any]) -> None:  # noqa: N802 -- named as the records are
        self._nodes[record["node"]] = (record["memory_mb"], record["vcores"])

    _NodeResized = _NodeJoined

    def _NodeRegisteredAgain(self, record: dict[str, Any]) -> None:  # noqa: N802 -- as above
        self._NodeJoined(record)
        for each in record["containers"]:
            if each.get("exit_status") is None:
                size = (each["memory_mb"], each["vcores"])
                self._held[tuple(each["container"])] = (record["node"], size)

    def _NodeLost(self, record: dict[str, Any]) -> None:  # noqa: N802 -- as above
        self._nodes.pop(record["node"], None)

    def _ResourceManagerStarted(self, record: dict[str, Any]) -> None:  # noqa: N802 -- as above
        self._nodes, self._held = {}, {}

    _JobTrackerStarted = _ResourceManagerStarted

    def _Submitted(self, record: dict[str, Any]) -> None:  # noqa: N802 -- as above
        if record["rejected"]:
            self.refused += 1
        else:
            nothing: dict[str, Any] = dict.fromkeys(("first", "served", "ended"))
            new = nothing | {"at": self._now_ms, "asked": set(), "state": "NEW"}
            self.applications.setdefault(record["application"], new)

    def _Asked(self, record: dict[str, Any]) -> None:  # noqa: N802 -- as above
        if record["count"] > 0 and record["application"] in self.applications:
            self.applications[record["application"]]["asked"].add(record["priority"])

    def _Refused(self, record: dict[str, Any]) -> None:  # noqa: N802 -- as above
        if record["event"] == "ApplicationMasterHeartbeat":
            self.applications[record["application"]]["asked"].add(None)

    def _Allocated(self, record: dict[str, Any]) -> None:  # noqa: N802 -- as above
        container = tuple(record["container"])
        self.containers += 1
        self._held[container] = (record["node"], (record["memory_mb"], record["vcores"]))
        application = self.applications.get(container[0])
        if application is None:
            return
        application["first"] = application["first"] or self._now_ms
        is_task = record["priority"] in application["asked"] if self._system == "yarn" else record["priority"] != CHORE
        if is_task:
            application["served"] = application["served"] or self._now_ms

    def _Completed(self, record: dict[str, Any]) -> None:  # noqa: N802 -- as above
        self._held.pop(tuple(record["container"]), None)

    _Killed = _Completed

    def _ApplicationTransitioned(self, record: dict[str, Any]) -> None:  # noqa: N802 -- as above
        application = self.applications.get(record["application"])
        if application is not None:
            application["state"] = record["state"]
            if record["state"] in ENDED:
                application["ended"] = application["ended"] or self._now_ms


def restarting() -> list[str]:
    """Packaged scenarios in which a control plane starts again and that begin with nothing running."""
    found = []
    for name in packaged():
        scenario = load(name)
        acts = (step.act for step in (*scenario.faults, *scenario.script))
        if any(isinstance(act, RESTARTS) for act in acts) and not (scenario.running or scenario.recovered):
            found.append(name)
    return found


def policies_for(scenario: Scenario) -> list[str]:
    """Every other policy that plays the same applications, of another family or release."""
    others = [each for each in POLICIES if system_of(each) == scenario.system and each != scenario.scheduler]
    return sorted(others, key=lambda each: (family_of(each) != family_of(scenario.scheduler), each))


def differences(scenario: Scenario, policy: str) -> Iterator[str]:
    """Figures of the two runs of a comparison that their journals do not bear out."""
    contestants = [
        ComparisonCandidate("A", scenario.scheduler, scenario),
        ComparisonCandidate("B", policy, carried_over(scenario, policy).scenario),
    ]
    comparison = compared(contestants, scenario.duration_ms)
    for contestant, run in zip(contestants, comparison.runs, strict=False):
        for words in _of_run(contestant.scenario, run):
            yield f"{scenario.name} under {run.name}: {words}"


def _of_run(scenario: Scenario, run: ComparedRun) -> Iterator[str]:
    journal = Journal()
    played = Run(scenario, [journal], is_judged=False)  # type: ignore[list-item]  # it takes the records as they come
    played.advance(scenario.duration_ms)
    recount = Recount(journal.lines, scenario.start_ms, scenario.start_ms + scenario.duration_ms, scenario.system)
    said = run.measures
    for name, share, counted in zip(said.used_share, said.used_share.values(), recount.shares(), strict=True):
        if abs(share - counted) > NEAR:
            yield f"{name} held {share:.4f}, by the journal {counted:.4f}"
    yield from _unlike(said, recount)


def _unlike(said: RunMeasures, recount: Recount) -> Iterator[str]:
    pairs = {
        "waits": (said.waits, recount.waits()),
        "containers": (said.containers, recount.containers),
        "refused": (said.refused, recount.refused),
        "finished, ended otherwise, not ended": ((said.finished, said.failed, said.unfinished), recount.states()),
    }
    yield from (f"{name} {one}, by the journal {other}" for name, (one, other) in pairs.items() if one != other)


def main(names: list[str]) -> int:
    """Recount the scenarios of these names; all where none is named."""
    found = False
    for name in names or restarting():
        scenario = load(name)
        for policy in policies_for(scenario):
            try:
                wrong = list(differences(scenario, policy))
            except ConfigError as refusal:
                sys.stdout.write(f"{name} and {policy}: not compared, {refusal}\n")
                continue
            found = found or bool(wrong)
            sys.stdout.write("\n".join(wrong or [f"{name} and {policy}: as by their journals"]) + "\n")
            sys.stdout.flush()
    return int(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
