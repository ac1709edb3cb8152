"""The alerts about applications that are held up: one for all of a queue with the same verdict and pattern."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from engine.control_plane.cluster_view import ApplicationSummary
from engine.explain.alert import Alert, alert_of, named
from engine.explain.explainers import explainer_of
from engine.explain.outage_alerts import OutageAlerts
from engine.explain.verdict import Verdict
from engine.model.decision import Allocated, ApplicationTransitioned, owner_of
from engine.observe.system_words import words_of
from engine.simulation.records import AskChanged, Record
from engine.simulation.simulation import Simulation

Key = tuple[str, str, str]
"""(queue, kind, pattern or verdict)."""


class _Reported(NamedTuple):
    """An application in an alert, and what was judged of it."""

    key: Key
    priority: int | None
    """Priority of the ask it is about."""
    judged_ms: int
    """The instant of the verdict [epoch ms]."""
    alert: Alert
    """The alert about this application as it was when it joined."""


class StarvationAlerts:
    """Begins and ends the alerts; gets every record."""

    def __init__(self, outages: OutageAlerts) -> None:
        self._outages = outages
        self._posted: dict[Key, Alert] = {}
        """The standing alerts as they formed; the end of an alert repeats its beginning."""
        self.standing: dict[Key, Alert] = {}
        """The alerts that hold now, each about an application that still waits."""
        self._reported: dict[int, _Reported] = {}
        self._served: list[int] = []

    @property
    def known(self) -> Collection[int]:
        """Applications of the alerts that hold now."""
        return self._reported.keys()

    @property
    def is_served(self) -> bool:
        """Tell whether an application in an alert was given something, or ended."""
        return bool(self._served)

    def judged_ms(self, number: int) -> int:
        """Return the instant of the verdict that put an application into an alert [epoch ms]; -1 if it is in none."""
        reported = self._reported.get(number)
        return -1 if reported is None else reported.judged_ms

    def records(self, records: Sequence[Record]) -> None:
        """Note who is given something, asks for something, or ends."""
        for record in records:
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
        """End alerts whose applications all were given something, ask no more, ended or are in an alert of an outage.

        Where only the one an alert names has, the alert is about the next one.
        """
        served, self._served, told = self._served, [], self._outages.told
        served += [one for one, each in self._reported.items() if one in told or not _is_asking(simulation, one, each)]
        return [over for number in served if (over := self._end(number, simulation.now_ms)) is not None]

    def _end(self, number: int, now_ms: int) -> Alert | None:
        reported = self._reported.pop(number, None)
        if reported is None:
            return None
        key = reported.key
        others = [each.alert for each in self._reported.values() if each.key == key]
        # Another application of the alert still waits: the alert stands, and is about that one.
        if others:
            self.standing[key] = others[0] if self.standing[key] is reported.alert else self.standing[key]
            return None
        stood, posted = self.standing.pop(key), self._posted.pop(key)
        where = f" in {key[0]}" if number >= 0 else ""
        how = "waits for the end of an outage" if number in self._outages.told else "waits no longer"
        sentence = f"{stood.pattern or stood.verdict}: {named(number, stood.noun)}{where} {how}"
        return Alert("over", posted.since_ms, now_ms, sentence, applications=posted.applications)

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
        key, before, new = (each.queue, kind, pattern or verdict.verdict), self._reported.get(number), list[Alert]()
        if before is not None and before.key != key and (over := self._end(number, now_ms)) is not None:
            new.append(over)
        if not kind:
            return new
        explainer = explainer_of(here)
        is_of_several = len(explainer.priorities(number)) > 1 or explainer.is_served_beside(number, verdict.priority)
        priority = verdict.priority if is_of_several else None
        noun = words_of(here.control_plane.dimensions).application
        alert = alert_of(each, verdict, pattern, Alert(kind, since_ms, now_ms, "", priority=priority, noun=noun))
        if before is not None and before.key == key:
            alert = before.alert
        self._reported[number] = _Reported(key, verdict.priority, here.now_ms, alert)
        if key not in self.standing:
            self.standing[key] = self._posted[key] = alert
            new.append(alert)
        return new


def _is_asking(simulation: Simulation, number: int, reported: _Reported) -> bool:
    """Tell whether an application still waits for what an alert is about."""
    found = simulation.control_plane.view().application(number)
    asked = explainer_of(simulation).priorities(number)
    is_asked = reported.priority is None or not asked or reported.priority in asked
    return found is not None and found.waits and is_asked
