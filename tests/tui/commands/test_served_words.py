"""What `schedlab serve` refuses, and what it says of where it answers; how rarely failures are told."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import load
from engine.run.player import Run
from engine.serve.pace import ServedPace
from engine.serve.past import ApplicationPast
from engine.serve.release import RELEASE_27
from engine.serve.served import ServedCluster
from tui.commands.serve import _check, _say
from tui.commands.serve_limits import MOST_CONNECTIONS, Crowd, rare_lines


def problems(speed: float = 1.0, port: int = 0, token: str | None = None) -> list[str]:
    """What is refused."""
    try:
        _check(speed, port, token)
    except ConfigError as error:
        return [str(each) for each in error.problems]
    return []


@pytest.mark.parametrize(("speed", "is_good"), [(0.001, True), (0.0009, False), (1e6, True), (1.1e6, False)])
def test_a_speed_has_two_ends(speed: float, is_good: bool) -> None:
    """Told in the refusal."""
    assert (problems(speed) == []) is is_good
    if not is_good:
        assert problems(speed)[0] == f"--speed: {speed:g} is no speed from 0.001 to 1,000,000"


@pytest.mark.parametrize(("token", "is_good"), [("a", True), ("", False), ("a b", False), ("é", False), ("a~!", True)])
def test_a_token_can_be_sent_in_a_header(token: str, is_good: bool) -> None:
    """Letters, digits and signs."""
    words = "--token: a token is at least one ASCII letter, digit or sign, without blanks"

    assert problems(token=token) == ([] if is_good else [words])


@pytest.mark.parametrize(
    ("bind", "secret", "is_open", "more"),
    [
        ("127.0.0.1", "abc", False, ["schedlab: acts need the token abc"]),
        ("127.0.0.1", None, False, []),
        ("10.0.0.1", None, False, ["schedlab: --bind 10.0.0.1: other machines can reach it"]),
        (
            "127.0.0.1",
            None,
            True,
            [
                "schedlab: --no-token: every program that reaches it may kill and move applications, also one that a "
                "web page talks to; pages themselves are refused by their Origin"
            ],
        ),
    ],
)
def test_where_it_answers_is_said(
    bind: str, secret: str | None, is_open: bool, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """And who may act, and what is risky."""
    past = ApplicationPast()
    pace = ServedPace(Run(load("reservation-deadlock-recorded"), [past], is_judged=False))
    served = ServedCluster(lambda: pace.played.simulation, pace.act, past, RELEASE_27, "rm1:8088")
    _say(served, "incident", bind, secret, is_open=is_open)
    first = "schedlab: incident answers as ResourceManager 2.7.2 at http://rm1:8088/ws/v1/cluster/info"

    assert capsys.readouterr().err.splitlines() == [first, *more]


class Client:
    """A connection that takes note when it has to leave."""

    def __init__(self, crowd: Crowd) -> None:
        self.crowd, self.has_left = crowd, False

    def leave(self) -> None:
        """Be closed."""
        self.has_left = True
        self.crowd.forget(self)  # type: ignore[arg-type]  # a crowd only has it leave


@pytest.mark.parametrize(
    ("descriptors", "most"), [(-1, MOST_CONNECTIONS), (10_000, MOST_CONNECTIONS), (100, 50), (18, 9), (16, 8), (4, 8)]
)
def test_a_crowd_is_as_large_as_half_the_descriptors(
    descriptors: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight at least."""
    monkeypatch.setattr("resource.getrlimit", lambda _: (descriptors, descriptors))

    assert Crowd().most == most


def test_whoever_waits_longest_has_to_leave() -> None:
    """One that had its answer begins to wait anew; at the end all have to."""
    crowd = Crowd()
    crowd.most = 2
    first, second, third = clients = [Client(crowd) for _ in range(3)]
    moves: list[Any] = [first, second, first, third]
    for one in moves:
        crowd.goes_on(one)
    left = [one.has_left for one in clients]
    crowd.dismiss()

    assert (left, [one.has_left for one in clients]) == ([False, True, False], [True] * 3)


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that is set by hand."""
    now = [100.0]
    monkeypatch.setattr("tui.commands.serve_limits.time.monotonic", lambda: now[0])
    return now


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    """Where the server's failures go while lines are rare."""
    with rare_lines():
        yield logging.getLogger("uvicorn.error")


def test_failures_are_told_once_a_second(
    seconds: list[float], logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those between are counted; what is no failure is not told."""
    logger.error("one\nand a trace")
    logger.error("two")
    logger.warning("hm")
    seconds[0] += 0.999
    logger.error("three")
    seconds[0] += 0.001
    logger.error("four")
    seconds[0] += 1
    logger.error("x" * 400)
    told = capsys.readouterr().err.splitlines()

    assert told == ["schedlab: one", "schedlab: four (and 2 before)", f"schedlab: {'x' * 300}"]


def test_a_failure_is_told_with_its_error(
    seconds: list[float], logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line; afterwards lines go where they went before."""
    try:
        raise ValueError("bad")
    except ValueError:
        logger.exception("broken")

    assert capsys.readouterr().err == "schedlab: broken: ValueError: bad\n"
    assert not logger.propagate
