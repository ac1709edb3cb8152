"""The form of a kept run's file: lines, seals, its end, and what is refused before a line is read."""

import io
import os
import stat
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from engine.errors import ConfigError
from engine.observe.journal import program_version
from engine.run.run_file import (
    FIRST_SEAL,
    FORMAT,
    DamagedLineError,
    RunBeginning,
    RunEnd,
    RunLine,
    Samples,
    check_format,
    decode_other,
    decode_record,
    hash_of,
    open_regular,
    read_end,
    read_lines,
    seal,
)
from engine.simulation.records import Draining
from tests.engine.run.test_run_reader import sealed

BODIES = [b'{"kind":"x"}', b"[1,2]", b"z" * 5000]
MEBI = 1024 * 1024


def ended(*bodies: bytes, end: RunEnd | None = None) -> bytes:
    """Lines with right seals and the end of a run after them."""
    before = b"".join(sealed(bodies))
    right = RunEnd(7, 1, 2, "j", sha256(before).hexdigest())
    return b"".join(sealed([*bodies, msgspec.json.encode(end or right)]))


def test_a_seal_is_the_beginning_of_a_hash() -> None:
    """16 digits of the SHA-256 of the former seal and the line."""
    assert seal(b"0123", b"[]") == sha256(b"0123[]").hexdigest()[:16].encode()
    assert FIRST_SEAL == b"0000000000000000"


def test_lines_are_told_with_their_numbers_and_ends() -> None:
    """Wherever the file stood before."""
    lines = sealed(BODIES)
    file = io.BytesIO(b"".join(lines) + b"cut off")
    file.seek(5)
    read = list(read_lines(file))

    assert [(line.number, line.body) for line in read] == list(enumerate(BODIES, 1))
    assert [line.seal for line in read] == [line[-17:-1] for line in lines]
    assert [line.end for line in read] == [sum(map(len, lines[:count])) for count in (1, 2, 3)]
    assert [line.is_journal for line in read] == [False, True, False]


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
    """Its body, its seal, what stands between them; those before it are good."""
    first, _, third = sealed(BODIES)
    lines = read_lines(io.BytesIO(first + second + third))
    assert next(lines).number == 1
    with pytest.raises(DamagedLineError) as damage:
        next(lines)
    assert (damage.value.number, str(damage.value)) == (2, "line 2 is damaged")


def test_a_damaged_line_may_say_why() -> None:
    """After its number, with separators."""
    assert str(DamagedLineError(1234, "it is odd")) == "line 1,234 is damaged: it is odd"


def test_the_end_of_a_run_is_read_from_its_last_line() -> None:
    """With the sum of all before it; however long those are."""
    for bodies in (BODIES, BODIES[:1], [b"y" * 20_000]):
        data = ended(*bodies)
        before = b"".join(sealed(bodies))
        assert read_end(io.BytesIO(data)) == RunEnd(7, 1, 2, "j", sha256(before).hexdigest())


def damaged_ends() -> dict[str, bytes]:
    """Files that do not end as a whole run does, by what is wrong."""
    good, lines = ended(*BODIES), sealed(BODIES)
    wrong_sum = ended(*BODIES, end=RunEnd(7, 1, 2, "j", "0" * 64))
    return {
        "empty": b"",
        "no end": b"".join(lines),
        "cut off": good[:-1],
        "something after it": good + b"x",
        "a line after it": good + b"\n",
        "a byte changed before it": good.replace(b"[1,2]", b"[1,3]"),
        "a byte changed in it": good.replace(b'"until_ms":7', b'"until_ms":8'),
        "a digit of its seal changed": good[:-2] + (b"0" if good[-2:-1] != b"0" else b"1") + b"\n",
        "another sum": wrong_sum,
        "no end of ours": b"".join(sealed([*BODIES, b'{"kind":"End","until_ms":7}'])),
        "another kind": b"".join(sealed([*BODIES, msgspec.json.encode(Samples(0, {}))])),
    }


@pytest.mark.parametrize("what", damaged_ends())
def test_a_run_without_a_right_end_has_none(what: str) -> None:
    """Whoever wants more has to go through its lines."""
    assert read_end(io.BytesIO(damaged_ends()[what])) is None


@pytest.mark.parametrize("count", [0, 1, MEBI - 1, MEBI, MEBI + 1, 2 * MEBI + 3])
def test_a_hash_is_of_so_many_bytes(count: int) -> None:
    """From the beginning, however many blocks those are, and wherever the file stood."""
    data = bytes(range(251)) * 10_000
    file = io.BytesIO(data)
    file.seek(77)
    assert hash_of(file, count) == sha256(data[:count]).hexdigest()
    assert hash_of(file, len(data) + 5) == sha256(data).hexdigest()


def refusal(begin: bytes, path: Path = Path("runs/one/run.jsonl")) -> str:
    """The words with which a file is refused."""
    file = io.BytesIO(begin)
    file.seek(3)
    with pytest.raises(ConfigError) as error:
        check_format(file, path)
    return str(error.value)


@pytest.mark.parametrize("after", [b"}", b',"scenario":"a"}'])
def test_a_file_of_this_format_is_taken(after: bytes) -> None:
    """Its first characters tell."""
    check_format(io.BytesIO(b'{"kind":"schedlab run","format":%d' % FORMAT + after), Path("x"))


def test_another_format_is_refused_with_both_numbers() -> None:
    """Older or newer, of nine digits at most."""
    words = f"it has format %d, this program ({program_version()}) reads {FORMAT}"
    assert words % 1 in refusal(b'{"kind":"schedlab run","format":1,')
    assert words % 999_999_999 in refusal(b'{"kind":"schedlab run","format":999999999}')
    assert "open it with the version that made it" in refusal(b'{"kind":"schedlab run","format":1,')
    assert "this is no kept run" in refusal(b'{"kind":"schedlab run","format":1234567890,')


@pytest.mark.parametrize(
    "begin", [b"", b'{"kind":"schedlab run","format":2', b'{"kind":"schedlab run","format":,', b"x"]
)
def test_what_does_not_begin_as_ours_is_refused(begin: bytes) -> None:
    """With its file."""
    assert "this is no kept run of schedlab, or its first line is damaged" in refusal(begin)
    assert "runs/one/run.jsonl" in refusal(begin)


def test_kept_polls_are_shown_elsewhere() -> None:
    """They are named by their directory."""
    words = refusal(b'{"kind":"schedlab polls","format":2,')
    assert "it holds polls of a live cluster, which cannot be played" in words
    assert "`schedlab runs open one` shows them" in words


def test_only_a_regular_file_is_opened(tmp_path: Path) -> None:
    """The words say what stands there instead."""
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "directory").mkdir()
    os.mkfifo(tmp_path / "pipe")
    found = {}
    for name in ("link", "directory", "pipe", "missing"):
        with pytest.raises(ConfigError) as error:
            open_regular(tmp_path / name)
        (problem,) = error.value.problems
        found[name] = problem.message
        assert problem.file == str(tmp_path / name)

    irregular = "this is no kept run of schedlab: it is not a regular file"
    assert found == {
        "link": "this kept run cannot be opened: is a link",
        "directory": irregular,
        "pipe": irregular,
        "missing": "this kept run cannot be opened: no such file or directory",
    }


def test_a_file_is_opened_for_what_is_asked(tmp_path: Path) -> None:
    """To be read, or to be written as well."""
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    with open_regular(path) as file:
        assert (file.read(), file.writable()) == (b"abc", False)
    with open_regular(path, os.O_RDWR) as file:
        _ = file.write(b"x")
    assert path.read_bytes() == b"xbc"
    assert stat.S_ISREG(path.stat().st_mode)


def line(body: bytes) -> RunLine:
    """The fifth line of a file."""
    return RunLine(5, body, b"", 0)


def test_a_journal_line_is_an_instant_and_a_record() -> None:
    """Within the years 1 to 9999."""
    body = b'[%d,{"kind":"Draining","node":"n"}]'
    first_ms, last_ms = -62_135_596_800_000, 253_402_300_799_999
    for time_ms in (first_ms, 0, last_ms):
        assert decode_record(line(body % time_ms)) == (time_ms, Draining("n"))
    for time_ms in (first_ms - 1, last_ms + 1):
        with pytest.raises(DamagedLineError, match="line 5 is damaged: Expected `int`"):
            decode_record(line(body % time_ms))


def test_other_lines_are_beginning_samples_or_end() -> None:
    """By their kind; anything else is damage, and says what was expected."""
    end = RunEnd(7, 1, 2, "j", "f", "full")
    beginning = RunBeginning(2, "a", "b", "fifo", 1, "now", "1.0", 0, 0, msgspec.Raw(b"{}"))
    assert [decode_other(line(msgspec.json.encode(each))) for each in (Samples(3, {"a": 1}), end, beginning)] == [
        Samples(3, {"a": 1}),
        end,
        beginning,
    ]
    with pytest.raises(DamagedLineError, match="line 5 is damaged: Invalid value"):
        decode_other(line(b'{"kind":"Other"}'))
