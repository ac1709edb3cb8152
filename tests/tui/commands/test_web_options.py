"""What `schedlab web` refuses before it listens, how visitors are bounded, and what it says."""

import socket
from functools import partial
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.errors import ConfigError
from tui.commands import web as web_command
from tui.commands.listening import is_loopback, listening_at, needed_problems, port_problems
from tui.commands.web import CPU_S, LARGEST_FILE, VERBS, _check, _limits, app
from tui.commands.web_program import Confines
from tui.commands.web_visits import VisitLimits


def problems(*command: str, port: int = 0, acts: bool = False) -> list[str]:
    """What is refused of a command."""
    try:
        _check(command, port, acts=acts)
    except ConfigError as error:
        return [str(one) for one in error.problems]
    return []


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_that_has_a_screen_is_shown(verb: str) -> None:
    """A drill where visitors may act."""
    assert problems(verb, "x", acts=True) == []
    drill = ["web: a drill is played by acting (schedlab web --acts drill play NAME)"]
    assert problems(verb, "x") == (drill if verb == "drill" else [])


@pytest.mark.parametrize(
    ("command", "acts", "refused"),
    [
        (("opne",), False, "web: opne has no screen (did you mean open?)"),
        (("zzzzz",), True, f"web: zzzzz has no screen (there is {', '.join(VERBS)})"),
        (("open", "--keep"), True, "--keep: every visitor would write on this machine"),
        (("open", "--journal=x"), True, "--journal: every visitor would write on this machine"),
        (("watch", "--acts"), False, "--acts: visitors only look (schedlab web --acts lets them act)"),
        (("open", "--no-read-only"), False, "--no-read-only: visitors only look (schedlab web --acts lets them act)"),
    ],
)
def test_what_visitors_cannot_have_is_refused(command: tuple[str, ...], acts: bool, refused: str) -> None:
    """Each by its name."""
    assert problems(*command, acts=acts) == [refused]


def test_where_visitors_act_options_that_act_are_theirs() -> None:
    """No mistake."""
    assert problems("watch", "--acts", acts=True) == []


@pytest.mark.parametrize(("port", "is_good"), [(-1, False), (0, True), (65535, True), (65536, False)])
def test_a_port_is_a_number_of_sixteen_bits(port: int, is_good: bool) -> None:
    """The smallest takes any that is free."""
    words = f"--port: {port} is no port, which is 0 to 65535"

    assert [str(each) for each in port_problems(port)] == problems("open", port=port) == ([] if is_good else [words])
    assert needed_problems() == []


def test_a_server_without_its_libraries_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is missing at once."""
    monkeypatch.setattr(web_command, "find_spec", lambda name: None)

    assert problems("open") == [
        "web needs starlette, uvicorn, websockets (install them with: pip install 'schedlab[web]')"
    ]


@pytest.mark.parametrize(("acts", "largest"), [(False, 0), (True, LARGEST_FILE)])
def test_visitors_are_bounded(acts: bool, largest: int) -> None:
    """In number, in time without a key, in memory, in processor time, and in what they may write."""
    assert _limits(4, "90s", 300, acts=acts) == VisitLimits(4, 90.0, Confines(300, CPU_S, largest))


@pytest.mark.parametrize(
    ("visitors", "idle", "memory", "refused"),
    [
        (0, "1m", 256, "--visitors: 0 is not from 1 to 100"),
        (101, "1m", 256, "--visitors: 101 is not from 1 to 100"),
        (1, "9999ms", 256, "--idle: 9.999 is not from 10 to 604800"),
        (1, "604801s", 256, "--idle: 604801 is not from 10 to 604800"),
        (1, "1m", 255, "--memory: 255 is not from 256 to 65536"),
        (1, "1m", 65537, "--memory: 65537 is not from 256 to 65536"),
    ],
)
def test_a_bound_beyond_its_range_is_refused(visitors: int, idle: str, memory: int, refused: str) -> None:
    """It says what there is."""
    with pytest.raises(ConfigError) as caught:
        _limits(visitors, idle, memory, acts=False)
    assert [str(each) for each in caught.value.problems] == [refused]


@pytest.mark.parametrize(("visitors", "idle", "memory"), [(1, "10s", 256), (100, "7d", 65536)])
def test_the_ends_of_the_ranges_are_taken(visitors: int, idle: str, memory: int) -> None:
    """Of each."""
    found = _limits(visitors, idle, memory, acts=False)

    assert (found.visitors, found.confines.memory_mb) == (visitors, memory)


def test_a_time_that_is_none_is_refused() -> None:
    """By the name of its option."""
    with pytest.raises(ConfigError, match="--idle"):
        _limits(1, "long", 256, acts=False)


@pytest.mark.parametrize(
    ("bind", "is_here"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False),
     ("10.0.0.1", False), ("host", False)],
)  # fmt: skip
def test_loopback_is_what_only_this_machine_reaches(bind: str, is_here: bool) -> None:
    """By address or by name."""
    assert is_loopback(bind) is is_here


def test_a_port_that_is_taken_is_refused() -> None:
    """With what to do."""
    with listening_at("127.0.0.1", 0) as one:
        port = one.getsockname()[1]
        with pytest.raises(ConfigError) as caught:
            listening_at("127.0.0.1", port)
    [problem] = caught.value.problems

    assert str(problem) == f"--port: port {port} of 127.0.0.1 is taken (--port 0 takes any that is free)"


@pytest.mark.parametrize("bind", ["a" * 70, "999.1.1.1"])
def test_an_address_that_is_none_is_refused(bind: str) -> None:
    """In words."""
    with pytest.raises(ConfigError, match="cannot listen at"):
        listening_at(bind, 0)


class Served:
    """What would be served."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    async def serve(
        self, start: partial[Any], limits: Any, token: str, address: str, hosts: Any, listener: socket.socket
    ) -> int:
        """Take note."""
        self.seen.append((start, limits, token, address, hosts, listener.getsockname()[1]))
        return 3


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Served:
    """Nothing is answered; who serves is asked."""
    found = Served()
    monkeypatch.setattr(web_command, "_serve", found.serve)
    return found


@pytest.mark.parametrize(("options", "who"), [((), "looks on"), (("--acts",), "looks and acts")])
def test_the_address_with_its_token_is_told(options: tuple[str, ...], who: str, served: Served) -> None:
    """On stderr, and whoever has it may do what."""
    done = CliRunner().invoke(app, [*options, "--port", "0", "--host", "x", "open", "fair-order", "--paused"])
    [(start, limits, token, address, hosts, port)] = served.seen

    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.splitlines() == [
        f"schedlab: http://127.0.0.1:{port}/?token={token}",
        f"schedlab: anybody who has this address {who}",
    ]
    assert (address, list(hosts), limits) == (f"127.0.0.1:{port}", ["x"], _limits(4, "30m", 2048, acts=bool(options)))
    assert start.args[0][-5:] == ["-m", "tui", "open", "fair-order", "--paused"]
    assert start.args[1] is bool(options)
    assert len(token) == 32


def test_an_address_that_others_reach_is_warned_of(served: Served) -> None:
    """And without words it opens the chooser."""
    done = CliRunner().invoke(app, ["--port", "0", "--bind", "0.0.0.0"])

    assert done.stderr.splitlines()[2:] == [
        "schedlab: --bind 0.0.0.0: other machines can reach it, and read along; ssh -L or a proxy with TLS is safer"
    ]
    assert served.seen[0][0].args[0][-1] == "open"
    assert served.seen[0][4] == ()
