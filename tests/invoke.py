"""Runs command lines in the process of a test."""

import io
import os
import sys
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple
from unittest.mock import patch

from tui.cli.cli import run

NOTHING: Mapping[str, str] = MappingProxyType({})


class Result(NamedTuple):
    """What a command said, and how it ended."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def stdout_bytes(self) -> bytes:
        return self.stdout.encode()

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


class Terminal(io.StringIO):
    """What somebody types."""

    def isatty(self) -> bool:
        return True


def said(
    verb: str,
    words: Iterable[str] = (),
    reads: str = "",
    environment: Mapping[str, str] = NOTHING,
    *,
    is_typed: bool = False,
) -> Result:
    """Run a command; `verb` may be several words, or empty where `words` begin with it."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    with (
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
        patch.object(sys, "stdin", (Terminal if is_typed else io.StringIO)(reads)),
        patch.dict(os.environ, environment),
    ):
        try:
            code = run([*verb.split(), *words])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        texts = []
        for stream in (out, err):
            stream.flush()
            assert isinstance(stream.buffer, io.BytesIO)
            texts.append(stream.buffer.getvalue().decode().replace("\r\n", "\n"))
    return Result(code, *texts)
