"""Small scenarios in which something gets stuck, and near-twins in which nothing does."""

import re
from collections.abc import Iterable

from engine.explain.answer import WhyReport
from engine.explain.recent_decisions import RecentDecisions
from engine.explain.verdict import Verdict
from engine.explain.why_question import WhyQuestion
from engine.formats.scenario_toml import loads
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation

HEAD = """
name = "stuck"
duration = "1h"
{top}
[settings]
"yarn.scheduler.maximum-allocation-mb" = 16384
{settings}
[cluster]
groups = [{{ prefix = "n", count = {nodes}, memory = "{memory}", vcores = 16 }}]
"""


def scene(
    text: str, *, nodes: int = 2, memory: str = "10g", settings: str = "", top: str = 'scheduler = "fair-2.7"'
) -> Scenario:
    """A scenario of a few equal nodes and what `text` adds."""
    return loads(HEAD.format(top=top, settings=settings, nodes=nodes, memory=memory) + text, "stuck")


def app(  # one argument per key of the table it writes
    name: str,
    asks: str,
    *,
    at: float = 1,
    queue: str = "root.a",
    waits: bool = True,
    am: str = '"unmanaged"',
    user: str = "ann",
) -> str:
    return f"""
[[workload]]
type = "scripted"
name = "{name}"
user = "{user}"
queue = "{queue}"
at = {at}
am = {am}
waits = {str(waits).lower()}
asks = [{asks}]
"""


def queue(name: str, more: str = "") -> str:
    return f'\n[[queues]]\nname = "{name}"\n{more}\n'


def at(scenario: Scenario, seconds: float, facts: RecentDecisions | None = None) -> Simulation:
    """The scenario some seconds after its start."""
    simulation = build_simulation(scenario, [facts] if facts is not None else [])
    simulation.run_until(scenario.start_ms + int(seconds * 1000))
    return simulation


def verdict_on(scenario: Scenario, seconds: float, number: int) -> tuple[Verdict, str]:
    """The verdict on an application at an instant, and the pattern it is."""
    facts = RecentDecisions()
    question = WhyQuestion(at(scenario, seconds, facts), number, facts)
    pattern = question.answer().pattern
    assert question.found is not None
    return question.found, pattern


def numbers(ids: Iterable[str]) -> list[int]:
    """The numbers at the end of ids of applications."""
    return [int(re.split("[_-]", each)[-1]) for each in ids]


def why(scenario: Scenario, seconds: float, number: int) -> WhyReport:
    """The whole answer about an application at an instant."""
    return WhyQuestion(at(scenario, seconds), number).answer()


HALVES = app(
    "first", '{ memory = "6g", duration = "5m" }, { at = 20, priority = 2, memory = "6g", duration = "1m" }'
) + app("second", '{ memory = "6g", duration = "5m" }, { at = 20, priority = 2, memory = "6g", duration = "1m" }')
"""Two applications, each with half of a node on each of two nodes, that want another half and keep what they have."""
