"""The scenario of a recording: its script, with the instants that the script leaves open as they were.

From the recording come the rhythms of the nodes' heartbeats and of the background passes, when each application reached
the scheduler and how soon its master started, with which call it asked and ended, the numbers of the applications, how
long the containers ran (drawn as the real player drew them), when a silent node was lost,
and what was done from outside. Everything else is the script's.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any, Final

from engine.scenario import Scenario
from engine.settings.site import NODE_EXPIRY
from tests.gates.fidelity.masters import AM_START_MS
from tests.gates.fidelity.recording import Recording
from tests.gates.fidelity.script import NODE_ACTS, PlayedAsk, Submission

UNREGISTER_S: Final = 1
"""A master ends with the second of two calls."""
NEVER: Final = "1d"
"""A master that asks for nothing never ends by itself."""
OUTCOMES: Final = {"SUCCEEDED": "FINISHED", "FAILED": "FAILED", "CRASH": "CRASHED"}


def scenario_of(recording: Recording) -> Scenario:
    """What the simulation plays; it begins when the real ResourceManager started."""
    script, start_ms = recording.script, recording.start_ms
    fields: dict[str, Any] = {
        "name": recording.name,
        "start": datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=start_ms),
        "duration_ms": recording.timeline.end_ms - start_ms,
        "seed": script.seed,
        "scheduler": recording.policy,
        "settings": {
            **script.settings(recording.era, recording.scheduler),
            "yarn.scheduler.fair.update-interval-ms": str(recording.update_ms),
            **_expiry(recording),
        },
        "cluster": {
            "nodes": list(_nodes(recording)),
            "am_own_rhythm": True,
            "register_delay_ms": AM_START_MS + round(median(recording.masters.latencies_ms.values())),
            "exit_delay": UNREGISTER_S,
        },
        "workload": [
            _application(recording, number, submission) for number, submission in sorted(recording.matched.items())
        ],
        "faults": [
            {**NODE_ACTS[act["do"]], "node": act["node"], "at": recording.after_start_s(recording.due_ms(act["at"]))}
            for act in script.data.get("do", ())
            if act["do"] in NODE_ACTS
        ],
        "script": list(_acts(recording)),
    }
    if recording.scheduler == "fair":
        fields["allocations"] = "\n".join(script.data["fair"])
    return Scenario.model_validate(fields)


def _expiry(recording: Recording) -> dict[str, str]:
    """The interval after which the lost node expired; the real monitor looks only every third of its own.

    Empty where none is lost.
    """
    for act in recording.script.data.get("do", ()):
        if act["do"] == "lose":
            last_ms = recording.nodes[act["node"]].last_ms(recording.due_ms(act["at"]))
            lost_ms = next((time_ms for time_ms, state in recording.states_of(act["node"]) if state == "LOST"), None)
            return {} if lost_ms is None else {NODE_EXPIRY.name: str(lost_ms - last_ms)}
    return {}


def _nodes(recording: Recording) -> Iterator[dict[str, Any]]:
    """The nodes with the phases of their heartbeats, which one thread after the other began."""
    rhythms, has_labels = recording.nodes, recording.policy == "capacity-3.4"
    for node in recording.script.nodes():
        label = node.pop("label")
        yield {**node, "phase_ms": rhythms[node["host"]].phase_ms, "partition": label if has_labels else ""}


def _application(recording: Recording, number: int, submission: Submission) -> dict[str, Any]:
    spec = submission.spec
    memory_mb, vcores = spec.get("am", (1024, 1))
    durations_s = recording.durations_s.get(number, {})
    fields = {
        "type": "scripted",
        "number": number,
        "name": submission.name,
        "user": spec["user"],
        "queue": spec["queue"],
        "at": recording.after_start_s(recording.scheduled_ms.get(number, recording.applications[number].first_ms)),
        "am": {"memory": memory_mb, "vcores": vcores},
        "application_type": spec["type"],
        "max_attempts": spec.get("max_attempts", 1),
        "outcome": OUTCOMES[spec.get("final", "SUCCEEDED")],
        "asks": [
            {**form, "duration": duration}
            for ask in submission.asks()
            for form, duration in _asks(
                recording,
                ask,
                recording.masters.asks_after_s(number, submission, ask),
                durations_s.get(ask.priority, []),
            )
        ],
    }
    if number in recording.masters.latencies_ms:
        fields["register_delay_ms"] = AM_START_MS + recording.masters.latencies_ms[number]
    if "finish" in spec or not spec.get("asks"):
        finish_s = spec.get("finish")
        fields["ends_after"] = NEVER if finish_s is None else recording.masters.ends_after_s(number, finish_s)
    if recording.era == "3.4" and "priority" in spec:
        fields["priority"] = spec["priority"]
    return fields


def _asks(
    recording: Recording, ask: PlayedAsk, after_s: int, durations_s: list[float]
) -> Iterator[tuple[dict[str, Any], float | str]]:
    """One ask for each container, as each runs for a time of its own; one for all that run for ever."""
    spec = ask.spec
    form = {
        "priority": ask.priority,
        "at": after_s,
        "memory": spec["memory"],
        "vcores": spec.get("vcores", 1),
        "hosts": spec.get("hosts", []),
        "racks": spec.get("racks", []),
        "relax": spec.get("relax", True),
    }
    count = spec.get("count", 1)
    if spec.get("per_node"):
        for place, node in enumerate(recording.script.nodes()):
            named = {"priority": ask.priority + place, "hosts": [node["host"]], "racks": [node["rack"]], "relax": False}
            yield {**form, **named}, "forever"
    elif not ask.high_s:
        yield {**form, "count": count}, "forever"
    else:
        mean_s = (ask.low_s + ask.high_s) / 2
        for place in range(count):
            yield form, round(durations_s[place] if place < len(durations_s) else mean_s, 3)


def _acts(recording: Recording) -> Iterator[dict[str, Any]]:
    for number, each in recording.applications.items():
        killed_ms = next((time_ms for time_ms, state in each.states if state in ("KILLING", "KILLED")), None)
        if killed_ms is not None:
            yield {"do": "kill", "at": recording.after_start_s(killed_ms), "application": f"{number:04d}"}
    for time_ms, number, queue in recording.moves:
        yield {"do": "move", "at": recording.after_start_s(time_ms), "application": f"{number:04d}", "queue": queue}
