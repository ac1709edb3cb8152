"""Bounds of a visitor's program: the size of its terminal, its environment, and what it may use."""

import resource
import termios

import pytest

from tui.cli.web_program import ProcessLimits, _confine, bounded, environment_of


@pytest.mark.parametrize(
    ("size", "found"),
    [
        ((20, 8), (20, 8)),
        ((19, 7), (20, 8)),
        ((21, 9), (21, 9)),
        ((400, 150), (400, 150)),
        ((401, 151), (400, 150)),
        ((399, 149), (399, 149)),
        ((0, 1000), (20, 150)),
        ((-5, -5), (20, 8)),
    ],
)
def test_a_terminal_has_a_smallest_and_a_largest_size(size: tuple[int, int], found: tuple[int, int]) -> None:
    assert bounded(*size) == found


@pytest.mark.parametrize("name", ["AWS_SECRET", "PATHS", "MY_LC_ALL", "lc_all", "LC", "PYTHONPATH"])
def test_a_program_gets_nothing_else(name: str) -> None:
    assert name not in environment_of({name: "x"}, {})


CPU, FILES, CORE, SPACE = (getattr(resource, f"RLIMIT_{name}") for name in ("CPU", "FSIZE", "CORE", "AS"))


@pytest.mark.parametrize(
    ("platform", "hard", "limits"),
    [
        ("linux", -1, {CPU: 60, FILES: 1000, CORE: 0, SPACE: 2 * 1024 * 1024}),
        ("darwin", -1, {CPU: 60, FILES: 1000, CORE: 0}),
        ("linux", 59, {CPU: 59, FILES: 59, CORE: 0, SPACE: 59}),
        ("linux", 60, {CPU: 60, FILES: 60, CORE: 0, SPACE: 60}),
        ("linux", 61, {CPU: 60, FILES: 61, CORE: 0, SPACE: 61}),
    ],
)
def test_a_program_is_confined(
    platform: str, hard: int, limits: dict[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To its limits, or to what we have where that is less; it owns its terminal and is nicer by five."""
    done: list[tuple[int, ...]] = []
    found: dict[int, tuple[int, int]] = {}
    monkeypatch.setattr("tui.cli.web_program.sys.platform", platform)
    monkeypatch.setattr("tui.cli.web_program.fcntl.ioctl", lambda *what: done.append(what))
    monkeypatch.setattr("tui.cli.web_program.os.nice", lambda by: done.append((by,)))
    monkeypatch.setattr("tui.cli.web_program.resource.getrlimit", lambda _: (7, hard))
    monkeypatch.setattr("tui.cli.web_program.resource.setrlimit", found.__setitem__)

    _confine(ProcessLimits(memory_mb=2, cpu_s=60, file_bytes=1000))

    assert done == [(0, termios.TIOCSCTTY, 0), (5,)]
    assert found == {which: (most, most) for which, most in limits.items()}
