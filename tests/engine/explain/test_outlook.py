"""Since when a run is frozen: how long it is quiet before, who counts, and what comes from outside."""

import pytest

from engine.explain.badge_rules import QUIET_MS
from engine.explain.freeze_detector import Outlook
from engine.model.decision import Allocated
from engine.scenario.acts import SetPreemption
from engine.simulation.records import Acted
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, scene
from tests.engine.simulation.scenes import Log

GIVEN = Allocated((1, 1, 9), "n1:1", 1, 1024, 1)


@pytest.fixture(scope="module")
def frozen() -> Simulation:
    """Two that wait for each other."""
    return at(scene(HALVES), 60)


def since(simulation: Simulation, number: int) -> int:
    """Since when one waits [epoch ms]."""
    found = simulation.control_plane.view().application(number)
    assert found is not None
    assert found.waiting_since_ms is not None
    return found.waiting_since_ms


def formed(outlook: Outlook, simulation: Simulation, *known: int) -> int | None:
    """Since when it is frozen, as far as is found at once."""
    assert outlook.look(simulation, known=known)
    return outlook.formed_ms


@pytest.mark.parametrize(("ago_ms", "is_told"), [(QUIET_MS - 1, False), (QUIET_MS, True), (QUIET_MS + 1, True)])
def test_nothing_is_said_before_it_has_been_quiet(frozen: Simulation, ago_ms: int, *, is_told: bool) -> None:
    """For half a second after the last allocation, since when it is frozen."""
    last_ms = frozen.now_ms - ago_ms
    for outlook in (Outlook(last_ms), Outlook()):
        if not outlook.copying and outlook.formed_ms is None:
            outlook.records(last_ms, [GIVEN])
        assert outlook.look(frozen)
        assert outlook.formed_ms == (last_ms if is_told else None)


def test_a_run_is_frozen_since_somebody_waits(frozen: Simulation) -> None:
    """Where nothing was allocated after that; those who are known do not count."""
    first, second = since(frozen, 1), since(frozen, 2)
    for known, formed_ms in (((), min(first, second)), ((1,), second), ((2,), first), ((1, 2), None)):
        outlook = Outlook(min(first, second) - 1)
        assert outlook.look(frozen, known=known)
        assert outlook.formed_ms == formed_ms
        if formed_ms is not None:
            assert (set(outlook.stuck), outlook.left) == ({1, 2}, {1, 2})


def test_those_that_are_stuck_are_named_by_their_wait() -> None:
    """The longest first."""
    text = app("holder", '{ memory = "9g", count = 2 }')
    text += "".join(app(f"late {turn}", '{ memory = "9g" }', at=turn) for turn in (9, 8, 7))
    outlook = Outlook()

    assert outlook.look(at(scene(text), 30))
    assert outlook.stuck == (2, 3, 4)


def test_a_run_that_froze_goes_on_when_something_is_given(frozen: Simulation) -> None:
    """From then on it may freeze anew; when all who wait are known it is not frozen."""
    outlook = Outlook()
    assert formed(outlook, frozen) is not None
    assert formed(outlook, frozen, 1, 2) is None
    assert formed(outlook, frozen) is not None
    outlook.records(frozen.now_ms - QUIET_MS, [GIVEN])
    assert outlook.formed_ms is None
    assert formed(outlook, frozen) == frozen.now_ms - QUIET_MS


def test_an_act_makes_another_future(frozen: Simulation) -> None:
    """What was copied is of no use, and the freeze is no older than the act."""
    acted = Acted(SetPreemption(on=True))
    outlook = Outlook()
    copying = [(outlook.look(frozen, 0), outlook.copying)]
    outlook.records(frozen.now_ms - 7, [acted])
    copying.append((False, outlook.copying))

    assert copying == [(False, True), (False, False)]
    assert formed(outlook, frozen) == frozen.now_ms - 7
    later = Outlook()
    later.records(frozen.now_ms + 7, [acted])
    assert formed(later, frozen) == frozen.now_ms


def test_it_is_found_a_piece_at_a_time(frozen: Simulation) -> None:
    """The same as at once; the run stands only while it is copied."""
    outlook, at_once = Outlook(), Outlook()
    at_once.look(frozen)
    seen = []
    while not outlook.look(frozen, 1):
        seen.append(outlook.copying)
        assert outlook.formed_ms is None

    assert seen
    assert seen == sorted(seen, reverse=True)
    assert (outlook.formed_ms, outlook.stuck, outlook.copying) == (at_once.formed_ms, at_once.stuck, False)


def test_a_run_is_not_frozen_before_the_last_allocation_to_come() -> None:
    """To the millisecond; nor where nobody waits."""
    text = app("holder", '{ memory = "9g", count = 2, duration = "1m" }') + app("late", '{ memory = "9g" }', at=5)
    text += app("greedy", '{ memory = "9g", count = 2 }', at=6)
    log = Log()
    simulation = at(scene(text), 20)
    whole = simulation.fork(closed=True)
    whole.listeners.append(log)
    whole.run_until(simulation.now_ms + 600_000)
    last_ms = max(time_ms for time_ms, each in log.entries if isinstance(each, Allocated))
    outlook = Outlook()

    for time_ms, formed in ((simulation.now_ms, None), (last_ms - 1, None), (last_ms, last_ms)):
        simulation.run_until(time_ms)
        assert outlook.look(simulation)
        assert (outlook.formed_ms is None) == (formed is None)
    quiet = at(scene(app("holder", '{ memory = "9g", count = 2 }')), 20)
    assert Outlook().look(quiet, 0)
