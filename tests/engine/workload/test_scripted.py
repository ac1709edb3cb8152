"""Scripted applications: exactly what is written, and those that keep what they have while they wait."""

from typing import Any

import pytest

from engine.scenario import AskSpec, ScriptedSpec
from engine.workload.master import HELD
from tests.engine.workload.cases import Counter

SHORT = (5000, 5000)


def ask(**fields: Any) -> AskSpec:
    """An ask for containers of 1 GB that run 5 s."""
    return AskSpec(**({"memory_mb": 1024, "duration_ms": SHORT} | fields))


def script(*asks: AskSpec, waits: bool = False) -> Counter:
    return Counter(ScriptedSpec(type="scripted", user="ann", asks=asks, waits=waits))


def test_asks_are_made_at_their_time() -> None:
    """A later ask comes at the first call after it is due, counted from registration."""
    counter = script(ask(), ask(priority=2, at_ms=5000, count=3))
    counter.call()
    before = dict(counter.counts)
    early, late = counter.call(3999), counter.call(1)

    assert before == {(1, "*"): 1}
    assert (early.asks, [item.count for item in late.asks]) == ((), [3])


def test_it_ends_when_everything_has_ended() -> None:
    """Not before the last ask has been made and the last container has run out."""
    counter = script(ask(), ask(priority=2, at_ms=3000))
    counter.call()
    counter.end(counter.give(1)[0])
    early = counter.call().outcome
    counter.call()
    counter.end(counter.give(2)[0])

    assert (early, counter.call().outcome) == ("", "FINISHED")


def test_it_ends_when_it_is_due_whatever_it_has() -> None:
    """Not a millisecond sooner, with containers that run and asks still to be made; it ends as written."""
    spec = ScriptedSpec(
        type="scripted",
        user="ann",
        asks=(ask(duration_ms=None), ask(priority=2, at_ms=9000)),
        ends_after_ms=5000,
        outcome="FAILED",
    )
    counter = Counter(spec)
    counter.call()
    counter.give(1)

    assert [counter.call(ms).outcome for ms in (2999, 1)] == ["", "FAILED"]


def test_one_that_waits_keeps_everything_until_its_last_ask_is_met() -> None:
    counter = script(ask(count=2), ask(priority=2, count=1), waits=True)
    counter.call()
    held = counter.give(1, count=2)
    before = counter.call(10**9)
    last = counter.give(2)
    call = counter.call()

    assert before.ends == ()
    assert {counter.runs[container] for container in held + last} == {HELD}
    assert [end.container for end in call.ends] == held + last
    assert {end.at_ms - counter.now_ms for end in call.ends} == {4000}


def test_a_lost_container_is_asked_for_again_where_it_was_wanted() -> None:
    counter = script(ask(count=2, hosts=("h1", "h3"), relax=False))
    counter.call()
    first, _ = counter.give(1, "h3", count=2)
    counter.end(first, "LOST")
    counter.call()

    assert counter.wanted() == {(1, name): 1 for name in ("h1", "h3", "/r1", "/r2", "*")}
    assert [counter.relax[1, name] for name in ("h1", "h3", "/r1", "/r2", "*")] == [True, True, False, False, False]


def test_another_attempt_counts_from_its_own_registration() -> None:
    counter = script(ask(at_ms=5_000), ask(at_ms=1_000))
    counter.call(1_000)
    counter.master.begin_attempt(2)
    counter.counts = {}
    counter.master.registered(counter.now_ms)
    counter.call(999)
    assert counter.wanted() == {}

    counter.call(1)
    assert counter.wanted() == {(1, "*"): 1}
    counter.call(4_000)
    assert counter.wanted() == {(1, "*"): 2}


def test_a_relaxed_ask_may_run_anywhere() -> None:
    counter = script(ask(hosts=("h1",), racks=("/r2",)))
    counter.call()

    assert set(counter.relax.values()) == {True}
    assert counter.give(1, "h2")[0] in counter.runs


def test_a_strict_ask_of_a_rack_forbids_other_racks() -> None:
    counter = script(ask(racks=("/r2",), relax=False))
    counter.call()

    assert (counter.relax[1, "/r2"], counter.relax[1, "*"]) == (True, False)


def test_one_on_each_node_asks_every_node() -> None:
    counter = script(ask(count=2, each_node=True, duration_ms=None))
    counter.call()
    asked = dict(counter.counts)
    counter.give(1, "h3")
    counter.call()

    assert asked == {(1, "h1"): 2, (1, "h2"): 2, (1, "h3"): 2, (1, "/r1"): 4, (1, "/r2"): 2, (1, "*"): 6}
    assert (counter.counts[1, "h3"], counter.counts[1, "*"]) == (1, 5)


NAMES = ("h1", "h9", "/r1", "/r2", "*")


@pytest.mark.parametrize(
    ("fields", "relaxed"),
    [
        ({}, NAMES),
        ({"hosts": ("h1",)}, NAMES),
        ({"hosts": ("h1",), "relax": False}, ("h1",)),
        ({"racks": ("/r1",), "relax": False}, ("/r1",)),
        ({"hosts": ("h1",), "racks": ("/r2",), "relax": False}, ("h1",)),
        ({"each_node": True}, ("h1",)),
    ],
)
def test_a_strict_ask_is_relaxed_only_where_it_may_be_met(fields: dict[str, Any], relaxed: tuple[str, ...]) -> None:
    """On its hosts, in its racks where it names no host, on every node of the cluster where it is for each."""
    master = script(ask(**fields)).master

    assert tuple(name for name in NAMES if master.form(1, name, 3).relax_locality) == relaxed
