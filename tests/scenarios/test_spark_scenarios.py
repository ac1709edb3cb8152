"""The Spark scenarios keep what they promise, in the same way in every process."""

import os
import subprocess
import sys

import pytest

from engine.formats.scenario_toml import load, packaged
from engine.run import play

NAMES = sorted(name for name in packaged() if name.startswith("spark-"))

JOURNAL = """
from engine.formats.scenario_toml import load
from engine.observe.journal import Fingerprint
from engine.run import play
fingerprint = Fingerprint()
play(load("spark-worker-lost"), listeners=[fingerprint])
print(fingerprint.hexdigest())
"""


@pytest.mark.parametrize("name", NAMES)
def test_every_expectation_is_met(name: str) -> None:
    """Played to its end, nothing failed and every step of the script could be done."""
    outcome = play(load(name))

    assert [result for result in outcome.results if result.verdict != "met"] == []
    assert outcome.mishaps == ()


@pytest.mark.long
def test_the_journal_does_not_hang_on_the_hash_seed() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", JOURNAL],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }

    assert len(digests) == 1
