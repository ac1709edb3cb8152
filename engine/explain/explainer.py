"""The interface of explanations to each kind of control plane."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, Protocol

from engine.explain.answer import WaiterReport
from engine.explain.counterfactuals import Ask
from engine.explain.instant import SharedLookahead
from engine.explain.obstacles import ObstacleRow
from engine.explain.verdict import Verdict
from engine.explain.waits import BlockingResources
from engine.incremental import Incremental, run_to_end
from engine.schedulers.obstacle_texts import Reason

PASSING: Final = {
    *(Reason.DOES_NOT_FIT.name, Reason.NODE_RESERVED.name, Reason.OTHER_FIRST.name, Reason.RESERVATION_LIMIT.name),
    *(Reason.DELAY_SCHEDULING.name, Reason.NOT_COUNTED.name, "WAITS_FOR_EVENT"),
}
"""Codes of obstacles that go away by themselves as a rule."""


class Explainer(Protocol):
    """Answers about one cluster at one instant; the cluster must stand still meanwhile."""

    def obstacles(self, number: int, priority: int | None = None) -> Incremental[tuple[ObstacleRow, ...]]:
        """All obstacles of an application, or of its ask of a priority, the first reason first; may be none."""

    def priorities(self, number: int) -> list[int]:
        """The priorities at which an application asks for something, sorted; none where asks have no priority."""
        return []

    def is_due(self, number: int, priority: int) -> bool:
        """Tell whether an application may be given what it asks for at a priority now."""
        return priority in self.priorities(number)

    def is_served_at(self, number: int, priority: int | None) -> bool:
        """Tell whether an application has some of what it asks for at a priority (None: anything but its master)."""

    def is_served_beside(self, number: int, priority: int | None) -> bool:
        """Tell whether an application has something of another priority, which it asks for again if that is lost."""
        return False

    def without_room(self, numbers: Collection[int], others: Collection[int]) -> set[int]:
        """Return the applications with an ask that finds no room even beside the containers of some others alone."""

    def is_merely_full(self, number: int) -> bool:
        """Tell whether what others hold is all that is in the way on some node: as a rule that goes away by itself."""
        rows = run_to_end(self.obstacles(number))
        return (not rows or rows[0].code in PASSING) and not run_to_end(self.is_too_large(number))

    def is_too_large(self, number: int, priority: int | None = None) -> Incremental[bool]:
        """Tell whether no node can ever hold what an application asks for; at a priority, as above."""

    def holds(self, number: int, priority: int | None = None) -> Incremental[list[BlockingResources]]:
        """Return the holders of what an application waits for, at a priority as above; empty if it does not wait."""

    def other_settings(self, ask: Ask, row: ObstacleRow) -> Sequence[ObstacleRow]:
        """The row once for each further setting that may decide the obstacle of an ask, the likeliest first."""
        return ()

    def loose_values(self, row: ObstacleRow) -> Sequence[str]:
        """The values to try for the setting of an obstacle, the loosest there are; none where it has no setting.

        One of no meaning where there is one way to loosen each setting.
        """
        return () if row.decided_by is None else ("",)

    def loosen(self, ask: Ask, row: ObstacleRow, value: str) -> None:
        """Give the setting of an obstacle one of its loose values; on a copy, for an ask that waits."""

    def drop_other_asks(self, number: int, priority: int | None) -> None:
        """Have an application ask for nothing but what it asks for at a priority; on a copy."""

    def before(self, number: int) -> Collection[int]:
        """Return the applications that are served before it by rule and still ask for something."""
        return ()

    def waiting_in_queue(self, path: str) -> Iterator[WaiterReport]:
        """Return the applications that wait in a queue or below it, longest first, with all obstacles, one at a time.

        Settings that decide are left out: they are found only for a single application.
        """

    def waiting_for_node(self, node: str) -> Iterator[WaiterReport]:
        """Return the applications that wait, longest first, one at a time, with the obstacles on a node (`host:port`).

        Where every node is as good as another, these are all that wait; obstacles may be empty there.
        """

    def pattern(self, basis: SharedLookahead, number: int, verdict: Verdict) -> Incremental[str]:
        """The name of the first pattern found for an application with this verdict; empty when none is."""
