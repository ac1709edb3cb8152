"""The form of a kept run's file: lines, seals, its end, and what is refused before a line is read."""

import io
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.run.run_file import (
    FORMAT,
    DamagedLineError,
    check_format,
    read_lines,
)
from tests.engine.run.test_run_reader import sealed

BODIES = [b'{"kind":"x"}', b"[1,2]", b"z" * 5000]


@pytest.mark.parametrize(
    "second",
    [
        b"[1,3]\t" + sealed(BODIES)[1][-17:],
        b"[1,2]\t" + b"0" * 16 + b"\n",
        b"[1,2] " + sealed(BODIES)[1][-17:],
        b"\n",
        b"[1,2]\n",
    ],
)
def test_a_line_that_is_not_as_it_was_sealed_is_damaged(second: bytes) -> None:
    first, _, third = sealed(BODIES)
    lines = read_lines(io.BytesIO(first + second + third))
    assert next(lines).number == 1
    with pytest.raises(DamagedLineError) as damage:
        next(lines)
    assert (damage.value.number, str(damage.value)) == (2, "line 2 is damaged")


def refusal(begin: bytes, path: Path = Path("runs/one/run.jsonl")) -> str:
    file = io.BytesIO(begin)
    file.seek(3)
    with pytest.raises(ConfigError) as error:
        check_format(file, path)
    return str(error.value)


@pytest.mark.parametrize("after", [b"}", b',"scenario":"a"}'])
def test_a_file_of_this_format_is_taken(after: bytes) -> None:
    check_format(io.BytesIO(b'{"kind":"schedlab run","format":%d' % FORMAT + after), Path("x"))


@pytest.mark.parametrize(
    "begin", [b"", b'{"kind":"schedlab run","format":2', b'{"kind":"schedlab run","format":,', b"x"]
)
def test_what_does_not_begin_as_ours_is_refused(begin: bytes) -> None:
    assert "this is no kept run of schedlab, or its first line is damaged" in refusal(begin)
    assert "runs/one/run.jsonl" in refusal(begin)
