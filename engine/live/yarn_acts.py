"""Changes a running cluster through its ResourceManager's own REST interface: kill, move, priority, by id.

Before each act the application is asked for again: what has ended is left alone. Refusals are the server's words.

Source: RMWebServices#updateAppState, #updateAppQueue, #updateApplicationPriority, Hadoop 2.7.2 and 3.4.1.
"""

from typing import Final
from urllib.parse import quote

import httpx
import msgspec

from engine.errors import RefusedError, SourceError
from engine.live.failures import status_words
from engine.live.rest_client import RestClient
from engine.live.yarn_answers import ApplicationInfo, read_application
from engine.model.lifecycle import FINAL_APPLICATION_STATES

APPLICATIONS: Final = "/ws/v1/cluster/apps"
DONE: Final = frozenset({httpx.codes.OK, httpx.codes.ACCEPTED})


class YarnActs:
    """Acts as a user."""

    def __init__(self, client: RestClient, user: str = "", token: str = "") -> None:
        """Change nothing yet.

        `user` says so, where the server believes a name alone (`user.name`); empty where a login says it. `token` is
        what a server wants to see with every act, as `schedlab serve` does; empty where it wants none. It goes nowhere
        but into the header of an act.
        """
        self._client = client
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._query = f"?user.name={quote(user)}" if user else ""

    async def kill(self, application: str) -> None:
        """Have an application end; the server takes note, and ends it a moment later.

        Raises:
            RefusedError: It has ended, or the server refuses.
            SourceError: The server does not answer.
        """
        await self._live(application)
        await self._put(application, "state", {"state": "KILLED"})

    async def move(self, application: str, queue: str) -> None:
        """Have an application go on in another queue; errors as of `kill`."""
        row = await self._live(application)
        is_short = "." not in row.queue  # CapacityScheduler 2.7 knows queues by the last part of their path
        await self._put(application, "queue", {"queue": queue.rpartition(".")[2] if is_short else queue})

    async def set_priority(self, application: str, priority: int) -> None:
        """Have an application be served before those of a smaller priority in its queue; errors as of `kill`."""
        await self._live(application)
        await self._put(application, "priority", {"priority": priority})

    async def _put(self, application: str, what: str, value: dict[str, str | int]) -> None:
        path = f"{APPLICATIONS}/{quote(application)}/{what}{self._query}"
        reply = await self._client.ask("PUT", path, msgspec.json.encode(value), self._headers)
        if reply.status not in DONE:
            raise RefusedError(status_words(self._client.where, reply.status, reply.body))

    async def _live(self, application: str) -> ApplicationInfo:
        """An application as it is now.

        Raises:
            RefusedError: There is none of this id, or it has ended.
            SourceError: The server does not answer.
        """
        try:
            row = await self._client.read(read_application, f"{APPLICATIONS}/{quote(application)}{self._query}")
        except SourceError as error:
            if "not found" in str(error):
                raise RefusedError(str(error)) from error
            raise
        if row.state in FINAL_APPLICATION_STATES:
            raise RefusedError(f"{application} has ended meanwhile ({row.state})")
        return row
