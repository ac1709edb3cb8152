"""Other views of panes: nodes by rack and as a map, queues folded or without their tree."""

import re
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import title_of
from tests.tui.small_run import by_hand
from tui.app import SchedlabApp

SIZE = (120, 40)


def _cluster() -> fakes.FakeSnapshot:
    """Two racks of three nodes; one node is lost, one reserved. A tree of queues."""
    nodes = [
        fakes.node_row(f"n{n}", rack=f"/r{n % 2}", reserved=None, reserved_by=None, used=(n * 20480, n))
        for n in range(6)
    ]
    nodes[3] = fakes.node_row("n3", rack="/r1", state="LOST", reserved=None, reserved_by=None)
    nodes[4] = fakes.node_row("n4", rack="/r0")
    paths = ("root", "root.a", "root.a.x", "root.a.y", "root.b")
    queues = [fakes.queue_row(path, is_leaf=path not in {"root", "root.a"}) for path in paths]
    return fakes.FakeSnapshot(fakes.header(nodes=5, nodes_down=1), nodes=nodes, queues=queues)


def _app(**options: Any) -> SchedlabApp:
    return SchedlabApp(FakeSession(_cluster(), paused=True), palette="dark", **options)


def _lines(app: SchedlabApp) -> list[str]:
    assert app.cluster is not None
    return [line.replace("▌", " ") for line in app.cluster.active.visible_text() if line]


def _title(app: SchedlabApp) -> str:
    assert app.cluster is not None
    return title_of(app, app.cluster.active.noun.name)


def _cursor(app: SchedlabApp) -> str | None:
    assert app.cluster is not None
    return app.cluster.active.cursor_id


async def _press(pilot: Pilot[Any], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


async def test_nodes_are_seen_by_rack_then_as_a_map_then_in_a_list_again() -> None:
    app = _app(ascii_only=True)
    seen = []
    async with app.run_test(size=SIZE) as pilot:
        await _press(pilot, "3", "j", "j", "j")
        for _ in range(3):
            await _press(pilot, "v")
            seen.append((_title(app), _cursor(app), _lines(app)[1:]))

    assert seen[0][:2] == ("3 Nodes  5  1 down  2 racks", "/r1")
    assert [line.strip(" ▌>").split()[:2] for line in seen[0][2]] == [["/r0", "3"], ["/r1", "2"]]
    assert "33%" in seen[0][2][0]
    assert seen[1] == ("3 Nodes  5  1 down  map of memory", fakes.node_id("n1"), ["/r0  =R", "/r1 :x@"])
    assert (seen[2][0], len(seen[2][2])) == ("3 Nodes  5  1 down", 9)


async def test_enter_goes_into_a_rack_and_esc_comes_back() -> None:
    """Its nodes are the list's scope; what the rack was chosen from is there again."""
    app = _app()
    async with app.run_test(size=SIZE) as pilot:
        await _press(pilot, "3", "v", "j", "enter")
        inside = _title(app), [line.strip(" ▌").split()[0] for line in _lines(app)[1:]]
        await _press(pilot, "escape")
        back = _title(app), _cursor(app)

    assert inside == ("3 Nodes  5  1 down", ["1", "n3", "2", "n1", "n5"])
    assert back == ("3 Nodes  5  1 down  2 racks", "/r1")


async def test_the_arrows_move_over_the_map() -> None:
    app = _app()
    seen = []
    async with app.run_test(size=SIZE) as pilot:
        await _press(pilot, "3", "v", "v")
        for key in ("right", "right", "down", "down", "left", "up", "G", "l"):
            await _press(pilot, key)
            seen.append(str(_cursor(app)).partition(":")[0])

    assert seen == ["n3", "n5", "n5", "n5", "n3", "n2", "n5", "n5"]


async def test_enter_on_the_map_goes_to_the_node_in_the_list() -> None:
    app = _app()
    async with app.run_test(size=SIZE) as pilot:
        await _press(pilot, "3", "v", "v", "down", "enter")
        there = _title(app), _cursor(app)
        await _press(pilot, "escape")
        back = _title(app), _cursor(app)

    assert there == ("3 Nodes  5  1 down", fakes.node_id("n1"))
    assert back == ("3 Nodes  5  1 down  map of memory", fakes.node_id("n1"))


@pytest.mark.parametrize("size", [(30, 8), (80, 24), (200, 60)])
async def test_the_map_fits_any_terminal(size: tuple[int, int]) -> None:
    app = _app()
    async with app.run_test(size=size) as pilot:
        await _press(pilot, "3", "v", "v")
        words = "".join(_lines(app)[1:])

    assert ("R" in words, "x" in words) == (True, True)


async def test_workers_of_spark_have_racks_and_a_map_too() -> None:
    app = SchedlabApp(by_hand("spark-spread-out", paused=True), palette="dark")
    async with app.run_test(size=SIZE) as pilot:
        await _press(pilot, "3", "v")
        racks = _title(app)
        await _press(pilot, "v", "o", "v")

        assert ("  1 rack" in racks, "map of cores" in _title(app)) == (True, True)


def _name(line: str) -> str:
    """What stands before the meter of a queue, without the cursor and the dot of its hue."""
    return re.split(r"[━╸─]", line)[0].strip(" ▌▲•")


async def test_a_queue_folds_and_unfolds() -> None:
    """It says how many are folded into it, and keeps its sums; a leaf's parent is folded from the leaf in two steps."""
    app = _app(ascii_only=True)
    seen = []
    async with app.run_test(size=SIZE) as pilot:
        await _press(pilot, "2", "j", "h")
        seen.append([_name(line) for line in _lines(app)[1:]])
        await _press(pilot, "right", "down", "left", "left")
        seen.append([_name(line) for line in _lines(app)[1:]])
        await _press(pilot, "l")
        seen.append([_name(line) for line in _lines(app)[1:]])

    folded, whole = ["root", "a ▸2", "b"], ["root", "a", "x", "y", "b"]
    assert seen == [folded, folded, whole]
