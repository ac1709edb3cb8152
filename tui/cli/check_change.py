"""`schedlab check NEW --against OLD`: what a change of a configuration means, and whom it harms under a workload."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from engine.compare import ComparisonCandidate, carried_over, compared
from engine.compare.configurations import Harm, change_of, refusals
from engine.compare.harms import (
    JudgedPromise,
    Promise,
    WorkloadEffect,
    accepted,
    effect_of,
    judged,
    judged_on,
    without_shown,
)
from engine.errors import ConfigError
from engine.formats.finding import NodeSizes
from engine.formats.named_problems import checked
from engine.scenario import Scenario
from engine.settings.capacity_queue import QUEUES
from engine.settings.capacity_scheduler import PREFIX
from engine.units import parse_instant_option
from tui.cli.check_sources import HeldConfiguration
from tui.cli.play_output import Progress
from tui.cli.talk import announced
from tui.report.change_text import JudgedChange, change_target
from tui.report.check_forms import CheckedTarget
from tui.session.definitions import configured


class ChangeRequest(NamedTuple):
    """What is compared, and under what it is played."""

    new: HeldConfiguration
    old: HeldConfiguration
    release: str
    nodes: Sequence[NodeSizes] = ()
    ignored: Sequence[str] = ()
    workloads: Sequence[Scenario] = ()
    until: str | None = None
    promises: Sequence[Promise] = ()
    is_strict: bool = False


def changed_target(asked: ChangeRequest) -> CheckedTarget:
    """What the change means, with each harm as an error."""
    nodes = asked.nodes or [size for each in asked.workloads for size in node_sizes_of(each)]
    old, new = (
        checked(held.name, held.paths, held.release or asked.release, nodes=nodes, ignored=asked.ignored)
        for held in (asked.old, asked.new)
    )
    new = msgspec.structs.replace(new, problems=asked.new.shown(new.problems))
    old = msgspec.structs.replace(old, problems=asked.old.shown(old.problems))
    change = change_of(old, new)
    effects: list[WorkloadEffect] = []
    verdicts = list(judged(asked.promises, change.new))
    unplayed: list[str] = [*asked.new.assumed, *asked.old.assumed]
    for workload in asked.workloads:
        played = _played(workload, asked)
        if isinstance(played, str):
            unplayed.append(f"{workload.name} is not played: {played}")
            continue
        effect, scenario = played
        effects.append(effect)
        verdicts += judged_on(asked.promises, effect, scenario)
    alone = without_shown([*refusals(change)], effects)
    harms = accepted([*alone, *(each for effect in effects for each in effect.harms)], asked.promises)
    broken = [each for each in verdicts if not each.is_kept]
    harms = (*harms, *(_broken(each) for each in broken))
    file = str(asked.new.paths[0]) if asked.new.paths and not asked.new.copies else asked.new.name
    return change_target(JudgedChange(change, effects, verdicts, harms, unplayed, asked.is_strict), file)


def node_sizes_of(scenario: Scenario) -> list[NodeSizes]:
    """The nodes of a scenario by their sizes."""
    counted = Counter((node.memory_mb, node.vcores) for node in scenario.cluster.all_nodes())
    return [NodeSizes(count, *size) for size, count in counted.items()]


def _broken(judged_promise: JudgedPromise) -> Harm:
    promise = judged_promise.promise
    words = f"not as promised at {promise.file}:{promise.line}: {promise.words}; {judged_promise.found}"
    return Harm("promise", words, promise.of("queue"), workload=judged_promise.workload)


# ---------------------------------------------------------------- a workload under both


def _played(workload: Scenario, asked: ChangeRequest) -> tuple[WorkloadEffect, Scenario] | str:
    """What the workload shows, and its scenario under NEW; why NEW cannot be played, where it cannot."""
    until_ms = workload.duration_ms
    if asked.until is not None:
        until_ms = min(until_ms, parse_instant_option(asked.until, workload.start, "--until"))
    family, _, era = workload.scheduler.partition("-")
    if era and era != asked.release and family in ("fair", "capacity"):
        workload = carried_over(workload, f"{family}-{asked.release}").scenario
    workload = _without_own(workload, asked)
    old, _ = configured(workload, asked.old.paths)
    try:
        new, _ = configured(workload, asked.new.paths)
        candidates = [ComparisonCandidate("A", "old", old), ComparisonCandidate("B", "new", new)]
        with Progress(until_ms, workload) as progress:
            comparison = compared(candidates, until_ms, progressed=progress.show)
    except ConfigError as error:
        return error.first_line
    return effect_of(comparison, is_strict=asked.is_strict), new


def _without_own(workload: Scenario, asked: ChangeRequest) -> Scenario:
    """The scenario without what either configuration states, which then holds alone, and with no queues but theirs."""
    with announced("reading both configurations"):
        stated: set[str] = set()
        for held in (asked.old, asked.new):
            found = checked(held.name, held.paths, held.release or asked.release)
            stated |= set() if found.parts is None else set(found.parts.settings.values)
    has_queues = QUEUES.of("root") in stated
    settings = {
        key: value
        for key, value in workload.settings.items()
        if key not in stated and not (has_queues and key.startswith(PREFIX))
    }
    return workload.model_copy(update={"settings": settings, "expectations": ()})
