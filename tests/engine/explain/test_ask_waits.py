"""Since when asks are given nothing, beside a reckoning by hand, and what becomes an alert."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.explain.badge_rules import LONG_MS, SOON_MS
from engine.explain.shared_lookahead import HEAD_OF_LINE
from engine.explain.starvation_verdict import AskWaits, kind_of
from engine.explain.verdict import Proof, Verdict
from engine.explain.waits import Wait
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.schedulers.activity import Reason
from engine.simulation.records import AskChanged, Record

STEPS = st.lists(
    st.tuples(st.integers(1, 2), st.integers(1, 3), st.sampled_from(("asks", "withdraws", "given", "ends", "runs"))),
    max_size=25,
)


def record(number: int, priority: int, what: str) -> Record:
    """What happens to an application at a priority."""
    if what == "given":
        return Allocated((number, 1, 2), "n1:1", priority, 1, 1)
    if what in {"ends", "runs"}:
        return ApplicationTransitioned(number, "KILLED" if what == "ends" else "RUNNING")
    return AskChanged(number, priority, 1, 1, 2 if what == "asks" else 0)


@given(STEPS, st.sets(st.integers(1, 3)), st.integers(0, 30))
def test_an_ask_waits_since_it_was_made_or_last_given_something(
    steps: list[tuple[int, int, str]], asked: set[int], waiting_since_ms: int
) -> None:
    """Until it is withdrawn, or its application ends; the oldest of those asked counts, not before it waits at all."""
    waits, since = AskWaits(), dict[tuple[int, int], int]()
    for time_ms, (number, priority, what) in enumerate(steps):
        waits.records(time_ms, [record(number, priority, what)])
        if what == "asks":
            since.setdefault((number, priority), time_ms)
        elif what == "withdraws":
            since.pop((number, priority), None)
        elif what == "given" and (number, priority) in since:
            since[number, priority] = time_ms
        elif what == "ends":
            since = {key: value for key, value in since.items() if key[0] != number}
    for number in (1, 2, 3):
        mine = [value for (who, priority), value in since.items() if who == number and (not asked or priority in asked)]
        expected = max(waiting_since_ms, min(mine)) if mine else waiting_since_ms
        assert waits.since_of(number, asked, waiting_since_ms) == expected


CYCLE = (Wait(1, 2, Reason.DOES_NOT_FIT, ""),)


@pytest.mark.parametrize(
    ("verdict", "start_ms", "cycle", "pattern", "kind"),
    [
        ("none", None, (), HEAD_OF_LINE, ""),
        ("blocked", None, (), "", "stuck"),
        ("starving", None, CYCLE, "", "stuck"),
        ("later", None, (), "", "held-up"),
        ("waiting", LONG_MS, (), HEAD_OF_LINE, "held-up"),
        ("waiting", LONG_MS, (), "", ""),
        ("waiting", LONG_MS - 1, (), HEAD_OF_LINE, ""),
    ],
)
def test_a_verdict_makes_an_alert(
    verdict: str, start_ms: int | None, cycle: tuple[Wait, ...], pattern: str, kind: str
) -> None:
    """What never starts is stuck; what starts late is held up only behind a large one."""
    proof = Proof(0, 10, 0, None, still=True, cycle=cycle)

    assert kind_of(Verdict(verdict, start_ms, proof), pattern, 0) == kind


@pytest.mark.parametrize(("from_ms", "kind"), [(LONG_MS - SOON_MS, "held-up"), (LONG_MS - SOON_MS + 1, "")])
def test_who_is_served_soon_is_not_held_up(from_ms: int, kind: str) -> None:
    """However long it has waited."""
    proof = Proof(from_ms, 10, 0, None, still=False)

    assert kind_of(Verdict("waiting", LONG_MS, proof), HEAD_OF_LINE, 0) == kind
