"""The screen under hands that press anything."""

from pathlib import Path
from random import Random

import pytest

from tests.gates.soak.__main__ import SCENARIO, soak
from tests.gates.soak.keys import SIZES, keystroke

WARM_UP_MINUTES = 2
GROWTH_MB = 60.0


def test_the_same_seed_presses_the_same_keys() -> None:
    hands = [Random(5), Random(5)]
    pressed = [[keystroke(hand, SIZES[0]) for _ in range(500)] for hand in hands]

    assert pressed[0] == pressed[1]


@pytest.mark.long
def test_five_minutes_of_random_keys_and_sizes_leave_the_program_alive_and_its_memory_flat(tmp_path: Path) -> None:
    """It neither dies nor writes a traceback, and grows little once it has shown everything."""
    path = tmp_path / "endless.toml"
    path.write_text(SCENARIO, encoding="utf-8")

    minutes = soak(5.0, seed=3, tmux=False, path=str(path), extra=["--save-folder", str(tmp_path)])

    warm, last = minutes[WARM_UP_MINUTES - 1], minutes[-1]
    assert last["reopened"] > warm["reopened"] or last["memory_mb"] - warm["memory_mb"] < GROWTH_MB
