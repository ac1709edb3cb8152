"""Whether a remedy does what it promises when the scenario is played again with it as a step of its script."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.explain.remedy import AGAIN_MS, remedy_sentence
from engine.explain.remedy_search import RemedySearch
from engine.explain.remedy_trial import ACT_MS, GAIN_MS, Trial
from engine.explain.reporting import Reporter
from engine.run.player import Run
from engine.scenario.acts import Act
from engine.scenario.timed_acts import timed
from tests.claims.cases import Case, Claim, Question, Truth

PIECES: Final = 6_000
"""How much is looked for remedies for one question."""


def remedies(case: Case, question: Question) -> Iterator[Claim]:
    """Every start that is promised comes at its instant; what is called useless starts nothing a second sooner."""
    search = RemedySearch(question.here, (question.answer.number,))
    _ = search.advance(PIECES)
    found = search.found()
    if found is None or not search.opened:
        return
    report = Reporter(question.here.control_plane)
    for trial in found.ranked:
        acts = [report.step(trial.remedy.act), *trial.then]
        truth = _played_with(case, question, acts, trial.starts[-1].start_ms)
        yield from (Claim("remedies", False, f"{question}: {each}") for each in truth.mishaps)
        for start, ask in _promises(trial, search.targets):
            real_ms = truth.start_of(trial.numbers.get(ask[0], ask[0]), ask[1], question.here.now_ms)
            words = f"{question}: {remedy_sentence(trial.remedy)}: {ask} promised {start}, started {real_ms}"
            yield Claim("remedies", real_ms == start, words)
    for trial in found.useless[:: max(1, len(found.useless) // 4)]:
        truth = _played_with(case, question, [report.step(trial.remedy.act)], question.here.now_ms + 600_000)
        ask = search.targets[0]
        real_ms, expected_ms = truth.start_of(*ask, question.here.now_ms), found.base.starts.get(ask)
        is_sooner = real_ms is not None and (expected_ms is None or real_ms <= expected_ms - GAIN_MS)
        if expected_ms is not None or found.base.ends:
            yield Claim(
                "remedies", not is_sooner, f"{question}: {remedy_sentence(trial.remedy)} starts {ask} at {real_ms}"
            )


def _promises(
    trial: Trial, targets: tuple[tuple[int, int | None], ...]
) -> Iterator[tuple[int, tuple[int, int | None]]]:
    priorities = dict(targets)
    for start in trial.starts:
        yield start.start_ms, (start.application, priorities[start.application])


def _played_with(case: Case, question: Question, acts: Sequence[Act], until_ms: int) -> Truth:
    """What happens in the scenario with the acts of a remedy in its script, as they are printed."""
    scenario, act_ms, truth = case.scenario, question.here.now_ms + ACT_MS - case.scenario.start_ms, Truth()
    steps = [timed(act, act_ms + (AGAIN_MS if turn else 0)) for turn, act in enumerate(acts)]
    changed = scenario.model_copy(update={"script": (*scenario.script, *steps)})
    run = Run(changed, [truth], until_ms - scenario.start_ms, is_judged=False)
    truth.simulation = run.simulation
    run.advance(until_ms - scenario.start_ms)
    truth.mishaps = [f"{each.step}: {each.reason}" for each in run.mishaps if each.step in {one.do for one in steps}]
    return truth
