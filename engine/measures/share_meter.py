"""Follows containers: what each user, or queue, holds and how evenly that is, and the work that is lost."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.measures.run_measures import ApplicationTimes, Evenness
from engine.model.decision import Allocated, Completed, ContainerId, Killed, owner_of
from engine.observe.lost_work import LOSING, Held

WHOLE: Final = 1_000_000
"""A share of 1; shares are whole millionths, so that sums are exact."""


class _Holder:
    __slots__ = ("active", "held", "share", "share_ms", "since_ms")

    def __init__(self, dimensions: int, now_ms: int) -> None:
        self.held = [0] * dimensions
        self.active = 0
        """Live applications."""
        self.share = 0
        self.share_ms = 0
        """Share × time until `since_ms`."""
        self.since_ms = now_ms


class ShareMeter:
    """Users, or queues, by name."""

    def __init__(self, dimensions: int) -> None:
        self._by_name: dict[str, _Holder] = {}
        self._dimensions = dimensions
        self._total: Sequence[int] = (0,) * dimensions
        self._active = 0
        self._sum = self._squares = 0
        """Sums of the shares of the active ones, and of their squares."""
        self._jain_ms = 0.0
        self._contended_ms = 0

    def pass_time(self, elapsed_ms: int, *, is_waited: bool) -> None:
        """All stayed as it is for some time [ms], in which somebody waited or nobody did."""
        if is_waited and self._active > 1 and self._squares:
            self._jain_ms += elapsed_ms * (self._sum * self._sum) / (self._active * self._squares)
            self._contended_ms += elapsed_ms

    def resize(self, total: Sequence[int], now_ms: int) -> None:
        """The cluster has this total from now on."""
        self._total = total
        for each in self._by_name.values():
            self._reckon(each, now_ms)

    def hold(self, name: str, amounts: Sequence[int], sign: int, now_ms: int) -> None:
        """One is given something (`sign` 1), or lets go of it (-1)."""
        holder = self._of(name, now_ms)
        held = holder.held
        for place, amount in enumerate(amounts):
            held[place] += sign * amount
        self._reckon(holder, now_ms)

    def enter(self, name: str, sign: int, now_ms: int) -> None:
        """One has an application more (`sign` 1), or less (-1)."""
        holder = self._of(name, now_ms)
        was_active = holder.active > 0
        holder.active += sign
        is_active = holder.active > 0
        if was_active != is_active:
            change = 1 if is_active else -1
            self._active += change
            self._sum += change * holder.share
            self._squares += change * holder.share * holder.share

    def sharing(self, from_ms: int, until_ms: int) -> Evenness:
        """Return how they shared the cluster between two instants [epoch ms], the second being the present."""
        length_ms = max(1, until_ms - from_ms)
        shares = {}
        for name, each in sorted(self._by_name.items()):
            share_ms = each.share_ms + each.share * (until_ms - each.since_ms)
            shares[name] = share_ms / (WHOLE * length_ms)
        jain = self._jain_ms / self._contended_ms if self._contended_ms else None
        return Evenness(jain, self._contended_ms, shares)

    def _of(self, name: str, now_ms: int) -> _Holder:
        holder = self._by_name.get(name)
        if holder is None:
            holder = self._by_name[name] = _Holder(self._dimensions, now_ms)
        return holder

    def _reckon(self, holder: _Holder, now_ms: int) -> None:
        share = 0
        for held, total in zip(holder.held, self._total, strict=True):
            if total and held * WHOLE > share * total:
                share = held * WHOLE // total
        before = holder.share
        if share == before:
            return
        holder.share_ms += before * (now_ms - holder.since_ms)
        holder.since_ms, holder.share = now_ms, share
        if holder.active > 0:
            self._sum += share - before
            self._squares += share * share - before * before


class Work:
    """The containers of a run; counts begin with `begin`."""

    def __init__(self, applications: Mapping[int, ApplicationTimes], users: ShareMeter, queues: ShareMeter) -> None:
        """Begin with none; users and queues are told what they hold."""
        self.held: dict[ContainerId, Held] = {}
        self._applications = applications
        self._users, self._queues = users, queues
        self._of: dict[int, list[int]] = {}
        """Application → amounts it holds."""
        self.begin()

    def begin(self) -> None:
        """The run begins; what is held stays."""
        self.containers = self.preempted = self.preempted_ms = self.lost = self.lost_ms = 0

    def allocated(self, record: Allocated, time_ms: int) -> None:
        """A container was allocated."""
        self.containers += 1
        self.take(record.container, Held(time_ms, record.memory_mb, record.vcores), time_ms)

    def take(self, container: ContainerId, held: Held, now_ms: int) -> None:
        """A container is held, which may be known already."""
        if container not in self.held:
            self.held[container] = held
            self._count(container, held, 1, now_ms)

    def ended(self, record: Completed | Killed, time_ms: int) -> None:
        """A container ended."""
        held = self.held.pop(record.container, None)
        if held is None:
            return
        self._count(record.container, held, -1, time_ms)
        if isinstance(record, Killed) and record.cause in LOSING:
            ran_ms = time_ms - held.since_ms
            self.lost += 1
            self.lost_ms += ran_ms
            if record.cause == "PREEMPTED":
                self.preempted += 1
                self.preempted_ms += ran_ms

    def move(self, number: int, left: str, now_ms: int) -> None:
        """An application left a queue; what it holds goes with it."""
        held = self._of.get(number)
        if held:
            self._queues.hold(left, held, -1, now_ms)
            self._queues.hold(self._applications[number].queue, held, 1, now_ms)

    def _count(self, container: ContainerId, held: Held, sign: int, now_ms: int) -> None:
        number = owner_of(container)
        application = self._applications.get(number)
        if application is None:
            return
        amounts = (held.memory_mb, held.vcores)
        mine = self._of.get(number)
        if mine is None:
            mine = self._of[number] = [0, 0]
        mine[0] += sign * amounts[0]
        mine[1] += sign * amounts[1]
        self._users.hold(application.user, amounts, sign, now_ms)
        self._queues.hold(application.queue, amounts, sign, now_ms)
