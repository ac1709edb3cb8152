"""`--record` and `schedlab replay`."""

import os
import signal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.tui.small_run import Wall
from tests.tui.test_terminal import SCENARIO, Terminal
from tui import cli
from tui.cast import CastPiece, read_cast
from tui.commands.replay import play


@pytest.mark.parametrize(
    ("speed", "idle_s", "times"),
    [
        (1.0, None, [0, 1, 11]),
        (2.0, None, [0, 0.5, 5.5]),
        (1.0, 2.0, [0, 1, 3]),
        (2.0, 2.0, [0, 0.5, 1.5]),
    ],
)
def test_pieces_are_written_at_their_times(speed: float, idle_s: float | None, times: list[float]) -> None:
    """Faster by the speed; a pause is no longer than the limit, which counts at speed 1; a slow terminal is made up."""
    wall, written = Wall(), list[tuple[float, str]]()
    begin_s = wall.now

    def sleep(rest_s: float) -> None:
        wall.now += rest_s

    def write(text: str) -> None:
        written.append((round(wall.now - begin_s, 6), text))
        wall.now += 0.125

    play(
        [CastPiece(0.0, "a"), CastPiece(1.0, "b\x1b[6n"), CastPiece(11.0, "c")],
        write,
        speed=speed,
        idle_s=idle_s,
        wall=wall,
        sleep=sleep,
    )

    assert written == list(zip(times, "abc", strict=True))


def test_without_a_terminal_nothing_is_played(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli.app, ["replay", str(tmp_path / "none.cast")])

    assert (done.exit_code, done.output) == (2, "schedlab: a recording is played in a terminal\n")


@pytest.mark.slow
def test_what_was_on_screen_is_recorded_and_played_again(tmp_path: Path) -> None:
    """The recording is new, says how long it is, and leaves the terminal as it was, also when it is interrupted."""
    (tmp_path / "small.toml").write_text(SCENARIO, encoding="utf-8")
    cast = tmp_path / "a.cast"
    recording = Terminal(["open", str(tmp_path / "small.toml"), "--paused", "--record", str(cast)])
    assert recording.wait_for(b"Nodes")
    os.write(recording.master, b"q")
    assert recording.end() == 0
    again = Terminal(["open", str(tmp_path / "small.toml"), "--record", str(cast)])
    assert (again.end(), b"is there already" in again.seen) == (2, True)
    with cast.open("a", encoding="utf-8") as file:
        file.write('[9999.0, "o", "end"]\n')
    played = Terminal(["replay", str(cast), "--idle", "60"])
    assert played.wait_for(b"Nodes")
    played.process.send_signal(signal.SIGINT)

    assert (played.end(), b"\x1b[?1049l" in played.seen, b"end" in played.seen) == (130, True, False)
    assert b"recorded in" in recording.seen
    assert "Nodes" in "".join(piece.output for piece in read_cast(cast).pieces)
