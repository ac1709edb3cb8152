"""One visitor of a session's door: its calls are answered one after the other, pictures and news beside.

Nobody waits for a visitor: of pictures that changed it is informed once, however often they changed since it asked,
and of notices the latest are kept.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec

from engine.errors import EngineError
from tui import session_codec
from tui.picture import Notice, PictureChanged
from tui.sharing.calls import may_call, types_of
from tui.sharing.wire import (
    MOST_CALL,
    Call,
    CallAnswered,
    CallFailed,
    Farewell,
    Outgoing,
    Posted,
    WireError,
    framed,
    read_message,
)

PICTURE: Final = ("pictures", "picture")
"""The call that may wait for a while, and that others overtake."""
MOST_NOTICES: Final = 20
"""So many wait for a slow visitor; of more, the oldest are left out."""

Method = Callable[[str, str], Callable[..., Awaitable[Any]] | None]
"""(part, method) → what carries it out; None where there is no such part."""


class Guest:
    """A visitor that was let in."""

    def __init__(self, role: str, writer: Outgoing, method: Method) -> None:
        """Answer nothing yet; `method` gives what carries a call out."""
        self.role = role
        self._writer, self._method = writer, method
        self._sending = asyncio.Lock()
        self._news = asyncio.Event()
        self._has_changed = False
        self._notices: deque[Notice] = deque(maxlen=MOST_NOTICES)

    def post(self, posted: PictureChanged | Notice) -> None:
        """Have something posted when the visitor takes it."""
        if isinstance(posted, Notice):
            self._notices.append(posted)
        else:
            self._has_changed = True
        self._news.set()

    async def serve(self, reader: asyncio.StreamReader) -> None:
        """Answer calls until the visitor leaves.

        Raises:
            WireError: What came is no call.
            EOFError: It left.
            OSError: The connection broke.
        """
        loop = asyncio.get_running_loop()
        beside = [loop.create_task(self._post_news())]
        try:
            while True:
                call: Call = await read_message(reader, Call, MOST_CALL)
                if (call.part, call.method) == PICTURE:
                    await asyncio.gather(*beside[1:])
                    beside[1:] = [loop.create_task(self._carry_out(call))]
                else:
                    await self._carry_out(call)
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)

    async def _carry_out(self, call: Call) -> None:
        await self.send(await self._answer(call))

    async def _answer(self, call: Call) -> CallAnswered | CallFailed:
        name = f"{call.part}.{call.method}"
        if not may_call(self.role, call.part, call.method):
            return CallFailed(call.number, f"{name} is not there for a visitor like this one")
        carry_out = self._method(call.part, call.method)
        if carry_out is None:
            return CallFailed(call.number, f"{name} is not there in this session")
        try:
            arguments = types_of(call.part, call.method).read(call.arguments)
        except WireError as error:
            return CallFailed(call.number, f"{name}: {error}")
        try:
            answer = await carry_out(**arguments)
        except EngineError as error:
            return CallFailed(call.number, str(error))
        return CallAnswered(
            call.number, answer if isinstance(answer, msgspec.Raw) else msgspec.Raw(session_codec.encode(answer))
        )

    async def _post_news(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            has_changed, self._has_changed = self._has_changed, False
            if has_changed:
                await self.send(Posted(PictureChanged()))
            notices = list(self._notices)
            self._notices.clear()
            for notice in notices:
                await self.send(Posted(notice))

    async def send(self, message: Any) -> None:  # Any: one of the messages of `wire`
        """Send a message, and wait until the visitor has taken it.

        Raises:
            OSError: The connection broke.
        """
        async with self._sending:
            self._writer.write(framed(message))
            await self._writer.drain()

    def dismiss(self, words: str) -> None:
        """Say a last sentence, as far as the visitor still takes anything, and close."""
        if not self._sending.locked():
            self._writer.write(framed(Farewell(words)))
        self._writer.close()
