"""Alerts among the events that `schedlab play` writes."""

import sys
from collections.abc import Callable

import msgspec

from engine.explain.alert import Alert
from engine.explain.alerts import Alerts
from engine.scenario import Scenario
from engine.simulation.simulation import Simulation
from tui import format as text


class AlertStream:
    """Writes alerts as they form: a line, or a JSON object with `kind` `Alert`."""

    def __init__(self, scenario: Scenario, before_write: Callable[[], None], *, as_json: bool) -> None:
        self.alerts = Alerts()
        """To be added to the run's listeners."""
        self._start_ms = scenario.start_ms
        self._offset_ms = scenario.offset_ms
        self._before_write = before_write
        self._as_json = as_json

    def look(self, simulation: Simulation) -> None:
        """Write what is new."""
        for alert in self.alerts.look(simulation):
            if alert.kind != "refused" or self._as_json:  # a refusal is an event of its own
                self._before_write()
                sys.stdout.write(self._json(alert) if self._as_json else self._line(alert))

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
