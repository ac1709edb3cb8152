"""The page of deliberate differences, of the words `Differs:` in the source."""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tests.manual.markdown import page
from tests.test_architecture import ROOT

ABOUT = """\
Where the program decides or answers otherwise than the real class, on purpose. Each sentence stands in the source at
the place that differs, under the module that is named."""
_WORDS = re.compile(r"`?Differs:`?\s+(.*?)(?:\n\s*\n|\"\"\"|(?=`?Differs:)|\Z)", re.DOTALL)


def differences_page() -> str:
    found = [(path, words) for path in sorted((ROOT / "engine").rglob("*.py")) for words in _differences(path)]
    parts = []
    for package, group in groupby(found, key=lambda one: one[0].relative_to(ROOT).parts[1].removesuffix(".py")):
        lines = [f"- `{path.relative_to(ROOT).with_suffix('')}`: {words}" for path, words in group]
        parts.append("\n".join([f"## {package}", "", *lines, ""]))
    return page("Deliberate differences", ABOUT, *parts)


def _differences(path: Path) -> Iterator[str]:
    """The sentences after the word, up to the end of their paragraph or comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        is_comment = line.lstrip().startswith("#")
        if is_comment != bool(paragraphs[-1] and paragraphs[-1][-1].lstrip().startswith("#")):
            paragraphs.append([])
        paragraphs[-1].append(line)
    for paragraph in paragraphs:
        text = "\n".join(line.lstrip().removeprefix("#").strip() for line in paragraph)
        for words in _WORDS.findall(text):
            sentence = _within(" ".join(words.split())).replace("<", "&lt;")
            yield f"{sentence[0].upper()}{sentence[1:]}"


def _within(words: str) -> str:
    """The words up to the bracket that closes one opened before them."""
    depth = 0
    for place, letter in enumerate(words):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return words[:place]
    return words
