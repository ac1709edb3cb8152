"""Packaged patterns: found in their scenarios, and not in the near-twins."""

import json

import pytest

from tests.invoke import said

PAIRS = {
    "AM-only deadlock": ("pattern-am-only", "job 1", "+120s"),
    "AM limit": ("capacity-am-limit", "4", "+2m"),
    "user limit": ("pattern-user-limit", "second", "+40s"),
    "ask above every node": ("pattern-ask-above-every-node", "huge", "+40s"),
    "preemption livelock": ("pattern-preemption-livelock", "rich", "+40s"),
    "queue limit": ("pattern-queue-limit", "greedy", "+30s"),
    "FIFO head of line": ("pattern-fifo-head-of-line", "behind", "+15s"),
    "locality never relaxed": ("pattern-locality-never-relaxed", "picky", "+40s"),
}
"""Pattern → its scenario, who is in it, and when."""

CAPACITY = {
    "user limit": ("capacity-user-limit", "large query", "+1m"),
    "FIFO head of line": ("head-of-line-capacity-3.4", "behind", "+20s"),
}
"""As above, under CapacityScheduler."""

LIVELOCK = ("preemption-livelock-capacity", "rich", "+1m")

UNHURRIED = ("--budget", "0")
"""What is found does not depend on how fast the machine is."""


@pytest.mark.parametrize(
    ("pattern", "pair"),
    [
        *PAIRS.items(),
        *CAPACITY.items(),
        pytest.param("preemption livelock", LIVELOCK, marks=pytest.mark.long),
    ],
)
def test_why_names_the_pattern_and_not_in_its_twin(pattern: str, pair: tuple[str, str, str]) -> None:
    scenario, application, at = pair
    told = [
        json.loads(said("why", [name, "--app", application, "--at", at, "--json", *UNHURRIED]).stdout)["pattern"]
        for name in (scenario, f"{scenario}-twin")
    ]

    assert told[0] == pattern
    assert told[1] != pattern
