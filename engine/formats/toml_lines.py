"""Finds the line of each key in a TOML text, so that a problem can name it.

The standard library's reader forgets positions. This scanner only finds them: it expects a text that the reader
has accepted and never judges it.
"""

import re
from typing import Final

Path = tuple[str | int, ...]
"""Keys and list indices from the top of a document."""

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_DELIMITERS: Final = ('"""', "'''", '"', "'")
_SCALAR_END: Final = ",]}\n#"


def line_numbers(text: str) -> dict[Path, int]:
    r"""The 1-based line of every table, key and list item of a valid TOML text.

    >>> line_numbers('a = 1\n[[b]]\nc = [\n {d = 2},\n]')[("b", 0, "c", 0, "d")]
    4
    """
    scanner = _Scanner(text)
    scanner.document()
    return scanner.lines


class _Scanner:
    """One pass over a text; `at` is the position, `lines` the answer."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Path, int] = {}
        self._counts: dict[Path, int] = {}

    def document(self) -> None:
        """Scan headers and key-value lines to the end."""
        table: Path = ()
        self._blank()
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._blank()

    def _header(self) -> Path:
        """Scan `[a.b]` or `[[a.b]]` and answer the path of the table it opens."""
        is_list = self.text.startswith("[[", self.at)
        line = self._line()
        self.at += 2 if is_list else 1
        path = self._last_item(self._dotted("]"))
        self.at += 2 if is_list else 1
        if is_list:
            index = self._counts.get(path, -1) + 1
            self._counts[path] = index
            self.lines.setdefault(path, line)
            path = (*path, index)
        self.lines.setdefault(path, line)
        return path

    def _last_item(self, keys: Path) -> Path:
        """Parents that are lists of tables mean their last item."""
        path: Path = ()
        for key in keys[:-1]:
            path = (*path, key)
            if path in self._counts:
                path = (*path, self._counts[path])
        return (*path, keys[-1])

    def _pair(self, table: Path) -> None:
        """Scan `a.b = value`."""
        line = self._line()
        path = table
        for key in self._dotted("="):
            path = (*path, key)
            self.lines.setdefault(path, line)
        self.at += 1
        self._value(path)

    def _dotted(self, end: str) -> Path:
        """Scan keys with dots in between up to (not including) `end`."""
        keys: list[str | int] = []
        while self.text[self.at] != end:
            char = self.text[self.at]
            if char in "\"'":
                keys.append(self._string())
            elif match := _BARE.match(self.text, self.at):
                keys.append(match[0])
                self.at = match.end()
            else:
                self.at += 1
        return tuple(keys)

    def _value(self, path: Path) -> None:
        self._blank()
        char = self.text[self.at]
        if char == "[":
            self._list(path)
        elif char == "{":
            self._inline_table(path)
        elif char in "\"'":
            self._string()
        else:
            while self.at < len(self.text) and self.text[self.at] not in _SCALAR_END:
                self.at += 1

    def _list(self, path: Path) -> None:
        self.at += 1
        index = 0
        self._blank()
        while self.text[self.at] != "]":
            if self.text[self.at] == ",":
                self.at += 1
            else:
                self.lines[*path, index] = self._line()
                self._value((*path, index))
                index += 1
            self._blank()
        self.at += 1

    def _inline_table(self, path: Path) -> None:
        self.at += 1
        self._blank()
        while self.text[self.at] != "}":
            if self.text[self.at] == ",":
                self.at += 1
            else:
                self._pair(path)
            self._blank()
        self.at += 1

    def _string(self) -> str:
        """Scan a string of any of the four kinds and answer its text as written."""
        delimiter = next(mark for mark in _DELIMITERS if self.text.startswith(mark, self.at))
        start = self.at = self.at + len(delimiter)
        while not self.text.startswith(delimiter, self.at):
            self.at += 2 if delimiter[0] == '"' and self.text[self.at] == "\\" else 1
        while len(delimiter) == 3 and self.text.startswith(delimiter[0], self.at + 3):
            self.at += 1
        self.at += len(delimiter)
        return self.text[start : self.at - len(delimiter)]

    def _blank(self) -> None:
        """Skip white space, line ends and comments."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "#":
                self.at = self.text.find("\n", self.at) % (len(self.text) + 1)
            elif char.isspace():
                self.at += 1
            else:
                return

    def _line(self) -> int:
        return self.text.count("\n", 0, self.at) + 1
