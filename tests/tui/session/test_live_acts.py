"""Acts on a live cluster: which its server can do, and how a refusal is told."""

from typing import Any

import pytest

from engine.errors import RefusedError, SourceError
from engine.scenario.acts import Act, DrainNode, KillApplication, MoveApplication, SetPriority, SetReservationRule
from tui.picture import DONE, ActPreview, ActResult
from tui.session.live_acts import NOT_BY_REST, LiveActs

NAME = "application_1_2"


class FakeActs:
    """A server's acts, which remember what they are asked, or refuse it."""

    def __init__(self, error: Exception | None = None) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._error = error

    async def _asked(self, *call: Any) -> None:
        self.calls.append(call)
        if self._error is not None:
            raise self._error

    async def kill(self, application: str) -> None:
        """Remember it."""
        await self._asked("kill", application)

    async def move(self, application: str, queue: str) -> None:
        """Remember it."""
        await self._asked("move", application, queue)

    async def set_priority(self, application: str, priority: int) -> None:
        """Remember it."""
        await self._asked("priority", application, priority)


def live(error: Exception | None = None) -> tuple[LiveActs, FakeActs]:
    """Acts on a server, and the server."""
    server: Any = FakeActs(error)
    return LiveActs(server), server


@pytest.mark.parametrize(
    ("act", "call"),
    [
        (KillApplication(NAME), ("kill", NAME)),
        (MoveApplication(NAME, "root.a"), ("move", NAME, "root.a")),
        (SetPriority(NAME, 7), ("priority", NAME, 7)),
    ],
)
async def test_what_a_server_can_do_is_asked_of_it(act: Act, call: tuple[Any, ...]) -> None:
    """By the id of the application; what it refuses is told in its words."""
    acts, server = live()
    against, _ = live(RefusedError("not yours"))
    away, _ = live(SourceError("rm1 does not answer"))

    assert (await acts.do(act), server.calls) == (DONE, [call])
    assert await against.do(act) == ActResult(("not yours",))
    assert await away.do(act) == ActResult(("rm1 does not answer",))


@pytest.mark.parametrize("act", [DrainNode("n1:1"), SetReservationRule("off"), KillApplication(7)])
async def test_nothing_else_is_asked_of_it(act: Act) -> None:
    """Nor what has no id."""
    acts, server = live()

    assert (await acts.do(act), server.calls) == (ActResult((NOT_BY_REST,)), [])


async def test_nothing_is_tried_or_submitted() -> None:
    """There is no copy of a live cluster."""
    acts, server = live()

    assert await acts.try_(KillApplication(NAME)) == ActPreview(refusal=NOT_BY_REST)
    assert await acts.submit({"name": "x"}) == ActResult((NOT_BY_REST,))
    assert server.calls == []
