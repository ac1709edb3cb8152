"""Keeps the alerts of outages: one when something goes away, one when it is back."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from engine.control_plane.cluster_view import ApplicationSummary, asking
from engine.control_plane.job_tracker_events import JobTrackerStarted, JobTrackerStopped
from engine.control_plane.protocol import ResourceManagerStarted, ResourceManagerStopped
from engine.explain.alert import Alert
from engine.explain.outages import Key, Outage, control_plane_key, outages
from engine.observe.system_words import words_of
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from engine.units import format_duration

STOPPED: Final = (ResourceManagerStopped, JobTrackerStopped)
STARTED: Final = (ResourceManagerStarted, JobTrackerStarted)


class OutageAlerts:
    """A listener that keeps what is away, as last looked; an outage between two looks is told at the next."""

    def __init__(self) -> None:
        self._found: dict[Key, tuple[Outage, Alert]] = {}
        """Each outage as it was found, with its alert."""
        self._now: dict[Key, Alert] = {}
        """The alerts in the words of now."""
        self._stood_at: object = None
        self._stopped_ms: int | None = None
        self._between: tuple[int, int] | None = None
        """Since when and until when no control plane answered, since the last look."""

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Note when a control plane stops and starts."""
        for record in records:
            if isinstance(record, STOPPED):
                self._stopped_ms = time_ms
            elif isinstance(record, STARTED) and self._stopped_ms is not None:
                self._between, self._stopped_ms = (self._stopped_ms, time_ms), None

    @property
    def standing(self) -> tuple[Alert, ...]:
        """The alerts that hold, the gravest first."""
        return tuple(self._now.values())

    @property
    def told(self) -> set[int]:
        """The applications that these alerts are about."""
        return {number for alert in self.standing for number in alert.applications}

    def others(self, simulation: Simulation) -> list[ApplicationSummary]:
        """Return who asks for something and is in none of these alerts, the longest waiting first."""
        told = self.told
        return [each for each in asking(simulation.control_plane.view()) if each.number not in told]

    def look(self, simulation: Simulation) -> list[Alert]:
        """Return the alerts that are new: outages, and the ends of others."""
        if self._stood_at == simulation.stands_at():
            return []
        self._stood_at, now_ms = simulation.stands_at(), simulation.now_ms
        there = {each.key: each for each in outages(simulation)}
        new = [*self._missed(simulation), *self._over(there.keys(), now_ms)]
        for key, outage in there.items():
            if key not in self._found:
                self._found[key] = (outage, _alert(outage, now_ms))
                new.append(self._found[key][1])
            first = self._found[key][1]
            self._now[key] = _alert(outage._replace(since_ms=first.since_ms), first.found_ms)
        return new

    def _missed(self, simulation: Simulation) -> Iterator[Alert]:
        """The outage of a control plane that began and ended since the last look."""
        between, self._between = self._between, None
        key = control_plane_key(simulation)
        if between is None or key in self._found:
            return
        since_ms, until_ms = between
        name = words_of(simulation.control_plane.dimensions).master
        words = f"no {name} answered for {format_duration(until_ms - since_ms)}"
        yield Alert("outage", since_ms, simulation.now_ms, words, ends_ms=until_ms)
        yield Alert("over", since_ms, simulation.now_ms, f"the {name} answers again")

    def _over(self, there: Collection[Key], now_ms: int) -> Iterator[Alert]:
        for key in [each for each in self._found if each not in there]:
            outage, alert = self._found.pop(key)
            del self._now[key]
            words = f"over after {format_duration(now_ms - alert.since_ms)}: {outage.what}"
            yield Alert("over", alert.since_ms, now_ms, words, applications=alert.applications)


def _alert(outage: Outage, now_ms: int) -> Alert:
    ends = outage.ends
    if outage.ends_ms is not None:
        ends += f" after {format_duration(outage.ends_ms - outage.since_ms)}"
    sentence = f"{outage.what}: {outage.blocks}; {ends}"
    return Alert(
        "outage",
        outage.since_ms,
        now_ms,
        sentence,
        applications=outage.applications,
        ends_ms=outage.ends_ms,
        topic=outage.what,
    )
