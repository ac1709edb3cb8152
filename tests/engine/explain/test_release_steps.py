"""What is known of reserved nodes while it is looked for, a piece at a time, in a small cluster."""

from itertools import pairwise

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.explain import releases
from engine.explain.releases import ReleaseSearch
from engine.observe.releases import Held
from engine.observe.snapshot import NodeHolder, Release
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import app, at, scene

LATE = app("late", '{ memory = "9g" }', at=9)
TWICE = app("late", '{ memory = "9g", count = 2 }', at=9)


def on(host: str, more: str = "") -> str:
    """One that holds most of one node."""
    return app(f"on {host}", f'{{ memory = "6g", hosts = ["{host}"], relax = false{more} }}')


def whole(search: ReleaseSearch) -> dict[Held, Release]:
    """All that is found."""
    while not search.advance():
        pass
    return search.found()


def reserved(simulation: Simulation) -> dict[Held, int]:
    """Nodes that are reserved, with the memory that is free there [MB]."""
    assert isinstance(simulation.control_plane, ResourceManager)
    nodes = simulation.control_plane.cluster.nodes.values()
    return {(node.id, node.reserved.id): node.free_memory_mb for node in nodes if node.reserved is not None}


def test_a_node_nobody_will_free_names_those_on_it_with_most_memory_first() -> None:
    """Each once, with all it has there."""
    simulation = at(
        scene(
            app("one", '{ memory = "2g" }, { memory = "1g", priority = 2 }')
            + app("two", '{ memory = "4g", vcores = 3 }', at=3)
            + LATE,
            nodes=1,
        ),
        30,
    )
    ((held, release),) = whole(ReleaseSearch(simulation)).items()
    name = simulation.control_plane.view().application_id

    assert {held: 3072} == reserved(simulation)
    assert release == Release(
        "never",
        None,
        (NodeHolder(name(2), 1, (4096, 3), waits=False), NodeHolder(name(1), 2, (3072, 2), waits=False)),
        simulation.now_ms,
    )


def test_those_that_end_before_it_has_room_are_named_the_last_first() -> None:
    """Not who ends after that, or elsewhere."""
    text = app("stays", '{ memory = "1g", duration = "50m" }')
    for turn, minutes in enumerate((2, 3, 4)):
        text += app(f"goes {turn}", f'{{ memory = "3g", duration = "{minutes}m" }}', at=2 + turn)
    simulation = at(scene(text + LATE, nodes=1), 30)
    (release,) = whole(ReleaseSearch(simulation)).values()
    name = simulation.control_plane.view().application_id

    assert release.outcome == "ends"
    assert [each.application for each in release.by] == [name(number) for number in (4, 3, 2)]
    assert release.time_ms is not None
    assert abs(release.time_ms - simulation.now_ms - 220_000) < 10_000


def test_a_reservation_is_settled_when_its_release_is_known() -> None:
    """Nothing is known before it is copied; one that is not there needs no release."""
    simulation = at(scene(on("n1", ', duration = "2m"') + on("n2", ', duration = "4m"') + TWICE), 30)
    search, seen = ReleaseSearch(simulation), set()
    assert (search.is_settled([]), search.found(), search.done) == (False, {}, False)
    while not search.done:
        search.advance()
        for held, release in search.found().items():
            assert search.is_settled([held]) == (release.outcome != "later")
            seen.add(release.outcome)
        assert search.is_settled([("n9:1", (1, 1, 1))]) == search.copied
        assert search.is_settled(search.found()) == (search.copied and search.done)

    assert len(search.found()) == len(reserved(simulation)) > 0
    assert seen >= {"later", "ends"}


@pytest.mark.parametrize("piece", [1, 2, 100])
def test_pieces_of_any_size_find_the_same(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """Of those that are never freed, too: so many in one piece."""
    simulation = at(scene(on("n1") + on("n2") + TWICE), 30)
    at_once = whole(ReleaseSearch(simulation))
    monkeypatch.setattr(releases, "NEVER_PIECE", piece)
    monkeypatch.setattr(releases, "PIECE", piece)
    search, told = ReleaseSearch(simulation), [0]
    while not search.advance():
        told.append(sum(each.outcome == "never" for each in search.found().values()))
    told.append(sum(each.outcome == "never" for each in search.found().values()))

    assert search.found() == at_once
    assert told[-1] == len(at_once) > 1
    assert max(later - before for before, later in pairwise(told)) == min(piece, len(at_once))
