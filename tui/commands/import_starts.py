"""Which applications of an imported scenario can never start, why, and what to change, in words."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.explain.alerts import Alerts
from engine.explain.can_start import NeverStarts, never_starting
from engine.explain.remedy import remedy_sentence
from engine.explain.remedy_search import RemedySearch
from engine.explain.reporting import Reporter
from engine.explain.why import WhyQuestion
from engine.incremental import finish
from engine.run.player import Run
from engine.scenario import Scenario
from tui.commands.budget import SECONDS, Budget
from tui.format import plural

NAMED: Final = 5
"""Most kinds that are told of."""


class Unstartable(NamedTuple):
    """Applications alike that cannot start."""

    applications: int
    example: str
    reason: str
    change: str
    """What makes one of them start; empty where nothing was found."""

    def sentence(self) -> str:
        """All of it in a sentence."""
        change = f"; to change: {self.change}" if self.change else ""
        return f"{plural(self.applications, 'application')}, e.g. {self.example}: {self.reason}{change}"


def unstartable(scenario: Scenario) -> list[Unstartable]:
    """Return who cannot start under the scenario's scheduler, most first; empty proves that each one can."""
    found = sorted(finish(never_starting(scenario)), key=lambda each: -len(each.kind.specs))
    told, rest = list(_told(found[:NAMED])), found[NAMED:]
    if rest:
        others = sum(len(each.kind.specs) for each in rest)
        told.append(Unstartable(others, rest[0].kind.sample.name, "of other sizes, which cannot start either", ""))
    return told


def _told(found: list[NeverStarts]) -> Iterator[Unstartable]:
    budget = Budget(SECONDS)
    for each in found:
        if together := _together(each):
            yield _told_as(each, together)
            continue
        simulation = each.run.simulation
        rows = each.run.snapshot().applications(why=False)
        if not rows:
            yield _told_as(each, _refusal(each.run.scenario))
            continue
        number = rows[0].number
        reporter = Reporter(simulation.control_plane)
        why = reporter.why(WhyQuestion(simulation, number).answer())
        reasons = [reason.sentence for reason in why.reasons] or [why.application.diagnostics or why.verdict]
        search = RemedySearch(simulation, (number,)) if why.proof is not None else None
        remedies = None
        if search is not None:
            _ = budget.spend(search.advance)
            best = search.found()
            remedies = reporter.remedies(best).remedies if best is not None else None
        change = remedy_sentence(remedies[0].remedy) if remedies else ""
        yield _told_as(each, reasons[0], change)


def _refusal(scenario: Scenario) -> str:
    """Return why the only application of a scenario is refused, so that it is in no list."""
    alerts = Alerts()
    run = Run(scenario, [alerts])
    run.advance(run.until_ms)
    refused = [each.sentence for each in alerts.look(run.simulation) if each.kind == "refused"]
    return refused[0].partition(" is ")[2] if refused else "not submitted"


def _together(each: NeverStarts) -> str:
    """The reason of an application that needs all its containers at once; empty where the cluster is as large."""
    nodes = each.run.scenario.cluster.all_nodes()
    memory_mb, vcores = sum(node.memory_mb for node in nodes), sum(node.vcores for node in nodes)
    *_, wanted_mb, wanted_vcores = each.kind.sizes
    if wanted_mb <= memory_mb and wanted_vcores <= vcores:
        return ""
    return (
        f"needs all its containers at once, {wanted_mb} MB and {wanted_vcores} vcores;"
        f" {plural(len(nodes), 'node')} with {memory_mb} MB and {vcores} vcores"
    )


def _told_as(each: NeverStarts, reason: str, change: str = "") -> Unstartable:
    return Unstartable(len(each.kind.specs), each.kind.sample.name, reason, change)
