"""What the manual shows: fenced blocks, scenarios among them, and the commands a reader would type."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.test_architecture import ROOT

PAGES: Final = (
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "reference"),
)
_BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


class Command(NamedTuple):
    """A command of the program, as its arguments."""

    place: str
    arguments: tuple[str, ...]
    target: str = ""
    """The file that takes its output; empty for none."""


def blocks(page: Path, *languages: str) -> Iterator[Block]:
    """The blocks of a page in these languages."""
    text = page.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        if found[1] in languages:
            yield Block(page, text.count("\n", 0, found.start()) + 2, found[1], found[2])


def commands(page: Path) -> Iterator[Command]:
    """The calls of `schedlab` that a page shows, in its order; those in cells of the front page come first."""
    cells = [(page.name, line) for line in re.findall("<code>(.*?)</code>", page.read_text(encoding="utf-8"))]
    lines = [(block.place, line) for block in blocks(page, "sh") for line in block.text.splitlines()]
    for place, line in (*cells, *lines):
        words = shlex.split(line, comments=True)
        if words[:1] == ["schedlab"]:
            words, target = (words[:-2], words[-1]) if ">" in words else (words, "")
            yield Command(f"{place} {line}", tuple(words[1:]), target)
