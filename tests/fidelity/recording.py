"""What a real ResourceManager did with a script: its log as a timeline, and what the script leaves open.

A folder holds `rm-info.log.gz`, `rm-debug.log.gz`, and `index.json`, the requests it was sent.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from engine.formats.traces.report import ImportReport
from engine.formats.traces.resource_manager_log import timeline_of
from engine.formats.traces.rm_timeline import LogApplication, ResourceManagerTimeline
from engine.formats.traces.source import TraceSource
from tests.fidelity.log_text import UPDATE_MS, LogText
from tests.fidelity.script import JavaRandom, Script, Submission

LOG: Final = "rm-info.log.gz"
BEAT_MS: Final = 1_000
FIRST_BEAT_MS: Final = 50
"""From the registration of a node to its first heartbeat, if it is the first one."""
AM_START_MS: Final = 2_000
"""From the start of a master's process to its registration."""
LOGGED_MS: Final = 5
"""An allocation is in the log at most so long after the heartbeat that it was made on."""
SLACK_S: Final = 0.03
"""So much sooner or later than it should a container's end may be in the log."""
CLOSE_S: Final = 1.5
"""A submission is in the log at most so long from when it was due."""
SCHEDULERS: Final = {"FairScheduler": "fair", "CapacityScheduler": "capacity", "FifoScheduler": "fifo"}


class Recording:
    """One recorded run."""

    def __init__(self, folder: Path, scripts: Sequence[Script]) -> None:
        self.name = folder.name
        self.era = "3.4" if folder.name.startswith("3.") else "2.7"
        with TraceSource.of_file(folder / LOG, ImportReport()) as source:
            self.timeline: ResourceManagerTimeline = timeline_of([source])
        self.scheduler = SCHEDULERS[self.timeline.scheduler]
        self.script, self.matched = self._played(scripts)
        """The script; the submission of each application's number."""
        by_number = {application_number(each.id): each for each in self.timeline.applications.values()}
        self.applications: dict[int, LogApplication] = {number: by_number[number] for number in self.matched}
        """Those of the script, by number."""
        self.begin_ms = round(
            median(each.first_ms - 1000 * self.matched[number].at_s for number, each in self.applications.items())
        )
        """When the script began [epoch ms]: half of the submissions came sooner after they were due, half later."""
        text = LogText(folder)
        self.start_ms, self.update_ms = self._passes(text)
        """Where the rhythm of the background passes begins [epoch ms]; the interval of FairScheduler's updates."""
        self.phases_ms = self._phases_ms(text)
        """Host → when in each second its heartbeat comes [ms after the start]."""
        self.scheduled_ms = self._scheduled_ms(text)
        """Number → when the scheduler had taken its first attempt in [epoch ms]."""
        self.latencies_ms = self._latencies_ms()
        """Number → from the allocation of its master's container until its process began, on this machine."""
        self.durations_s = self._draw(text)
        """Number → priority → how long each container ran that its master fetched, in this order."""
        self.moves = list(self._moves(text, folder / "index.json"))
        """(epoch ms, number, queue) of applications that were moved."""

    @property
    def policy(self) -> str:
        """The scenario's name of the scheduler."""
        return "fifo" if self.scheduler == "fifo" and self.era == "2.7" else f"{self.scheduler}-{self.era}"

    def due_ms(self, script_s: float) -> int:
        """An instant of the script [epoch ms]."""
        return self.begin_ms + round(1000 * script_s)

    def after_start_s(self, time_ms: float) -> float:
        """An instant, counted from the start of the simulation [s]."""
        return round((time_ms - self.start_ms) / 1000, 3)

    def _played(self, scripts: Sequence[Script]) -> tuple[Script, dict[int, Submission]]:
        """The script that explains most applications of the log."""
        first_ms = min(each.first_ms for each in self.timeline.applications.values())
        found = []
        for script in scripts:
            begin_ms = first_ms - round(1000 * min(each.at_s for each in script.submissions))
            found.append((script, dict(self._match(script, begin_ms))))
        return max(found, key=lambda one: len(one[1]))

    def _match(self, script: Script, begin_ms: int) -> Iterator[tuple[int, Submission]]:
        """Each application of the log is the submission of its user that was due nearest to its time."""
        left = list(script.submissions)
        for each in sorted(self.timeline.applications.values(), key=lambda each: each.first_ms):
            at_s = (each.first_ms - begin_ms) / 1000
            near = [one for one in left if one.spec["user"] == each.user and abs(one.at_s - at_s) < CLOSE_S]
            if near:
                chosen = min(near, key=lambda one: abs(one.at_s - at_s))
                left.remove(chosen)
                yield application_number(each.id), chosen

    def _passes(self, text: LogText) -> tuple[int, int]:
        start_ms = self.timeline.starts_ms[-1]
        monitor_ms = text.monitor_ms()
        if monitor_ms is not None:
            return monitor_ms, UPDATE_MS
        updates = text.updates(self.begin_ms) if self.scheduler == "fair" else None
        if updates is None:
            return start_ms, UPDATE_MS
        tick_ms, interval_ms = updates
        return tick_ms - (tick_ms - start_ms) // interval_ms * interval_ms, interval_ms

    def _scheduled_ms(self, text: LogText) -> dict[int, int]:
        """As the log says, which may write it after the first container has been allocated."""
        found = text.scheduled()
        for each in self.timeline.containers.values():
            number = application_number(each.application)
            found[number] = min(found.get(number, each.allocated_ms), each.allocated_ms - LOGGED_MS)
        return found

    def _latencies_ms(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for each in self.timeline.containers.values():
            registered_ms = self.timeline.applications[each.application].registered_ms
            if each.is_master and registered_ms is not None:
                late_ms = max(0, registered_ms - each.allocated_ms - AM_START_MS)
                found.setdefault(application_number(each.application), late_ms)
        return found

    def _draw(self, text: LogText) -> dict[int, dict[int, list[float]]]:
        """One draw for each container that a master fetched, in the order of the log.

        Where two masters drew at once the order is not known; then a container ran half a heartbeat less than it seems.
        """
        random, found = JavaRandom(self.script.seed), dict[int, dict[int, list[float]]]()
        for acquired_ms, container in text.acquired():
            each = self.timeline.containers[container]
            number = application_number(each.application)
            if each.is_master or each.end == "RELEASED" or number not in self.matched:
                continue
            ask = self.matched[number].ask_of_size(each.memory_mb or 0)
            drawn_s = ask.low_s + (ask.high_s - ask.low_s) * random.next_double()
            if each.end == "COMPLETED" and each.ended_ms is not None:
                ran_s = (each.ended_ms - acquired_ms) / 1000
                if not -SLACK_S <= ran_s - drawn_s <= BEAT_MS / 1000 + SLACK_S:
                    drawn_s = ran_s - BEAT_MS / 2000
            found.setdefault(number, {}).setdefault(ask.priority, []).append(drawn_s)
        return found

    def _moves(self, text: LogText, index: Path) -> Iterator[tuple[int, int, str]]:
        asked = {
            int(match[1]): json.loads(entry["request_body"])["queue"]
            for entry in json.loads(index.read_text(encoding="utf-8"))
            if entry["method"] == "PUT" and entry["status"] == 200
            if (match := re.search(r"application_\d+_(\d+)/queue", entry["path"]))
        }
        for time_ms, number in text.moves():
            yield time_ms, number, asked[number]

    def _phases_ms(self, text: LogText) -> dict[str, int]:
        """As the scheduler's own log has them; else each node beats as its registration has it."""
        nodes, logged = list(self.script.nodes()), text.phases(BEAT_MS, self.start_ms)
        found = {}
        for place, node in enumerate(nodes):
            registered_ms = self.timeline.nodes[f"{node['host']}:{node['port']}"].states[0][0]
            due_ms = registered_ms + FIRST_BEAT_MS + BEAT_MS * place // len(nodes)
            found[node["host"]] = logged.get(node["host"], (due_ms - self.start_ms) % BEAT_MS)
        return found


def application_number(identity: str) -> int:
    """The number in an application's id."""
    return int(identity.rpartition("_")[2])
