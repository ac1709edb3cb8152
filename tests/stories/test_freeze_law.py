"""A law: no freeze that was found before the last act or the last allocation is ever shown.

It is looked at after every act and every key that lets time pass, before and after the session has worked on it. What
is undone stands at once as it stood.
"""

from collections.abc import Callable, Iterator
from typing import Final

import pytest

from engine.explain.alert import BADGES, Alert
from engine.observe.snapshot import Unknown
from engine.scenario import Scenario
from engine.scenario.acts import (
    Act,
    AddNode,
    DrainNode,
    KillApplication,
    KillContainer,
    LoseNode,
    MoveApplication,
    ResizeNode,
    RestartResourceManager,
    SetPreemption,
    SetQueueSetting,
    SubmitApplication,
)
from tests.tui.small_run import ByHand, by_hand
from tui.panes.events import pinned
from tui.panes.fragments import RenderContext
from tui.panes.header import frozen_of, health_of
from tui.protocol.picture import SessionState

FROZEN: Final = {
    "capacity-am-limit-3.4": "+35s",
    "capacity-am-limit": "+35s",
    "drf-capacity-3.4": "+35s",
    "drf-capacity-twin": "+70s",
    "drf-capacity": "+35s",
    "drf-cpu-memory-3.4": "+10s",
    "drf-cpu-memory": "+5s",
    "dynamic-allocation-starves-a-queue": "+2m",
    "fair-order-3.4": "+315s",
    "fair-order": "+315s",
    "pattern-am-only": "+10s",
    "pattern-ask-above-every-node-twin": "+15s",
    "pattern-ask-above-every-node": "+5s",
    "pattern-locality-never-relaxed": "+25s",
    "pattern-queue-limit-twin": "+15s",
    "pattern-queue-limit": "+5s",
    "pattern-user-limit": "+10s",
    "preemption-minshare-3.4": "+35s",
    "preemption-minshare": "+45s",
    "reservation-deadlock-continuous": "+2085s",
    "reservation-deadlock-recorded": "+60s",
    "reservation-deadlock": "+2095s",
    "rm-restart-deadlock": "+2095s",
    "spark-cores-hoarded": "+5m",
    "spark-no-worker-large-enough": "+10s",
}
"""Packaged scenario → an instant at which it is frozen."""
QUICK: Final = ("pattern-am-only", "capacity-am-limit", "spark-cores-hoarded")
MOST_SLICES: Final = 3_000


def acts_on(picture: SessionState, scenario: Scenario) -> Iterator[Act]:
    """One act of every kind a screen offers, and the kill of each of the first applications and of every holder."""
    snapshot = picture.snapshot
    live = [row.id for row in snapshot.applications(why=False) if row.finished_ms is None]
    holders = [] if isinstance(snapshot.header.nodes_reserved, Unknown) else snapshot.reservations()
    yield from (
        KillApplication(application=name) for name in dict.fromkeys([*(one.application for one in holders), *live[:2]])
    )
    yield from (KillContainer(container=one.id) for one in list(snapshot.containers())[:1])
    node, queues = snapshot.nodes()[0], [row.path for row in snapshot.queues() if row.is_leaf]
    yield DrainNode(node=node.id)
    yield LoseNode(node=node.id)
    yield ResizeNode(node=node.id, memory_mb=2 * node.total[0], vcores=node.total[1])
    yield AddNode(node="another:45454", memory_mb=node.total[0], vcores=node.total[1])
    yield from (MoveApplication(application=live[-1], queue=path) for path in queues[-1:])
    yield from (SetQueueSetting(queue=path, key="weight", value="2.0") for path in queues[:1])
    yield SetPreemption(on=True)
    yield RestartResourceManager()
    yield from (SubmitApplication.of(spec.model_copy(update={"number": None})) for spec in scenario.workload[:1])


def played(session: ByHand) -> None:
    """The clock runs for a few slices."""
    session.toggle_pause()
    for _ in range(20):
        session.slice()
        shown(session)
    if not session.state.paused:
        session.toggle_pause()


def sought(session: ByHand) -> None:
    """The next decision is searched for."""
    session.step("decision")
    for _ in range(200):
        if session.is_clock_stopped():
            return
        session.slice()
        shown(session)
    session.travel("live")


KEYS: Final[dict[str, Callable[[ByHand], object]]] = {
    "t": lambda session: session.step("second"),
    "]": lambda session: session.step("event"),
    ".": sought,
    "p": played,
    "10 × t": lambda session: [session.step("second") for _ in range(10)],
    "[": lambda session: session.travel("back"),
    "seek": lambda session: session.travel("live"),
}


def shown(session: ByHand) -> Alert | None:
    """The freeze on screen, after the law was checked."""
    picture: SessionState = session.picture()
    freeze, header = frozen_of(picture), picture.snapshot.header
    now_ms = header.time_ms
    track = picture.run.track
    acted_ms = max((each for each in (track.acts if track else ()) if each <= now_ms), default=0)
    given_ms = next((row.time_ms for row in reversed(picture.events) if row.kind == "Allocated"), 0)
    look = RenderContext(now_ms, header.dimensions, header.total, picture.run.offset_ms)
    assert freeze is None or freeze.found_ms >= max(acted_ms, given_ms)
    assert (health_of(picture).word == BADGES["frozen"].word) is (freeze is not None and not header.recovery)
    assert freeze is not None or not pinned(picture, look)
    return freeze


def settle(session: ByHand) -> None:
    """Let the session find out what there is to find out while its clock stands; then it rests."""
    for _ in range(MOST_SLICES):
        if not session.has_background_work:
            return
        session.slice()
    pytest.fail("a clock that stands leaves it no rest")


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[] if each in QUICK else [pytest.mark.long]) for each in FROZEN]
)
def test_a_freeze_shown_was_found_after_the_last_act_and_the_last_allocation(name: str) -> None:
    """At once after the act nothing is proved yet; undone, the freeze stands before anybody has looked again."""
    session = by_hand(name, at=FROZEN[name], paused=True)
    settle(session)
    begun = shown(session)
    assert begun is not None
    at_ms = session.picture().snapshot.header.time_ms
    session.step("second")  # so that undoing leads to an instant after the proof
    done = 0
    for act in acts_on(session.picture(), session.driver.run.scenario):
        if session.do(act):
            continue
        done += 1
        assert shown(session) is None
        settle(session)
        shown(session)
        for press in KEYS.values():
            press(session)
            shown(session)
            settle(session)
            shown(session)
        assert session.travel(f"+{(at_ms - session.run.scenario.start_ms) / 1000:.3f}s") == ""
        assert session.branch() == ""
        undone = shown(session)
        assert undone is not None
        assert undone.since_ms == begun.since_ms
        session.step("second")
    assert done > 3
