"""Finds the verdict on an application, a piece of work at a time: that on the ask of it that fares worst."""

from engine.explain.ask_inquiry import AskInquiry, passed_by
from engine.explain.explainers import explainer_of
from engine.explain.facts import Facts
from engine.explain.lookahead import Ahead
from engine.explain.shared_lookahead import Basis
from engine.explain.verdict import Verdict, badness
from engine.incremental import Incremental, Task
from engine.simulation.simulation import Simulation


class Inquiry:
    """Finds the verdicts on all asks of one application, a piece at a time; nothing it is given is changed."""

    def __init__(
        self, simulation: Simulation, number: int, facts: Facts | None = None, basis: Basis | None = None
    ) -> None:
        """Begin.

        Args:
            simulation: Where to ask; between two instants.
            number: The application, which asks for something.
            facts: What was decided before, for telling who passed it; None when nobody watched.
            basis: What another question at the same instant rests on; None makes one.
        """
        self._number = number
        self._passed = passed_by(simulation, number, facts) if facts is not None else ()
        self.basis = Basis(simulation) if basis is None else basis
        self._task = Task(self._find())

    @property
    def ahead(self) -> Ahead:
        """The closed world it plays."""
        return self.basis.ahead

    def advance(self, pieces: int = 1) -> bool:
        """Do some pieces of the work; whether the verdict is found. How many at a time makes no difference to it."""
        return self._task.advance(pieces)

    def verdict(self) -> Verdict:
        """Return the verdict on the ask that fares worst; the rest of the work is done first."""
        return max(self.verdicts(), key=badness)

    def verdicts(self) -> tuple[Verdict, ...]:
        """Return the verdict on each ask, by priority; the rest of the work is done first."""
        return self._task.result()

    def _find(self) -> Incremental[tuple[Verdict, ...]]:
        while not self.basis.advance():
            yield
        found: tuple[Verdict, ...] = ()
        for priority in explainer_of(self.basis.here).priorities(self._number) or (None,):
            verdict = yield from AskInquiry(self.basis, self._number, priority, self._passed).find()
            found = (*found, verdict)
        return found


def judged(inquiry: Inquiry, number: int) -> Incremental[tuple[Verdict, str]]:
    """The verdict on an application, and the pattern it is in."""
    while not inquiry.advance():
        yield
    basis, verdict = inquiry.basis, inquiry.verdict()
    return verdict, (yield from explainer_of(basis.here).pattern(basis, number, verdict))
