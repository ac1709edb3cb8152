"""The acts of a session: what the user does to the cluster, by id, becomes an action of the simulation."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from pydantic import TypeAdapter

from engine.errors import EngineError, RefusedError
from engine.run.named_acts import resolved_in
from engine.scenario.acts import (
    Act,
    DrainNode,
    KillApplication,
    MoveApplication,
    ReturnNode,
    SetPreemption,
    SetQueueSetting,
    SetReservationRule,
    SetSetting,
    SubmitApplication,
)
from engine.scenario.timed_acts import ScriptedAct, TimedAct
from tui.session.driving import RunDriver
from tui.session.presets import Presets
from tui.session.previews import preview
from tui.session.time_travel import NOT_HERE
from tui.view_state import ActResult, SettingPreview, refused

_STEP: Final[TypeAdapter[TimedAct]] = TypeAdapter(ScriptedAct)
"""Reads a step of a script."""


class SessionActs:
    """Acts on one run; implements `session_protocol.ActsProtocol`."""

    def __init__(
        self, driver: RunDriver, presets: Presets, aside: Callable[[], AbstractContextManager[object]] | None = None
    ) -> None:
        """Act on the run of a driver.

        Args:
            driver: Drives the run.
            presets: What the form that submits begins with.
            aside: Surrounds each act of somebody who looks at another screen, so that it does not count that this one
                looks at the past; None for whoever sits here.
        """
        self._driver, self._presets, self._aside = driver, presets, aside

    def _is_past(self) -> bool:
        return self._aside is None and self._driver.travel.simulation is not None

    def _act(self, action: Act) -> ActResult:
        """Do it, unless the past is looked at."""
        driver = self._driver
        if self._is_past():
            return refused(NOT_HERE)
        try:
            with self._aside() if self._aside is not None else nullcontext():
                answer = driver.run.simulation.act(action)
        except EngineError as error:
            return refused(str(error))
        driver.keeping.sync()
        driver.check_keeping()
        driver.changed()
        return refused((answer.detail or answer.rejected) if answer.rejected else "")

    def _number_of(self, application: str) -> int | None:
        rows = self._driver.run.snapshot().applications(why=False)
        return next((row.number for row in rows if row.id == application), None)

    async def kill(self, application: str) -> ActResult:
        """Kill an application by id."""
        number = self._number_of(application)
        return refused(_gone(application)) if number is None else self._act(KillApplication(number))

    async def move(self, application: str, queue: str) -> ActResult:
        """Move an application by id to a queue."""
        number = self._number_of(application)
        name = self._driver.run.simulation.control_plane.view().queue_name(queue)
        return refused(_gone(application)) if number is None else self._act(MoveApplication(number, name))

    async def submit(self, fields: Mapping[str, str]) -> ActResult:
        """Submit what a form says, and offer it as the last the next time."""
        spec, problems = self._presets.spec_of(fields)
        if spec is None:
            return ActResult(tuple(problems))
        result = self._act(SubmitApplication.of(spec))
        if not result.problems:
            self._presets.remember(spec)
        return result

    async def set_preemption(self, *, on: bool) -> ActResult:
        """Switch preemption."""
        return self._act(SetPreemption(on))

    async def set_reservation_rule(self, rule: str) -> ActResult:
        """Choose the reservation rule."""
        return self._act(SetReservationRule(rule))

    async def set_spread_out(self, *, on: bool) -> ActResult:
        """Choose between spreading out and packing."""
        return self._act(SetSetting("spark.deploy.spreadOutApps", "true" if on else "false"))

    async def try_queue_setting(self, queue: str, key: str, value: str) -> SettingPreview:
        """What a setting of a queue would do, tried on a copy."""
        if self._is_past():
            return SettingPreview(refusal=NOT_HERE)
        return preview(self._driver.run.simulation, SetQueueSetting(queue, key, value))

    async def set_queue(self, queue: str, key: str, value: str) -> ActResult:
        """Change a setting of a queue."""
        return self._act(SetQueueSetting(queue, key, value))

    async def follow(self, step: Mapping[str, Any]) -> ActResult:
        """Do what a step of a script says."""
        try:
            return self._act(resolved_in(self._driver.run.snapshot(), _STEP.validate_python(step).act))
        except RefusedError as refusal:
            return refused(str(refusal))

    async def set_node_service(self, node: str, *, in_service: bool) -> ActResult:
        """Take a node out of service or bring it back."""
        return self._act(ReturnNode(node) if in_service else DrainNode(node))


def _gone(application: str) -> str:
    return f"{application} is not there any more"
