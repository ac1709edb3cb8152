"""A policy that only the registry knows is under every law, and everything that looks at a cluster looks at it."""

import json
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control_plane.protocol import Event
from engine.observe.snapshots import snapshot_of_simulation
from engine.run import Run
from engine.schedulers.registry import SCHEDULERS
from engine.serve.answers import answer
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import RELEASES, HttpQuestion
from engine.simulation.build import build_simulation
from engine.simulation.checkpoint import CheckpointPool, pack, unpack
from engine.simulation.initial_state import CONTROL_PLANES
from engine.simulation.simulation import Simulation
from tests.engine.explain import test_obstacles
from tests.engine.explain.stuck import HALVES, scene, why
from tests.engine.schedulers import test_every_policy
from tests.engine.schedulers.test_every_policy import EVENTS
from tests.engine.schedulers.toy_policy import toy
from tests.engine.simulation.scenes import SPARK, Log, scenario
from tui.board.dialects import dialect_of
from tui.panes.arrangement import SortFilter
from tui.protocol.picture import RunState, SessionState

SCENE = scenario(SPARK).model_copy(update={"scheduler": "toy"})  # the literal that a real policy adds

LAWS = (
    test_every_policy.test_the_ledgers_add_up_after_every_event,
    test_every_policy.test_no_allocation_overfills_a_node,
    test_every_policy.test_an_idle_heartbeat_changes_nothing,
    test_every_policy.test_where_it_is_quiet_every_heartbeat_is_idle,
    test_obstacles.test_alike_nodes_are_answered_alike,
)
"""Laws of a policy and some events."""


@pytest.fixture(autouse=True, scope="module")
def _registered() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(cast("dict[str, Any]", SCHEDULERS), "toy", toy)
        patch.setitem(cast("dict[str, Any]", CONTROL_PLANES), "toy", CONTROL_PLANES["fifo"])  # made of the registry
        yield


def _inner(law: Callable[..., None]) -> Callable[..., None]:
    inner: Callable[..., None] = cast("Any", law).hypothesis.inner_test
    return inner


@pytest.mark.parametrize("law", LAWS)
@given(events=st.lists(EVENTS, max_size=40))
def test_the_toy_keeps_every_law(law: Callable[..., None], events: list[Event]) -> None:
    _inner(law)("toy", events)


@given(st.lists(EVENTS, max_size=30), st.lists(EVENTS, max_size=15))
def test_a_fork_of_the_toy_answers_as_the_original(before: list[Event], after: list[Event]) -> None:
    _inner(test_every_policy.test_a_fork_answers_as_the_original)("toy", before, after)


def _simulation(seconds: int) -> Simulation:
    simulation = build_simulation(SCENE)
    simulation.run_until(SCENE.start_ms + seconds * 1000)
    return simulation


def test_every_pane_has_rows_or_none_of_a_cluster_of_the_toy() -> None:
    snapshot = snapshot_of_simulation(_simulation(30))
    picture = SessionState(snapshot, RunState("toy"), (), 1)
    dialect = dialect_of(snapshot)

    for nouns in dialect.panes.values():
        for noun in nouns:
            noun.source.rows(picture, SortFilter())

    (application,) = snapshot.applications()
    assert (application.state, len(snapshot.containers()), len(snapshot.nodes())) == ("RUNNING", 4, 4)


def test_the_toy_says_why_an_application_waits() -> None:
    """Its own obstacle stands on every node, and two that keep what the other one wants are found deadlocked."""
    stuck = scene(HALVES, top='scheduler = "fifo"').model_copy(update={"scheduler": "toy"})

    found = why(stuck, 60, 1)

    assert [(row.code, row.count) for row in found.obstacles] == [("DOES_NOT_FIT", 2)]
    assert (found.verdict, found.expected_start_ms) == ("deadlocked", None)


def test_a_server_answers_of_the_toy_in_the_form_of_its_kind() -> None:
    past = ApplicationPast()
    run = Run(SCENE, [past], is_judged=False)
    pace = ServedPace(run, paused=True)
    served = ServedCluster(lambda: run.simulation, pace.act, past, RELEASES["2.7"], "rm1:8088")
    run.advance(30_000)

    bodies = {path: _json(served, path) for path in ("scheduler", "apps", "metrics", "nodes")}

    assert bodies["scheduler"]["scheduler"]["schedulerInfo"]["type"] == "fifoScheduler"
    assert [each["state"] for each in bodies["apps"]["apps"]["app"]] == ["RUNNING"]
    assert bodies["metrics"]["clusterMetrics"]["containersAllocated"] == 4


def _json(served: ServedCluster, path: str) -> Any:  # Any: JSON
    said = answer(served, HttpQuestion("GET", f"/ws/v1/cluster/{path}", {}, "application/json", b"", ""))
    assert said.status == 200
    return json.loads(said.body)


def test_a_checkpoint_of_the_toy_goes_on_as_its_original() -> None:
    simulation, pool = _simulation(30), CheckpointPool()
    copy = unpack(pack(simulation, pool), pool)
    logs = Log(), Log()
    for each, log in zip((simulation, copy), logs, strict=True):
        each.listeners.append(log)
        each.run_until(SCENE.start_ms + 200_000)

    assert logs[0].journal == logs[1].journal != b""
