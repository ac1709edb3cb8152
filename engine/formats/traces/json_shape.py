"""The keys of the first object of a JSON text, also of one that is cut off."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

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
