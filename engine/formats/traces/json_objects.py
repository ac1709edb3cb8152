"""Splits a stream of JSON into its objects, one after the other, without holding more than one.

Files of SLS and Rumen hold objects one behind the other, those of others a list of them inside an object. The
splitter counts braces outside of strings and yields the text of every object at one depth. What cannot be read is
reported with its line, and reading goes on at the next line that begins with a brace.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

CHUNK: Final = 256 * 1024
MAX_OBJECT: Final = 64 * 1024 * 1024  # Longest text of one object [bytes]
MAX_RESTARTS: Final = 1_000  # How often reading goes on behind something unreadable

_PLAIN: Final = re.compile(rb'[^"{}]*(?:"[^"\\]*"[^"{}]*){0,1000}')
"""What stands before a brace: strings without escapes, only so many at once, as each takes memory while it matches."""
_INSIDE: Final = re.compile(rb'[^"\\]*(?:\\.[^"\\]*){0,1000}', re.DOTALL)  # What stands inside a string, likewise
_NO_NUMBER: Final = re.compile(rb"(?<=[\[:, \n])[+-]?(?:NaN|Infinity|INF)(?=[\],} \r\n])")
_NEXT: Final = re.compile(rb"\n(?=\{)")

JsonObject = dict[str, Any]  # An object as plain values
Read = Callable[[int], bytes]
Fault = Callable[[str, int], None]  # Takes what is wrong, and the line


class ObjectSplitter:
    """Reads one stream; `objects` yields what it holds."""

    def __init__(self, read: Read, fault: Fault, depth: int) -> None:
        """`read` answers at most so many bytes, none at the end; objects begin `depth` braces deep."""
        self._read, self._fault, self._depth = read, fault, depth
        self._buffer = b""
        self._line, self._counted = 1, 0  # the line of a place of the buffer
        self._at = 0  # how far the buffer has been scanned
        self._is_inside = False  # whether that is inside a string
        self._open = 0
        self._begin = -1  # where the object that is open begins; -1 where none is
        self._is_end = False
        self._restarts = 0

    def objects(self) -> Iterator[tuple[int, Any]]:
        while (begin := self._next_begin()) >= 0:
            line = self._line_of(begin)
            try:
                value = _decoded(memoryview(self._buffer)[begin : self._at])
            except (msgspec.MsgspecError, RecursionError, ValueError) as error:
                self._fault(f"this is no JSON object: {error}", line)
                self._restart(begin, self._at)
                continue
            yield line, value

    def _next_begin(self) -> int:
        while True:
            brace = self._next_brace()
            if not brace:
                if not self._fill():
                    return -1
                continue
            if brace == b"{":
                self._open += 1
                if self._open == self._depth:
                    self._begin = self._at - 1
                continue
            self._open = max(0, self._open - 1)
            if self._begin >= 0 and self._open == self._depth - 1:
                begin, self._begin = self._begin, -1
                return begin

    def _next_brace(self) -> bytes:
        """The next brace outside of strings, which ends at `_at`; nothing where the buffer has none."""
        while True:
            match = (_INSIDE if self._is_inside else _PLAIN).match(self._buffer, self._at)
            self._at = self._at if match is None else match.end()
            sign = self._buffer[self._at : self._at + 1]
            if sign == b'"':
                self._at += 1
                self._is_inside = not self._is_inside
            elif not self._is_inside:
                self._at += len(sign)
                return sign
            elif self._at + 1 >= len(self._buffer):
                return b""

    def _fill(self) -> bool:
        self._forget(self._at if self._begin < 0 else self._begin)
        if len(self._buffer) > MAX_OBJECT:
            self._fault(f"this object is longer than {MAX_OBJECT >> 20} MB, or never ends", self._line)
            if not self._restart(0, len(self._buffer)):
                self._forget(len(self._buffer))
                self._open, self._begin, self._is_inside = self._depth - 1, -1, False
            return True
        chunk = b"" if self._is_end else self._read(CHUNK)
        if chunk:
            self._buffer += chunk
            return True
        self._is_end = True
        if self._begin < 0:
            return False
        self._fault("this object has no end", self._line_of(self._begin))
        return self._restart(self._begin, len(self._buffer))

    def _restart(self, begin: int, end: int) -> bool:
        """Go on at the first line within a stretch that begins with a brace; False where there is none."""
        self._restarts += 1
        match = _NEXT.search(self._buffer, begin, end) if self._restarts <= MAX_RESTARTS else None
        if match is None:
            return False
        self._open, self._begin, self._at, self._is_inside = self._depth - 1, -1, match.end(), False
        return True

    def _line_of(self, place: int) -> int:
        """The line of a place of the buffer; asked for in order."""
        if place > self._counted:
            self._line += self._buffer.count(b"\n", self._counted, place)
            self._counted = place
        return self._line

    def _forget(self, place: int) -> None:
        _ = self._line_of(place)
        self._buffer = self._buffer[place:]
        self._counted = max(0, self._counted - place)
        self._at = max(0, self._at - place)
        self._begin = 0 if self._begin >= 0 else -1


def _decoded(text: memoryview) -> Any:
    """The value of a text; numbers that are none, as Python and Java write them, are null."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        known = bytes(text)
        if _NO_NUMBER.search(known) is None:
            raise
        return msgspec.json.decode(_NO_NUMBER.sub(b"null", known))


# The keys of the first object of a JSON text, also of one that is cut off.

_TOKEN: Final = re.compile(rb'"((?:[^"\\]|\\.){0,200})"(\s*:)?|[{}]|"(?:[^"\\]|\\.)*"?', re.DOTALL)
_JSON: Final = re.compile(rb'\s*(?:\[\s*)*\{\s*(?:"|\}|$)|\s*\[\s*(?:[\]"\d-]|$)')


class JsonShape(NamedTuple):
    """The keys of the first object."""

    top: frozenset[str]  # Its own keys
    keys: frozenset[str]  # Those of the objects in it, its own with them
    is_whole: bool  # Whether its end was seen


NO_JSON: Final = JsonShape(frozenset(), frozenset(), is_whole=True)


@lru_cache(maxsize=2)
def shape_of(head: bytes) -> JsonShape:
    """The shape of a text that begins so; without keys where it is no JSON.

    >>> sorted(shape_of(b'{"a": [{"b": 1}], "c": {"d"').top), sorted(shape_of(b'{"a": [{"b": 1}], "c": {"d"').keys)
    (['a', 'c'], ['a', 'b', 'c'])
    """
    if _JSON.match(head) is None:
        return NO_JSON
    depth, top, keys = 0, set[str](), set[str]()
    for token in _TOKEN.finditer(head):
        sign = token[0][:1]
        if sign == b"{":
            depth += 1
        elif sign == b"}":
            depth -= 1
            if depth <= 0:
                return JsonShape(frozenset(top), frozenset(keys), is_whole=True)
        elif token[2] is not None:
            key = token[1].decode("utf-8", "replace")
            keys.add(key)
            if depth == 1:
                top.add(key)
    return JsonShape(frozenset(top), frozenset(keys), is_whole=False)
