"""Scripted applications: exactly what is written, and those that keep what they have while they wait."""

from typing import Any

import pytest

from engine.scenario import AskSpec, ScriptedSpec
from engine.workload.master import HELD
from engine.workload.services import ScriptedMaster
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


def test_without_asks_it_ends_at_once() -> None:
    assert script().call().outcome == "FINISHED"


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


def test_held_containers_keep_it_alive() -> None:
    counter = script(ask(duration_ms=None))
    counter.call()

    assert counter.runs[counter.give(1)[0]] == HELD
    assert counter.call(10**9).outcome == ""


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


def test_a_lost_container_is_missing_until_it_is_given_again() -> None:
    counter = script(ask(count=2))
    counter.call()
    first, second = counter.give(1, count=2)
    counter.end(first, "LOST")
    counter.end(second)
    assert counter.call().outcome == ""

    (again,) = counter.give(1)
    assert counter.runs[again] == 5000
    counter.end(again)
    assert counter.call().outcome == "FINISHED"


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


def test_a_scheduler_that_ignores_strict_asks_decides_where_they_run() -> None:
    """A container on the wrong node takes the place of one on another node."""
    counter = script(ask(each_node=True, duration_ms=None))
    counter.call()
    counter.give(1, "h1")
    counter.give(1, "h1")
    counter.call()

    assert counter.wanted() == {(1, "h3"): 1, (1, "/r2"): 1, (1, "*"): 1}


def test_asks_of_one_priority_are_told_apart_by_their_place() -> None:
    """A container goes to the ask that names its host or rack before one that takes any."""
    counter = script(
        ask(duration_ms=(1, 1)), ask(hosts=("h3",), duration_ms=(2, 2)), ask(racks=("/r1",), duration_ms=(3, 3))
    )
    counter.call()

    assert [counter.runs[counter.give(1, host)[0]] for host in ("h3", "h2", "h1")] == [2, 3, 1]


def test_a_container_too_many_is_not_used() -> None:
    counter = script(ask())
    counter.call()
    counter.give(1)

    assert counter.give(1)[0] not in counter.runs


def test_each_container_runs_for_what_was_drawn_for_it() -> None:
    """In order of being given; one that replaces a lost one begins with the first again."""
    counter = script(ask(count=3, duration_ms=(1, 10**6)))
    counter.call()
    assert isinstance(counter.master, ScriptedMaster)
    (drawn,) = counter.master.drawn_ms

    given = counter.give(1, count=3)
    assert [counter.runs[container] for container in given] == list(drawn)
    counter.end(given[2], "LOST")
    counter.call()
    assert [counter.runs[container] for container in counter.give(1)] == [drawn[0]]


@pytest.mark.parametrize(("now_ms", "wake_ms"), [(0, 1), (1, 1), (2, 2), (9, 9)])
def test_it_calls_at_once_when_it_has_registered(now_ms: int, wake_ms: int) -> None:
    counter = script(ask())
    counter.master.registered(now_ms)

    assert counter.master.wake_ms == wake_ms


def test_it_calls_when_its_next_ask_is_due() -> None:
    """At once when it has registered; with nothing to ask any more for nothing."""
    counter = script(ask(at_ms=3_000), ask())
    assert counter.master.wake_ms == counter.now_ms

    counter.call(0)
    assert counter.master.wake_ms == counter.now_ms + 3_000
    counter.call(3_000)
    assert counter.master.wake_ms == 0


@pytest.mark.parametrize(
    ("stays_ms", "outcomes"), [(0, ["FINISHED", "FINISHED"]), (500, ["", "FINISHED"]), (HELD, ["", ""])]
)
def test_it_may_stay_with_nothing_to_do(stays_ms: int, outcomes: list[str]) -> None:
    counter = script(ask())
    counter.call()
    assert isinstance(counter.master, ScriptedMaster)
    (container,) = counter.give(1)
    counter.end(container)
    counter.master.stays_until_ms = stays_ms if stays_ms <= 0 else counter.now_ms + stays_ms

    said = [counter.call(499).outcome]
    assert (counter.master.wake_ms == counter.now_ms + 1) is (stays_ms > 0)
    counter.master.note_end((1, 1, 99), "LOST")
    said.append(counter.call(1).outcome)

    assert said == outcomes


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


def test_an_ask_has_the_size_of_the_first_that_is_open() -> None:
    counter = script(ask(memory_mb=1), ask(memory_mb=2), ask(memory_mb=3, priority=2))
    counter.call()
    assert [counter.master.form(priority, "*", 1).memory_mb for priority in (1, 2)] == [1, 3]

    counter.give(1)
    assert counter.master.form(1, "*", 1).memory_mb == 2
    counter.give(1)
    assert counter.master.form(1, "*", 1).memory_mb == 1


def test_durations_are_drawn_from_the_seed() -> None:
    def drawn(seed: int) -> tuple[tuple[int, ...], ...]:
        spec = ScriptedSpec(type="scripted", user="ann", asks=(ask(count=50, duration_ms=(10, 99)),))
        master = Counter(spec, seed).master
        assert isinstance(master, ScriptedMaster)
        return master.drawn_ms

    assert drawn(1) == drawn(1) != drawn(2)
    assert all(10 <= duration_ms <= 99 for duration_ms in drawn(1)[0])
