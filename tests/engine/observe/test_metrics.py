"""Figures added up from records."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.control_plane.protocol import NodeJoined, NodeLost, NodeResized
from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import (
    Allocated,
    ApplicationTransitioned,
    Completed,
    Killed,
    Reserved,
    Unreserved,
)
from engine.observe.journal import JournalReader, JournalWriter
from engine.observe.metrics import NAMES, Metrics
from engine.simulation.build import build_simulation
from engine.simulation.records import AskChanged, Record
from tests.engine.simulation.scenes import BUSY, scenario


class Follower:
    """A listener that only follows."""

    def __init__(self) -> None:
        self.metrics = Metrics()

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Follow."""
        self.metrics.follow(records)


def after(*records: Record) -> dict[str, int]:
    """The values that are not 0 after these records, without those of queues."""
    metrics = Metrics()
    metrics.follow(records)
    return {name: value for name, value in metrics.values().items() if value and name in NAMES}


def test_allocations_use_and_ends_give_back() -> None:
    """Used memory, vcores and containers follow decisions."""
    one, two = Allocated((1, 1, 1), "n1", 0, 1024, 1), Allocated((1, 1, 2), "n1", 1, 2048, 2)

    assert after(one, two) == {"used_memory_mb": 3072, "used_vcores": 3, "containers": 2}
    assert after(one, two, Completed((1, 1, 2), "n1", 0)) == {"used_memory_mb": 1024, "used_vcores": 1, "containers": 1}
    assert after(one, Killed((1, 1, 1), "n1", "LOST"), Killed((9, 9, 9), "n1", "LOST")) == {}


def test_reservations_count_until_dropped_or_fulfilled() -> None:
    """A reservation that becomes an allocation is no reservation any more."""
    reserved = Reserved((1, 1, 2), "n1", 1, 4096, 1)

    assert after(reserved) == {"reserved_memory_mb": 4096, "reservations": 1}
    assert after(reserved, reserved) == {"reserved_memory_mb": 4096, "reservations": 1}
    assert after(reserved, Unreserved((1, 1, 2), "n1", 1, 4096, 1)) == {}
    assert "reservations" not in after(reserved, Allocated((1, 1, 2), "n1", 1, 4096, 1))


def test_what_is_pending_is_what_was_asked_for_less_what_came() -> None:
    """An allocation answers an ask of its priority; the application's end ends them all."""
    asked, answer = AskChanged(1, 20, 1024, 1, 5), Allocated((1, 1, 2), "n1", 20, 1024, 1)

    assert after(asked) == {"pending_memory_mb": 5120, "pending_containers": 5}
    assert after(asked, answer)["pending_containers"] == 4
    assert after(asked, AskChanged(1, 20, 1024, 1, 0)) == {}
    assert "pending_containers" not in after(asked, ApplicationTransitioned(1, "KILLED", "root.a"))


def test_applications_are_counted_by_their_state() -> None:
    """Accepted ones are pending, running ones run, ended ones are neither."""
    accepted, running, ended = (
        ApplicationTransitioned(1, state, "root.a") for state in ("ACCEPTED", "RUNNING", "FINISHED")
    )

    assert after(accepted) == {"applications_pending": 1}
    assert after(accepted, running) == {"applications_running": 1}
    assert after(accepted, running, ended) == {}


def test_nodes_make_the_total() -> None:
    """Joining, resizing and leaving change it."""
    joined = NodeJoined("n1", "/r1", 1024, 4)

    assert after(joined) == {"total_memory_mb": 1024, "total_vcores": 4, "nodes": 1}
    assert after(joined, NodeResized("n1", 512, 2)) == {"total_memory_mb": 512, "total_vcores": 2, "nodes": 1}
    assert after(joined, NodeLost("n1")) == {}


def test_queues_follow_their_applications() -> None:
    """What an application holds moves with it."""
    metrics = Metrics()
    accepted, moved = (ApplicationTransitioned(1, "ACCEPTED", f"root.{name}") for name in "ab")
    happened: list[Record] = [accepted, Allocated((1, 1, 1), "n1", 0, 1024, 1), moved]
    held = []
    for record in happened:
        metrics.follow([record])
        held.append({queue: used for queue, used in metrics.values().items() if queue not in NAMES})

    assert held == [{"root.a": 0}, {"root.a": 1024}, {"root.a": 0, "root.b": 1024}]


def test_only_preempted_containers_count_as_preempted() -> None:
    """Another end by force does not."""
    one, two = Allocated((1, 1, 1), "n1", 0, 1024, 1), Allocated((1, 1, 2), "n1", 0, 1024, 1)

    assert after(one, two, Killed((1, 1, 1), "n1", "PREEMPTED"), Killed((1, 1, 2), "n1", "LOST")) == {
        "preempted_containers": 1
    }


@pytest.mark.parametrize("seconds", [30, 200, 700])
def test_the_figures_agree_with_the_control_plane(seconds: int) -> None:
    """At any moment what was added up from records is what the ResourceManager says."""
    scene, follower = scenario(BUSY, count=8), Follower()
    simulation = build_simulation(scene, [follower])
    simulation.run_until(scene.start_ms + seconds * 1000)
    manager = simulation.control_plane
    assert isinstance(manager, ResourceManager)
    cluster = manager.cluster
    states = [application.state for application in cluster.applications.values()]

    values = follower.metrics.values()
    assert {name: values[name] for name in NAMES if not name.startswith(("pending", "preempted"))} == {
        "total_memory_mb": cluster.total_memory_mb,
        "total_vcores": cluster.total_vcores,
        "used_memory_mb": cluster.used_memory_mb,
        "used_vcores": cluster.used_vcores,
        "reserved_memory_mb": sum(node.reserved.memory_mb for node in cluster.nodes.values() if node.reserved),
        "reservations": cluster.reservations,
        "containers": cluster.live,
        "applications_running": states.count("RUNNING"),
        "applications_pending": states.count("ACCEPTED"),
        "nodes": len(cluster.nodes),
    }


def test_a_journal_read_back_gives_the_same_figures(tmp_path: Path) -> None:
    """They need nothing but records."""
    scene, follower, again = scenario(BUSY, count=6), Follower(), Metrics()
    with JournalWriter.to_file(tmp_path / "run", scene) as writer:
        build_simulation(scene, [follower, writer]).run_until(scene.start_ms + 120_000)

    again.follow([record for _, record in JournalReader.from_file(tmp_path / "run").records()])

    assert again.values() == follower.metrics.values()


def test_an_allocation_is_charged_to_its_application() -> None:
    """The first number of a container's id, which differs from the attempt's."""
    asked, answer = AskChanged(7, 20, 1024, 1, 5), Allocated((7, 1, 2), "n1", 20, 1024, 1)

    assert (after(asked, answer)["pending_containers"], after(asked, answer)["pending_memory_mb"]) == (4, 4096)


def test_a_transition_without_a_queue_leaves_the_application_where_it_is() -> None:
    """What it holds stays in its queue's use."""
    metrics = Metrics()
    accepted, running = ApplicationTransitioned(1, "ACCEPTED", "root.a"), ApplicationTransitioned(1, "RUNNING", "")
    metrics.follow([accepted, Allocated((1, 1, 1), "n1", 0, 1024, 1), running])

    assert metrics.values()["root.a"] == 1024
