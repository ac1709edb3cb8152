"""The alerts about applications that are held up: one for all of a queue with the same verdict and pattern."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from engine.control_plane.cluster_view import ApplicationSummary, asking
from engine.control_plane.protocol import (
    JobTrackerStarted,
    JobTrackerStopped,
    ResourceManagerStarted,
    ResourceManagerStopped,
)
from engine.explain.alert import Alert, alert_of, named
from engine.explain.explainers import explainer_of
from engine.explain.outages import Key as OutagesKey
from engine.explain.outages import Outage, control_plane_key, outages
from engine.explain.verdict import Verdict
from engine.model.decision import Allocated, ApplicationTransitioned, owner_of
from engine.observe.snapshots import terms_for
from engine.simulation.records import AskChanged, Record
from engine.simulation.simulation import Simulation
from engine.units import format_duration

# Keeps the alerts of outages: one when something goes away, one when it is back.

STOPPED: Final = (ResourceManagerStopped, JobTrackerStopped)
STARTED: Final = (ResourceManagerStarted, JobTrackerStarted)


class OutageAlerts:
    """A listener that keeps what is away, as last looked; an outage between two looks is told at the next."""

    def __init__(self) -> None:
        self._found: dict[OutagesKey, tuple[Outage, Alert]] = {}  # Each outage as it was found, with its alert
        self._now: dict[OutagesKey, Alert] = {}  # The alerts in the words of now
        self._stopped_ms: int | None = None
        self._between: tuple[int, int] | None = None
        """Since when and until when no control plane answered, since the last look."""

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, STOPPED):
                self._stopped_ms = time_ms
            elif isinstance(record, STARTED) and self._stopped_ms is not None:
                self._between, self._stopped_ms = (self._stopped_ms, time_ms), None

    @property
    def active_alerts(self) -> tuple[Alert, ...]:
        """The alerts that hold, the gravest first."""
        return tuple(self._now.values())

    @property
    def told(self) -> set[int]:
        """The applications that these alerts are about."""
        return {number for alert in self.active_alerts for number in alert.applications}

    def others(self, simulation: Simulation) -> list[ApplicationSummary]:
        """Return the applications that ask for something and are in none of these alerts, the longest waiting first."""
        told = self.told
        return [each for each in asking(simulation.control_plane.view()) if each.number not in told]

    def look(self, simulation: Simulation) -> list[Alert]:
        """Return the alerts that are new: outages, and the ends of others."""
        there, now_ms = {each.key: each for each in outages(simulation)}, simulation.now_ms
        if not there and not self._found and self._between is None:
            return []
        new = [*self._missed(simulation), *self._over(there.keys(), now_ms)]
        for key, outage in there.items():
            if key not in self._found:
                self._found[key] = (outage, _alert(outage, now_ms))
                new.append(self._found[key][1])
            first = self._found[key][1]
            self._now[key] = _alert(outage._replace(since_ms=first.since_ms), first.found_ms)
        return new

    def _missed(self, simulation: Simulation) -> Iterator[Alert]:
        between, self._between = self._between, None
        key = control_plane_key(simulation)
        if between is None or key in self._found:
            return
        since_ms, until_ms = between
        name = terms_for(simulation.control_plane.dimensions).master
        words = f"no {name} answered for {format_duration(until_ms - since_ms)}"
        yield Alert("outage", since_ms, simulation.now_ms, words, ends_ms=until_ms)
        yield Alert("over", since_ms, simulation.now_ms, f"the {name} answers again")

    def _over(self, there: Collection[OutagesKey], now_ms: int) -> Iterator[Alert]:
        for key in [each for each in self._found if each not in there]:
            outage, alert = self._found.pop(key)
            del self._now[key]
            yield alert.over(now_ms, f"over after {format_duration(now_ms - alert.since_ms)}: {outage.what}")


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


Key = tuple[str, str, str]  # (queue, kind, pattern or verdict)


class _Reported(NamedTuple):
    key: Key
    priority: int | None  # Priority of the ask it is about
    alert: Alert  # The alert about this application as it was when it joined


class StarvationAlerts:
    """Begins and ends the alerts; gets every record."""

    def __init__(self, outages: OutageAlerts) -> None:
        self._outages = outages
        self._posted: dict[Key, Alert] = {}
        """The standing alerts as they formed; the end of an alert repeats its beginning."""
        self.standing: dict[Key, Alert] = {}  # The alerts that hold now, each about an application that still waits
        self._reported: dict[int, _Reported] = {}
        self._turns: list[tuple[int, int, _Reported | None]] = []
        """(when [epoch ms], application, what it was judged to be; None: it is in no alert any more), oldest first."""
        self._served: list[int] = []

    def resumed(self, time_ms: int, outages: OutageAlerts) -> "StarvationAlerts":
        """Return the alerts of a run that is taken up again at an earlier instant [epoch ms]."""
        other = StarvationAlerts(outages)
        for turn in self._turns:
            if turn[0] <= time_ms:
                other._take(*turn)
        return other

    def _take(self, time_ms: int, number: int, reported: _Reported | None) -> Alert | None:
        """Put an application into its alert, or out of the one it is in; return the alert that ends thereby, as posted.

        Where only the application is gone that an alert names, the alert is about the next one.
        """
        self._turns.append((time_ms, number, reported))
        if reported is not None:
            self._reported[number] = reported
            if reported.key not in self.standing:
                self.standing[reported.key] = self._posted[reported.key] = reported.alert
            return None
        gone = self._reported.pop(number)
        others = [each.alert for each in self._reported.values() if each.key == gone.key]
        if not others:
            del self.standing[gone.key]
            return self._posted.pop(gone.key)
        if self.standing[gone.key] is gone.alert:
            self.standing[gone.key] = others[0]
        return None

    @property
    def known(self) -> Collection[int]:
        """Applications of the alerts that hold now."""
        return self._reported.keys()

    @property
    def is_served(self) -> bool:
        """Tell whether an application in an alert was given something, or ended."""
        return bool(self._served)

    def records(self, records: Sequence[Record]) -> None:
        for record in records if self._reported else ():
            if isinstance(record, Allocated):
                self._note_served(owner_of(record.container), record.priority)
            elif isinstance(record, AskChanged) and not record.count:
                self._note_served(record.application, record.priority)
            elif isinstance(record, ApplicationTransitioned) and record.is_end:
                self._note_served(record.application, None)

    def _note_served(self, number: int, priority: int | None) -> None:
        reported = self._reported.get(number)
        if reported is not None and (priority is None or reported.priority in (None, priority)):
            self._served.append(number)

    def over(self, simulation: Simulation) -> list[Alert]:
        """End alerts whose applications all were given something, ask no more, ended or are in an outage's alert."""
        if not self._reported:
            return []
        served, self._served, told = self._served, [], self._outages.told
        served += [one for one, each in self._reported.items() if one in told or not _is_asking(simulation, one, each)]
        return [over for number in served if (over := self._end(number, simulation.now_ms)) is not None]

    def _end(self, number: int, now_ms: int, how: str = "waits no longer") -> Alert | None:
        reported = self._reported.get(number)
        if reported is None:
            return None
        key = reported.key
        stood = self.standing[key]
        posted = self._take(now_ms, number, None)
        if posted is None:
            return None
        where = f" in {key[0]}" if key[0] and number >= 0 else ""
        if number != posted.applications[0]:
            where += ", the last so held up,"
        how = "waits for the end of an outage" if number in self._outages.told else how
        sentence = f"{stood.pattern or stood.verdict}: {named(number, stood.noun)}{where} {how}"
        return posted.over(now_ms, sentence)

    def judge(
        self,
        here: Simulation,
        each: ApplicationSummary,
        found: tuple[Verdict, str],
        kind: str,
        span_ms: tuple[int, int],
    ) -> list[Alert]:
        """Take the verdict and pattern found at an instant; return the alerts that begin or end.

        Args:
            here: The instant.
            kind: The kind of the alert that the verdict is worth; empty for none.
            span_ms: Since when it waits, and the present [epoch ms].
        """
        (verdict, pattern), (since_ms, now_ms), number = found, span_ms, each.number
        terms = terms_for(here.control_plane.dimensions)
        each = each if terms.has_queues else each._replace(queue="")
        key, before, new = (each.queue, kind, pattern or verdict.verdict), self._reported.get(number), list[Alert]()
        if before is not None and before.key != key:
            over = self._end(number, now_ms, "waits for another reason" if kind else "will be given what it asks for")
            new += [] if over is None else [over]
        if not kind:
            return new
        explainer = explainer_of(here)
        is_of_several = len(explainer.priorities(number)) > 1 or explainer.is_served_beside(number, verdict.priority)
        priority = verdict.priority if is_of_several else None
        begun = Alert(kind, since_ms, now_ms, "", priority=priority, noun=terms.application)
        alert = alert_of(each, verdict, pattern, begun)
        if before is not None and before.key == key:
            alert = before.alert
        is_new = key not in self.standing
        _ = self._take(now_ms, number, _Reported(key, verdict.priority, alert))
        return [*new, alert] if is_new else new


def _is_asking(simulation: Simulation, number: int, reported: _Reported) -> bool:
    found = simulation.control_plane.view().application(number)
    asked = explainer_of(simulation).priorities(number)
    is_asked = reported.priority is None or not asked or reported.priority in asked
    return found is not None and found.waits and is_asked
