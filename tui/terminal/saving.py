"""Files that users ask for: none is overwritten unasked, and one that cannot be written whole is taken away again."""

import errno
import os
import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from engine.errors import OutputError
from engine.formats.regular_files import STANDARD_INPUT, read_file_text
from engine.observe.journal import write_whole
from tui.terminal.edges import visible

STANDARD_OUTPUT: Final = STANDARD_INPUT
TO_TERMINAL: Final = Path("terminal:")  # No folder: the terminal is given the files, for its user
LARGEST_SENT: Final = 6_000_000  # Largest file that is given to a terminal [bytes]
MOST_ALIKE: Final = 1000  # Files of one name in a folder, numbered


def text_of(path: str) -> str:
    """The text of a file that the user names; a `ConfigError` where it cannot be read, or is not UTF-8."""
    return read_file_text(Path(path).expanduser())


def write_file(path: Path, pieces: Iterable[bytes], *, force: bool = False) -> None:
    """Write a file that the user named, or the output for `-`; a `ConfigError` or `OutputError` as of `write_whole`."""
    if path == STANDARD_OUTPUT:
        for piece in pieces:
            sys.stdout.write(piece.decode())
        return
    write_whole(path, pieces, force=force)


def save(folder: Path, stem: str, contents: Mapping[str, str]) -> list[Path]:
    """Write one file for each ending, control characters written out; where any is there, all get the next number.

    Raises ConfigError, or OSError without a folder; after an OutputError none of them is there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, MOST_ALIKE):
        name = stem if number == 1 else f"{stem}-{number}"
        paths = [folder / f"{name}.{ending}" for ending in contents]
        if not any(path.exists() for path in paths):
            with ExitStack() as undo:
                for path, content in zip(paths, contents.values(), strict=True):
                    write_whole(path, [visible(content).encode()])
                    undo.callback(path.unlink, missing_ok=True)
                undo.pop_all()
            return paths
    raise FileExistsError(17, f"there are {MOST_ALIKE} files of this name", str(folder / stem))


def sent_files(stem: str, contents: Mapping[str, str]) -> str:
    """Return what gives files to a terminal: one for each ending, or an `OutputError` where one is too large.

    Source: iTerm2, proprietary escape codes, OSC 1337 with File=.
    """
    sent = []
    for ending, content in contents.items():
        name, data = f"{stem}.{ending}", visible(content).encode()
        if len(data) > LARGEST_SENT:
            raise OutputError(name, OSError(errno.EFBIG, os.strerror(errno.EFBIG)))
        head = f"File=name={b64encode(name.encode()).decode()};size={len(data)};inline=0"
        sent.append(f"\x1b]1337;{head}:{b64encode(data).decode()}\x07")
    return "".join(sent)
