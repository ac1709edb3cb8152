"""A Spark shell that went idle: which of its executors go back to the cluster, and when."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.invoke import said

SHELL: Final = Path(__file__).parents[1] / "cases" / "behaviour" / "01-shuffle-tracking" / "day.toml"
"""A query of two stages that ends at 09:00:56; the stage that writes shuffle data runs on all five executors."""

DYNAMIC: Final = "workload.0.dynamic"


@pytest.mark.parametrize(
    ("settings", "released"),
    [
        ([], []),
        (["shuffle=service"], ["09:01:56"] + ["09:02:06"] * 3),
        (["shuffle_timeout=5m"], ["09:05:56"] + ["09:06:06"] * 3),
    ],
)
def test_an_idle_shell_keeps_its_shuffle_data(settings: list[str], released: list[str]) -> None:
    """For ever where executors are tracked without a time-out; an executor that holds none is idle for a minute."""
    changes = [part for each in settings for part in ("--set", f"{DYNAMIC}.{each}")]
    played = said("play", [str(SHELL), *changes])

    assert played.exit_code == 0
    assert re.findall(r"^(\S+)\.\d+ +KILL .*released$", played.stdout, re.MULTILINE) == released
