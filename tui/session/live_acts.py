"""Acts on a live YARN cluster through its ResourceManager: kill, move and priority; everything else is refused."""

from collections.abc import Awaitable, Mapping
from typing import Any, Final

from engine.errors import EngineError
from engine.live.yarn_acts import YarnActs
from tui.view_state import DONE, ActResult, SettingPreview, refused

NOT_BY_REST: Final = "A ResourceManager's REST interface cannot do that to a live cluster"


class LiveActs:
    """Implements `session_protocol.ActsProtocol`."""

    def __init__(self, acts: YarnActs) -> None:
        self._acts = acts

    async def kill(self, application: str) -> ActResult:
        """Kill an application by id."""
        return await _result(self._acts.kill(application))

    async def move(self, application: str, queue: str) -> ActResult:
        """Move an application by id to a queue."""
        return await _result(self._acts.move(application, queue))

    async def follow(self, step: Mapping[str, Any]) -> ActResult:
        """Do what a step of a script says, where that is one of the three acts there are."""
        match step:
            case {"do": "priority", "application": str(application), "priority": int(priority)}:
                return await _result(self._acts.set_priority(application, priority))
            case {"do": "kill", "application": str(application)}:
                return await self.kill(application)
            case {"do": "move", "application": str(application), "queue": str(queue)}:
                return await self.move(application, queue)
        return refused(NOT_BY_REST)

    async def submit(self, fields: Mapping[str, str]) -> ActResult:
        """Refused."""
        return refused(NOT_BY_REST)

    async def set_preemption(self, *, on: bool) -> ActResult:
        """Refused."""
        return refused(NOT_BY_REST)

    async def set_reservation_rule(self, rule: str) -> ActResult:
        """Refused."""
        return refused(NOT_BY_REST)

    async def set_spread_out(self, *, on: bool) -> ActResult:
        """Refused."""
        return refused(NOT_BY_REST)

    async def try_queue_setting(self, queue: str, key: str, value: str) -> SettingPreview:
        """Refused."""
        return SettingPreview(refusal=NOT_BY_REST)

    async def set_queue(self, queue: str, key: str, value: str) -> ActResult:
        """Refused."""
        return refused(NOT_BY_REST)

    async def set_node_service(self, node: str, *, in_service: bool) -> ActResult:
        """Refused."""
        return refused(NOT_BY_REST)


async def _result(act: Awaitable[None]) -> ActResult:
    """Done, or refused in the server's words."""
    try:
        await act
    except EngineError as error:
        return refused(str(error))
    return DONE
