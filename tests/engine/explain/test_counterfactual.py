"""Whose end would start an application: each suspect tried alone, then a smallest set together."""

import pytest

from engine.explain.counterfactuals import Lookahead, confirmed
from engine.incremental import run_to_end
from engine.scenario.acts import KillApplication
from tests.engine.explain.stuck import app, at, scene

HALF = app("half", '{ memory = "5g", hosts = ["n1"], relax = false }')
WHOLE = app("whole", '{ memory = "10g", hosts = ["n1"], relax = false }', at=10)
ELSEWHERE = app("elsewhere", '{ memory = "5g", hosts = ["n2"], relax = false }')


def test_whose_end_alone_helps_is_named_and_nobody_else() -> None:
    full = HALF.replace("5g", "8g")
    simulation = at(scene(full + ELSEWHERE + WHOLE), 30)

    assert run_to_end(confirmed(simulation, (3, None), (2, 1), None)) == (1,)


def test_two_that_only_help_together_are_named_together() -> None:
    simulation = at(scene(HALF + HALF + ELSEWHERE + WHOLE), 30)

    assert run_to_end(confirmed(simulation, (4, None), (3, 1, 2), None)) == (1, 2)


@pytest.mark.parametrize(("sooner_ms", "named"), [(0, ()), (1, (1,))])
def test_a_holder_has_to_make_it_start_sooner(sooner_ms: int, named: tuple[int, ...]) -> None:
    simulation = at(scene(HALF.replace("5g", "8g") + WHOLE), 30)
    start_ms = _start_without_the_holder()

    assert run_to_end(confirmed(simulation, (2, None), (1,), start_ms + sooner_ms)) == named


def _start_without_the_holder() -> int:
    """When the last one starts once the first has been killed after thirty seconds."""
    ahead = Lookahead(at(scene(HALF.replace("5g", "8g") + WHOLE), 30))
    ahead.simulation.act(KillApplication(1))
    start_ms = ahead.until_started(2)
    assert start_ms is not None
    return start_ms
