"""A stream of JSON is split into its objects; what cannot be read is left out, and nothing else."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.traces import json_objects
from engine.formats.traces.json_objects import ObjectSplitter


def split(data: bytes, depth: int = 1, chunk: int = 7) -> tuple[list[tuple[int, Any]], list[tuple[int, str]]]:
    stream = io.BytesIO(data)
    faults: list[tuple[int, str]] = []
    splitter = ObjectSplitter(lambda _size: stream.read(chunk), lambda what, line: faults.append((line, what)), depth)
    return list(splitter.objects()), faults


def test_objects_one_behind_the_other_are_yielded_with_their_lines() -> None:
    assert split(b'{"a": 1}\n\n{"b": {"c": "}{"}},{"d": "\\"{"}') == (
        [(1, {"a": 1}), (3, {"b": {"c": "}{"}}), (3, {"d": '"{'})],
        [],
    )


def test_objects_within_an_object_are_found_at_their_depth() -> None:
    found, faults = split(b'{"apps": {"app": [\n{"id": 1},\n{"id": 2, "more": {"x": {}}}]}}', 3)

    assert found == [(2, {"id": 1}), (3, {"id": 2, "more": {"x": {}}})]
    assert faults == []


def test_many_strings_and_many_escapes_are_read() -> None:
    for count in (999, 1000, 1001, 2500):
        value = {"a": ["{"] * count, "b": "\n" * count, "c": ['"'] * count}

        assert split(json.dumps(value).encode(), chunk=100_000) == ([(1, value)], [])


def test_an_object_that_is_no_json_is_reported_and_the_next_is_read() -> None:
    assert split(b'{"a": 1}\n{"b": nonsense}\n{"c": 3}') == (
        [(1, {"a": 1}), (3, {"c": 3})],
        [(2, "this is no JSON object: JSON is malformed: invalid character (byte 10)")],
    )


def test_an_object_that_was_cut_off_does_not_take_the_next_with_it() -> None:
    found, faults = split(b'{"a": [1,\n 2\n{"b": 2}\n{"c": 3}\n')

    assert found == [(3, {"b": 2}), (4, {"c": 3})]
    assert [line for line, _ in faults] == [1]


def test_the_last_object_may_be_cut_off() -> None:
    assert split(b'{"a": 1}\n{"b": "x') == ([(1, {"a": 1})], [(2, "this object has no end")])


def test_an_object_that_never_ends_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_objects, "MAX_OBJECT", 50)
    found, faults = split(b'{"a": [' + b"1," * 100 + b'\n{"b": 2}')

    assert found == [(2, {"b": 2})]
    assert "never ends" in faults[0][1]


@given(st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=8) | st.integers(0, 9), max_size=3), max_size=5))
def test_whatever_was_written_is_read(objects: list[dict[str, object]]) -> None:
    data = "\n".join(json.dumps(each, indent=1) for each in objects).encode()

    assert [each for _, each in split(data, chunk=5)[0]] == objects


@pytest.mark.parametrize("between", [b"\n", b" " * 60, b'"text", '])
def test_a_stream_may_be_longer_than_an_object(monkeypatch: pytest.MonkeyPatch, between: bytes) -> None:
    monkeypatch.setattr(json_objects, "MAX_OBJECT", 20)
    found, faults = split(between.join(b'{"a": %d}' % number for number in range(50)), 1, 5)

    assert ([each for _, each in found], faults) == ([{"a": number} for number in range(50)], [])
