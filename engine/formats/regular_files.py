"""Reads files that a user named: regular files, whole ones up to a size, and `-` for the standard input.

A device, a pipe or a socket is refused at once, without waiting for what it might hold.
"""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from engine.errors import ConfigError, Problem

MAX_BYTES: Final = 10 * 1024 * 1024  # Largest file read [bytes]

NOWHERE: Final = "its links go in a circle or lead to nothing"
STANDARD_INPUT: Final = Path("-")
_NOTHING: Final = Path(os.devnull)  # A device, but one that people name for an empty file


def read_file_bytes(path: Path, shown: str = "") -> bytes:
    """The bytes of a file. `-` is the standard input; `shown` names the file in problems, empty is its path.

    Raises ConfigError if it is missing, unreadable, above 10 MB or no regular file.
    """
    name = shown or str(path)
    with _refused(name):
        data = _read(path, name)
    if len(data) > MAX_BYTES:
        raise _refusal(f"is larger than {MAX_BYTES >> 20} MB", name)
    return data


def read_file_text(path: Path, shown: str = "") -> str:
    """A UTF-8 text without byte-order mark. Raises ConfigError as `read_file_bytes`, or if it is none."""
    data = read_file_bytes(path, shown)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ConfigError.of("is not UTF-8 text", shown or str(path), data.count(b"\n", 0, error.start) + 1) from None


def open_file(path: Path) -> BinaryIO:
    """A file of any size, `-` for the standard input. Raises ConfigError if it is no regular, readable file."""
    name = str(path)
    if path == STANDARD_INPUT:
        return sys.stdin.buffer
    with _refused(name):
        return _opened(path, name)


@contextmanager
def _refused(name: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise _refusal("no such file", name) from None
    except OSError as error:
        raise _refusal(f"cannot be read: {error.strerror or error}", name) from None
    except ValueError:
        raise _refusal("not a file name", name) from None


def is_there(path: Path) -> bool:
    """Tell whether a path names something, of whatever kind; False also where it is no path at all."""
    return os.path.exists(path)  # noqa: PTH110 -- a `Path` raises what is no path


def leads_nowhere(path: Path) -> bool:
    """Tell whether a path is a link to nothing, or one of a circle of links."""
    try:
        return path.is_symlink() and not is_there(path)
    except (OSError, ValueError):
        return False


def check_file(path: Path) -> None:
    """Check that a path to write to is not `-`, the output, where a file has to be. Raises ConfigError if it is."""
    if path == STANDARD_INPUT:
        raise ConfigError.of("is the output, and this has to be a file", file=str(path), hint="name one")


def is_a_file(path: Path) -> bool:
    """Tell whether a path names a file; False also where it is no path at all."""
    return os.path.isfile(path)  # noqa: PTH113 -- a `Path` raises what is no path


def is_a_folder(path: Path) -> bool:
    """Tell whether a path names a folder; False also where it is no path at all."""
    return os.path.isdir(path)  # noqa: PTH112 -- a `Path` raises what is no path


def resolved(path: Path) -> Path:
    """The path without links. Raises ConfigError if they go in a circle, or it is no path."""
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):  # RuntimeError: a circle of links, before Python 3.13
        raise _refusal(NOWHERE if leads_nowhere(path) else "not a file name", str(path)) from None


def _read(path: Path, name: str) -> bytes:
    if path == STANDARD_INPUT:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    if path == _NOTHING:
        return b""
    with _opened(path, name) as stream:
        return stream.read(MAX_BYTES + 1)


def _opened(path: Path, name: str) -> BinaryIO:
    # Raises ConfigError if it is no regular file, OSError, or ValueError if it is no path
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe without a writer is not waited for
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        what = "is a directory, not a file" if stat.S_ISDIR(mode) else "is not a regular file"
        raise _refusal(what, name)
    return os.fdopen(handle, "rb")


def _refusal(message: str, name: str) -> ConfigError:
    return ConfigError([Problem(message, name)])
