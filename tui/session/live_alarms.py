"""Alarms of a live cluster as they are told: with what its twin says, which is asked in the background."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from engine.live.alarm_rules import Alarm
from engine.live.alarms import Alarms, alert_of
from engine.observe.snapshot import Header
from tui.session.advice import Advice


class LiveAlarms:
    """Gives alarms on with the best remedy, and finds out whether the cluster is frozen."""

    def __init__(
        self,
        alarms: Alarms,
        advice: Advice | None,
        on_alarm: Callable[[Alarm], object],
        tell: Callable[[str, str], None],
        changed: Callable[[], None],
    ) -> None:
        """Ask nothing yet.

        Args:
            advice: None where no twin is asked.
            tell: Says a sentence, given how grave it is.
            changed: Is called where an alarm says something else between two rounds.
        """
        self._alarms, self._advice = alarms, advice
        self._on_alarm, self._tell, self._changed = on_alarm, tell, changed
        self._asking: set[asyncio.Task[None]] = set()
        self._judging: asyncio.Task[None] | None = None
        self._kept_back: set[tuple[str, int]] = set()
        """Rule and begin of alarms that wait for a remedy."""

    def take(self, alarms: list[Alarm], whole: Header) -> None:
        """Tell what a round brought; `whole` is of the last one that asked for every page."""
        is_free = self._judging is None or self._judging.done()
        if self._advice is not None and is_free and self._alarms.is_to_judge(whole):
            self._judging = self._begin(self._judge(whole, self._advice))
        for alarm in alarms:
            self._tell(alarm.sentence, "information" if alarm.is_over else "warning")
            if alarm.is_over or not alarm.holders or self._advice is None:
                self._on_alarm(alarm)
            else:
                self._kept_back.add((alarm.rule, alarm.since_ms))
                _ = self._begin(self._advised(alarm, self._advice))

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        return task

    async def close(self) -> None:
        """Ask no more; alarms that wait for a remedy are given on without."""
        for task in self._asking:
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)

    async def _judge(self, whole: Header, advice: Advice) -> None:
        """Find out whether the cluster is frozen; an alarm that was given on already is given on again."""
        for alarm in self._alarms.judge(whole, await advice.freeze()):
            self._tell(alert_of(alarm).sentence, "warning")
            if (alarm.rule, alarm.since_ms) not in self._kept_back:
                self._on_alarm(alarm)
        self._changed()

    async def _advised(self, alarm: Alarm, advice: Advice) -> None:
        """Give an alarm on with the best remedy tried; without one where the program ends before."""
        remedy = ""
        try:
            if self._judging is not None:
                await asyncio.wait({self._judging})
            remedy = await advice.remedy(alarm.holders[0].application)
        finally:
            self._kept_back.discard((alarm.rule, alarm.since_ms))
            self._on_alarm(self._alarms.add_remedy(alarm, remedy))
        if remedy:
            self._tell(remedy, "warning")
