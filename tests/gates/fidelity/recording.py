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
from engine.formats.traces.rm_log import timeline_of
from engine.formats.traces.rm_timeline import LogApplication, ResourceManagerTimeline
from engine.formats.traces.source import TraceSource
from tests.gates.fidelity.log_text import UPDATE_MS, LogText
from tests.gates.fidelity.masters import Masters, application_number
from tests.gates.fidelity.rhythm import BEAT_MS, Rhythm
from tests.gates.fidelity.script import Script, Submission

LOG: Final = "rm-info.log.gz"
FIRST_BEAT_MS: Final = 50
"""From the registration of a node to its first heartbeat, if it is the first one."""
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
        self.nodes = self._rhythms(text)
        """Host → the rhythm of its heartbeats."""
        self.masters = Masters(text, self.timeline, self.nodes, self.start_ms)
        self.scheduled_ms = self._scheduled_ms(text)
        """Number → when the scheduler had taken its first attempt in [epoch ms]."""
        self.durations_s = self.masters.durations_s(self.script, self.matched)
        """Number → priority → how long each container ran that its master fetched, in this order."""
        self.moves = list(self._moves(text, folder / "index.json"))
        """(epoch ms, number, queue) of applications that were moved."""

    @property
    def policy(self) -> str:
        return "fifo" if self.scheduler == "fifo" and self.era == "2.7" else f"{self.scheduler}-{self.era}"

    def due_ms(self, script_s: float) -> int:
        """An instant of the script [epoch ms]."""
        return self.begin_ms + round(1000 * script_s)

    def after_start_s(self, time_ms: float) -> float:
        """An instant, counted from the start of the simulation [s]."""
        return round((time_ms - self.start_ms) / 1000, 3)

    def states_of(self, host: str) -> list[tuple[int, str]]:
        return next(each.states for identity, each in self.timeline.nodes.items() if identity.startswith(f"{host}:"))

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
        """As the log says, which may write it after the heartbeat that the first container was allocated on."""
        found = text.scheduled()
        for each in self.timeline.containers.values():
            number = application_number(each.application)
            before_ms = self.masters.heartbeat_ms(each, each.allocated_ms) - 1
            found[number] = min(found.get(number, before_ms), before_ms)
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

    def _rhythms(self, text: LogText) -> dict[str, Rhythm]:
        """As the scheduler's own log has them; else each node beats as its registration has it."""
        nodes, found = list(self.script.nodes()), {}
        for place, node in enumerate(nodes):
            registered_ms = self.timeline.nodes[f"{node['host']}:{node['port']}"].states[0][0]
            due_ms = registered_ms + FIRST_BEAT_MS + BEAT_MS * place // len(nodes)
            found[node["host"]] = Rhythm.of(text.beats_ms.get(node["host"], [due_ms]), self.start_ms)
        return found
