"""Follows a ResourceManager's log: which nodes are reserved for whom, which releases before 2.8 say nowhere else.

It is read from its end, as far back as it takes to find the reservations that the server counts; then what is new.
"""

import asyncio
from collections.abc import Iterable
from typing import Final

from engine.formats.traces.rm_log_lines import LineParser
from engine.formats.traces.rm_log_messages import take
from engine.formats.traces.rm_log_reader import QUARTER_MS, TimelineReader
from engine.live.log_places import LogPlace
from engine.live.log_tail import LogTail
from engine.live.yarn_picture import Holding, Round

FIRST_BACK: Final = 1024 * 1024
"""How much is read at first [bytes]."""
LONGEST_BACK: Final = 48 * 1024 * 1024
"""How much is read at most to find reservations."""
FURTHER: Final = 8
"""How many times as much is read where that was not enough."""

AT_ONCE: Final = 2_000
"""Lines that are read in one piece of work."""


class FollowedLog:
    """The present state as a log states it."""

    def __init__(self, place: LogPlace) -> None:
        """Read nothing yet."""
        self._place = place
        self._tail = LogTail(place)
        self._parser = LineParser()
        self._reader: TimelineReader | None = None

    async def holdings(self, answers: Round) -> list[Holding]:
        """Reservations that stand now, in order of node. `answers` are the round that is drawn; its nodes give the ids.

        Raises:
            SourceError: The log cannot be read.
        """
        reader = await self._read_on() or await self._begin(answers.metrics.containers_reserved)
        reader.forget_ended()
        last_ms, modified_ms = reader.timeline.end_ms, self._tail.modified_ms
        ahead_ms = last_ms - modified_ms if last_ms and modified_ms else 0  # of a log whose clock is east of Greenwich
        shift_ms = -round(ahead_ms / QUARTER_MS) * QUARTER_MS
        hosts = {each.node_host_name: each.id for each in answers.nodes}
        found = []
        for each in reader.timeline.reservations:
            node = each.node or ""
            found.append(Holding(hosts.get(node.partition(":")[0], node), each.application, each.since_ms + shift_ms))
        return sorted(each for each in found if each.node)

    async def close(self) -> None:
        """Let connections go; another reading opens new ones."""
        await self._place.close()

    async def _read_on(self) -> TimelineReader | None:
        """With what is new; None where it has to be begun anew."""
        reader = self._reader
        lines = None if reader is None else await self._tail.fresh()
        if reader is None or lines is None:
            return None
        await self._take(reader, lines)
        return reader

    async def _begin(self, reserved: int) -> TimelineReader:
        """Read backwards until as many nodes are held as the server counts."""
        back = FIRST_BACK
        while True:
            reader = TimelineReader()
            await self._take(reader, await self._tail.from_end(back))
            reader.forget_ended()
            self._reader = reader
            if len(reader.timeline.reservations) >= reserved or self._tail.is_whole or back >= LONGEST_BACK:
                return reader
            back = min(back * FURTHER, LONGEST_BACK)

    async def _take(self, reader: TimelineReader, lines: Iterable[str]) -> None:
        for number, text in enumerate(lines, 1):
            line = self._parser.line(text)
            if line is not None:
                take(reader, line)
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
