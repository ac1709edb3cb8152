"""A scenario in a few lines: what it shows, when, on what, and what it promises."""

from engine.run.expectations import describe
from engine.scenario import Scenario
from engine.units import format_duration
from tui.terminal import format as text


def described_scenario(scenario: Scenario) -> list[str]:
    """The lines of a description."""
    nodes = scenario.cluster.all_nodes()
    submitted = sum(spec.repeat.times if spec.repeat is not None else 1 for spec in scenario.workload)
    memory = text.memory(sum(node.memory_mb for node in nodes))
    lines = [
        f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name,
        "",
        *scenario.about.splitlines(),
        "",
        f"starts      {scenario.start:%a %Y-%m-%d %H:%M:%S %z}, lasts {format_duration(scenario.duration_ms)}",
        f"cluster     {text.plural(len(nodes), 'node')}, {memory}, {sum(node.vcores for node in nodes)} vcores",
        f"scheduler   {scenario.scheduler}, seed {scenario.seed}",
        f"submitted   {text.plural(submitted, 'application')}",
        f"script      {text.plural(len(scenario.script), 'action')}, {text.plural(len(scenario.faults), 'fault')}",
        f"promises    {text.plural(len(scenario.expectations), 'expectation')}",
    ]
    return [*lines, *(f"  {one.about or describe(one)}" for one in scenario.expectations)]
