"""A file written while a run goes on: nothing is overwritten unasked, and a run that is refused leaves nothing."""

import os
from io import FileIO
from pathlib import Path
from typing import Self

from engine.errors import ConfigError, OutputError, Problem
from engine.formats.regular_files import check_file


class NewFile:
    """An unbuffered file that takes its name when the first of its content is worth keeping."""

    def __init__(self, file: FileIO, name: str, beside: Path | None = None) -> None:
        """A file that is open.

        Args:
            file: Open for writing, unbuffered.
            name: How to name it in problems.
            beside: What it is called until it takes its name; None where it has its own.
        """
        self._file = file
        self._name = name
        self._beside = beside

    @classmethod
    def create(cls, path: Path, *, force: bool = False) -> Self:
        """A new file; a device or a pipe is written to as it is.

        With `force` a file, or a link, of this name is replaced.

        Raises:
            ConfigError: It is there already, is `-`, or cannot be opened.
        """
        check_file(path)
        try:
            is_special = path.exists() and not path.is_file()
            if (path.is_symlink() and not is_special and not force) or (path.is_file() and not force):
                raise ConfigError([Problem("is there already", file=str(path), hint="--force replaces it")])
            beside = None if is_special else path.with_name(f".{path.name[:100]}.{os.getpid()}.part")
            return cls(FileIO(path if beside is None else beside, "w"), str(path), beside)
        except (OSError, ValueError) as error:
            words = (error.strerror if isinstance(error, OSError) else "") or "not a file name"
            raise ConfigError([Problem(f"cannot be written: {words.lower()}", file=str(path))]) from None

    def write(self, data: bytes) -> None:
        """Write all of it.

        Raises:
            OutputError: It cannot be written any more.
        """
        try:
            done = self._file.write(data)
            while done < len(data):
                done += self._file.write(data[done:])
        except OSError as error:
            raise OutputError(self._name, error) from error

    def take_name(self) -> None:
        """Give it its own name, if it has not got it yet.

        Raises:
            ConfigError: It cannot be given.
        """
        if self._beside is None:
            return
        try:
            self._beside.replace(self._name)
        except OSError as error:
            raise ConfigError([Problem(f"cannot be written: {error.strerror}", file=self._name)]) from error
        self._beside = None

    def close(self) -> None:
        """Close it; one without a name goes."""
        self._file.close()
        if self._beside is not None:
            self._beside.unlink(missing_ok=True)
