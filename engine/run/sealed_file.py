"""A file of sealed lines that is only ever added to: what a program that is killed has written stays readable."""

import hashlib
import os
from collections.abc import Iterable
from typing import Final

from engine.run.run_file import FIRST_SEAL, seal

ROOM: Final = b" " * 512
"""Follows what is written, so that a full disk still has room for the end; counts as a line that was cut off."""


class SealedFile:
    """Writes lines, each sealed with a hash of all before it, and hands them to the operating system at once."""

    def __init__(self, handle: int) -> None:
        """Write into an empty file that is open."""
        self._handle = handle
        self._seal = FIRST_SEAL
        self._hash = hashlib.sha256()
        self.size = 0
        """Bytes of the lines so far."""

    @property
    def file_hash(self) -> str:
        """SHA-256 of the lines so far."""
        return self._hash.hexdigest()

    def append(self, bodies: Iterable[bytes]) -> None:
        """Write lines; all of them or none count.

        Raises:
            OSError: They cannot be written; the file is as before.
        """
        former = self._seal
        lines: list[bytes] = []
        for body in bodies:
            former = seal(former, body)
            lines += (body, b"\t", former, b"\n")
        data = b"".join(lines)
        self._write(data + ROOM)
        self._seal = former
        self.size += len(data)
        self._hash.update(data)

    def end(self, body: bytes) -> None:
        """Write the last line, and wait until all is on disk.

        Raises:
            OSError: It cannot be written.
        """
        line = body + b"\t" + seal(self._seal, body) + b"\n"
        self._write(line)
        os.ftruncate(self._handle, self.size + len(line))
        os.fdatasync(self._handle)

    def cut(self) -> None:
        """Cut off what does not count, and wait until all that does is on disk.

        Raises:
            OSError: It cannot be.
        """
        os.ftruncate(self._handle, self.size)
        os.fdatasync(self._handle)

    def sync(self) -> None:
        """Wait until all that was written is on disk.

        Raises:
            OSError: It cannot be.
        """
        os.fdatasync(self._handle)

    def close(self) -> None:
        """Close the file."""
        if self._handle >= 0:
            handle, self._handle = self._handle, -1
            os.close(handle)

    def _write(self, data: bytes) -> None:
        done = os.pwrite(self._handle, data, self.size)
        while done < len(data):
            done += os.pwrite(self._handle, data[done:], self.size + done)
