"""Alerts over the packaged patterns, as `schedlab play` prints them: each is told, and not in its near-twin."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.explain.instant import LIVELOCK
from engine.explain.yarn_explainer import NAMES
from engine.formats.scenario_toml import packaged
from tui.cli.play import app

PAIRS: dict[str, tuple[str, str, list[str]]] = {
    "AM-only deadlock": ("pattern-am-only", "frozen", []),
    "AM limit": ("capacity-am-limit", "frozen", []),
    "user limit": ("pattern-user-limit", "frozen", []),
    "ask above every node": ("pattern-ask-above-every-node", "too-large", ["frozen"]),
    "preemption livelock": ("pattern-preemption-livelock", "livelock", []),
    "queue limit": ("pattern-queue-limit", "frozen", ["frozen"]),
    "FIFO head of line": ("pattern-fifo-head-of-line", "held-up", []),
    "locality never relaxed": ("pattern-locality-never-relaxed", "frozen", []),
    "reservation deadlock": ("reservation-deadlock-continuous", "frozen", []),
}
"""Pattern → its scenario, the kind of its alert, and the kinds its near-twin raises for what it really is."""

TWINS = {"reservation-deadlock-continuous": "reservation-deadlock-rule-off"}
"""Near-twins that are not named after their pattern."""

LONG = "reservation deadlock"
"""Takes ten seconds."""
PATTERNS = [pytest.param(pattern, marks=[pytest.mark.long] * (pattern == LONG)) for pattern in PAIRS]


def _alerts(name: str) -> list[dict[str, Any]]:
    lines = CliRunner().invoke(app, [name, "--json"]).stdout.splitlines()
    return [line for line in map(json.loads, lines) if line.get("kind") == "Alert"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_is_told_and_its_near_twin_is_not(pattern: str) -> None:
    name, kind, _ = PAIRS[pattern]

    assert [each["alert"] for each in _alerts(name) if each["pattern"] == pattern and each["alert"] == kind] == [kind]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_near_twin_tells_what_it_is_and_nothing_else(pattern: str) -> None:
    name, _, kinds = PAIRS[pattern]
    found = _alerts(TWINS.get(name, f"{name}-twin"))

    assert [(each["alert"], each["pattern"]) for each in found] == [(kind, "") for kind in kinds]


def test_every_pattern_has_a_pair() -> None:
    named = {name for name in packaged() if name.startswith("pattern-") and not name.endswith("-twin")}

    assert set(PAIRS) == {*NAMES, LIVELOCK}
    assert named <= {name for name, _, _ in PAIRS.values()}
