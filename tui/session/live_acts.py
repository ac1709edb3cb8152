"""Acts on a live YARN cluster through its ResourceManager: kill, move and priority; everything else is refused."""

from collections.abc import Mapping
from typing import Final

from engine.errors import EngineError
from engine.live.yarn_source import YarnActs
from engine.scenario.acts import Act, KillApplication, MoveApplication, SetPriority
from tui.protocol.picture import DONE, ActPreview, ActResult, refused

NOT_BY_REST: Final = "A ResourceManager's REST interface cannot do that to a live cluster"


class LiveActs:
    """Implements `protocol.session.ActsProtocol`; applications are named by their ids."""

    def __init__(self, acts: YarnActs) -> None:
        self._acts = acts

    async def do(self, act: Act) -> ActResult:
        try:
            match act:
                case KillApplication(application=str(application)):
                    await self._acts.kill(application)
                case MoveApplication(application=str(application), queue=queue):
                    await self._acts.move(application, queue)
                case SetPriority(application=str(application), priority=priority):
                    await self._acts.set_priority(application, priority)
                case _:
                    return refused(NOT_BY_REST)
        except EngineError as error:
            return refused(str(error))
        return DONE

    async def try_(self, act: Act) -> ActPreview:
        """Refused: there is no copy of a live cluster."""
        return ActPreview(refusal=NOT_BY_REST)

    async def submit(self, fields: Mapping[str, str]) -> ActResult:
        return refused(NOT_BY_REST)
