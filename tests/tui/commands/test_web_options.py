"""What `schedlab web` refuses before it listens, how visitors are bounded, and what it says."""

import pytest

from engine.errors import ConfigError
from tui.cli.options import is_loopback
from tui.cli.web import VERBS, _check, _limits


def problems(*command: str, port: int = 0, acts: bool = False) -> list[str]:
    try:
        _check(command, port, acts=acts)
    except ConfigError as error:
        return [str(one) for one in error.problems]
    return []


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_that_has_a_screen_is_shown(verb: str) -> None:
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
    assert problems(*command, acts=acts) == [refused]


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
    with pytest.raises(ConfigError) as caught:
        _limits(visitors, idle, memory, acts=False)
    assert [str(each) for each in caught.value.problems] == [refused]


@pytest.mark.parametrize(("visitors", "idle", "memory"), [(1, "10s", 256), (100, "7d", 65536)])
def test_the_ends_of_the_ranges_are_taken(visitors: int, idle: str, memory: int) -> None:
    found = _limits(visitors, idle, memory, acts=False)

    assert (found.visitors, found.confines.memory_mb) == (visitors, memory)


@pytest.mark.parametrize(
    ("bind", "is_here"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False),
     ("10.0.0.1", False), ("host", False)],
)  # fmt: skip
def test_loopback_is_what_only_this_machine_reaches(bind: str, is_here: bool) -> None:
    assert is_loopback(bind) is is_here
