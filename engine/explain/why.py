"""Why an application waits: state, first reason, all reasons, expected start, holders, verdict and proof.

`Question` gives what is known at once without any copy (`reasons`, `facts`), and the rest after as many pieces of
work as it takes (`advance`), so that a screen stays alive meanwhile.
"""

from typing import Final

import msgspec

from engine.control_plane.resource_manager import ResourceManager
from engine.explain.ahead import Ahead
from engine.explain.facts import Facts, Refused
from engine.explain.patterns import pattern_of
from engine.explain.reasons import ReasonRow, reason_rows
from engine.explain.standing import standing
from engine.explain.verdict import Inquiry, Verdict
from engine.explain.waits import Hold, holders
from engine.model.application import Application, Attempt
from engine.observe.snapshot import ApplicationRow
from engine.run.views import snapshot_of
from engine.simulation.simulation import Simulation

SCHEMA: Final = 1
"""Version of the form of an answer."""

HOLDERS: Final = 20
"""How many holders an answer names."""


class Holder(msgspec.Struct, frozen=True):
    """Who holds what is needed, and until when."""

    hold: Hold
    name: str
    user: str
    queue: str
    waits: bool
    """Whether it waits for something itself."""
    until_ms: int | None
    """When the last of what it holds there is given back [epoch ms]; None when not seen."""
    never: bool
    """Whether it is never given back in the closed world."""


class Why(msgspec.Struct, frozen=True):
    """The answer about one application."""

    number: int
    row: ApplicationRow | None
    """As the cluster sees it; None when it is unknown there."""
    time_ms: int
    """The instant asked about [epoch ms]."""
    verdict: str
    """As `Verdict.verdict`, or `none`, `ended`, `refused`, `unknown`."""
    pattern: str
    reasons: tuple[ReasonRow, ...]
    facts: tuple[Refused, ...]
    expected_start_ms: int | None
    holders: tuple[Holder, ...]
    found: Verdict | None
    """The verdict with its proof; None when it waits for nothing."""


class Question:
    """Why one application waits; the simulation asked about is never changed."""

    def __init__(self, simulation: Simulation, number: int, facts: Facts | None = None) -> None:
        """Ask.

        Args:
            simulation: Where to ask; between two instants.
            number: The application.
            facts: What a recorder has heard; None when nobody recorded.
        """
        self._simulation = simulation
        self._number = number
        snapshot = snapshot_of(simulation.control_plane, simulation.now_ms)
        tells_why = not isinstance(simulation.control_plane, ResourceManager)  # whose nodes are asked below
        rows = [row for row in snapshot.applications(why=tells_why) if row.number == number]
        self.row: ApplicationRow | None = rows[0] if rows else None
        self.facts = facts.of(number) if facts is not None else ()
        self.reasons: tuple[ReasonRow, ...] = ()
        self._holds: list[Hold] = []
        self._inquiry: Inquiry | None = None
        self._ask_about_nodes()
        if self._waits():
            self._inquiry = Inquiry(simulation, number, facts)

    def _waits(self) -> bool:
        row = self.row
        return row is not None and row.finished_ms is None and (row.refusal is not None or bool(self.reasons))

    def _ask_about_nodes(self) -> None:
        control_plane = self._simulation.control_plane
        attempt = attempt_of(self._simulation, self._number)
        if isinstance(control_plane, ResourceManager):
            if attempt is not None and attempt.pending:
                scheduler = control_plane.scheduler
                found = standing(scheduler, attempt, self._simulation.now_ms)
                self.reasons = reason_rows(scheduler, attempt, found)
                self._holds = holders(scheduler, attempt, found)
        elif self.row is not None and self.row.refusal is not None:
            refusal = self.row.refusal
            self.reasons = (
                ReasonRow(
                    refusal.code, refusal.sentence, "APP", "SKIPPED", "", 0, 0, (), "", {}, None, refusal.certainty
                ),
            )

    def advance(self, pieces: int = 1) -> bool:
        """Do some pieces of the work; whether the answer is there."""
        return self._inquiry is None or self._inquiry.advance(pieces)

    def answer(self) -> Why:
        """The whole answer; the rest of the work is done first."""
        found = self._inquiry.verdict() if self._inquiry is not None else None
        pattern, held = "", tuple[Holder, ...]()
        if found is not None and self._inquiry is not None:
            pattern = pattern_of(self._simulation, self._inquiry.ahead, self._number, found)
            held = tuple(self._holder(hold, self._inquiry.ahead) for hold in self._holds[:HOLDERS])
        return Why(
            number=self._number,
            row=self.row,
            time_ms=self._simulation.now_ms,
            verdict=found.verdict if found is not None else self._state(),
            pattern=pattern,
            reasons=self.reasons,
            facts=self.facts,
            expected_start_ms=found.expected_start_ms if found is not None else None,
            holders=held,
            found=found,
        )

    def _state(self) -> str:
        if self.row is None:
            return "unknown"
        if self.row.finished_ms is None:
            return "none"
        return "refused" if self.row.state == "FAILED" and not self.row.containers and self.row.diagnostics else "ended"

    def _holder(self, hold: Hold, ahead: Ahead) -> Holder:
        application = application_of(self._simulation, hold.application)
        assert application is not None, "who holds something is alive"
        ends = [ahead.ended.get(container) for container in hold.containers]
        seen = [end for end in ends if end is not None]
        is_all = len(seen) == len(ends) and bool(ends)
        attempt = application.attempt
        return Holder(
            hold=hold,
            name=application.name,
            user=application.user,
            queue=application.queue,
            waits=attempt is not None and attempt.pending > 0,
            until_ms=max(seen) if is_all else None,
            never=ahead.still and not is_all,
        )


def application_of(simulation: Simulation, number: int) -> Application | None:
    """A live application; None when there is none of that number."""
    control_plane = simulation.control_plane
    return control_plane.cluster.applications.get(number) if isinstance(control_plane, ResourceManager) else None


def attempt_of(simulation: Simulation, number: int) -> Attempt | None:
    """Its present attempt; None when it has none."""
    application = application_of(simulation, number)
    return application.attempt if application is not None else None
