"""The figures of the manual are those that are stored, and a recording that is exact stays exact."""

from pathlib import Path
from typing import Final

import pytest

from tests.gates.fidelity.figures import Figures, figures_of
from tests.gates.fidelity.recording import Recording
from tests.gates.fidelity.scenario import scenario_of
from tests.gates.fidelity.script import JavaRandom, Script
from tests.gates.fidelity.table import PAGE, stored, table

GOLDEN: Final = Path(__file__).parents[2] / "cases" / "recorded" / "fidelity"
NAME: Final = "3.4.1-capacity-preempt"


@pytest.fixture(scope="module")
def recording() -> Recording:
    return Recording(GOLDEN / NAME, [Script(path) for path in sorted((GOLDEN / "scripts").glob("*.json"))])


def test_the_manual_has_the_stored_figures() -> None:
    assert table(stored()) in PAGE.read_text(encoding="utf-8")


def test_a_recorded_preemption_is_played_exactly(recording: Recording) -> None:
    """Memory and reservations at every second, waits and ends of every application; as stored."""
    assert figures_of(recording) == Figures(NAME, "capacity-3.4", 47, 1.0, 0.0, 1.0, 3, 1.0, 1.0)
    assert figures_of(recording) in stored()


def test_a_simulation_without_the_masters_own_rhythm_is_not_exact(recording: Recording) -> None:
    scenario = scenario_of(recording)
    cluster = scenario.cluster.model_copy(update={"am_own_rhythm": False})

    assert figures_of(recording, scenario.model_copy(update={"cluster": cluster})).memory < 1


def test_durations_are_drawn_as_the_recorded_player_drew_them() -> None:
    random = JavaRandom(42)

    assert [round(random.next_double(), 5) for _ in range(3)] == [0.72756, 0.68322, 0.30872]
