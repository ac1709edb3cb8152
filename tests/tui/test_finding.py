"""Finding things: filter, sort, problems, matches, drilling down, all by keys."""

import re
from typing import Any

import pytest
from textual.widgets import Input

from tests.tui import fakes
from tests.tui.fake_session import FakeSession, fake_app
from tests.tui.screen_text import board_of, press, screen_text, title_of, way_of
from tests.tui.small_run import by_hand
from tui.app import SchedlabApp
from tui.screens.cluster import ClusterScreen


def _numbers(app: SchedlabApp) -> list[int]:
    return [row.number for row in board_of(app).pane("applications").members]


async def test_a_filter_is_seen_while_it_is_typed_and_stays_in_the_title() -> None:
    """Every letter filters; enter keeps it, esc drops it, and the keys of the panes work again."""
    app = fake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"user:min")
        typed = _numbers(app)
        await pilot.press("enter")
        title = way_of(app, "detail")
        await pilot.press("escape")
        after = len(_numbers(app))
        await pilot.press("2")
        pane = board_of(app).pane_name

    assert (typed, "/user:min" in str(title), after, pane) == ([183354], True, 16, "queues")


async def test_a_mistake_in_a_filter_is_told_and_keeps_the_prompt_open() -> None:
    app = fake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("slash", *"usr:bob", "enter")
        text, is_open = screen_text(app), board_of(app).prompt.is_open

    assert ("no field 'usr' here; did you mean user?" in text, is_open) == (True, True)


@pytest.mark.parametrize("pane", ["1", "2", "3", "4", "5"])
async def test_every_pane_can_be_filtered(pane: str) -> None:
    """A word that nothing has leaves no row, another leaves some; 0 brings all back."""
    app = fake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(pane)
        everything = len(board_of(app).active.members)
        await pilot.press("slash", *"xyzzy", "enter")
        none = len(board_of(app).active.members)
        await pilot.press("0")
        again = len(board_of(app).active.members)

    assert (none, again, everything > 0) == (0, everything, True)


async def test_next_match_goes_round() -> None:
    """The keys n and N find what the last filter matched, also after it was dropped."""
    app = fake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"state:pend", "enter", "escape", "n")
        first = board_of(app).active.number
        await pilot.press("n", "n")
        third = board_of(app).active.number
        await pilot.press("N")
        back = board_of(app).active.number

    assert (first, third, back) == (14, 1, 15)


async def test_problems_only() -> None:
    """The key ! keeps what waits or failed."""
    app = fake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3", "exclamation_mark")
        nodes = len(board_of(app).active.members)
        title = way_of(app, "detail")

    assert (nodes, "only problems" in title) == (12, True)


async def test_the_sort_menu_takes_letters_of_yarn_top() -> None:
    """The key o then m sorts by memory, again reverses; ) and ( go through the fields; r turns round.

    The title names the column, which is shown, and what comes first.
    """
    app = fake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("o", "r")
        by_reserved = _numbers(app)[0]
        shown = "RESERVE" in screen_text(app)
        words = [way_of(app, "applications")]
        for keys in (("o", "r"), ("right_parenthesis",), ("left_parenthesis",), ("r",), ("o", "minus"), ("r",)):
            await press(pilot, *keys)
            words.append(way_of(app, "applications"))

    assert (by_reserved, shown) == (183354, True)
    assert words == [
        "by RESERVED, most first", "by RESERVED, least first", "by VCORES, most first", "by RESERVED, most first",
        "by RESERVED, least first", "by cause", "own order, reversed",
    ]  # fmt: skip


@pytest.mark.parametrize("keys", [("o", "u"), ("j", "o", "u", "r"), ("j", "k", "o", "u", "r")])
async def test_the_cursor_stays_on_its_application_while_rows_re_sort(keys: tuple[str, ...]) -> None:
    app = fake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*keys[: keys.index("o")])
        before = board_of(app).active.selected
        await press(pilot, *keys[keys.index("o") :])
        pane = board_of(app).active

    assert before is not None
    assert (pane.cursor.id, pane.cursor.at > 0) == (before.id, True)


async def test_what_is_typed_fast_goes_into_the_prompt() -> None:
    """Keys that were there already when `/` was pressed are text, not actions; none of them acts."""
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        for key in ("/", *"KPRfree"):
            app.simulate_key("slash" if key == "/" else key)
        await pilot.pause()
        await pilot.pause()
        typed = app.screen.query_one("#prompt Input", Input).value

    assert (typed, session.calls) == ("KPRfree", [])


@pytest.mark.parametrize("words", ["183354", f"application_{fakes.TIMESTAMP}_183354"])
async def test_an_exact_id_wins_a_search(words: str) -> None:
    """The cursor goes to it, also where the filter had left another row under the cursor."""
    app = fake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("G", "slash", *words, "enter")
        chosen = board_of(app).pane("applications").selected

    assert chosen is not None
    assert chosen.number == 183354


# Other views of panes: nodes by rack and as a map, queues folded or without their tree.

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


def _view_app(**options: Any) -> SchedlabApp:
    return SchedlabApp(FakeSession(_cluster(), paused=True), palette="dark", **options)


def _lines(app: SchedlabApp) -> list[str]:
    return [line.replace("▌", " ") for line in board_of(app).active.visible_text() if line]


def _title(app: SchedlabApp) -> str:
    return title_of(app, board_of(app).active.view.name)


def _cursor(app: SchedlabApp) -> str | None:
    return board_of(app).active.cursor.id


async def test_nodes_are_seen_by_rack_then_as_a_map_then_in_a_list_again() -> None:
    app = _view_app(ascii_only=True)
    seen = []
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3", "j", "j", "j")
        for _ in range(3):
            await press(pilot, "v")
            seen.append((_title(app), _cursor(app), _lines(app)[1:]))

    assert seen[0][:2] == ("3 Nodes  5  1 down  2 racks", "/r1")
    assert [line.strip(" ▌>").split()[:2] for line in seen[0][2]] == [["/r0", "3"], ["/r1", "2"]]
    assert "33%" in seen[0][2][0]
    assert seen[1] == ("3 Nodes  5  1 down  map of memory", fakes.node_id("n1"), ["/r0  =R", "/r1 :x@"])
    assert (seen[2][0], len(seen[2][2])) == ("3 Nodes  5  1 down", 9)


async def test_a_search_given_up_in_another_view_leaves_each_view_as_it_was() -> None:
    app = _view_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3", "slash", *"n1", "enter")
        await pilot.press("slash", "2")
        board_of(app).perform("views.next_view")
        await pilot.press("escape")
        racks = len(board_of(app).active.members)
        await press(pilot, "v", "v")
        nodes = [row.id for row in board_of(app).active.members]

    assert (racks, nodes) == (2, [fakes.node_id("n1")])


async def test_enter_goes_into_a_rack_and_esc_comes_back() -> None:
    """Its nodes are the list's scope; what the rack was chosen from is there again."""
    app = _view_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3", "v", "j", "enter")
        inside = _title(app), [line.strip(" ▌").split()[0] for line in _lines(app)[1:]]
        await press(pilot, "escape")
        back = _title(app), _cursor(app)

    assert inside == ("3 Nodes  5  1 down", ["1", "n3", "2", "n1", "n5"])
    assert back == ("3 Nodes  5  1 down  2 racks", "/r1")


async def test_the_arrows_move_over_the_map() -> None:
    app = _view_app()
    seen = []
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3", "v", "v")
        for key in ("right", "right", "down", "down", "left", "up", "G", "l"):
            await press(pilot, key)
            seen.append(str(_cursor(app)).partition(":")[0])

    assert seen == ["n3", "n5", "n5", "n5", "n3", "n2", "n5", "n5"]


async def test_enter_on_the_map_goes_to_the_node_in_the_list() -> None:
    app = _view_app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3", "v", "v", "down", "enter")
        there = _title(app), _cursor(app)
        await press(pilot, "escape")
        back = _title(app), _cursor(app)

    assert there == ("3 Nodes  5  1 down", fakes.node_id("n1"))
    assert back == ("3 Nodes  5  1 down  map of memory", fakes.node_id("n1"))


@pytest.mark.parametrize("size", [(30, 8), (80, 24), (200, 60)])
async def test_the_map_fits_any_terminal(size: tuple[int, int]) -> None:
    app = _view_app()
    async with app.run_test(size=size) as pilot:
        await press(pilot, "3", "v", "v")
        words = "".join(_lines(app)[1:])

    assert ("R" in words, "x" in words) == (True, True)


async def test_workers_of_spark_have_racks_and_a_map_too() -> None:
    app = SchedlabApp(by_hand("spark-spread-out", paused=True), palette="dark")
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "3", "v")
        racks = _title(app)
        await press(pilot, "v", "o", "v")

        assert ("  1 rack" in racks, "map of cores" in _title(app)) == (True, True)


def _name(line: str) -> str:
    """What stands before the meter of a queue, without the cursor and the dot of its hue."""
    return re.split(r"[━╸─]", line)[0].strip(" ▌▲•")


async def test_a_queue_folds_and_unfolds() -> None:
    """It says how many are folded into it, and keeps its sums; a leaf's parent is folded from the leaf in two steps."""
    app = _view_app(ascii_only=True)
    seen = []
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "2", "j", "h")
        seen.append([_name(line) for line in _lines(app)[1:]])
        await press(pilot, "k", "h")
        seen.append([_name(line) for line in _lines(app)[1:]])
        await press(pilot, "l", "j")
        seen.append([_name(line) for line in _lines(app)[1:]])
        await press(pilot, "right", "down", "left", "left")
        seen.append([_name(line) for line in _lines(app)[1:]])
        await press(pilot, "l")
        seen.append([_name(line) for line in _lines(app)[1:]])

    folded, whole = ["root", "a ▸2", "b"], ["root", "a", "x", "y", "b"]
    assert seen == [folded, ["root ▸4"], folded, folded, whole]


# Going into what a row is made of, up to what it belongs to, and back.


def _chain_app(session: FakeSession | None = None) -> SchedlabApp:
    return SchedlabApp(session or FakeSession(fakes.held_cluster()), ascii_only=True)


async def _walk(*steps: tuple[str, ...], size: tuple[int, int] = (80, 24)) -> list[tuple[str, str | None, int]]:
    """Where keys lead, step by step: pane, row, number of rows."""
    app = _chain_app()
    seen: list[tuple[str, str | None, int]] = []
    async with app.run_test(size=size) as pilot:
        for keys in steps:
            await pilot.press(*keys)
            board = app.cluster
            assert isinstance(board, ClusterScreen)
            seen.append((board.active.view.name, board.active.cursor.id, len(board.active.members)))
    return seen


ONE = f"application_{fakes.TIMESTAMP}_183330"
FIRST = f"container_{fakes.TIMESTAMP}_183330_01_000001"
NODE = fakes.node_id(fakes.HOSTS[1])


async def test_enter_goes_from_queue_to_applications_to_containers_to_node_and_esc_comes_back() -> None:
    """Every pane on the way holds what belongs to the row that was left."""
    down = await _walk(("2", "j", "enter"), ("enter",), ("enter",), ("escape",), ("escape",), ("escape",))

    assert down == [
        ("applications", ONE, 15),
        ("containers", FIRST, 8),
        ("nodes", NODE, 12),
        ("containers", FIRST, 8),
        ("applications", ONE, 15),
        ("queues", "root.etl", 4),
    ]


async def test_the_chain_ends_at_a_node_whose_containers_lead_to_their_applications() -> None:
    seen = await _walk(("1", "j", "enter"), ("enter",), ("enter",), ("G", "enter"))

    assert seen == [("containers", FIRST, 8), ("nodes", NODE, 12), ("containers", FIRST, 3), ("applications", ONE, 16)]


async def test_b_goes_up_to_the_owner_and_esc_comes_back() -> None:
    """A node to the application that reserved it, that to its queue, that to its parent."""
    seen = await _walk(("3", "b"), ("b",), ("b",), ("b",), ("escape", "escape", "escape"))

    assert seen == [
        ("applications", fakes.BIG, 16),
        ("queues", "root.report", 4),
        ("queues", "root", 4),
        ("queues", "root", 4),
        ("nodes", fakes.node_id(fakes.HOSTS[0]), 12),
    ]


async def test_the_title_shows_the_way() -> None:
    """Step by step; a pane gone to by its digit has no way, and keeps what it was narrowed to."""
    titles = []
    app = _chain_app()
    async with app.run_test(size=(120, 40)) as pilot:
        for keys in (("2", "j", "enter"), ("enter",), ("enter",), ("6",)):
            await press(pilot, *keys)
            titles.append(way_of(app, board_of(app).active.view.name))

    assert titles == ["queue:root.etl >", "queue:root.etl >  app:183330 >", "app:183330 >  container:1 >", "app:183330"]


async def test_a_row_that_leads_nowhere_says_so() -> None:
    app = _chain_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "1", *"j" * 13, "enter")
        text = screen_text(app)
        pane = board_of(app).active.view.name

    assert ("183360 holds nothing." in text, pane) == (True, "applications")


async def test_only_what_is_looked_at_is_listed() -> None:
    """Containers of one application are asked for by its id, and not while the pane is away."""
    asked: list[Any] = []
    session = FakeSession(fakes.held_cluster())
    session.snapshot.asked = asked
    app = _chain_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("1", "j", "enter", "1")
        session.change()
        await pilot.pause()

    assert asked == [{"application": ONE}]


async def test_in_the_past_esc_goes_a_step_back_before_it_goes_to_the_present() -> None:
    session = FakeSession(fakes.held_cluster(), present_ms=fakes.NOW + 60_000, paused=True)
    app = _chain_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4", "enter", "escape")
        back = (board_of(app).active.view.name, list(session.calls))
        await press(pilot, "escape")

    assert (back, session.calls) == (("reservations", []), [("travel", "live")])
