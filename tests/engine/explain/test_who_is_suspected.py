"""Who is asked about soon, and who is known never to start before anything is played far."""

import pytest

from engine.explain.inquiry import later_than
from engine.explain.remedy import Remedy
from engine.explain.remedy_filter import core_of, may_help
from engine.explain.remedy_search import blocked_early
from engine.explain.starvation_verdict import is_suspect
from engine.incremental import finish
from engine.scenario.acts import KillApplication, SetPreemption
from tests.engine.explain.stuck import app, at, queue, scene

OFF = '"schedlab.reservation.rule" = "off"'
HOLDER = app("holder", '{ memory = "9g", count = 2 }')
LATE = app("late", '{ memory = "9g" }', at=5)


@pytest.mark.parametrize(
    ("text", "top", "is_soon"),
    [
        (HOLDER + LATE * 2, "fair-2.7", False),
        (HOLDER + LATE * 2, "fifo", True),
        (queue("a", "max_running_apps = 1") + HOLDER + LATE * 2, "fair-2.7", True),
        (HOLDER + LATE + LATE.replace("9g", "11g"), "fair-2.7", True),
    ],
)
def test_who_may_be_blocked_for_good_is_asked_about_soon(text: str, top: str, *, is_soon: bool) -> None:
    """Behind others by rule, by a limit, or as it is larger than every node; not where nodes are merely full."""
    text = text.replace('queue = "root.a"', 'queue = "default"') if top == "fifo" else text
    simulation = at(scene(text, top=f'scheduler = "{top}"', settings=OFF), 30)

    assert finish(is_suspect(simulation, 3)) == is_soon


@pytest.mark.parametrize(
    ("holder", "blocked"),
    [('{ memory = "9g", count = 2 }', [2]), ('{ memory = "9g", count = 2, duration = "20m" }', [])],
)
def test_whom_keepers_leave_no_room_is_blocked_early(holder: str, blocked: list[int]) -> None:
    """Where they never end; who waits beside room that others take is not looked at."""
    small = app("small", '{ memory = "1g", count = 40 }', at=6, waits=False)

    assert finish(blocked_early(at(scene(app("holder", holder) + LATE + small, settings=OFF), 30))) == blocked


def test_those_submitted_later_are_known_also_when_they_have_ended() -> None:
    """Of one that is not there nobody is later."""
    text = HOLDER + LATE + app("third", '{ memory = "1g", duration = "1s" }', at=6) + app("fourth", "", at=7)
    simulation = at(scene(text, settings=OFF), 60)

    assert [later_than(simulation, number) for number in (1, 2, 3, 9)] == [
        frozenset({2, 3, 4}),
        frozenset({3, 4}),
        frozenset(),
        frozenset(),
    ]


def test_a_smaller_world_is_that_of_the_keepers_alone() -> None:
    """For a single ask that they block, where there is anybody else."""
    other = app("other", '{ memory = "9g" }', at=6)
    here = at(scene(HOLDER + LATE + other, settings=OFF), 30).fork(closed=True)
    core = finish(core_of(here, [(2, 1)]))
    assert core is not None

    assert [each.number for each in core.simulation.control_plane.view().applications()] == [1, 2]
    assert (core.base.ends, core.base.starts) == (True, {})
    assert finish(core_of(here, [(2, 1), (3, 1)])) is None
    assert finish(core_of(at(scene(HOLDER + LATE, settings=OFF), 30).fork(closed=True), [(2, 1)])) is None
    alone = at(scene(LATE + other.replace("9g", "11g"), nodes=1), 30).fork(closed=True)
    assert finish(core_of(alone, [(2, 1)])) is None


def test_what_cannot_help_is_known_in_the_smaller_world() -> None:
    """To kill who is not there; preemption may always help, and what is refused is left to be told."""
    other = app("other", '{ memory = "9g" }', at=6)
    here = at(scene(HOLDER + LATE + other, settings=OFF), 30).fork(closed=True)
    core = finish(core_of(here, [(2, 1)]))
    assert core is not None
    remedies = [Remedy(KillApplication(number)) for number in (1, 3, 9)] + [Remedy(SetPreemption(on=True))]

    assert [finish(may_help(core, [(2, 1)], each)) for each in remedies] == [True, False, False, True]
