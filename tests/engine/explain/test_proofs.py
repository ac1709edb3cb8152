"""What a verdict rests on: how far it was looked, what was allocated by then, who passed, and who is killed beside."""

import pytest

from engine.explain.facts import Facts
from engine.explain.inquiry import MOST_PASSING, PASSED, beside, judged, passed_by, verdicts
from engine.explain.lookahead import Ahead
from engine.explain.shared_lookahead import Basis
from engine.explain.verdict import NEVER, Proof, Verdict, badness
from engine.explain.waits import Wait
from engine.incremental import finish
from engine.model.decision import Allocated
from engine.schedulers.activity import Reason
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, app, at, scene

OFF = '"schedlab.reservation.rule" = "off"'
SMALL = app("small", '{ memory = "1g", count = 9, duration = "25s" }', at=3, queue="root.b", waits=False)
LATE = app("late", '{ memory = "8g" }', at=10)


def first_verdict(simulation: Simulation, number: int) -> Verdict:
    """The verdict on its only ask."""
    (found,) = finish(verdicts(Basis(simulation), number))
    return found


def test_the_proof_of_a_start_is_the_world_up_to_it() -> None:
    """Beside the same world played by hand: all that is allocated by then counts, and nothing after."""
    holder = app("holder", '{ memory = "8g", count = 2, duration = "2m" }')
    simulation = at(scene(holder + SMALL + LATE, settings=OFF), 30)
    ahead = Ahead(simulation)
    start_ms = ahead.until_started(3)
    served = ahead.start_of(3, None)
    assert served is not None
    proof = Proof(simulation.now_ms, served.time_ms, served.allocations, start_ms, still=False)

    assert first_verdict(simulation, 3) == Verdict("waiting", start_ms, proof, 1)
    assert served.allocations > 1


def test_the_proof_of_a_wait_without_end_is_the_whole_world() -> None:
    """Until nothing can happen any more; the last allocation is somebody else's."""
    simulation = at(scene(HALVES + SMALL.replace('"root.b"', '"root.c"'), settings=OFF), 40)
    found = finish(verdicts(Basis(simulation), 1))[-1]
    ahead = Ahead(simulation)
    while not ahead.advance():
        pass

    assert (found.verdict in {"deadlocked", "starving"}, found.expected_start_ms, found.is_never) == (True, None, True)
    assert (found.proof.from_ms, found.proof.looked_until_ms) == (simulation.now_ms, ahead.now_ms)
    assert (found.proof.allocations, found.proof.last_allocation_ms) == (ahead.allocations, ahead.last_ms)
    assert (found.proof.still, found.proof.over_ms) == (True, None)
    assert (found.verdict == "deadlocked") == (ahead.allocations == 0)


def test_who_ends_without_what_it_asks_for_waits_for_nothing() -> None:
    """The proof says when it ends, and looks no further."""
    ends = app("ends", '{ memory = "1g", duration = "1m" }', at=2, waits=False)
    ends = ends.replace("asks =", "ends_after = 100\nasks =").replace("}]", '}, { memory = "9g", priority = 2 }]')
    simulation = at(scene(app("holder", '{ memory = "8g", count = 2 }') + ends, settings=OFF), 30)
    ahead = Ahead(simulation)
    while 2 not in ahead.over_ms and not ahead.advance():
        pass
    found = finish(verdicts(Basis(simulation), 2))[-1]

    assert (found.verdict, found.expected_start_ms, found.is_never) == ("none", None, False)
    assert found.proof.over_ms == found.proof.looked_until_ms == ahead.over_ms[2]
    assert not found.proof.still


def test_a_single_ask_is_told_before_it_is_known_who_keeps_it() -> None:
    """Of several asks nothing is told before the worst is known."""
    simulation = at(scene(app("holder", '{ memory = "8g", count = 2 }') + LATE, settings=OFF), 30)
    told: list[Verdict] = []
    (found,) = finish(verdicts(Basis(simulation), 2, (), told.append))

    assert [(each.verdict, each.proof.ends, each.priority) for each in told] == [("blocked", (), 1)]
    assert (found.verdict, found.proof.ends) == ("blocked", (1,))
    two = LATE.replace("}]", '}, { memory = "9g", priority = 2 }]')
    told.clear()
    several = finish(
        verdicts(Basis(at(scene(app("holder", '{ memory = "8g", count = 2 }') + two), 30)), 2, (), told.append)
    )
    assert ([each.priority for each in several], told) == ([1, 2], [])


def test_the_last_decisions_that_passed_it_are_in_the_proof() -> None:
    """Five of all, in their order."""
    holder = app("holder", '{ memory = "8g", count = 2, duration = "5m" }')
    simulation, facts = at(scene(holder + LATE + SMALL.replace("at = 3", "at = 12"), settings=OFF), 100), Facts()
    sizes = range(1, PASSED + 3)
    facts.records(simulation.now_ms, [Allocated((3, 1, size), "n1:1", 1, size, 1) for size in sizes])
    passed = passed_by(simulation, 2, facts)
    found, _ = finish(judged(Basis(simulation), 2, passed))

    assert [each.memory_mb for each in passed] == list(sizes)
    assert found.verdict == "starving"
    assert [each.memory_mb for each in found.proof.passed_by] == list(sizes)[-MOST_PASSING:]
    assert {each.application for each in passed} == {simulation.control_plane.view().application_id(3)}
    assert {(each.at_ms, each.node) for each in passed} == {(simulation.now_ms, "n1:1")}


@pytest.mark.parametrize(("others", "left"), [((), [3]), ((1,), [1, 3]), ((4, 1), [1, 3, 4]), ((9,), [3])])
def test_all_others_are_killed_but_some(others: tuple[int, ...], left: list[int]) -> None:
    """In a copy; on the others nothing has an effect."""
    simulation = at(scene("".join(app(f"a{turn}", '{ memory = "1g" }', at=turn) for turn in range(1, 6))), 20)
    ahead = finish(beside(simulation, 3, others))

    assert [each.number for each in ahead.simulation.control_plane.view().applications()] == left
    assert len(simulation.control_plane.view().applications()) == 5
    assert ahead.from_ms == simulation.now_ms


STEP = Wait(1, 2, Reason.DOES_NOT_FIT, "")


@pytest.mark.parametrize(
    ("verdict", "start_ms", "cycle", "is_never"),
    [
        *((name, None, (), True) for name in sorted(NEVER)),
        *((name, 5, (STEP,), False) for name in sorted(NEVER)),
        ("starving", None, (STEP,), True),
        ("starving", None, (), False),
        ("later", None, (), False),
        ("none", None, (), False),
    ],
)
def test_a_verdict_says_never_where_that_is_proved(
    verdict: str, start_ms: int | None, cycle: tuple[Wait, ...], *, is_never: bool
) -> None:
    """By itself, or by a cycle ahead; not where there is a start."""
    assert Verdict(verdict, start_ms, Proof(0, 1, 0, None, still=True, cycle=cycle)).is_never == is_never


def test_the_gravest_verdict_counts() -> None:
    """Whoever starts later is worse, whoever never does worse than that; who waits for nothing comes first."""
    proof = Proof(0, 1, 0, None, still=True)
    order = [Verdict("none", None, proof)]
    order += [Verdict(name, start_ms, proof) for start_ms in (5, 6) for name in ("waiting", "starving")]
    never = ("starving", "later", "deadlocked", "blocked", "impossible", "outage")
    order += [Verdict(name, None, proof) for name in never]

    assert [badness(each) for each in order] == sorted({badness(each) for each in order})
