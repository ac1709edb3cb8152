"""Lines of the keys of documents written at random: each key stands where the writer put it."""

import random
import tomllib

import pytest

from engine.formats.toml_lines import Path, line_numbers

SCALARS = (
    "1",
    "-2.5e3",
    "true",
    "inf",
    "2026-01-01T00:00:00Z",
    "07:32:00",
    '"a # b"',
    '"]}"',
    r'"\"=\\"',
    "'c:\\'",
    "''",
    '""',
    '"""x"""',
    "'''it's'''",
    '"""a\n[b]\n"""',
    "'''\n\nc = 1'''",
    '"""q""""',
    '"""e\\"""\n"""',
)
KEYS = ("a", "b-1", "_c", "9", '"d e"', "'f.g'", '"h#"', '"]"', "true")
BLANKS = ("", " ", "\t", "  ")


class Writer:
    """Writes a document and notes where each key stands."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.text = ""
        self.lines: dict[Path, int] = {}

    @property
    def line(self) -> int:
        return self.text.count("\n") + 1

    def put(self, text: str) -> None:
        self.text += text + self.chance.choice(BLANKS)

    def document(self) -> None:
        self.pairs(())
        for name in ("one", "two", "list", "list", "list"):
            if self.chance.random() < 0.5:
                self.text += self.chance.choice(("\n", "# [no]\n", '\n# x = """\n\n'))
            self.lines.setdefault((name,), self.line)
            if name == "list":
                index = sum(len(path) == 2 and path[0] == name and isinstance(path[1], int) for path in self.lines)
                self.lines[name, index] = self.line
                self.put("[[")
                self.put(name)
                self.text += "]]\n"
                self.pairs((name, index))
                if self.chance.random() < 0.6:
                    self.lines[name, index, "in ner"] = self.line
                    self.put(f'[{name}."in ner"]')
                    self.text += "# end\n"
                    self.pairs((name, index, "in ner"))
            else:
                self.put("[")
                self.put(name)
                self.put("]")
                self.text += "\n"
                self.pairs((name,))

    def pairs(self, path: Path) -> None:
        for key in self.chance.sample(KEYS, self.chance.randrange(4)):
            self.pair(path, key, 0)
            self.text += self.chance.choice(("\n", " # = [\n", "\n\n"))

    def pair(self, path: Path, key: str, depth: int) -> None:
        name = key.strip("\"'")
        dotted = self.chance.random() < 0.2
        if dotted:
            self.lines[*path, name, "z"] = self.line
            self.lines.setdefault((*path, name), self.line)
            self.put(key)
            self.put(".")
            self.put("z")
            here: Path = (*path, name, "z")
        else:
            here = (*path, name)
            self.lines[here] = self.line
            self.put(key)
        self.put("=")
        self.value(here, depth)

    def value(self, path: Path, depth: int) -> None:
        kind = self.chance.random()
        if kind < 0.25 and depth < 3:
            begin = self.line
            self.put("[")
            for index in range(self.chance.randrange(4)):
                self.put(self.chance.choice(("", "\n", "# , ]\n", "\n\n")))
                if self.line != begin:
                    self.lines[*path, index] = self.line
                self.value((*path, index), depth + 1)
                self.put(self.chance.choice((",", ",", " ,\n")))
            self.put("]")
        elif kind < 0.45 and depth < 3:
            self.put("{")
            for place, key in enumerate(self.chance.sample(KEYS, self.chance.randrange(3))):
                if place:
                    self.put(",")
                self.pair(path, key, depth + 1)
            self.put("}")
        else:
            self.put(self.chance.choice(SCALARS))


@pytest.mark.parametrize("seed", range(200))
def test_each_key_of_a_document_has_the_line_it_was_written_on(seed: int) -> None:
    writer = Writer(seed)
    writer.document()
    tomllib.loads(writer.text)
    assert line_numbers(writer.text) == writer.lines
