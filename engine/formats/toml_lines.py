"""Finds the line of each key in a TOML text, so that a problem can name it.

The standard library's reader forgets positions. This scanner only finds them: it expects a text that the reader has
accepted and never judges it. Each character is looked at once.
"""

import re
from typing import Final

Path = tuple[str | int, ...]  # Keys and list indices from the top of a document

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_BLANK: Final = re.compile(r"\s+|#[^\n]*")
_SCALAR: Final = re.compile(r"[^,\]}\n#]*")
_ENDS: Final = {
    '"""': re.compile(r'\\.|("{3,5})', re.DOTALL),
    "'''": re.compile(r"('{3,5})"),
    '"': re.compile(r'\\.|(")', re.DOTALL),
    "'": re.compile(r"(')"),
}
"""How a string begins → what to look for in it: an escape, or, as a group, quotes with which it ends."""


def line_numbers(text: str) -> dict[Path, int]:
    r"""The 1-based line of every table and key of a valid TOML text, and of list items on another line than the list.

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
        self._line_at = 0  # position up to which line ends are counted in `_line_number`
        self._line_number = 1

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
        path: Path = ()
        for key in keys[:-1]:
            path = (*path, key)
            if path in self._counts:
                path = (*path, self._counts[path])
        return (*path, keys[-1])

    def _pair(self, table: Path) -> None:
        line = self._line()
        path = table
        for key in self._dotted("="):
            path = (*path, key)
            self.lines.setdefault(path, line)
        self.at += 1
        self._value(path)

    def _dotted(self, end: str) -> Path:
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
            self.at = next(_SCALAR.finditer(self.text, self.at)).end()

    def _list(self, path: Path) -> None:
        begins = self._line()
        self.at += 1
        index = 0
        self._blank()
        while self.text[self.at] != "]":
            if self.text[self.at] == ",":
                self.at += 1
            else:
                line = self._line()
                if line != begins:
                    self.lines[*path, index] = line
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
        quotes = next(each for each in _ENDS if self.text.startswith(each, self.at))
        begin = self.at + len(quotes)
        self.at = next(each.end() for each in _ENDS[quotes].finditer(self.text, begin) if each[1])
        return self.text[begin : self.at - len(quotes)]

    def _blank(self) -> None:
        while match := _BLANK.match(self.text, self.at):
            self.at = match.end()

    def _line(self) -> int:
        """The line of the position, which never goes back."""
        self._line_number += self.text.count("\n", self._line_at, self.at)
        self._line_at = self.at
        return self._line_number
