"""The twin over what is watched: which session is shown, what is told, and what is let go."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.errors import ConfigError, Problem
from tests.tui.fake_session import FakeSession
from tests.tui.requests.standing import FakeCluster, Standing, hand_over
from tui import messages
from tui.requests.context import Absent
from tui.requests.twin import BACK, LEAVES, NO_TWIN, TwinRequests
from tui.screens.page import PageScreen
from tui.session_protocol import OpenTwin


class Watched(FakeSession):
    """What is watched: it makes twins."""

    clock = acts = questions = None

    def __init__(self) -> None:
        super().__init__()
        self.twin = self
        self.words: list[str] = []
        self.twins: list[FakeSession] = []
        self.error: Exception | None = None

    async def open(self, words: str) -> OpenTwin:
        """One more."""
        self.words.append(words)
        if self.error is not None:
            raise self.error
        self.twins.append(FakeSession())
        return OpenTwin(self.twins[-1], ("all runs on", "no disk"))


class Twins:
    """Requests of a watched session that is read-only."""

    def __init__(self, session: FakeSession | None = None) -> None:
        self.context = Standing(session if session is not None else Watched(), read_only=True, absent=Absent("none"))
        self.options = self.context.options
        self.watched: Any = self.context.session
        self.cluster = self.context.cluster
        self.happened: list[Any] = []
        self.requests = TwinRequests(
            self.context, self._show, self._note("drawn"), self._note("otherwise"), self._note("performed")
        )

    async def _show(self, connection: Any) -> None:
        self.happened.append("shown")
        cluster: Any = FakeCluster()
        self.context.connection, self.context.cluster = connection, cluster

    def _note(self, what: str) -> Callable[..., Any]:
        async def note(*_: object) -> None:
            self.happened.append(what)

        return note

    async def ask(self, words: str = "") -> None:
        """Ask for a twin."""
        await hand_over(self.requests, messages.TwinRequested(words))

    async def escape(self) -> None:
        """Leave where nothing is left to leave, as the key does."""
        await hand_over(self.requests, messages.NothingToLeave())
        await hand_over(self.requests, messages.Performed("board.leave"))


async def test_a_twin_is_shown_with_what_was_assumed() -> None:
    """Everything works there."""
    one = Twins()
    await one.ask("forever")
    [(page, _)] = one.context.fake_app.pushed

    assert (one.watched.words, one.happened) == (["forever"], ["shown"])
    assert one.context.connection is one.watched.twins[0]
    assert (one.context.options.read_only, one.context.options.absent) == (False, Absent())
    assert isinstance(page, PageScreen)
    assert page.text.splitlines() == [
        "What is not known was assumed:", "", "- all runs on", "- no disk", "", "esc esc goes back to what is watched.",
    ]  # fmt: skip


async def test_two_esc_in_a_row_go_back() -> None:
    """The first says so; the twin is discarded, and all is as it was."""
    one = Twins()
    await one.ask()
    await one.escape()
    half = (one.context.told[-1], one.context.connection is one.watched)
    await one.escape()

    assert half == ((LEAVES, "information"), False)
    assert (one.context.connection, one.context.cluster, one.context.options) == (one.watched, one.cluster, one.options)
    assert (one.watched.twins[0].closed, one.watched.closed) == (True, False)
    assert one.context.told[-1] == (BACK, "information")
    assert one.happened == ["shown", "performed", "drawn", "performed"]
    assert one.context.fake_app.pushed[-1] == (None, None)


async def test_another_key_between_begins_anew() -> None:
    """It says so once more."""
    one = Twins()
    await one.ask()
    await one.escape()
    await hand_over(one.requests, messages.Performed("navigation.move(1)"))
    await one.escape()

    assert [words for words, _ in one.context.told] == [LEAVES, LEAVES]
    assert one.context.connection is not one.watched


async def test_after_going_back_a_twin_may_be_made_again() -> None:
    """And has to be left by two keys again."""
    one = Twins()
    for _ in range(2):
        await one.ask()
        for _ in range(2):
            await one.escape()

    assert [words for words, _ in one.context.told] == [LEAVES, BACK] * 2
    assert [twin.closed for twin in one.watched.twins] == [True, True]


async def test_a_twin_made_anew_replaces_the_one_before() -> None:
    """It is made of what is watched."""
    one = Twins()
    await one.ask("10m")
    await one.ask("forever")

    assert one.watched.words == ["10m", "forever"]
    assert [twin.closed for twin in one.watched.twins] == [True, False]
    assert (None, None) in one.context.fake_app.pushed
    for _ in range(2):
        await one.escape()
    assert one.context.connection is one.watched


async def test_where_none_can_be_made_it_is_said() -> None:
    """Of a simulation, of words that mean nothing, and before anything is shown."""
    plain, wrong, closed = Twins(FakeSession()), Twins(), Twins()
    wrong.watched.error = ConfigError([Problem("no such words")])
    closed.context.cluster = None
    for one in (plain, wrong, closed):
        await one.ask("x")

    assert [one.context.told for one in (plain, wrong, closed)] == [
        [(NO_TWIN, "warning")], [("No twin: no such words", "error")], [(NO_TWIN, "warning")],
    ]  # fmt: skip
    assert [one.happened for one in (plain, wrong, closed)] == [[], [], []]
    assert wrong.context.connection is wrong.watched
    assert wrong.context.options.read_only


async def test_without_a_twin_leaving_is_for_others() -> None:
    """Also where no session is open."""
    one = Twins()
    await one.escape()
    one.context.connection = None
    await one.escape()

    assert one.happened == ["otherwise", "performed"] * 2


@pytest.mark.parametrize("has_twin", [False, True])
async def test_at_the_end_what_is_watched_is_let_go(has_twin: bool) -> None:
    """Where it is under a twin; else whoever shows it does so."""
    one = Twins()
    if has_twin:
        await one.ask()
    await one.requests.close()

    assert one.watched.closed is has_twin
