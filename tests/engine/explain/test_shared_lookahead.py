"""Questions in pieces: of one instant, however the run goes on, and sharing what they rest on."""

import pytest

from engine.explain.shared_lookahead import Basis
from engine.explain.why import WhyQuestion
from engine.formats.scenario_toml import load
from engine.scenario import Scenario
from tests.engine.explain.stuck import HALVES, app, at, scene

CROWD = app("holder", '{ memory = "8g", count = 2, duration = "2m" }') + "".join(
    app(f"late {turn}", '{ memory = "8g", count = 2, duration = "1m" }', at=10 + turn) for turn in range(4)
)


@pytest.mark.parametrize("text", [CROWD, HALVES])
def test_questions_of_one_instant_share_a_closed_world(text: str) -> None:
    """And each is answered as if it were alone, in whatever order they are asked."""
    simulation = at(scene(text), 30)
    numbers = [each.number for each in simulation.control_plane.view().applications()][::-1]
    alone = [WhyQuestion(simulation, number).answer() for number in numbers]

    basis, shared = None, []
    for number in numbers:
        question = WhyQuestion(simulation, number, basis=basis)
        basis = question.basis or basis
        shared.append(question.answer())
        assert question.basis in (basis, None)

    assert shared == alone


def test_another_instant_rests_on_something_else() -> None:
    simulation = at(scene(CROWD), 30)
    basis = Basis(simulation)
    simulation.run_until(simulation.now_ms + 5_000)

    assert WhyQuestion(simulation, 2, basis=basis).basis is not basis


@pytest.mark.parametrize("scenario", [scene(CROWD), scene(HALVES), load("spark-cores-hoarded")])
def test_the_run_may_go_on_once_the_instant_is_copied(scenario: Scenario) -> None:
    simulation = at(scenario, 60)
    expected = WhyQuestion(simulation, 2).answer()
    question = WhyQuestion(simulation, 2)
    while question.basis is not None and not question.basis.copied:
        assert not question.advance()
    simulation.run_until(simulation.now_ms + 600_000)

    assert question.answer() == expected


def test_it_says_how_far_it_has_looked() -> None:
    simulation = at(scene(HALVES), 60)
    question = WhyQuestion(simulation, 1)
    assert (question.reached_ms, question.so_far().verdict) == (None, "")
    reached = []
    while not question.advance():
        reached.append(question.reached_ms or 0)

    assert sorted(reached) == reached
    assert reached[-1] > simulation.now_ms
    assert question.so_far() == question.answer()
