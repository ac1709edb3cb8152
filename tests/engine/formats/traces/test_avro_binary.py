"""Job history in Avro's binary encoding, as Hadoop 3 writes it."""

import io
import json
from typing import Any

import pytest

from engine.formats.traces import parsing as avro_binary
from engine.formats.traces.parsing import AvroError, AvroReader
from tests.engine.formats.traces.samples import imported


def avro(*numbers: int) -> bytes:
    return bytes(2 * number for number in numbers)


def binary_history(events: bytes) -> bytes:
    """A history of Hadoop 3, with a queue that may be missing."""
    schema = (
        '{"type":"record","name":"Event","namespace":"o.a.h","fields":['
        '{"name":"type","type":{"type":"enum","name":"EventType","symbols":["JOB_SUBMITTED","JOB_FINISHED"]}},'
        '{"name":"event","type":[{"type":"record","name":"JobSubmitted","fields":[{"name":"jobid","type":"string"},'
        '{"name":"submitTime","type":"long"},{"name":"jobQueueName","type":["null","string"]},'
        '{"name":"acls","type":{"type":"map","values":"string"}}]},'
        '{"type":"record","name":"JobFinished","fields":[{"name":"finishTime","type":"long"}]}]}]}'
    )
    return b"Avro-Binary\n" + schema.encode() + b"\n" + events


SUBMITTED = avro(0, 0, 2) + b"j1" + avro(7, 1, 1) + b"q" + avro(1, 1) + b"k" + avro(1) + b"v" + avro(0)


def test_a_binary_history_of_hadoop_3_is_read_as_one_in_json() -> None:
    found, report = imported(binary_history(SUBMITTED + avro(1, 1, 9)))

    assert [(each.id, each.submitted_ms, each.finished_ms, each.queue, each.state) for each in found] == [
        ("j1", 7, 9, "q", "SUCCEEDED")
    ]
    assert report.faults == 0


@pytest.mark.parametrize("rest", [SUBMITTED[:-1], avro(1, 1), avro(9), avro(0, 2), b"\xff" * 12])
def test_a_binary_history_that_is_cut_off_or_damaged_is_read_up_to_there(rest: bytes) -> None:
    found, report = imported(binary_history(SUBMITTED + rest))

    assert [each.id for each in found] == ["j1"]
    assert report.faults == 1


# Values in Avro's binary encoding, type by type.


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
