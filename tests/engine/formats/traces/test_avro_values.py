"""Values in Avro's binary encoding, type by type."""

import io
import json
from typing import Any

import pytest

from engine.formats.traces import parsing as avro_binary
from engine.formats.traces.parsing import AvroError, AvroReader


def value(schema: Any, data: bytes) -> Any:
    return AvroReader(json.dumps(schema).encode(), io.BufferedReader(io.BytesIO(data))).record()


def record(name: str, kind: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": "x", "type": kind}]}


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
    monkeypatch.setattr(avro_binary, "LONGEST", 4)
    with pytest.raises(AvroError) as refused:
        value(schema, data)

    assert str(refused.value) == why
