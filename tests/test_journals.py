"""Journals are the same, byte by byte, on every Python and machine."""

import json
from pathlib import Path
from typing import Final

import pytest

from engine.formats.scenario_toml import load
from engine.observe.journal import Fingerprint
from engine.run import play

GOLDEN: Final = Path(__file__).parent / "cases" / "recorded" / "journals.json"
"""Name of a scenario → the digest of its journal; where an act or a rule is added, the digest changes with it."""


@pytest.mark.parametrize(("name", "digest"), json.loads(GOLDEN.read_text()).items())
def test_a_journal_has_its_golden_digest(name: str, digest: str) -> None:
    fingerprint = Fingerprint()

    play(load(name), listeners=[fingerprint])

    assert fingerprint.hexdigest() == digest
