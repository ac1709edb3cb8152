"""Asks a Spark Master round by round, and its workers in turn for their executors."""

from collections.abc import Callable, Sequence
from typing import Final

import httpx

from engine.errors import SourceError
from engine.live.rest_client import HEAVY_MS, PollPace, RestClient
from engine.live.spark_answers import MasterInfo, WorkerInfo, read_executors, read_master
from engine.live.spark_picture import SparkRound, snapshot_of_master
from engine.live.yarn_activities import Activities
from engine.observe.fixed_snapshot import FixedSnapshot

MASTER: Final = "/json/"
STANDBY: Final = frozenset({"STANDBY", "RECOVERING", "COMPLETING_RECOVERY"})

AT_ONCE: Final = 20
"""Workers that are asked in one round."""


class SparkSource:
    """A Master, or the several of a cluster of which one is active."""

    notes: tuple[str, ...] = ()
    late = ""

    def __init__(self, client: RestClient, connect: Callable[[], httpx.AsyncClient], pace: PollPace) -> None:
        """Ask nothing yet. `connect` makes a client for workers."""
        self.client, self._connect, self.pace = client, connect, pace
        self._version = 0
        self._due_ms = 0
        self._executors: dict[str, Sequence[str]] = {}
        self._turn: list[WorkerInfo] = []
        """Workers to ask, those whose turn it is first."""

    async def poll(self) -> FixedSnapshot:
        """One round; tries every server once until one is active.

        Raises:
            SourceError: None answered as an active Master does.
        """
        return await self.client.of_active(self._round)

    async def close(self) -> None:
        """Let connections go; another round opens new ones."""
        await self.client.close()

    async def activities(self, application: str) -> Activities:
        """Nothing: a Master keeps no record of whom it passed by.

        Raises:
            SourceError: Always.
        """
        raise SourceError("a Spark Master does not record why it passes an application by")

    async def _round(self) -> FixedSnapshot:
        client = self.client
        steady_ms = client.steady_ms
        master = await client.read(read_master, MASTER)
        if master.status in STANDBY:
            raise SourceError(f"{client.where} is on standby ({master.status})", is_standby=True)
        if steady_ms >= self._due_ms:
            await self._ask_workers(master)
            self._due_ms = steady_ms + HEAVY_MS
        self._version += 1
        self.late = self.pace.late_words(client.steady_ms - steady_ms)
        return snapshot_of_master(SparkRound(client.server_ms, master, self._executors), self._version)

    async def _ask_workers(self, master: MasterInfo) -> None:
        """Ask those whose turn it is; one that does not answer keeps what it said last."""
        alive = {each.id: each for each in master.alive}
        self._executors = {name: found for name, found in self._executors.items() if name in alive}
        self._turn = [each for each in self._turn if each.id in alive] or list(alive.values())
        now, self._turn = self._turn[:AT_ONCE], self._turn[AT_ONCE:]
        for worker in now:
            client = RestClient([worker.webuiaddress], self._connect)
            try:
                self._executors[worker.id] = await client.read(read_executors, MASTER)
            except SourceError:
                continue
            finally:
                await client.close()


async def is_spark_master(client: RestClient) -> bool:
    """Tell whether a Spark Master answers; False also where nobody does."""
    for _ in client.servers:
        try:
            await client.read(read_master, MASTER)
        except SourceError:
            client.turn_to_next()
        else:
            return True
    return False
