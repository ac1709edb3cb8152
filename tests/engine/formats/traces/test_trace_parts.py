"""Parts of traces: objects of a stream, which applications are taken, what a report collects and a workload is like."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formats.traces.exports import Spread, spread
from engine.formats.traces.json_objects import ObjectSplitter


def split(text: bytes, size: int = 5, depth: int = 1) -> tuple[list[tuple[int, Any]], list[tuple[str, int]]]:
    """(line, object) of a stream that is read in pieces, and (message, line) of faults."""
    rest, faults = [text], list[tuple[str, int]]()

    def read(_: int) -> bytes:
        piece, rest[0] = rest[0][:size], rest[0][size:]
        return piece

    found = list(ObjectSplitter(read, lambda message, line: faults.append((message, line)), depth).objects())
    return found, faults


VALUES = st.recursive(
    st.integers() | st.text(max_size=8) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=3)


@settings(max_examples=80, deadline=None)
@given(st.lists(OBJECTS, max_size=4), st.integers(1, 40), st.booleans(), st.sampled_from(["\n", " ", ",\n"]))
def test_whatever_stands_in_a_stream_is_read_in_pieces_of_any_length(
    objects: list[Any], size: int, is_ascii: bool, between: str
) -> None:
    """Braces and quotation marks in strings are none; each object has the line it begins in."""
    texts = [json.dumps(each, ensure_ascii=is_ascii, indent=1) for each in objects]
    whole = between.join(texts)
    lines = [1 + between.join([*texts[:place], ""]).count("\n") for place in range(len(texts))]

    assert split(whole.encode(), size) == (list(zip(lines, objects, strict=True)), [])


@pytest.mark.parametrize(
    ("text", "depth", "found"),
    [
        (b'{"a": [{"b": 1}, {"b": {"c": 2}}]}', 2, [{"b": 1}, {"b": {"c": 2}}]),
        (b'{"a": {"x": {"b": 1}}}', 3, [{"b": 1}]),
        (b'}} {"a": 1}', 1, [{"a": 1}]),
        (b"", 1, []),
        (b"[1, 2]", 1, []),
    ],
)
def test_objects_may_stand_inside_others(text: bytes, depth: int, found: list[Any]) -> None:
    assert [each for _, each in split(text, depth=depth)[0]] == found


@pytest.mark.parametrize(
    ("text", "found", "faults"),
    [
        (b'{"a": 1}\n{x}\n{"b": 2}', [(1, {"a": 1}), (3, {"b": 2})], [("this is no JSON object", 2)]),
        (b'{"a": \n{"b": 2}', [(2, {"b": 2})], [("this object has no end", 1)]),
        (b'{"a": "x\n', [], [("this object has no end", 1)]),
        (b'{"a": 1}\n\n{"b": ', [(1, {"a": 1})], [("this object has no end", 3)]),
        (b'{x\n{y}\n{"a": 1}}', [(3, {"a": 1})], [("this is no JSON object", 1), ("this is no JSON object", 2)]),
    ],
)
def test_what_cannot_be_read_is_said_and_reading_goes_on(
    text: bytes, found: list[Any], faults: list[tuple[str, int]]
) -> None:
    objects, problems = split(text)

    assert objects == found
    assert [(message.partition(":")[0], line) for message, line in problems] == faults


@given(st.lists(st.integers(0, 99), min_size=1, max_size=40))
def test_values_are_spread_by_their_places(values: list[int]) -> None:
    """A tenth is not above the low one, a tenth not below the high one; the middle is the lower of two."""
    found, ordered = spread(values), sorted(values)
    last = len(values) - 1

    assert found == Spread(
        len(values), ordered[last // 10], ordered[last // 2], ordered[last - last // 10], ordered[-1]
    )
