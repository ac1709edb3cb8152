"""The web server under `serve` and `web`: it says nothing by itself, and bounds what a client may take."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp

from tui.commands.serve_limits import AT_ONCE, PIECE, QUEUE, Crowd, LimitedConnection

GRACE_S: Final = 1
"""How long answers that were begun may take at the end; then every connection is closed."""


class _Server(uvicorn.Server):
    """A server that leaves signals to the command, and at its end waits for nobody."""

    def __init__(self, config: uvicorn.Config, crowd: Crowd) -> None:
        super().__init__(config)
        self._crowd = crowd

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; connections are taken in by few, and wait by many."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(QUEUE)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Give answers that were begun a moment, then close every connection."""
        _ = self.servers[0].get_loop().call_later(GRACE_S, self._crowd.dismiss)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def answering(app: ASGIApp, **options: Any) -> uvicorn.Server:  # Any: as uvicorn has them
    """A web server for an application; `options` are those of uvicorn's, by default without websockets."""
    crowd = Crowd()
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
