"""Alerts among the events that `schedlab play` writes, and at the end who was not judged."""

import sys
from collections.abc import Callable
from typing import Final

import msgspec

from engine.explain.alert import Alert
from engine.explain.alerts import Alerts
from engine.scenario import Scenario
from engine.simulation.simulation import Simulation
from tui import format as text

NAMED: Final = 5
"""How many of those that were not judged are named."""


class AlertStream:
    """Writes alerts as they form: a line, or a JSON object with `kind` `Alert`."""

    def __init__(self, scenario: Scenario, before_write: Callable[[], None], *, as_json: bool) -> None:
        self.alerts = Alerts()
        """To be added to the run's listeners."""
        self._start_ms = scenario.start_ms
        self._offset_ms = scenario.offset_ms
        self._before_write = before_write
        self._as_json = as_json
        self._seen: Simulation | None = None

    def look(self, simulation: Simulation) -> bool:
        """Write what is new; whether there is nothing more before something happens."""
        self._seen = simulation
        for alert in self.alerts.look(simulation):
            if alert.kind != "refused" or self._as_json:  # a refusal is an event of its own
                self._before_write()
                sys.stdout.write(self._json(alert) if self._as_json else self._line(alert))
        return self.alerts.rests(simulation)

    def not_judged(self) -> list[tuple[int, int]]:
        """Tells who waits when the run ends and was not judged, with since when [ms after the start]."""
        found = self.alerts.not_judged(self._seen) if self._seen is not None else []
        return [(number, since_ms - self._start_ms) for number, since_ms in found]

    def closing_line(self) -> str:
        """The line of the summary about them; empty when there are none."""
        found = self.not_judged()
        if not found:
            return ""
        start_ms, offset_ms = self._start_ms, self._offset_ms
        named = [
            f"{number:04d} since {text.near_instant(start_ms + since_ms, start_ms, offset_ms)}"
            for number, since_ms in found[:NAMED]
        ]
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        return f"not judged    {len(found)} waiting for over a minute: {', '.join(named)}{more}\n"

    def _line(self, alert: Alert) -> str:
        since = text.near_instant(alert.since_ms, self._start_ms, self._offset_ms)
        when = text.near_instant(alert.found_ms, self._start_ms, self._offset_ms)
        first = f"{alert.applications[0]:04d}" if alert.applications else ""
        return f"{when}  {'ALERT':9} {first:>7}  {text.plain(alert.sentence)} (since {since})\n"

    def _json(self, alert: Alert) -> str:
        fields = {**msgspec.to_builtins(alert), "kind": "Alert", "alert": alert.kind}
        fields["since"] = fields.pop("since_ms") - self._start_ms
        fields["found"] = fields.pop("found_ms") - self._start_ms
        return msgspec.json.encode({"at": fields["found"], **fields}).decode() + "\n"
