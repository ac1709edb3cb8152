"""Files that a user named, and what is none."""

import io
import os
from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import (
    MAX_BYTES,
    STANDARD_INPUT,
    check_file,
    is_a_file,
    is_there,
    open_file,
    read_file_bytes,
    read_file_text,
    resolved,
)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A directory, a missing file, a bad name and a huge file are problems, not tracebacks."""
    huge = tmp_path / "huge.xml"
    with huge.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    messages = []
    for path in (tmp_path, tmp_path / "none.xml", tmp_path / "a\0b", huge, huge / "below"):
        with pytest.raises(ConfigError) as caught:
            read_file_bytes(path, "shown")
        messages.append(str(caught.value))

    assert messages == [
        "shown: is a directory, not a file",
        "shown: no such file",
        "shown: not a file name",
        "shown: is larger than 10 MB",
        "shown: cannot be read: Not a directory",
    ]


def test_a_file_is_read_as_bytes(tmp_path: Path) -> None:
    path = tmp_path / "f.xml"
    path.write_bytes(b"<a>\xff</a>")

    assert read_file_bytes(path) == b"<a>\xff</a>"


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    """A device without an end, a pipe without a writer, a circle of links, a name of any length."""
    pipe, circle = tmp_path / "pipe", tmp_path / "circle"
    os.mkfifo(pipe)
    circle.symlink_to(circle)
    messages = []
    for path in (Path("/dev/zero"), pipe, circle, Path("x" * 5_000)):
        with pytest.raises(ConfigError) as caught:
            read_file_bytes(path, "f")
        messages.append(str(caught.value))

    assert messages[:2] == ["f: is not a regular file"] * 2
    assert all(message.startswith("f: cannot be read: ") for message in messages[2:])


def test_the_null_device_is_an_empty_file() -> None:
    assert read_file_bytes(Path(os.devnull)) == b""


def test_text_is_utf_8(tmp_path: Path) -> None:
    """A mark at the beginning is left out; the line of the first wrong byte is named."""
    path = tmp_path / "f"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb")
    assert read_file_text(path) == "a\nb"

    path.write_bytes(b"a\nb\xff")
    with pytest.raises(ConfigError, match=":2: is not UTF-8 text"):
        read_file_text(path)


def test_a_path_that_is_none_is_not_there(tmp_path: Path) -> None:
    """Neither a zero byte nor any length makes the question fail; a circle of links has no end."""
    (tmp_path / "circle").symlink_to(tmp_path / "circle")

    assert [is_there(Path(name)) for name in ("a\0b", "x" * 5_000, "/")] == [False, False, True]
    with pytest.raises(ConfigError, match="links go in a circle"):
        resolved(tmp_path / "circle" / "a\0b")


def test_a_file_of_ten_megabytes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "f"
    with path.open("wb") as stream:
        stream.truncate(MAX_BYTES)

    assert len(read_file_bytes(path)) == MAX_BYTES == 10 * 1024 * 1024


def test_the_standard_input_is_read_as_a_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for size, is_read in ((MAX_BYTES, True), (MAX_BYTES + 1, False)):
        stream = io.TextIOWrapper(io.BytesIO(b"x" * size))
        monkeypatch.setattr("sys.stdin", stream)
        if is_read:
            assert len(read_file_bytes(STANDARD_INPUT)) == size
        else:
            with pytest.raises(ConfigError, match="-: is larger than 10 MB"):
                read_file_bytes(STANDARD_INPUT)
        assert open_file(STANDARD_INPUT) is stream.buffer


def test_the_output_is_no_file_to_write_to() -> None:
    check_file(Path("x"))
    with pytest.raises(ConfigError) as refused:
        check_file(STANDARD_INPUT)

    assert refused.value.problems == (Problem("is the output, and this has to be a file", "-", hint="name one"),)


def test_a_file_is_opened_for_reading_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"abc")
    with open_file(path) as stream:
        assert (stream.read(2), stream.read()) == (b"ab", b"c")
    with pytest.raises(ConfigError) as refused:
        open_file(tmp_path)

    assert refused.value.problems == (Problem("is a directory, not a file", str(tmp_path)),)
    assert [is_a_file(each) for each in (path, tmp_path, Path("x" * 5_000))] == [True, False, False]
    assert resolved(tmp_path / "a" / ".." / "f") == path.resolve()
