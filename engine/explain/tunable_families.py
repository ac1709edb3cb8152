"""What may be changed of an instant while the cluster runs: the rows of the tables that an act can change there.

The values of a family are places in the list of values to try, from 1 on; 0 is what is in force. Of an amount of memory
and vcores each is searched by itself.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from engine.control_plane.cluster_view import ClusterView
from engine.control_plane.job_tracker_view import JobTrackerView
from engine.explain.explainers import explainer_of
from engine.explain.remedy import Family, Remedy, only
from engine.explain.tunable_places import Setup
from engine.explain.tunable_values import Candidate, Possibilities
from engine.incremental import finish
from engine.scenario import acts
from engine.schedulers.fair.queue_settings import QUEUE_SETTINGS, parse_resources
from engine.schedulers.mr1.live_settings import POOL_ELEMENTS
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.fair import PREEMPTION, RESERVATION_RULE
from engine.settings.monitor import MONITORS
from engine.settings.spark import SPREAD_OUT
from engine.settings.tunables import GROUPS
from engine.simulation.simulation import Simulation

_WAITING: Final = frozenset[str]().union(*GROUPS.values())
"""Every code of an obstacle of who is there."""

_SWITCHES: Final[Mapping[str, Callable[[str], acts.Act]]] = {
    PREEMPTION.name: lambda value: acts.SetPreemption(value == "true"),
    MONITORS.name: lambda value: acts.SetPreemption(value == "true"),
    RESERVATION_RULE.name: acts.SetReservationRule,
    SPREAD_OUT.name: lambda value: acts.SetSetting(SPREAD_OUT.name, value),
}
"""Switches of a whole scheduler → the act that throws one while it runs."""


def setting_families(simulation: Simulation, number: int) -> Iterator[Family]:
    """Every value that an act changes and that governs a wait of an application."""
    view, control_plane = simulation.control_plane.view(), simulation.control_plane
    possible = Possibilities(simulation, Setup(control_plane.name, settings_of(simulation)), number)
    codes = _WAITING
    if view.kind == JobTrackerView.kind:  # its plays are dear, so that what governs nothing in the way is left out
        codes = frozenset(row.code for row in finish(explainer_of(simulation).obstacles(number)))
    for each in possible.candidates(codes):
        if each.tunable.needs and not view.modes().preemption:
            continue  # it has no effect while nothing is preempted
        remedy = _maker(view, each, number)
        if remedy is not None:
            yield from _families(each, remedy)


def settings_of(simulation: Simulation) -> Mapping[str, str]:
    """The settings of the whole scheduler that a control plane was started with; none where it does not tell them."""
    configuration = getattr(simulation.control_plane, "configuration", None)
    if configuration is not None:
        settings: Mapping[str, str] = configuration.settings
        return settings
    cluster = getattr(simulation.control_plane.view(), "cluster", None)
    return getattr(cluster, "settings", {})


def switches(simulation: Simulation) -> Iterator[Family]:
    """Switches of the whole scheduler alone."""
    setup = Setup(simulation.control_plane.name, settings_of(simulation))
    view = simulation.control_plane.view()
    for each in Possibilities(simulation, setup, None).candidates(_WAITING):
        if each.tunable.key in _SWITCHES and (remedy := _maker(view, each, 0)) is not None:
            yield from _families(each, remedy)


def _families(each: Candidate, make: Callable[[str], Remedy]) -> Iterator[Family]:
    if not each.is_ordered:
        yield from (only(make(value)) for value in each.values)
    elif "," in each.values[-1]:
        yield _of_amounts(each, make)
    else:
        values = (each.before, *each.values)
        kind = make(values[-1]).kind
        yield Family(kind, lambda value: make(values[value[0]]), (0,), (len(values) - 1,))


def _of_amounts(each: Candidate, make: Callable[[str], Remedy]) -> Family:
    most, least = parse_resources(each.values[-1]), parse_resources(each.before or "0 mb, 0 vcores")
    lows = (min(least.memory_mb, most.memory_mb), min(least.vcores, most.vcores))
    kind = make(each.values[-1]).kind
    highs = (most.memory_mb, most.vcores)
    return Family(kind, lambda value: make(f"{value[0]} mb, {value[1]} vcores"), lows, highs)


def _maker(view: ClusterView, each: Candidate, number: int) -> Callable[[str], Remedy] | None:
    """Return what makes the remedy of a value; None where no act changes it while the cluster runs."""
    row = each.tunable
    match row.where:
        case "whole" if row.key in _SWITCHES:
            switch = _SWITCHES[row.key]
            return lambda value: Remedy(switch(value))
        case "whole" | "user" if row.takes == "refresh" and each.change("").property.startswith(PREFIX):
            key = each.change("").property
            return lambda value: Remedy(acts.SetSetting(key, value))
        case "queue" | "leaf" | "others" if row.takes == "refresh":
            return _of_queue(each)
        case "own" if row.key == "priority":
            name = _name(view, number)
            return lambda value: Remedy(acts.SetPriority(number, int(value)), name=name)
        case "own" if row.key == "queue" and not each.scheduler.startswith("mr1"):
            name, path_of = _name(view, number), {view.policy.queue_name(p.path): p.path for p in view.policy.queues()}
            return lambda value: Remedy(acts.MoveApplication(number, value), name=name, queue=path_of[value])
    return None


def _of_queue(each: Candidate) -> Callable[[str], Remedy] | None:
    key, path, full = each.tunable.key, each.place.path, each.change("").property
    if full.startswith(PREFIX):
        return lambda value: Remedy(acts.SetSetting(full, value), queue=path, setting=key)
    if each.scheduler.startswith("fair") and key not in QUEUE_SETTINGS:
        return None
    if each.scheduler == "mr1-fair" and key not in POOL_ELEMENTS:
        return None
    return lambda value: Remedy(acts.SetQueueSetting(path, key, value), queue=path, setting=key)


def _name(view: ClusterView, number: int) -> str:
    own = view.application(number)
    return "" if own is None else own.name
