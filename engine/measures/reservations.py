"""Follows reservations from their begin to their end."""

from engine.model.decision import Allocated, ContainerId, Reserved, Unreserved


class Reservations:
    """The reservations of a run; nodes reserved before `begin` count from there."""

    def __init__(self) -> None:
        self._since_ms: dict[ContainerId, int] = {}
        self._of: dict[int, int] = {}
        """Application → nodes reserved for it."""
        self._vain_ms = 0
        self.most = 0
        """Most at once."""
        self.most_by_one = 0
        """Most at once for one application."""

    def begin(self, now_ms: int) -> None:
        """The run begins [epoch ms]; what stands began here."""
        self._vain_ms = 0
        self._since_ms = dict.fromkeys(self._since_ms, now_ms)
        self.most, self.most_by_one = len(self._since_ms), max(self._of.values(), default=0)

    def reserved(self, record: Reserved, time_ms: int) -> None:
        """A node was reserved, or is so already."""
        self.stands(record.container, time_ms)

    def stands(self, container: ContainerId, time_ms: int) -> None:
        """A reservation stands, which may be known already."""
        if container in self._since_ms:
            return
        self._since_ms[container] = time_ms
        number = container[0]
        held = self._of[number] = self._of.get(number, 0) + 1
        self.most = max(self.most, len(self._since_ms))
        self.most_by_one = max(self.most_by_one, held)

    def dropped(self, record: Unreserved, time_ms: int) -> None:
        """A reservation ended without a container."""
        since_ms = self._since_ms.get(record.container)
        if since_ms is not None:
            self._vain_ms += time_ms - since_ms
            self._end(record.container)

    def used(self, record: Allocated) -> None:
        """A container was allocated, perhaps a reserved one."""
        if record.container in self._since_ms:
            self._end(record.container)

    def in_vain_ms(self, until_ms: int) -> int:
        """Node-milliseconds in vain up to an instant [epoch ms]; what stands then has been so far."""
        return self._vain_ms + sum(until_ms - since_ms for since_ms in self._since_ms.values())

    def _end(self, container: ContainerId) -> None:
        del self._since_ms[container]
        self._of[container[0]] -= 1
