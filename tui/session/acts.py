"""The acts of a session: what the user does to the cluster, by id, becomes an action of the simulation."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from engine.run.player import Run
from engine.simulation.actions import (
    Action,
    DrainNode,
    KillApplication,
    MoveApplication,
    SetPreemption,
    SetQueueSetting,
    SetReservationRule,
    SetSetting,
    SubmitApplication,
)
from engine.simulation.faults import ReturnNode
from tui.session.presets import Presets
from tui.session.preview import shares_after


class Acts(ABC):
    """Acts on a run; each answers with why it was refused, or with nothing."""

    _run: Run
    _presets: Presets

    @abstractmethod
    def _act(self, action: Action) -> str:
        """Do it, if this is the moment to act."""

    @abstractmethod
    def _why_not(self) -> str:
        """Why nothing can be done at this moment; else nothing."""

    def _number_of(self, application: str) -> int | None:
        rows = self._run.snapshot().applications(why=False)
        return next((row.number for row in rows if row.id == application), None)

    def kill(self, application: str) -> str:
        """Kill an application by id."""
        number = self._number_of(application)
        return f"{application} is not there any more" if number is None else self._act(KillApplication(number))

    def set_preemption(self, *, on: bool) -> str:
        """Switch preemption."""
        return self._act(SetPreemption(on))

    def set_reservation_rule(self, rule: str) -> str:
        """Choose the reservation rule."""
        return self._act(SetReservationRule(rule))

    def set_spread_out(self, *, on: bool) -> str:
        """Choose between spreading out and packing."""
        return self._act(SetSetting("spark.deploy.spreadOutApps", "true" if on else "false"))

    def move(self, application: str, queue: str) -> str:
        """Move an application by id to a queue."""
        number = self._number_of(application)
        return f"{application} is not there any more" if number is None else self._act(MoveApplication(number, queue))

    def try_queue_setting(self, queue: str, key: str, value: str) -> tuple[list[tuple[str, int, int]], str]:
        """What a setting of a queue would do, tried on a copy."""
        refusal = self._why_not()
        return ([], refusal) if refusal else shares_after(self._run.simulation, SetQueueSetting(queue, key, value))

    def set_queue(self, queue: str, key: str, value: str) -> str:
        """Change a setting of a queue."""
        return self._act(SetQueueSetting(queue, key, value))

    def set_node_service(self, node: str, *, in_service: bool) -> str:
        """Take a node out of service or bring it back."""
        return self._act(ReturnNode(node) if in_service else DrainNode(node))

    def submit(self, fields: Mapping[str, str]) -> list[str]:
        """Submit what a form says, and offer it as the last the next time."""
        spec, problems = self._presets.spec_of(fields)
        if spec is None:
            return problems
        refusal = self._act(SubmitApplication.of(spec))
        if not refusal:
            self._presets.remember(spec)
        return [refusal] if refusal else []
