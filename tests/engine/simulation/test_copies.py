"""Forks and checkpoints of whole simulations are like their originals, and share with them only what never changes."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine.formats.scenario_toml import load
from engine.model.ledger import Application
from engine.model.spark.application import DRIVER_MOVES, Driver, SparkApplication
from engine.scenario import Scenario
from engine.simulation.build import build_simulation
from engine.simulation.checkpoint import CheckpointPool, pack, unpack
from engine.simulation.simulation import Simulation
from engine.simulation.world import RunConstants
from engine.state import DROPPED, NESTED, OWNED, REFERENCES, SHARED, declared, has_slots, is_state
from engine.workload.master import Topology
from tests.engine.simulation.scenes import BUSY, scenario

CHANGEABLE = (list, dict, set, deque)


def is_open(each: Any) -> bool:
    """Whether it is an object of the state that may still change: not an application or driver that has ended."""
    if isinstance(each, Application):
        return not each.is_final or each.attempt is not None
    if isinstance(each, SparkApplication):
        return each.finished_ms is None
    if isinstance(each, Driver):
        return bool(DRIVER_MOVES[each.state])
    return is_state(type(each)) and has_slots(type(each))


def unpacked(simulation: Simulation) -> Simulation:
    pool = CheckpointPool()
    return unpack(pack(simulation, pool), pool)


def scenes() -> Iterator[Any]:
    """Scenarios with what may be in a state: every scheduler, preemption, reservations, lost workers, ended drivers."""
    text = BUSY.replace('hosts = ["n2"], relax = false, ', "").replace("each_node = true\n", "")
    for scheduler in ("fair-2.7", "fair-3.4", "fifo", "fifo-3.4"):
        yield pytest.param(scenario(text, count=8, top=f'seed = 3\nscheduler = "{scheduler}"'), id=scheduler)
    for name in ("preemption-3.4", "reservation-deadlock", "spark-worker-lost", "spark-locality"):
        yield pytest.param(load(name), id=name)


def instants(scene: Scenario) -> Iterator[Simulation]:
    simulation = build_simulation(scene)
    for part in range(1, 7):
        simulation.run_until(scene.start_ms + min(scene.duration_ms, 1_200_000) * part // 7)
        yield simulation


def slots(root: Any) -> Iterator[tuple[Any, str, str, Any]]:
    """(object, slot, what it is, its value) of all the state an object leads to."""
    seen, todo = {id(root)}, [root]
    while todo:
        each = todo.pop()
        for name, what in declared(type(each)).items():
            value = getattr(each, name)
            yield each, name, what, value
            for other in () if what in (SHARED, OWNED, DROPPED) else members(value):
                if is_open(other) and id(other) not in seen:
                    seen.add(id(other))
                    todo.append(other)


def members(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, RunConstants | Topology):
        return
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    for each in inner:
        yield from members(each)


def changeable(root: Any) -> dict[int, str]:
    """Whatever may change of the state: its objects, and the lists, dicts and sets in their slots; by identity."""
    found = {}
    for each, name, what, value in slots(root):
        found[id(each)] = type(each).__name__
        for one in members(value) if what == NESTED else (value,) if what in (OWNED, REFERENCES) else ():
            if isinstance(one, CHANGEABLE):
                found[id(one)] = f"{type(each).__name__}.{name}"
    return found


def difference(one: Any, other: Any) -> str:
    """Where two states differ first; empty when they are alike, objects that name each other included."""
    partner: dict[int, Any] = {}
    todo = [("", one, other)]
    while todo:
        where, mine, theirs = todo.pop()
        if type(mine) is not type(theirs):
            return where
        if isinstance(mine, dict):
            todo += [(f"{where}.{place}", *pair) for place, pair in enumerate(zip(mine, theirs, strict=True))]
            mine, theirs = list(mine.values()), list(theirs.values())
        if isinstance(mine, list | tuple | deque):
            if len(mine) != len(theirs):
                return where
            todo += [(f"{where}[{place}]", *pair) for place, pair in enumerate(zip(mine, theirs, strict=True))]
        elif is_open(mine):
            if id(mine) not in partner:
                partner[id(mine)] = theirs
                kind = type(mine)
                todo += [
                    (f"{kind.__name__}.{name}", getattr(mine, name), getattr(theirs, name)) for name in declared(kind)
                ]
            elif partner[id(mine)] is not theirs:
                return where
        elif not is_state(type(mine)) and type(mine).__module__ == "builtins" and mine != theirs:
            return where
    return ""


@pytest.mark.parametrize("copied", [Simulation.fork, unpacked], ids=["fork", "checkpoint"])
@pytest.mark.parametrize("scene", [*scenes()])
def test_a_copy_is_like_its_original_and_has_its_own_state(
    scene: Scenario, copied: Callable[[Simulation], Simulation]
) -> None:
    """Every slot has an equal value, every reference leads to the same copy, and nothing that may change is shared."""
    for simulation in instants(scene):
        other = copied(simulation)
        mine, theirs = changeable(simulation.world), changeable(other.world)

        assert difference(simulation.world, other.world) == ""
        assert {mine[each] for each in mine.keys() & theirs.keys()} == set()


@pytest.mark.parametrize("scene", [*scenes()])
def test_what_is_declared_as_shared_cannot_change(scene: Scenario) -> None:
    """No list, dict, set or object of the state is shared, and none is inside what is owned, save what has ended."""
    for simulation in instants(scene):
        for each, name, what, value in slots(simulation.world):
            if what not in (SHARED, OWNED):
                continue
            kept = members(value) if what == SHARED else members(list(value)) if isinstance(value, CHANGEABLE) else ()
            for place, one in enumerate(kept):
                is_own_list = what == OWNED and place == 0
                assert is_own_list or not (isinstance(one, CHANGEABLE) or is_open(one)), f"{type(each)}.{name}"
