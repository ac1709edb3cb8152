"""Reservations as the lines of a ResourceManager's log show them: which node is held for whom, since and until when.

A node holds one reservation at most. Lines name the node, the container or both: `Making reservation: node=… app_id=…`
(fair), `Reserved container … on node`, `… Transitioned from NEW to RESERVED`, `… unreserved  on node …`.
"""

from typing import Final

from engine.formats.traces.rm_log_lines import application_of
from engine.formats.traces.rm_timeline import LogContainer, LogReservation

TOGETHER_MS: Final = 1000
"""Lines of one reservation are written so close together."""


class LogReservations:
    """The reservations that hold now, and the count of all."""

    def __init__(self, made: list[LogReservation]) -> None:
        """None yet; those made are added to a list."""
        self._made = made
        self._unsized: dict[str, list[LogReservation]] = {}
        """Application → its reservations of which nothing has said how large they are since the last size."""
        self._held: dict[str, LogReservation] = {}
        """Node → the reservation it holds now."""
        self._unplaced: dict[str, LogReservation] = {}
        """Container → its reservation, of which no line has named the node yet."""

        self._taken: dict[tuple[str, str], tuple[int, LogReservation]] = {}
        """(application, node) → when a line ended a reservation there that was taken for the oldest, and which."""
        self._fulfilled: dict[tuple[str, str], int] = {}
        """(application, node) → when a container that had been reserved was allocated there."""

    def hold(self, reservation: LogReservation) -> None:
        """A node holds a reservation from now on, and no other."""
        node = reservation.node or ""
        before = self._held.get(node)
        if before is not None and before.application == reservation.application:
            return  # the line is written again while it lasts
        self._end(node, reservation.since_ms, "REPLACED")
        self._held[node] = reservation
        self._add(reservation)

    def _add(self, reservation: LogReservation) -> None:
        self._made.append(reservation)
        self._unsized.setdefault(reservation.application, []).append(reservation)

    def reserve(self, container: str, time_ms: int) -> None:
        """A container is reserved; where, a line just before it may have said."""
        application = application_of(container)
        for each in self._held.values():
            is_new = each.container is None and time_ms - each.since_ms <= TOGETHER_MS
            if is_new and each.application == application:
                each.container = container
                return
        found = LogReservation(application, None, time_ms, container=container)
        self._unplaced[container] = found
        self._add(found)

    def place(self, container: str, node: str, time_ms: int) -> None:
        """A container is reserved on a node."""
        application = application_of(container)
        held = self._held.get(node)
        found = self._unplaced.pop(container, None)
        if found is not None:
            found.node = node
            self._made.remove(found)
            self.hold(found)
        elif held is not None and held.application == application:
            held.container = container
        else:
            self.hold(LogReservation(application, node, time_ms, container=container))

    def fulfil(self, container: LogContainer, time_ms: int) -> None:
        """A container was allocated, which may be what its node was held for."""
        node = container.node or ""
        held = self._held.get(node) or self._unplaced.get(container.id)
        if held is None or held.application != container.application or held.container not in (None, container.id):
            return
        held.memory_mb, held.vcores = container.memory_mb, container.vcores
        held.node = node
        if self._unplaced.pop(container.id, None) is not None:
            held.until_ms, held.end = time_ms, "ALLOCATED"
            self._undo(container.application, node, time_ms)
        else:
            self._end(node, time_ms, "ALLOCATED")

    def _undo(self, application: str, node: str, time_ms: int) -> None:
        """The line that ended a reservation on this node just before was that of the one allocated now."""
        ended_ms, other = self._taken.pop((application, node), (0, None))
        if other is None or other.container is None or time_ms - ended_ms > TOGETHER_MS:
            self._fulfilled[application, node] = time_ms
            return
        other.node, other.until_ms, other.end = None, None, ""
        self._unplaced = {other.container: other} | self._unplaced

    def unreserve(self, application: str, node: str, time_ms: int) -> None:
        """A node is not held any more for an application."""
        held = self._held.get(node)
        if held is not None and held.application == application:
            self._end(node, time_ms, "UNRESERVED")
            return
        if time_ms - self._fulfilled.pop((application, node), -TOGETHER_MS - 1) <= TOGETHER_MS:
            return
        container = next((key for key, each in self._unplaced.items() if each.application == application), None)
        if container is not None:  # the oldest of which no line named the node
            found = self._unplaced.pop(container)
            found.node, found.until_ms, found.end = node, time_ms, "UNRESERVED"
            self._taken[application, node] = time_ms, found

    def set_size(self, application: str, memory_mb: int, vcores: int) -> None:
        """Set the size of each reservation of an application, where nothing said it."""
        for each in self._unsized.pop(application, ()):
            if each.memory_mb is None:
                each.memory_mb, each.vcores = memory_mb, vcores

    def end_all(self, time_ms: int, end: str, application: str | None = None) -> None:
        """All reservations are over, or those of one application."""
        for node in [key for key, each in self._held.items() if application in (None, each.application)]:
            self._end(node, time_ms, end)
        for container in [key for key, each in self._unplaced.items() if application in (None, each.application)]:
            found = self._unplaced.pop(container)
            found.until_ms, found.end = time_ms, end

    def forget_ended(self, now_ms: int) -> None:
        """Forget of those that ended what no further line can be about."""
        first_ms = now_ms - TOGETHER_MS
        self._unsized = {
            name: some
            for name, found in self._unsized.items()
            if (some := [each for each in found if each.until_ms is None])
        }
        self._taken = {key: each for key, each in self._taken.items() if each[0] >= first_ms}
        self._fulfilled = {key: at_ms for key, at_ms in self._fulfilled.items() if at_ms >= first_ms}

    def rename(self, host: str, node: str) -> None:
        """A node that was known by its host has an id from now on."""
        if host in self._held:
            self._held[node] = self._held.pop(host)
        for each in self._made:
            if each.node == host:
                each.node = node

    def _end(self, node: str, time_ms: int, end: str) -> None:
        held = self._held.pop(node, None)
        if held is not None:
            held.until_ms, held.end = time_ms, end
