"""The preemption of a real ResourceManager of 3.4.1, container by container."""

import json
from datetime import UTC, datetime
from pathlib import Path

from engine.formats.scenario_toml import load
from engine.run import play
from tests.scenarios.test_oracle import Decisions

RECORDED = Path(__file__).parent.parent / "cases" / "recorded" / "scenarios" / "recorded-preemption-3.4.json"
CLOSE_MS = 35
"""How far our instants may be from those of a machine that needs time for everything."""


def test_the_same_containers_are_picked_and_killed_at_the_same_instants() -> None:
    """All 25 warnings and 25 kills, in the order of the real one's log."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))["decisions"]
    ours, scenario = Decisions(), load("preemption-3.4")
    play(scenario, listeners=[ours])
    hour_ms = int(datetime(2026, 11, 21, tzinfo=UTC).timestamp() * 1000)
    for kind in ("warned", "killed"):
        theirs = [(hour_ms + at_ms, name) for at_ms, what, name in recorded if what == kind]
        mine = ours.made[kind]
        assert [name for _, name in mine] == [name for _, name in theirs]
        assert all(abs(one[0] - other[0]) <= CLOSE_MS for one, other in zip(mine, theirs, strict=True))
