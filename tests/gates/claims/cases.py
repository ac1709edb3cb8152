"""One scenario played: what was claimed at some instants of it, and what then really happened."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final, NamedTuple

from engine.explain.answer import WhyReport
from engine.explain.explainers import explainer_of
from engine.explain.instant import SharedLookahead
from engine.explain.verdict import Verdict
from engine.explain.waits import BlockingResources
from engine.explain.why_question import WhyQuestion
from engine.incremental import run_to_end
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Killed, owner_of
from engine.run import Run
from engine.scenario import Scenario
from engine.simulation.records import AskChanged, Listener, Record
from engine.simulation.simulation import Simulation
from engine.workload.master import HUNG
from tests.gates.claims.scenarios import quiet_s

INSTANTS_S: Final = ((0, 14), (19, 54), (64, 144), (194, 344))
"""Within what is asked, at a random instant each time [s after nothing comes from outside any more]."""

LATER_S: Final = 3_600
"""How long is looked what really happens after the last question [s]."""


class Claim(NamedTuple):
    """Something claimed, and whether it is so."""

    kind: str
    is_right: bool
    what: str


class Truth:
    """A listener that keeps what happened."""

    def __init__(self) -> None:
        self.given: list[tuple[int, int, int]] = []
        """(epoch ms, application, priority) of every allocation."""
        self.ended: dict[ContainerId, list[int]] = {}
        """When each container ended [epoch ms]; a JobTracker that starts again gives names again."""
        self.over: dict[int, int] = {}
        self.withdrawn: dict[tuple[int, int], int] = {}
        """(application, priority) of what is asked for no more, and since when [epoch ms]."""
        self.mishaps: list[str] = []
        """Steps of a script that could not be done."""
        self.simulation: Simulation | None = None
        """The one listened to, once there is one."""

    def _is_used(self, record: Allocated) -> bool:
        """Whether the container is not given to a master that hangs."""
        number, attempt, _ = record.container
        master = self.simulation.world.masters.get(number) if self.simulation is not None else None
        return master is None or (master.stage, master.attempt) != (HUNG, attempt)

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated) and self._is_used(record):
                self.given.append((time_ms, owner_of(record.container), record.priority))
            elif isinstance(record, AskChanged):
                ask = (record.application, record.priority)
                _ = self.withdrawn.pop(ask, None)
                if record.count == 0:
                    self.withdrawn[ask] = time_ms
            elif isinstance(record, Completed | Killed):
                self.ended.setdefault(record.container, []).append(time_ms)
            elif isinstance(record, ApplicationTransitioned) and record.is_end:
                self.over[record.application] = time_ms

    def last_of(self, number: int, priority: int | None = None) -> int:
        """When an application or an ask of it was last given something [epoch ms]; 0 when never."""
        return max((at_ms for at_ms, each, of in self.given if each == number and priority in (None, of)), default=0)

    def start_of(self, number: int, priority: int | None, after_ms: int) -> int | None:
        """When an ask is first given something after an instant; None when never."""
        return next(
            (
                time_ms
                for time_ms, each, of in self.given
                if each == number and priority in (None, of) and time_ms > after_ms
            ),
            None,
        )


class Question(NamedTuple):
    """One answer, and a copy of the simulation where it was given."""

    answer: WhyReport
    verdicts: Sequence[Verdict]
    """Those on its asks."""
    found: Verdict
    """That on the ask that fares worst."""
    here: Simulation

    @property
    def number(self) -> int:
        return self.answer.application.number

    @property
    def ask(self) -> tuple[int, int | None]:
        return self.number, self.found.priority

    def holds(self) -> dict[str, BlockingResources]:
        """Who holds what it waits for, by id."""
        id_of = self.here.control_plane.view().application_id
        return {id_of(hold.application): hold for hold in run_to_end(explainer_of(self.here).holds(*self.ask))}

    def __str__(self) -> str:
        seconds = (self.answer.at_ms - self.here.world.ground.start_ms) / 1000
        return f"application {self.number} at {seconds} s ({self.answer.verdict})"


class Case(NamedTuple):
    """A played scenario."""

    scenario: Scenario
    questions: Sequence[Question]
    """About everybody who waited at one of the instants."""
    truth: Truth
    until_ms: int
    """How far it was played."""

    def start_of(self, question: Question, priority: int | None) -> int | None:
        """When an ask of the application asked about really starts; None when not by the end."""
        return self.truth.start_of(question.number, priority, question.answer.at_ms)


def played(scenario: Scenario) -> Case:
    """A scenario, asked about everybody who waits at each of the instants."""
    truth, questions = Truth(), list[Question]()
    random, quiet_ms, at_ms = Random(scenario.seed), quiet_s(scenario) * 1000, 0
    run = played_run(scenario, quiet_ms + (INSTANTS_S[-1][1] + LATER_S) * 1000, truth)
    for least_s, most_s in INSTANTS_S:
        at_ms = random.randint(quiet_ms + least_s * 1000, quiet_ms + most_s * 1000)
        run.advance(at_ms)
        questions += _asked(run.simulation)
    run.advance(at_ms + LATER_S * 1000)
    return Case(scenario, questions, truth, scenario.start_ms + at_ms + LATER_S * 1000)


def played_run(scenario: Scenario, until_ms: int, truth: Truth, *listeners: Listener) -> Run:
    """A run of a scenario with its script that a truth listens to; it stands at its start."""
    run = Run(scenario, [truth, *listeners], until_ms, is_judged=False)
    truth.simulation = run.simulation
    return run


def _asked(simulation: Simulation) -> Iterator[Question]:
    basis: SharedLookahead | None = None
    here = simulation.fork(closed=True)
    for each in here.control_plane.view().applications():
        question = WhyQuestion(simulation, each.number, basis=basis)
        basis = question.basis or basis
        answer = question.answer()
        if question.found is not None:
            yield Question(answer, question.verdicts, question.found, here)


def first_start(
    here: Simulation, ask: tuple[int, int | None], until_ms: int, change: Callable[[Simulation], None]
) -> int | None:
    """When a copy that begins with a change gives an ask something by an instant; None when not."""
    copy, truth, from_ms = here.fork(closed=True), Truth(), here.now_ms
    truth.simulation = copy
    copy.listeners.append(truth)
    change(copy)
    while copy.now_ms < until_ms and truth.start_of(*ask, from_ms - 1) is None and ask[0] not in truth.over:
        copy.run_until(min(copy.now_ms + 20_000, until_ms))
    start_ms = truth.start_of(*ask, from_ms - 1)
    return start_ms if start_ms is not None and start_ms <= until_ms else None
