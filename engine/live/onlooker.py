"""Observes what no answer states of applications: since when they wait, how long their masters start."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.live.yarn_answers import ApplicationInfo
from engine.live.yarn_picture import Round, asks_of
from engine.model.lifecycle import FINAL_APPLICATION_STATES

LEAST: Final = 3
"""Starts that must have been seen."""


class MasterStarts:
    """Measures the time masters take from their container to their registration.

    By Little's law: the sum over all looks of masters that are starting, times the time since the look before, divided
    by the number that began to run, is the mean.
    """

    def __init__(self) -> None:
        self._running: frozenset[str] | None = None
        self._looked_ms = 0
        self._spent_ms = 0
        self._began = 0

    def look(self, applications: Sequence[ApplicationInfo], now_ms: int) -> None:
        """Look at the applications that live [epoch ms]."""
        running = frozenset(each.id for each in applications if each.state == "RUNNING")
        if self._running is not None:
            starting = sum(each.state == "ACCEPTED" and each.running_containers > 0 for each in applications)
            self._spent_ms += starting * (now_ms - self._looked_ms)
            self._began += len(running - self._running)
        self._running, self._looked_ms = running, now_ms

    @property
    def mean_ms(self) -> int | None:
        """The mean; None where too few were seen."""
        return self._spent_ms // self._began if self._began >= LEAST else None


def with_since(answers: Round, before: Mapping[str, int]) -> dict[str, int]:
    """Since when applications wait, as far as one who looks on can tell.

    One that does not run yet waits since it was submitted; any other since the round in which it first asked for
    something, and had asked for nothing in the round before.
    """
    since: dict[str, int] = {}
    for each in answers.applications:
        if each.state in FINAL_APPLICATION_STATES or not any(True for _ in asks_of(each.requests)):
            continue
        first = each.started_time if each.state != "RUNNING" else answers.time_ms
        since[each.id] = before.get(each.id, first)
    return since
