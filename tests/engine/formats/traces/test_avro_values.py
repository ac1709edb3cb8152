"""Values in Avro's binary encoding, type by type."""

import io
import json
import struct
from typing import Any

import pytest

from engine.formats.traces import avro_binary
from engine.formats.traces.avro_binary import AvroError, AvroReader


def value(schema: Any, data: bytes) -> Any:
    """What bytes are by a schema."""
    return AvroReader(json.dumps(schema).encode(), io.BufferedReader(io.BytesIO(data))).record()


def record(name: str, kind: Any) -> dict[str, Any]:
    """A record of one field."""
    return {"type": "record", "name": name, "fields": [{"name": "x", "type": kind}]}


@pytest.mark.parametrize(
    ("schema", "data", "found"),
    [
        ("null", b"", None),
        ("boolean", b"\0", False),
        ("boolean", b"\x01", True),
        ("int", b"\0", 0),
        ("int", b"\x01", -1),
        ("int", b"\x02", 1),
        ("long", b"\x7f", -64),
        ("long", b"\x80\x01", 64),
        ("long", b"\xff" * 9 + b"\x01", -(2**63)),
        ("float", struct.pack("<f", 1.5), 1.5),
        ("double", struct.pack("<d", -2.25), -2.25),
        ({"type": "double", "x": 1}, struct.pack("<d", 0.1), 0.1),
        ("string", b"\x06abc", "abc"),
        ("bytes", b"\x02\xff", "\ufffd"),
        ("string", b"\0", ""),
        ({"type": "enum", "name": "e", "symbols": ["a", "b"]}, b"\x02", "b"),
        ({"type": "fixed", "name": "f", "size": 2}, b"\x01\xff", "01ff"),
        ({"type": "array", "items": "int"}, b"\x04\x02\x04\x02\x06\0", [1, 2, 3]),
        ({"type": "array", "items": "int"}, b"\x03\x04\x02\x04\0", [1, 2]),
        ({"type": "array", "items": "int"}, b"\0", []),
        ({"type": "map", "values": "int"}, b"\x02\x02k\x02\0", {"k": 1}),
        ({"type": {"type": "int"}}, b"\x02", 1),
        (["null", "int"], b"\0", None),
        (["null", "int"], b"\x02\x02", 1),
        (["null", record("r", "int")], b"\x02\x02", {"r": {"x": 1}}),
        (record("r", ["null", "r"]), b"\x02\0", {"x": {"r": {"x": None}}}),
        (["null", {"type": "enum", "name": "e", "symbols": ["a"]}], b"\x02\0", "a"),
    ],
)
def test_a_value_is_read_by_its_type(schema: Any, data: bytes, found: Any) -> None:
    """Records of a union have their names, other values stand alone."""
    assert value(schema, data) == found


@pytest.mark.parametrize("name", ["e", "o.a.e"])
@pytest.mark.parametrize("wrap", [lambda kind: {"type": "array", "items": kind}, lambda kind: ["null", kind]])
def test_a_type_is_named_within_its_space_or_in_full(name: str, wrap: Any) -> None:
    """Also before it is defined, in a list, a map or a union."""
    kind = {"type": "enum", "name": "e", "namespace": "o.a", "symbols": ["a", "b"]}
    fields = [{"name": "x", "type": name}, {"name": "y", "type": wrap(kind)}]
    found = value({"type": "record", "name": "r", "fields": fields}, b"\x02" + b"\x02\x00" + b"\0")

    assert (found["x"], found["y"]) == ("b", ["a"] if isinstance(found["y"], list) else "a")


@pytest.mark.parametrize(
    ("schema", "data", "why"),
    [
        ("int", b"", "it ends within a record"),
        ("string", b"\x06ab", "it ends within a record"),
        ("string", b"\x01", "a text of -1 bytes"),
        ("string", b"\x0a" + b"x" * 5, "a text of 5 bytes"),
        ({"type": "array", "items": "null"}, b"\x0a\0", "a list of 5 items"),
        ({"type": "array", "items": "null"}, b"\x09\x02\0", "a list of 5 items"),
        ("int", b"\x80" * 10 + b"\0", "a number of more than 64 bits"),
        ("other", b"\0", "no record of the schema: KeyError"),
        (["int"], b"\x02\0", "no record of the schema: IndexError"),
        ({"type": "enum", "name": "e", "symbols": ["a"]}, b"\x02", "no record of the schema: IndexError"),
        ({"type": "fixed", "name": "f", "size": "x"}, b"\x02", "no record of the schema: TypeError"),
        (record("r", "r"), b"", "no record of the schema: RecursionError"),
    ],
)
def test_bytes_that_are_no_record_are_refused(
    monkeypatch: pytest.MonkeyPatch, schema: Any, data: bytes, why: str
) -> None:
    """Where texts and lists have a length of 4 at most."""
    monkeypatch.setattr(avro_binary, "LONGEST", 4)
    with pytest.raises(AvroError) as refused:
        value(schema, data)

    assert str(refused.value) == why


def test_the_longest_text_and_list_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a length of 4."""
    monkeypatch.setattr(avro_binary, "LONGEST", 4)

    assert value("string", b"\x08abcd") == "abcd"
    assert value({"type": "array", "items": "null"}, b"\x08\0") == [None] * 4
