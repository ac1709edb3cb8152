"""What is remembered of who could free reserved nodes."""

from engine.control_plane.resource_manager import ResourceManager
from engine.observe.releases import NOT_YET, Releases
from engine.observe.snapshot import UNKNOWN, Release
from engine.observe.yarn_snapshot import YarnSnapshot
from tests.build import START_MS, ask, heartbeat, resource_manager, submit, update

HELD = ("n1:1", (2, 1, 1))
KNOWN = Release("frees", 10)


def test_an_answer_stands_until_its_instant_has_passed() -> None:
    """It still holds at that instant; of what was never told nothing is known yet."""
    releases = Releases()
    releases.tell({HELD: KNOWN})

    assert [releases.of(HELD, now_ms) for now_ms in (9, 10, 11)] == [KNOWN, KNOWN, NOT_YET]
    assert releases.of(("n2:1", (2, 1, 1)), 0) == NOT_YET


def test_an_answer_without_an_instant_does_not_pass() -> None:
    never = Release("never")
    releases = Releases()
    releases.tell({HELD: never})

    assert releases.of(HELD, 99) == never


def _reserved(memory_mb: int = 8192, vcores: int = 1) -> ResourceManager:
    """A node half full (7 vcores free) that application 2 has reserved for a container of this size."""
    rm = resource_manager(nodes=1, memory_mb=8192)
    ask(rm, submit(rm, "root.filler"), 1, 4096)
    update(rm)
    heartbeat(rm)
    ask(rm, submit(rm, "root.large"), 1, memory_mb, vcores)
    update(rm)
    heartbeat(rm)
    return rm


def _released(rm: ResourceManager, releases: Releases | None) -> object:
    (row,) = YarnSnapshot(rm, START_MS, releases=releases).reservations()
    return row.released


def test_a_row_tells_what_is_known_of_its_reservation() -> None:
    releases = Releases()
    rm = _reserved()
    held = ("n1:1", next(iter(rm.cluster.applications[2].attempt.reserved.values())).id)  # type: ignore[union-attr]  # it is live
    releases.tell({held: Release("frees", START_MS + 1)})

    assert _released(rm, None) is UNKNOWN
    assert not releases.is_wanted
    assert _released(rm, releases) == Release("frees", START_MS + 1)
    assert releases.is_wanted
