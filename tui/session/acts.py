"""Carries out what a user does to a simulation."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext

from engine.errors import EngineError
from engine.run.named_acts import finders_in
from engine.scenario.acts import Act, SubmitApplication
from engine.scenario.timed_acts import resolved
from engine.simulation.act_handlers import node_named
from tui.picture import ActPreview, ActResult, refused
from tui.session.driving import RunDriver
from tui.session.presets import Presets
from tui.session.previews import preview
from tui.session.time_travel import NOT_HERE


class SessionActs:
    """Acts on one run; implements `session_protocol.ActsProtocol`."""

    def __init__(
        self, driver: RunDriver, presets: Presets, aside: Callable[[], AbstractContextManager[object]] | None = None
    ) -> None:
        """Act on the run of a driver.

        Args:
            presets: What the form that submits begins with.
            aside: Surrounds each act of a visitor, who may act while this screen looks at the past; None for whoever
                sits here.
        """
        self._driver, self._presets, self._aside = driver, presets, aside

    def _is_past(self) -> bool:
        return self._aside is None and self._driver.travel.simulation is not None

    def _resolved(self, act: Act) -> Act:
        """Look up the names of an act; a queue gets the name that commands of the scheduler use."""
        simulation = self._driver.run.simulation
        finders = {
            **finders_in(self._driver.run.snapshot()),
            "node": lambda name: node_named(simulation.world, name).id,  # quicker than rows, for thousands of marks
            "queue": simulation.control_plane.view().policy.queue_name,
        }
        return resolved(act, finders)

    async def do(self, act: Act) -> ActResult:
        """Do an act and keep it."""
        driver = self._driver
        if self._is_past():
            return refused(NOT_HERE)
        try:
            with self._aside() if self._aside is not None else nullcontext():
                answer = driver.run.simulation.act(self._resolved(act))
        except EngineError as error:
            return refused(str(error))
        driver.keeping.sync()
        driver.check_keeping()
        driver.changed()
        return refused((answer.detail or answer.rejected) if answer.rejected else "")

    async def try_(self, act: Act) -> ActPreview:
        """Do an act on a copy."""
        if self._is_past():
            return ActPreview(refusal=NOT_HERE)
        try:
            return preview(self._driver.run.simulation, self._resolved(act))
        except EngineError as error:
            return ActPreview(refusal=str(error))

    async def submit(self, fields: Mapping[str, str]) -> ActResult:
        """Submit what a form says, and offer it as the last the next time."""
        spec, problems = self._presets.spec_of(fields)
        if spec is None:
            return ActResult(tuple(problems))
        result = await self.do(SubmitApplication.of(spec))
        if not result.problems:
            self._presets.remember(spec)
        return result
