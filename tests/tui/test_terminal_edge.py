"""What a command writes cannot drive a terminal."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_architecture import ROOT
from tui.terminal.edges import TerminalEdge, visible, write_controls

HOSTILE = "\x1b]52;c;aGk=\x07\x9b31m\u202e\x7f\rx"


@pytest.mark.parametrize("text", ["a\n", "a\tb", "a\r\nb", "é中", ""])
def test_plain_text_stays(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("character", HOSTILE)
def test_a_control_character_is_written_out(character: str) -> None:
    assert visible(character) == f"\\u{ord(character):04x}" or character.isprintable()
    assert json.loads(visible(json.dumps(character, ensure_ascii=False))) == character


@pytest.mark.parametrize(
    ("streams", "code", "words"),
    [
        (">/dev/full", 1, "schedlab: standard output cannot be written: no space left on device\n"),
        (">&-", 1, "schedlab: standard output cannot be written: bad file descriptor\n"),
        (">&- 2>&-", 1, ""),
        ("2>&- <&-", 0, ""),
    ],
)
def test_a_stream_that_takes_nothing_is_named(streams: str, code: int, words: str) -> None:
    """Once, and the program ends with 1; a stream nobody writes to may be closed."""
    command = ["sh", "-c", f'"$@" {streams}', "sh", sys.executable, "-m", "tui", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)

    assert (done.returncode, done.stderr) == (code, words)


def test_only_our_own_controls_pass() -> None:
    """Whoever writes colours says so; a letter that the encoding lacks is written out."""
    data = io.BytesIO()
    edge = TerminalEdge(data, "ascii", errors="backslashreplace", newline="")

    edge.write("\x1bé")
    write_controls(edge, "\x1b[0m")
    edge.flush()

    assert data.getvalue() == b"\\u001b\\xe9\x1b[0m"


@pytest.mark.parametrize("arguments", [("scenario", "check"), ("scenario", "show"), ("play", "--quiet"), ("config",)])
def test_no_command_lets_a_name_through(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    file = tmp_path / "a\x1b[31m.toml"
    user = "".join(f"\\u{ord(character):04x}" for character in HOSTILE)
    file.write_text(
        f'title = "{user}"\nduration = "5s"\n"{user}" = 1\n[cluster]\nnodes = [{{host="n", memory="4g", vcores=4}}]\n'
        f'[[workload]]\ntype = "scripted"\nuser = "{user}"\nname = "{user}"\nasks = [{{ memory = "1g" }}]\n'
    )
    for accepted in (False, True):
        if accepted:
            file.write_text(file.read_text().replace(f'"{user}" = 1\n', ""))
        done = subprocess.run(
            [sys.executable, "-m", "tui.cli.cli", *arguments, str(file)], cwd=ROOT, capture_output=True, check=False
        )
        words = (done.stdout + done.stderr).decode()
        assert words
        assert all(character.isprintable() or character == "\n" for character in words), words


@pytest.mark.parametrize("package", ["engine", "tui", "scenarios"])
def test_packages_say_that_they_are_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()
