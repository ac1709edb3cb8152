"""Drill files: what is read, and that every mistake is reported at its place."""

import pytest

from engine.errors import ConfigError
from engine.training.drill import load_drill, packaged_drills
from tests.engine.training.small_drill import small_drill


def refused(old: str, new: str) -> list[str]:
    """The problems of a drill with a mistake in it, each as one line."""
    with pytest.raises(ConfigError) as raised:
        small_drill(old, new)
    return [str(problem) for problem in raised.value.problems]


def test_instants_count_from_the_beginning() -> None:
    """A goal without a time has until the end; the reference's instants are after `begins`."""
    drill = small_drill().drill
    assert (drill.begins_ms, drill.lasts_ms) == (300_000, 300_000)
    assert (drill.goals[0].since_ms, drill.goals[0].within_ms) == (0, 300_000)
    assert [step.at_ms for step in drill.reference] == [10_000, 20_000, 30_000]


def test_a_time_of_day_is_the_next_one_after_the_beginning() -> None:
    assert small_drill("{at = 10,", '{at = "09:06",').drill.reference[0].at_ms == 60_000


def test_all_mistakes_come_at_once() -> None:
    """Those of the scenario and those of the drill, each with its line, its key and the nearest name."""
    assert len(refused('duration = "20m"', 'duration = "soon"\nsede = 1')) == 2
    assert refused('difficulty = "first shift"', 'difficulty = "easy"\nbreif = "x"') == [
        "small.toml:32: drill.difficulty: 'easy' is not one of first shift, practised, expert",
        "small.toml:33: drill.breif: is no key of this table (did you mean brief?)",
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('lasts = "5m"', 'lasts = "15m1s"', "ends after the scenario does"),
        ('answers = ["masters"]', 'answers = ["users2"]', "the answer 'users2' is not among the choices"),
        ('do = ["kill"]', 'do = ["kil"]', "did you mean kill?"),
        ('question = "cause"', 'question = "node"', "there is no question about the node"),
        ("{at = 30,", '{at = "5m1s",', "is after the end"),
        ('teaches = "the', 'before = "nothing-start"\nteaches = "the', "did you mean nothing-starts?"),
        ('asks = "cause"', 'asks = "fault"', "asks twice about the fault"),
    ],
)
def test_what_does_not_fit_is_refused(old: str, new: str, said: str) -> None:
    assert any(said in line for line in refused(old, new))


def test_the_latest_end_is_that_of_the_scenario() -> None:
    assert small_drill('lasts = "5m"', 'lasts = "15m"').ends_ms == 1_200_000


def test_an_unknown_drill_is_answered_with_the_nearest() -> None:
    assert "nothing-starts" in packaged_drills()
    with pytest.raises(ConfigError, match="did you mean nothing-starts"):
        load_drill("nothing-start")


def test_a_scenario_is_no_drill() -> None:
    assert refused("[drill]", "[dril]") != []
