"""The session's side of the socket: who may come in, what they may call, and that the session never waits for them."""

import asyncio
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import RefusedError
from engine.scenario.acts import KillApplication
from tests.tui.fake_session import FakeSession
from tests.tui.sharing.visiting import TOKEN, Visitor, Wall, door_of, until
from tui.protocol.picture import Notice, SessionChanged, SessionState
from tui.protocol.session import ActsProtocol, decode, encode
from tui.sharing.link import (
    INSTRUCTOR,
    MAY_CALL,
    MOST_CALL,
    PROTOCOLS,
    READER,
    VERSION,
    Call,
    CallAnswered,
    CallFailed,
    Denied,
    Goodbye,
    Hello,
    Posted,
    SharedDrill,
    Welcome,
    framed,
    types_of,
)
from tui.sharing.session_server import MOST_GUESTS, MOST_NOTICES

KILL = {"act": msgspec.Raw(encode(KillApplication("application_1_1")))}


async def admitted(session: FakeSession, role: str = READER, **options: Any) -> tuple[Any, Visitor]:
    door = door_of(session, drill=SharedDrill("quiet-shift"), **options)
    visitor = Visitor(door)
    visitor.hello(role)
    assert isinstance(await visitor.next(), Welcome)
    return door, visitor


@pytest.mark.parametrize(
    ("hello", "words"),
    [
        (Hello(VERSION + 1, TOKEN, READER), "run the same schedlab"),
        (Hello(VERSION, TOKEN + "x", READER), "the token is not that of this session"),
        (Hello(VERSION, "", READER), "the token is not that of this session"),
        (Hello(VERSION, "tök\x00en", READER), "the token is not that of this session"),
        (Hello(VERSION, TOKEN, "root"), "there is no such role"),
        (Hello(VERSION, TOKEN, INSTRUCTOR), "there is nothing to instruct"),
        (Call(1, "pictures", "picture"), "what came is no message of this program"),
        (Hello(VERSION, "x" * 5_000, READER), "is too long; 4096 are the most"),
    ],
)
async def test_who_may_not_come_in_learns_why(hello: Any, words: str) -> None:
    """In a sentence, then the connection is closed; the session is not asked anything."""
    session = FakeSession()
    visitor = Visitor(door_of(session))
    visitor.say(hello)
    denied = await visitor.next()
    await visitor.visit

    assert isinstance(denied, Denied)
    assert words in denied.words
    assert visitor.pipe.is_closed


async def test_a_visitor_that_says_nothing_is_sent_away() -> None:
    visitor = Visitor(door_of(FakeSession(), hello_s=0.0))

    assert await visitor.next() == Denied("no greeting came in time.")


async def test_only_one_instructs_and_only_some_look_on() -> None:
    """When one leaves there is room again, and each coming and going is reported."""
    seen: list[tuple[str, bool]] = []
    session = FakeSession()
    door, first = await admitted(session, INSTRUCTOR, met=lambda role, there: seen.append((role, there)))
    second = Visitor(door)
    second.hello(INSTRUCTOR)
    assert await second.next() == Denied("another instructor is there.")
    others = [Visitor(door) for _ in range(MOST_GUESTS)]
    for other in others:
        other.hello()
    answers = [type(await other.next()) for other in others]
    await first.leave()

    assert answers == [Welcome] * (MOST_GUESTS - 1) + [Denied]
    assert seen == [(INSTRUCTOR, True), *[(READER, True)] * (MOST_GUESTS - 1), (INSTRUCTOR, False)]
    for other in others:
        await other.leave()


async def test_who_only_asks_what_is_there_is_no_visitor() -> None:
    seen: list[str] = []
    door = door_of(FakeSession(), met=lambda role, there: seen.append(role))
    visitor = Visitor(door)
    visitor.say(Hello(VERSION, TOKEN, READER, stays=False))

    assert await visitor.next() == Welcome(VERSION, "fake", "A fake.")
    await visitor.visit
    assert seen == []


async def test_a_picture_is_what_the_session_shows() -> None:
    session = FakeSession()
    _, visitor = await admitted(session)
    visitor.say(Call(7, "pictures", "picture"))
    answer = await visitor.next()

    assert isinstance(answer, CallAnswered)
    assert answer.number == 7
    assert decode(bytes(answer.value), SessionState).run == session.run
    await visitor.leave()


async def test_whoever_looks_on_cannot_act() -> None:
    session = FakeSession()
    _, reader = await admitted(session)
    reader.say(Call(1, "acts", "do", KILL))
    reader.say(Call(2, "clock", "toggle_pause"))
    refusals = [await reader.next(), await reader.next()]
    _, instructor = await admitted(session, INSTRUCTOR)
    instructor.say(Call(1, "acts", "do", KILL))
    answer = await instructor.next()

    assert [one.number for one in refusals if isinstance(one, CallFailed)] == [1, 2]
    assert isinstance(answer, CallAnswered)
    assert session.calls == [("do", KillApplication("application_1_1"))]
    await reader.leave()
    await instructor.leave()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (Call(1, "acts", "do"), "acts.do: it takes act"),
        (Call(1, "acts", "do", {"act": msgspec.Raw(b"\x07")}), "acts.do: an argument is of another type"),
        (Call(1, "acts", "__init__"), "acts.__init__ is not there"),
        (Call(1, "acts", "calls"), "acts.calls is not there"),
        (Call(1, "nothing", "do"), "nothing.do is not there"),
        (Call(1, "clock", "toggle_pause", KILL), "clock.toggle_pause is not there"),
    ],
)
async def test_a_call_that_is_none_is_refused_in_words(call: Call, words: str) -> None:
    session = FakeSession()
    _, visitor = await admitted(session, INSTRUCTOR)
    visitor.say(call)
    visitor.say(Call(2, "pictures", "plans"))
    refusal, answer = await visitor.next(), await visitor.next()

    assert isinstance(refusal, CallFailed)
    assert words in refusal.words
    assert isinstance(answer, CallAnswered)
    assert session.calls == []
    await visitor.leave()


async def test_a_call_that_is_too_long_ends_the_visit() -> None:
    _, visitor = await admitted(FakeSession())
    visitor.to_door.feed_data((MOST_CALL + 1).to_bytes(4, "big"))
    denied = await visitor.next()
    await visitor.visit

    assert denied == Denied(f"a message of {MOST_CALL + 1} bytes is too long; {MOST_CALL} are the most.")


async def test_what_a_session_refuses_is_the_answer_to_a_call() -> None:
    session = FakeSession()
    _, visitor = await admitted(session, INSTRUCTOR)

    async def refuse(act: Any) -> Any:
        raise RefusedError("NoSuchApplication", "there is no such application")

    session.do = refuse  # type: ignore[method-assign]  # a session that refuses an act by raising
    visitor.say(Call(3, "acts", "do", KILL))
    visitor.say(Call(4, "pictures", "plans"))

    assert await visitor.next() == CallFailed(3, "there is no such application")
    assert await visitor.next() == CallAnswered(4, msgspec.Raw(encode(())))
    await visitor.leave()


async def test_a_slow_visitor_gets_the_latest() -> None:
    """Posting never waits: of what changed it is informed once, of notices the latest are kept."""
    door, visitor = await admitted(FakeSession())
    visitor.pipe.taken.clear()
    door.post(SessionChanged())
    before = visitor.pipe.written
    await until(lambda: visitor.pipe.written > before)
    for number in range(1000):
        door.post(SessionChanged())
        door.post(Notice(f"{number}"))
    visitor.pipe.taken.set()
    posted = [await visitor.next() for _ in range(2 + MOST_NOTICES)]

    latest = [Posted(Notice(f"{number}")) for number in range(1000 - MOST_NOTICES, 1000)]
    assert posted == [Posted(SessionChanged()), *latest, Posted(SessionChanged())]
    await visitor.leave()
    assert await visitor.heard.read() == b""


class CountingSession(FakeSession):
    """Counts its pictures, each of which takes a while."""

    def __init__(self, wall: Wall) -> None:
        super().__init__()
        self.wall, self.drawn_pictures = wall, 0

    async def picture(self) -> SessionState:
        self.wall.now += 0.25
        self.drawn_pictures += 1
        return await super().picture()


async def test_a_picture_is_written_once_for_all_and_rarely_where_it_is_dear() -> None:
    wall = Wall()
    session = CountingSession(wall)
    door, first = await admitted(session, wall=wall, sleep=wall.sleep)
    second = Visitor(door)
    second.hello()
    _ = await second.next()
    for visitor in (first, second):
        visitor.say(Call(1, "pictures", "picture"))
        _ = await visitor.next()
    once, waits = session.drawn_pictures, list(wall.slept)
    door.post(SessionChanged())
    first.say(Call(2, "pictures", "picture"))
    assert isinstance(await first.next(), Posted)
    assert isinstance(await first.next(), CallAnswered)

    assert (once, waits, session.drawn_pictures, wall.slept) == (1, [], 2, [2.0])
    await first.leave()
    await second.leave()


async def test_at_the_end_everybody_reads_why() -> None:
    """The last message, then the connection is closed; a visitor that takes nothing is not waited for."""
    door, visitor = await admitted(FakeSession())
    door.close("The session was closed.")

    assert await visitor.next() == Goodbye("The session was closed.")
    assert visitor.pipe.is_closed
    await visitor.leave()


def test_every_method_that_may_be_called_is_in_its_protocol() -> None:
    for parts in MAY_CALL.values():
        for part, methods in parts.items():
            assert methods <= set(dir(PROTOCOLS[part]))
            for method in methods:
                assert types_of(part, method).answer is not None
    assert MAY_CALL[INSTRUCTOR]["acts"] == {name for name in vars(ActsProtocol) if not name.startswith("_")}


_PIECES = st.one_of(
    st.binary(max_size=60),
    st.builds(framed, st.builds(Hello, st.integers(0, 2), st.text(max_size=9), st.sampled_from(["reader", "x"]))),
    st.just(framed(Hello(VERSION, TOKEN, READER))),
    st.just(framed(Hello(VERSION, TOKEN, INSTRUCTOR))),
    st.builds(
        lambda part, method, data: framed(Call(1, part, method, {"application": msgspec.Raw(data)})),
        st.sampled_from(["pictures", "acts", "clock", "seat", ""]),
        st.sampled_from(["picture", "definition", "do", "toggle_pause", "start", "close", "__class__"]),
        st.sampled_from([b"\xc0", b"\x90", b"\xcf" + b"\xff" * 8]),
    ),
    st.just((60).to_bytes(4, "big") + b"\x91" * 60),
    st.just((3000).to_bytes(4, "big") + b"\x91" * 3000),
    st.just(b"\xff" * 8),
)
"""Noise, messages, and messages with noise in them."""


SESSION = FakeSession()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_PIECES, max_size=6))
def test_whatever_comes_the_session_goes_on(pieces: list[bytes]) -> None:
    """Nothing is raised, nothing is done to the run, and the visitor is gone at the end."""

    async def visit() -> bool:
        door = door_of(SESSION, drill=SharedDrill("quiet-shift"))
        visitor = Visitor(door)
        for piece in pieces:
            visitor.to_door.feed_data(piece)
        await visitor.leave()
        return not door.guests and visitor.pipe.is_closed

    SESSION.calls.clear()
    assert asyncio.run(visit())
    assert SESSION.calls == []
