"""Whether a remedy does what it promises when the scenario is played again with it as a step of its script."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.explain.counterfactuals import gain_of
from engine.explain.remedy import AGAIN_MS, remedy_sentence
from engine.explain.remedy_report import act_by_id
from engine.explain.remedy_search import RemedySearch
from engine.explain.remedy_trial import ACT_MS, Baseline, Trial
from engine.formats.scenario_toml import dump, loads
from engine.model.decision import Allocated, Completed, ContainerId, Killed, owner_of
from engine.observe.snapshots import LOSING, RunningContainer
from engine.scenario.acts import Act, KillApplication, timed
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT
from engine.simulation.records import Listener, Record
from engine.simulation.spark_world import SparkWorld
from tests.gates.claims.cases import Case, Claim, Question, Truth, played_run

REPORTED_MS: Final = 15_000
"""By then trackers have ended what was killed [ms after the act]."""

PIECES: Final = 6_000
"""How much is looked for remedies for one question."""


def remedies(case: Case, question: Question) -> Iterator[Claim]:
    """Every start that is promised comes at its instant; what is called useless starts nothing soon enough to count."""
    search = RemedySearch(question.here, (question.number,))
    _ = search.advance(PIECES)
    found = search.found()
    if found is None or not search.opened:
        return
    id_of = question.here.control_plane.view().application_id
    for trial in found.ranked:
        acts = [act_by_id(trial.remedy.act, id_of), *trial.then]
        ends = Ends()
        until_ms = max(trial.starts[-1].start_ms, question.here.now_ms + REPORTED_MS)
        truth = _played_with(case, question, acts, until_ms, ends)
        yield from (Claim("remedies", False, f"{question}: {each}") for each in truth.mishaps)
        for start in trial.starts:
            ask = start.application, dict(search.targets)[start.application]
            if ask[0] in (*found.base.losing, *found.base.unheard):  # it counts that something runs out
                continue
            real_ms = truth.start_of(trial.numbers.get(ask[0], ask[0]), ask[1], question.here.now_ms)
            words = f"{question}: {remedy_sentence(trial.remedy)}: {ask} promised {start.start_ms}, started {real_ms}"
            yield Claim("remedies", real_ms == start.start_ms, words)
        if isinstance(trial.remedy.act, KillApplication):
            yield from _losses(question, trial, found.base, ends)
    for trial in found.useless[:: max(1, len(found.useless) // 4)]:
        truth = _played_with(case, question, [act_by_id(trial.remedy.act, id_of)], question.here.now_ms + 600_000)
        ask = search.targets[0]
        real_ms, expected_ms = truth.start_of(*ask, question.here.now_ms), found.base.starts.get(ask)
        is_sooner = real_ms is not None and (
            expected_ms is None or real_ms <= expected_ms - gain_of(expected_ms - found.base.from_ms)
        )
        if expected_ms is not None or found.base.ends:
            yield Claim(
                "remedies", not is_sooner, f"{question}: {remedy_sentence(trial.remedy)} starts {ask} at {real_ms}"
            )


class Ends:
    """A listener that keeps what was held, and what ended."""

    def __init__(self) -> None:
        self.held: dict[ContainerId, RunningContainer] = {}
        self.ended: dict[ContainerId, int] = {}
        self.killed: dict[ContainerId, tuple[int, str]] = {}
        """Those that were killed: when [epoch ms], and for which cause."""

    def cause_of(self, container: ContainerId) -> str:
        """Why a container was killed; empty when it was not."""
        return self.killed[container][1] if container in self.killed else ""

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self.held[record.container] = RunningContainer(time_ms, record.memory_mb, record.vcores)
                _ = self.killed.pop(record.container, None)  # a JobTracker that starts again gives names again
            elif isinstance(record, Completed | Killed):
                self.ended[record.container] = time_ms
                if isinstance(record, Killed):
                    self.killed[record.container] = (time_ms, record.cause)


def _losses(question: Question, trial: Trial, base: Baseline, ends: Ends) -> Iterator[Claim]:
    """What a kill frees and loses is what its application held and lost with it."""
    act_ms = question.here.now_ms + ACT_MS
    world, killed = question.here.world, trial.remedy.application
    driver = world.drivers.get(killed) if isinstance(world, SparkWorld) else None
    own = [one for one in ends.held if owner_of(one) == killed or (driver is not None and one == driver.container)]
    gone = {
        one: ends.held[one]
        for one in own
        if ends.held[one].since_ms < act_ms <= ends.ended.get(one, 0)
        and (ends.ended[one] == act_ms or (ends.cause_of(one) not in ("", "LOST") and one[1] != DRIVER_ATTEMPT))
    }
    frees = sum(each.memory_mb for each in gone.values()), sum(each.vcores for each in gone.values())
    words = f"{question}: {remedy_sentence(trial.remedy)}"
    said = (trial.frees_mb, trial.frees_vcores)
    yield Claim("losses", said == frees, f"{words} frees {said}, really {frees}")
    others = [one for one, (time_ms, cause) in ends.killed.items() if time_ms >= act_ms and cause in LOSING]
    if not base.lost_containers and set(others) <= gone.keys():
        lost_ms = sum(ends.ended[one] - each.since_ms for one, each in gone.items())
        is_least = (trial.lost_containers, trial.lost_ms) >= (len(gone), lost_ms)  # later ones may be lost too
        yield Claim("losses", is_least, f"{words} loses {trial.lost_ms}, really {lost_ms}")


def _played_with(case: Case, question: Question, acts: Sequence[Act], until_ms: int, *listeners: Listener) -> Truth:
    """What happens in the scenario with the acts of a remedy in its script, as they are printed."""
    scenario, act_ms, truth = case.scenario, question.here.now_ms + ACT_MS - case.scenario.start_ms, Truth()
    steps = [timed(act, act_ms + (AGAIN_MS if turn else 0)) for turn, act in enumerate(acts)]
    changed = loads(dump(scenario.model_copy(update={"script": (*scenario.script, *steps)})), scenario.name)
    run = played_run(changed, until_ms - scenario.start_ms, truth, *listeners)
    run.advance(until_ms - scenario.start_ms)
    truth.mishaps = [f"{each.step}: {each.reason}" for each in run.mishaps if each.step in {one.do for one in steps}]
    return truth
