"""The reservation deadlock: the remedies of the report on it, with figures, under heartbeats and continuous scheduling.

The report's: kill a few applications, switch reservations off, make nodes larger; and a smaller maximum allocation,
which holds for later asks only and is therefore tried from the start.
"""

from functools import cache

import pytest

from engine.explain.instant import instant_of
from engine.explain.remedy import remedy_sentence
from engine.explain.remedy_candidates import candidates
from engine.explain.remedy_search import Remedies, RemedySearch
from engine.explain.remedy_trial import Trial
from engine.formats.scenario_toml import load

AT_MS = 40 * 60_000
"""09:10, five minutes after the last node was reserved [ms after the start]."""

BOTH = ("reservation-deadlock", "reservation-deadlock-continuous")


@cache
def remedies(scenario: str) -> Remedies:
    """For the first report that waits behind it, application 183359."""
    return RemedySearch(instant_of(load(scenario), AT_MS).simulation, (183359,)).answer()


def of_kind(scenario: str, kind: str) -> dict[str, Trial]:
    return {remedy_sentence(trial.remedy): trial for trial in remedies(scenario).ranked if trial.remedy.kind == kind}


def after_s(scenario: str, trial: Trial) -> float:
    return (trial.start_ms - remedies(scenario).from_ms) / 1000


@pytest.mark.long
@pytest.mark.parametrize("scenario", BOTH)
def test_one_kill_is_enough(scenario: str) -> None:
    """That of the weekly job: eleven reservations go at once, and its master's ten minutes are all that is lost."""
    kill = of_kind(scenario, "kill")["kill application 183354 (pyspark weekly model)"]

    assert after_s(scenario, kill) < 2
    assert (kill.drops, kill.lost_containers, kill.lost_ms // 60_000) == (11, 1, 9)


@pytest.mark.parametrize("scenario", BOTH)
def test_who_reserves_most_is_tried_first(scenario: str) -> None:
    """Of all acts, where several wait: the one that is named by hand is found in the shortest time."""
    simulation = instant_of(load(scenario), AT_MS).simulation
    first = candidates(simulation, (183359, 183354))[0]

    assert remedy_sentence(first.make(())) == "kill application 183354 (pyspark weekly model)"


@pytest.mark.parametrize("scenario", BOTH)
def test_other_kills_help_late_or_not(scenario: str) -> None:
    """Two jobs on the full node help after 24 minutes and more; none of the holders does."""
    late = {trial.remedy.application for trial in of_kind(scenario, "kill").values() if after_s(scenario, trial) > 1200}
    useless = {trial.remedy.application for trial in remedies(scenario).useless}

    assert late == {183342, 183312}
    assert useless >= {183314, 183315, 183316, 183317, 183318, 183319, 183320}


@pytest.mark.parametrize("scenario", BOTH)
def test_switching_reservations_off_helps_at_once_and_costs_nobody_anything(scenario: str) -> None:
    rules = of_kind(scenario, "rule")

    assert set(rules) == {"set the reservation rule to off", "set the reservation rule to limited"}
    assert all(after_s(scenario, trial) < 2 and trial.harm_s == 0 for trial in rules.values())


@pytest.mark.parametrize("scenario", BOTH)
def test_one_node_large_enough_helps_after_the_weekly_job(scenario: str) -> None:
    """18944 MB more than it has are enough, to the MB; its container then runs its twenty minutes first."""
    (larger,) = {
        trial.start_ms // 60_000
        for words, trial in of_kind(scenario, "resize").items()
        if words.endswith("to 121344 MB and 32 vcores") and not trial.drops
    }

    assert larger - remedies(scenario).from_ms // 60_000 == 20


@pytest.mark.parametrize("scenario", BOTH)
def test_what_does_not_help_is_told(scenario: str) -> None:
    kinds = {trial.remedy.kind for trial in remedies(scenario).useless}

    assert kinds >= {"preemption", "move", "queue-setting", "drain"}
    assert remedies(scenario).open == 0
