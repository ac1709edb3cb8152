"""Applications that are there when a scenario starts, taken over as they stand, and what had to be assumed of them.

A ResourceManager that starts again takes over what nodes and masters tell it; a scenario may open with the same. In
contrast to `running`, whose containers a policy must give, what stands here may be beyond any limit.
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from engine.scenario.applications import ScriptedSpec
from engine.scenario.parts import Count, InstantMs, JavaInt, MemoryMb, Part, Size, SpanMs


class RecoveredContainers(Part):
    """Alike containers that run on one node."""

    node: str = Field(min_length=1)
    """Host, or `host:port`."""
    memory_mb: MemoryMb
    vcores: JavaInt = Field(default=1, ge=0)
    count: Count = Field(default=1, ge=1)
    priority: JavaInt = 0
    ask: JavaInt | None = None
    """Place of the ask of the application that they answer; without it they are its master's own container."""
    since_ms: InstantMs = 0
    """When they were allocated."""
    remaining_ms: SpanMs = None
    """How long each runs on from the start; for ever by default. Of a master: how long it stays at least."""


class RecoveredReservation(Part):
    """A node that is reserved."""

    node: str = Field(min_length=1)
    memory_mb: MemoryMb
    vcores: JavaInt = Field(default=1, ge=0)
    priority: JavaInt = 0
    since_ms: InstantMs = 0


class RecoveredSpec(Part):
    """An application with what it holds; its `at` is when it was submitted, its asks count what it has, too."""

    application: ScriptedSpec
    attempt: JavaInt = Field(default=1, ge=1)
    """The number of the attempt that lives."""
    registered: bool = True
    """Whether its master has registered; one without a container has not."""
    waiting_since_ms: InstantMs | None = None
    """Since when it has an ask that is not met; without it, while it has one, since the start."""
    containers: tuple[RecoveredContainers, ...] = ()
    """In the order they were allocated."""
    reserved: tuple[RecoveredReservation, ...] = ()

    @property
    def master(self) -> RecoveredContainers | None:
        """The container of its master; None where it has none."""
        return next((each for each in self.containers if each.ask is None), None)

    @property
    def has_master(self) -> bool:
        """Tell whether its master is there: in a container, or outside the cluster."""
        return self.application.am is None or self.master is not None

    @model_validator(mode="after")
    def _has_one_master_at_most(self) -> Self:
        masters = sum(each.count for each in self.containers if each.ask is None)
        most = 0 if self.application.am is None else 1
        if masters > most:
            raise ValueError(f"has {masters} containers without an ask; only a master's has none, so at most {most}")
        if not (self.has_master and self.registered) and any(each.ask is not None for each in self.containers):
            raise ValueError("holds containers that answer asks without a registered master")
        return self

    @model_validator(mode="after")
    def _answers_its_asks(self) -> Self:
        asks = self.application.asks
        held = [0] * len(asks)
        for each in self.containers:
            if each.ask is not None:
                if each.ask >= len(asks):
                    raise ValueError(f"a container answers ask {each.ask}; there are {len(asks)}, counted from 0")
                held[each.ask] += each.count
        for place, (ask, count) in enumerate(zip(asks, held, strict=True)):
            if count > ask.count and not ask.each_node:
                raise ValueError(f"{count} containers answer ask {place}, which is for {ask.count}")
        return self

    @model_validator(mode="after")
    def _is_one_that_was_submitted(self) -> Self:
        application = self.application
        if application.at_ms > 0:
            raise ValueError("its application is submitted after the start")
        if application.repeat is not None or application.waits:
            raise ValueError("its application has repeat or waits, which mean nothing of what runs already")
        return self


class Assumption(Part):
    """One thing that is not known, and what is taken for it."""

    what: Literal[
        "arrivals",
        "asks",
        "durations",
        "holders",
        "places",
        "queues",
        "release",
        "remaining",
        "reservations",
        "rhythm",
        "settings",
        "sizes",
    ]
    """`remaining` is how long containers run of which nothing tells, `durations` where something does; `sizes` is how
    large the containers are for which nodes are reserved, `holders` for whom."""
    sentence: str
    applications: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Ids of those it is about; empty for the cluster."""
    least: Size | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of `sizes`: what is played, the least that is possible."""
    most: Size | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of `sizes`: the most that is possible."""
