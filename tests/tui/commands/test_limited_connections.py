"""One connection of the web server: its deadline, what it takes at once, and when it is closed."""

from typing import Any

import pytest
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from tui.commands.serve_limits import EXCHANGE_S, PIECE, Crowd, LimitedConnection, answering


class FakeTimer:
    """Something that is to be done later."""

    def __init__(self, delay_s: float, do: Any) -> None:
        self.delay_s, self.do, self.is_cancelled = delay_s, do, False

    def cancel(self) -> None:
        """Not do it."""
        self.is_cancelled = True


class FakeLoop:
    """A loop that only notes what is to be done later."""

    def __init__(self) -> None:
        self.timers: list[FakeTimer] = []

    def call_later(self, delay_s: float, do: Any, *_: Any) -> FakeTimer:
        """Note it."""
        self.timers.append(FakeTimer(delay_s, do))
        return self.timers[-1]


class FakeTransport:
    """The other side of a connection."""

    def __init__(self) -> None:
        self.aborted = 0

    def is_closing(self) -> bool:
        """Tell whether it was aborted."""
        return self.aborted > 0

    def abort(self) -> None:
        """Count it."""
        self.aborted += 1

    def get_extra_info(self, _name: str, default: Any = None) -> Any:
        """Nothing is known."""
        return default


async def nothing(_scope: Any, _receive: Any, _send: Any) -> None:
    """An application that answers nothing."""


class Case:
    """A connection that was made, with all that is around it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        config = answering(nothing).config
        config.load()
        self.loop, self.transport, self.crowd = FakeLoop(), FakeTransport(), Crowd()
        self.pieces: list[bytes] = []
        self.fails: type[Exception] | None = None
        monkeypatch.setattr(H11Protocol, "data_received", self.take)
        made: Any = {"config": config, "server_state": ServerState(), "app_state": {}, "_loop": self.loop}
        self.connection = LimitedConnection(self.crowd, **made)
        transport: Any = self.transport
        self.connection.connection_made(transport)

    def take(self, data: bytes) -> None:
        """What the connection hands on."""
        self.pieces.append(data)
        if self.fails is not None:
            raise self.fails


@pytest.fixture
def case(monkeypatch: pytest.MonkeyPatch) -> Case:
    """A connection that was made."""
    return Case(monkeypatch)


def test_an_exchange_has_thirty_seconds(case: Case) -> None:
    """Then the connection is closed and the crowd forgets it."""
    (timer,) = case.loop.timers
    timer.do()
    case.crowd.dismiss()

    assert (timer.delay_s, EXCHANGE_S, case.transport.aborted) == (30.0, 30.0, 1)


@pytest.mark.parametrize("length", [1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 1])
def test_what_comes_is_taken_in_pieces(case: Case, length: int) -> None:
    """All of it, in order, none longer than a piece."""
    data = bytes(place % 251 for place in range(length))
    case.connection.data_received(data)

    assert b"".join(case.pieces) == data
    assert [len(each) for each in case.pieces[:-1]] == [PIECE] * (len(case.pieces) - 1)
    assert 0 < len(case.pieces[-1]) <= PIECE


@pytest.mark.parametrize("error", [OverflowError, ValueError])
def test_sizes_that_no_machine_has_end_it(case: Case, error: type[Exception]) -> None:
    """At the first piece."""
    case.fails = error
    case.connection.data_received(b"x" * (PIECE + 1))

    assert (len(case.pieces), case.transport.aborted, case.loop.timers[0].is_cancelled) == (1, 1, True)


def test_nothing_is_taken_once_it_is_closed(case: Case) -> None:
    """What lies there is lost."""
    case.connection.leave()
    case.connection.data_received(b"x")

    assert case.pieces == []


def test_one_that_leaves_has_no_deadline(case: Case) -> None:
    """And the crowd does not close it again."""
    case.connection.leave()
    case.crowd.dismiss()

    assert (case.loop.timers[0].is_cancelled, case.transport.aborted) == (True, 1)


def test_a_server_has_its_limits() -> None:
    """Nothing of itself is told, nothing is logged, and nobody is waited for."""
    config = answering(nothing).config

    assert (config.lifespan, config.log_config, config.access_log) == ("off", None, False)
    assert (config.server_header, config.date_header, config.ws) == (False, False, "none")
    assert (config.backlog, config.h11_max_incomplete_event_size, config.timeout_graceful_shutdown) == (2, 16_384, 2)


def test_options_of_a_server_go_first() -> None:
    """Such as websockets."""
    config = answering(nothing, ws="wsproto", ws_max_size=100).config

    assert (config.ws, config.ws_max_size) == ("wsproto", 100)
