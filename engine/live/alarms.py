"""The alarms of a watched cluster: which stand, whether it is frozen, and all of them as the screens show alerts."""

from collections.abc import Sequence
from typing import Final

import msgspec

from engine.explain.alert import Alert
from engine.live.alarm_rules import Alarm, AlarmMonitor, Rule
from engine.live.standstill import Standstill
from engine.observe.snapshot import Header, Snapshot

MOST_ALERTS: Final = 1_000
"""Alerts kept, the latest."""

ENDED: Final = "nothing proves any more that the cluster is frozen"
"""The sentence of the end of a freeze while its alarm stands."""


class Alarms:
    """Follows rules, and whether the cluster is frozen."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.alerts: list[Alert] = []
        self.news: list[Alert] = []
        """Alerts that nobody has taken yet."""
        self._monitor = AlarmMonitor(rules)
        self._standstill = Standstill()

    def take(self, snapshot: Snapshot, steady_ms: int) -> list[Alarm]:
        """Take the snapshot of a round; alarms that begin or end with it, or say now that the cluster is frozen."""
        self._standstill.look(snapshot.header, steady_ms)
        alarms = self._monitor.look(snapshot, steady_ms)
        for alarm in alarms:
            if alarm.is_over and alarm.freeze is not None:
                self._add(_over(alert_of(alarm), alarm.time_ms, alarm.sentence))
            begun = alert_of(msgspec.structs.replace(alarm, freeze=None))
            self._add(_over(begun, alarm.time_ms, alarm.sentence) if alarm.is_over else begun)
        return [*alarms, *self._note_freeze(snapshot.header.time_ms)]

    def is_to_judge(self, whole: Header) -> bool:
        """Tell whether it is to be found out of a picture if the cluster is frozen."""
        return self._monitor.knows_reserved and self._standstill.is_due(whole)

    def judge(self, whole: Header, sentence: str) -> list[Alarm]:
        """Take what was proved of a picture, empty where something starts; alarms that say now that it is frozen."""
        self._standstill.judge(whole, sentence)
        return self._note_freeze(whole.time_ms)

    def add_remedy(self, alarm: Alarm, remedy: str) -> Alarm:
        """Have an alarm that stands name a remedy; the alarm with it, also where it is over meanwhile."""
        return self._monitor.add_remedy(alarm, remedy)

    @property
    def standing(self) -> list[Alarm]:
        """Alarms that are not over."""
        return self._monitor.standing

    def _note_freeze(self, now_ms: int) -> list[Alarm]:
        """Have alarms say whether the cluster is frozen; those that say it now. A freeze is an alert beside theirs."""
        changed = self._monitor.add_freeze(self._standstill.freeze)
        for before, alarm in changed:
            if before.freeze is not None:
                self._add(_over(alert_of(before), now_ms, ENDED))
            if alarm.freeze is not None:
                self._add(alert_of(alarm))
        return [alarm for _, alarm in changed if alarm.freeze is not None]

    def _add(self, alert: Alert) -> None:
        self.news = [*self.news, alert][-MOST_ALERTS:]
        self.alerts = [*self.alerts, alert][-MOST_ALERTS:]


def alert_of(alarm: Alarm) -> Alert:
    """An alarm that stands as the screens show it: that the cluster is frozen, where that is proved."""
    numbers = tuple(int(name.rpartition("_")[2]) for name in alarm.applications)
    freeze = alarm.freeze
    if freeze is None:
        return Alert("alarm", alarm.since_ms, alarm.time_ms, alarm.sentence, applications=numbers)
    words = f"{alarm.sentence}; {freeze.sentence}"
    return Alert("frozen", freeze.since_ms, freeze.found_ms, words, applications=numbers)


def _over(alert: Alert, time_ms: int, sentence: str) -> Alert:
    return Alert("over", alert.since_ms, time_ms, sentence, applications=alert.applications)
