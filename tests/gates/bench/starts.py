"""How well expected starts hold.

Random small clusters are stopped at a random instant, and the start expected for everybody who waits is set against
what happens when the run goes on: alone (nothing arrives any more, closed) or as the scenario has it (open).
"""

from random import Random
from statistics import median
from typing import NamedTuple

from engine.control_plane.resource_manager import ResourceManager
from engine.explain.counterfactuals import Lookahead
from engine.formats.scenario_toml import loads
from engine.model.decision import Allocated
from engine.scenario import Scenario
from engine.schedulers.registry import SCHEDULERS
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.simulation.scenes import Log

LENGTH_S = 900
"""Work arrives for so long."""

LATER_S = 3600
"""How long is waited for a start."""


CAPACITY = (
    '"yarn.scheduler.capacity.root.queues" = "a,b"',
    '"yarn.scheduler.capacity.root.a.capacity" = "60"',
    '"yarn.scheduler.capacity.root.b.capacity" = "40"',
    '"yarn.scheduler.capacity.root.b.maximum-capacity" = "70"',
    '"yarn.scheduler.capacity.root.a.user-limit-factor" = "2"',
    '"yarn.scheduler.capacity.maximum-am-resource-percent" = "0.5"',
)
"""The queues of the capacity scheduler, which are defined by settings."""


class Start(NamedTuple):
    """One expected start."""

    expected_ms: int | None
    """None for never."""
    actual_ms: int | None

    @property
    def is_exact(self) -> bool:
        """Whether it came to the ms, or never as expected."""
        return self.expected_ms == self.actual_ms


def scenario_of(case: int, until_s: float | None = None) -> Scenario:
    """A random scenario; of its applications only those that arrive until an instant, if given."""
    random = Random(case)
    policies = sorted(SCHEDULERS)
    policy = policies[case % len(policies)]
    lines = [
        f'name = "case{case}"\nduration = "3h"\nseed = {case}\nscheduler = "{policy}"\n[settings]',
        f'"yarn.scheduler.fair.assignmultiple" = {str(random.random() < 0.5).lower()}',
        f'"yarn.scheduler.fair.preemption" = {str(random.random() < 0.3).lower()}',
    ]
    if random.random() < 0.3:
        lines.append('"yarn.scheduler.fair.locality.threshold.node" = 0.5')
        lines.append('"yarn.scheduler.fair.locality.threshold.rack" = 0.5')
    if policy.startswith("capacity"):
        lines += CAPACITY
    nodes = 2 + int(random.random() * 5)
    lines.append(
        f'[cluster]\ngroups = [{{ prefix = "n", count = {nodes}, memory = "8g", vcores = 8, racks = ["/r1", "/r2"] }}]'
    )
    if policy.startswith("fair"):
        lines.append('[[queues]]\nname = "a"\nweight = 2\nmin_resources = "4096 mb, 4 vcores"')
        lines.append('min_share_preemption_timeout = 10\n[[queues]]\nname = "b"\nmax_resources = "20480 mb, 20 vcores"')
    for number in range(8 + int(random.random() * 20)):
        at_s = round(random.random() * LENGTH_S, 3)
        text = _application(random, number, at_s, nodes, policy)
        if until_s is None or at_s <= until_s:
            lines.append(text)
    return loads("\n".join(lines), f"case{case}")


def _application(random: Random, number: int, at_s: float, nodes: int, policy: str) -> str:
    queue = "default" if policy == "fifo" else "ab"[int(random.random() * 2)]
    if policy.startswith("fair"):
        queue = f"root.{queue}"
    head = f'[[workload]]\nname = "w{number}"\nuser = "u{int(random.random() * 3)}"\nqueue = "{queue}"\nat = {at_s}\n'
    number_of, size = 1 + int(random.random() * 8), 1 + int(random.random() * 6)
    lasts = f'["{10 + int(random.random() * 60)}s", "{80 + int(random.random() * 120)}s"]'
    if random.random() < 0.5:
        return (
            f'{head}type = "mapreduce"\nmaps = {number_of * 3}\nmap = {{ memory = "{size}g" }}\n'
            f"map_duration = {lasts}\nreplication = {int(random.random() * 2)}"
        )
    host = f', hosts = ["n{1 + int(random.random() * nodes)}"], relax = false' if random.random() < 0.2 else ""
    waits = str(random.random() < 0.5).lower()
    return (
        f'{head}type = "scripted"\nwaits = {waits}\n'
        f'asks = [{{ memory = "{size}g", count = {1 if host else number_of}{host}, duration = {lasts} }}]'
    )


def starts(case: int, *, is_closed: bool) -> list[Start]:
    """Expected and actual starts of all who wait at a random instant of a case."""
    asked_s = 60 + Random(case + 1_000_000).random() * (LENGTH_S - 120)
    scenario = scenario_of(case, asked_s if is_closed else None)
    log = Log()
    simulation = build_simulation(scenario, [log])
    asked_ms = scenario.start_ms + int(asked_s * 1000)
    simulation.run_until(asked_ms)
    numbers = waiting(simulation)
    expected = {number: Lookahead(simulation, LATER_S * 1000).until_started(number) for number in numbers}
    simulation.run_until(asked_ms + LATER_S * 1000)
    actual: dict[int, int] = {}
    for time_ms, record in log.entries:
        if isinstance(record, Allocated) and time_ms > asked_ms:
            actual.setdefault(record.container[0], time_ms)
    return [Start(expected[number], actual.get(number)) for number in numbers]


def waiting(simulation: Simulation) -> list[int]:
    control_plane = simulation.control_plane
    assert isinstance(control_plane, ResourceManager)
    attempts = [each.attempt for each in control_plane.cluster.applications.values()]
    return [attempt.application.number for attempt in attempts if attempt is not None and attempt.pending]


def summary(cases: int, *, is_closed: bool) -> dict[str, object]:
    """Figures over as many cases with somebody waiting."""
    found: list[Start] = []
    case = used = 0
    while used < cases:
        of_case = starts(case, is_closed=is_closed)
        case, used = case + 1, used + bool(of_case)
        found += of_case
    errors = sorted(
        (each.actual_ms - each.expected_ms) / 1000
        for each in found
        if each.actual_ms is not None and each.expected_ms is not None
    )
    return {
        "bench": f"starts-{'closed' if is_closed else 'open'}",
        "cases": used,
        "starts": len(found),
        "exact": sum(each.is_exact for each in found),
        "exact_share": round(sum(each.is_exact for each in found) / max(1, len(found)), 4),
        "never_expected_but_started": sum(each.expected_ms is None and each.actual_ms is not None for each in found),
        "expected_but_never_started": sum(each.expected_ms is not None and each.actual_ms is None for each in found),
        "error_s_median": median(errors) if errors else 0,
        "error_s_p10": errors[len(errors) // 10] if errors else 0,
        "error_s_p90": errors[len(errors) * 9 // 10] if errors else 0,
        "error_s_worst": max(errors, key=abs, default=0),
    }
