"""Changes of a scenario that would have kept it from happening."""

import pytest

from engine.explain.prevention import preventions
from engine.formats.scenario_toml import loads
from engine.incremental import finish
from engine.settings.fair import RESERVATION_RULE

SCENARIO = """
duration = "1m"
scheduler = "{scheduler}"
[cluster]
groups = [{{ prefix = "n", count = 1, memory = "4g", vcores = 4 }}]
[[workload]]
type = "scripted"
name = "one"
user = "ann"
at = 1
am = "unmanaged"
asks = [{{ memory = "1g" }}]
"""


@pytest.mark.parametrize(
    ("scheduler", "others"), [("fair-2.7", ["limited", "off"]), ("fair-3.4", ["strict", "off"]), ("fifo", [])]
)
def test_the_rules_that_the_release_does_not_have_by_itself_are_tried(scheduler: str, others: list[str]) -> None:
    """2.7.2 lets anybody reserve (`strict`), 3.4.1 only so many (`limited`); other schedulers have no rule."""
    found = finish(preventions(loads(SCENARIO.format(scheduler=scheduler)), 30_000, 1_024))

    assert sorted(each.value for each in found if each.key == RESERVATION_RULE.name) == sorted(others)
