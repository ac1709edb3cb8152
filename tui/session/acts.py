"""Carries out what a user does to a simulation."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from engine.errors import EngineError
from engine.observe.snapshot import CapacityQueueRow
from engine.run.named_acts import finders_in
from engine.scenario.acts import Act, SubmitApplication
from engine.scenario.timed_acts import resolved
from engine.simulation.act_handlers import node_named
from engine.simulation.simulation import Simulation
from tui.picture import ActPreview, ActResult, ShareChange, refused
from tui.session.driving import RunDriver
from tui.session.presets import Presets
from tui.session.time_travel import NOT_HERE

SETTLE_MS: Final = 1000
"""Fair shares are computed twice a second; after this they follow from what was changed."""

_Shares = Mapping[tuple[str, str], int]
"""(queue, what it is) → memory [MB], in tree order."""


def preview(simulation: Simulation, act: Act) -> ActPreview:
    """Return shares and limits of memory before and after an act; the simulation stays as it is."""
    copy = simulation.fork()
    before = _shares(copy)
    follows_at_once = issubclass(copy.control_plane.view().policy.queue_row, CapacityQueueRow)
    try:
        answer = copy.act(act)
        if not answer.rejected and not follows_at_once:
            copy.run_until(copy.now_ms + SETTLE_MS)
    except EngineError as error:
        return ActPreview(refusal=str(error))
    if answer.rejected:
        return ActPreview(refusal=answer.detail or answer.rejected)
    after = _shares(copy)
    kept = [each for each in before if each in after]
    return ActPreview(tuple(ShareChange(path, before[path, what], after[path, what], what) for path, what in kept))


def _shares(simulation: Simulation) -> _Shares:
    """Return every queue's fair share or, of CapacityScheduler, its capacities and limits; none for slots."""
    found: dict[tuple[str, str], int] = {}
    if simulation.control_plane.dimensions[0] != "memory_mb":
        return found
    for row in simulation.control_plane.view().policy.queues():
        found |= {(row.path, what): amount[0] for what, amount in row.granted.items() if isinstance(amount, tuple)}
    return found


class SessionActs:
    """Acts on one run; implements `session_protocol.ActsProtocol`."""

    def __init__(
        self, driver: RunDriver, presets: Presets, aside: Callable[[], AbstractContextManager[object]] | None = None
    ) -> None:
        """Act on the run of a driver.

        `presets` are what the form that submits begins with; `aside` surrounds each act of a visitor, who may act while
        this screen looks at the past, and is None for whoever sits here.
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
        driver.wake()
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
