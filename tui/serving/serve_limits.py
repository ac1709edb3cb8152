"""Limits one client of `schedlab serve`: time, connections, and lines on stderr."""

import asyncio
import logging
import resource
import socket
import sys
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from tui.terminal.edges import ending, visible_line

EXCHANGE_S: Final = 30.0  # For one question and its answer on the wire; an idle connection has 5 s
MOST_CONNECTIONS: Final = 500
AT_ONCE: Final = 2  # Connections that are taken in before others are answered
QUEUE: Final = 1024  # Connections that wait to be taken in; one more is tried again by its client a second later
PIECE: Final = 8192  # What is read of a connection before it is looked at; a head may have twice as much [bytes]
NEXT_S: Final = 0.05  # How long a question sent too early waits: others are answered meanwhile
LINES_EVERY_S: Final = 1.0  # Time between two lines about failures
LONGEST_LINE: Final = 300


class ConnectionLimiter:
    """The connected clients, longest waiting first; where there are too many, those have to leave."""

    def __init__(self) -> None:
        descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self.most = MOST_CONNECTIONS if descriptors < 0 else max(8, min(MOST_CONNECTIONS, descriptors // 2))
        self._waiting: dict[LimitedConnection, None] = {}

    def goes_on(self, one: "LimitedConnection") -> None:
        self._waiting.pop(one, None)
        self._waiting[one] = None
        if len(self._waiting) > self.most:
            next(iter(self._waiting)).leave()

    def forget(self, one: "LimitedConnection") -> None:
        self._waiting.pop(one, None)

    def dismiss(self) -> None:
        for one in list(self._waiting):
            one.leave()


class LimitedConnection(H11Protocol):
    """A connection whose every exchange has a deadline."""

    def __init__(self, crowd: ConnectionLimiter, *args: Any, **named: Any) -> None:  # Any: those of uvicorn's own
        super().__init__(*args, **named)
        self._crowd = crowd
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._goes_on()

    def connection_lost(self, exc: Exception | None) -> None:
        self.leave()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """The next exchange begins, after a rest where it has been sent already."""
        self._goes_on()
        if self.conn.trailing_data[0]:
            _ = self.loop.call_later(NEXT_S, super().on_response_complete)
        else:
            super().on_response_complete()

    def data_received(self, data: bytes) -> None:
        """Take what came, in pieces, as bounds count what is not read yet; sizes that no machine has end it."""
        try:
            for at in range(0, len(data), PIECE):
                if not self.transport.is_closing():
                    super().data_received(data[at : at + PIECE])
        except (OverflowError, ValueError):
            self.leave()

    def handle_websocket_upgrade(self, event: Any) -> None:  # Any: of the library below uvicorn
        """Count no more: what comes is no exchange, and has limits of its own."""
        self._crowd.forget(self)
        if self._deadline is not None:
            self._deadline.cancel()
        super().handle_websocket_upgrade(event)

    def leave(self) -> None:
        self._crowd.forget(self)
        if self._deadline is not None:
            self._deadline.cancel()
        self.transport.abort()

    def _goes_on(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(EXCHANGE_S, self.leave)
        self._crowd.goes_on(self)


class _RareLines(logging.Handler):
    """Writes one line for a failure, and the next after a while; those between are counted."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._next_s = 0.0
        self._left_out = 0

    def emit(self, record: logging.LogRecord) -> None:
        if time.monotonic() < self._next_s:
            self._left_out += 1
            return
        self._next_s = time.monotonic() + LINES_EVERY_S
        error = record.exc_info[1] if record.exc_info else None
        words = record.getMessage().partition("\n")[0] + (f": {type(error).__name__}: {error}" if error else "")
        more = f" (and {self._left_out} before)" if self._left_out else ""
        self._left_out = 0
        sys.stderr.write(f"schedlab: {visible_line(words[:LONGEST_LINE])}{more}\n")


@contextmanager
def rare_lines() -> Iterator[None]:
    handler, loggers = _RareLines(), [logging.getLogger(name) for name in ("uvicorn.error", "asyncio")]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
            logger.propagate = True


GRACE_S: Final = 1  # How long answers that were begun may take at the end; then every connection is closed


class _Server(uvicorn.Server):
    """A server that leaves signals to the command, and at its end waits for no client."""

    def __init__(self, config: uvicorn.Config, crowd: ConnectionLimiter) -> None:
        super().__init__(config)
        self._crowd = crowd

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; connections are taken in by few, and wait by many."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(QUEUE)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        _ = self.servers[0].get_loop().call_later(GRACE_S, self._crowd.dismiss)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def answering(app: ASGIApp, **options: Any) -> uvicorn.Server:  # Any: as uvicorn has them
    """A web server for an application; `options` are those of uvicorn's, by default without websockets."""
    crowd = ConnectionLimiter()
    config = uvicorn.Config(
        app,
        http=partial(LimitedConnection, crowd),  # type: ignore[arg-type]  # it is called, as a class would be
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        backlog=AT_ONCE,
        h11_max_incomplete_event_size=2 * PIECE,
        timeout_graceful_shutdown=2 * GRACE_S,
        **{"ws": "none", **options},
    )
    return _Server(config, crowd)


async def answered(server: uvicorn.Server, listener: socket.socket, beside: Coroutine[Any, Any, None]) -> int:
    """Answer until a signal comes, or what is done `beside` ends; its error is raised. The exit code."""
    signals: list[int] = []

    def end(number: int) -> None:
        signals.append(number)
        server.should_exit = True

    def stop(_: asyncio.Task[None]) -> None:
        server.should_exit = True

    task = asyncio.create_task(beside)
    task.add_done_callback(stop)
    try:
        with ending(end), rare_lines():
            await server.serve([listener])
    finally:
        task.cancel()
        (ended,) = await asyncio.gather(task, return_exceptions=True)
    if isinstance(ended, Exception):
        raise ended
    return 128 + signals[0] if signals else 0
