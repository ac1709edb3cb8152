"""Follows what each of several users, or queues, holds, and how evenly that is."""

from collections.abc import Sequence
from typing import Final

from engine.measures.run_measures import Evenness

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
        """Of the shares of the active ones."""
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
        """How they shared the cluster between two instants [epoch ms], up to the second of which time has passed."""
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
