"""Going into what a row is made of, up to what it belongs to, and back."""

from typing import Any

from tests.tui import fake_holders, fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text, way_of
from tui.app import SchedlabApp
from tui.screens.cluster import ClusterScreen


def _app(session: FakeSession | None = None) -> SchedlabApp:
    return SchedlabApp(session or FakeSession(fake_holders.held_cluster()), ascii_only=True)


async def _walk(*steps: tuple[str, ...], size: tuple[int, int] = (80, 24)) -> list[tuple[str, str | None, int]]:
    """Where keys lead, step by step: pane, row, number of rows."""
    app = _app()
    seen: list[tuple[str, str | None, int]] = []
    async with app.run_test(size=size) as pilot:
        for keys in steps:
            await pilot.press(*keys)
            board = app.cluster
            assert isinstance(board, ClusterScreen)
            seen.append((board.active.noun.name, board.active.cursor_id, len(board.active.members)))
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
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        for keys in (("2", "j", "enter"), ("enter",), ("enter",), ("6",)):
            await pilot.press(*keys)
            await pilot.pause()
            assert app.cluster is not None
            titles.append(way_of(app, app.cluster.active.noun.name))

    assert titles == ["queue:root.etl >", "queue:root.etl >  app:183330 >", "app:183330 >  container:1 >", "app:183330"]


async def test_a_row_that_leads_nowhere_says_so() -> None:
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("1", *"j" * 13, "enter")
        await pilot.pause()
        text = screen_text(app)
        assert app.cluster is not None
        pane = app.cluster.active.noun.name

    assert ("183360 holds nothing." in text, pane) == (True, "applications")


async def test_only_what_is_looked_at_is_listed() -> None:
    """Containers of one application are asked for by its id, and not while the pane is away."""
    asked: list[Any] = []
    session = FakeSession(fake_holders.held_cluster())
    session.snapshot.asked = asked
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("1", "j", "enter", "1")
        session.change()
        await pilot.pause()

    assert asked == [{"application": ONE}]


async def test_in_the_past_esc_goes_a_step_back_before_it_goes_to_the_present() -> None:
    session = FakeSession(fake_holders.held_cluster(), present_ms=fakes.NOW + 60_000, paused=True)
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4", "enter", "escape")
        assert app.cluster is not None
        back = (app.cluster.active.noun.name, list(session.calls))
        await pilot.press("escape")
        await pilot.pause()

    assert (back, session.calls) == (("reservations", []), [("travel", "live")])
