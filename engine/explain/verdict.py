"""Answers whether an application can ever run: a verdict on each ask, with its proof; the worst one counts.

`waiting`: the closed world gives it something, at a known instant. `later`: not within the horizon, at which the closed
world still went on. `starving`: others that came later keep passing it. `deadlocked`: the closed world makes no
allocation, and the waits form a cycle. `blocked`: holders that wait for nothing, or would not end whatever they got,
keep for ever what it needs. `outage`: the control plane is away, or no node is in service, and none comes back.
`impossible`: alone in the cluster it would not be given anything either. `none`: it asks for nothing, or ends without
what it still asks for, or withdraws that; `ended`: it is over.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from engine.explain.answer import CycleStep, OvertakingReport, ProofReport
from engine.explain.obstacles import ObstacleRow
from engine.explain.waits import WaitEdge


class Proof(msgspec.Struct, frozen=True):
    """The proof of a verdict."""

    from_ms: int  # Where the closed world began [epoch ms]
    looked_until_ms: int  # Instant up to which it was played [epoch ms]
    allocations: int  # Containers it allocated, to anybody
    last_allocation_ms: int | None
    still: bool  # True if nothing could happen in it any more at its end
    cycle: tuple[WaitEdge, ...] = ()  # The waits, one behind the other, back to where they began
    ends: tuple[int, ...] = ()  # Holders that wait for nothing and keep what they have for ever
    passed_by: tuple[OvertakingReport, ...] = ()  # The last decisions that passed it
    bound: tuple[ObstacleRow, ...] = ()  # Obstacles when it is alone in the cluster
    over_ms: int | None = None  # When it ends without being given anything more [epoch ms]; None when it does not
    fails: bool = False  # Whether it fails then, or is lost with its control plane

    def report(self, id_of: Callable[[int], str]) -> ProofReport:
        return ProofReport(
            from_ms=self.from_ms,
            looked_until_ms=self.looked_until_ms,
            allocations=self.allocations,
            last_allocation_ms=self.last_allocation_ms,
            still=self.still,
            cycle=tuple(
                CycleStep(
                    application=id_of(step.application),
                    waits_for=id_of(step.holder),
                    because=step.because.name,
                    node=step.node,
                )
                for step in self.cycle
            ),
            for_ever=tuple(map(id_of, self.ends)),
            passed_by=self.passed_by,
            bound=self.bound,
            over_ms=self.over_ms,
            fails=self.fails,
        )


NEVER: Final = frozenset({"deadlocked", "blocked", "impossible", "outage"})
"""Verdicts that say: it will never be given what it asks for."""


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on one ask of an application at one instant."""

    verdict: str
    expected_start_ms: int | None  # When the closed world gives it something [epoch ms]; None when never
    proof: Proof
    priority: int | None = None  # Priority of the ask it is about; None where asks have none

    @property
    def is_never(self) -> bool:
        """Tell whether it is proved that it is never given anything: now, or once a deadlock ahead has formed."""
        return self.expected_start_ms is None and (self.verdict in NEVER or bool(self.proof.cycle))


_GRAVITY: Final = ("none", "waiting", "starving", "later", "deadlocked", "blocked", "impossible", "outage")
"""Verdicts, the least grave first."""


def severity_key(verdict: Verdict) -> tuple[bool, int, int]:
    """Sort key: verdicts with a start, the latest last, then verdicts without one, the gravest last."""
    is_never = verdict.expected_start_ms is None and verdict.verdict != "none"
    return (is_never, verdict.expected_start_ms or 0, _GRAVITY.index(verdict.verdict))
