"""Records in Avro's binary encoding, one behind the other without a container, as Hadoop 3 writes job history.

Names of the values are those of the schema; of a union the value alone stands, without the name of its type, but a
record of a union is `{name: record}` as in Avro's JSON.

Source: Avro 1.11, specification, "Binary Encoding"; EventWriter, Hadoop 3.0 (mapreduce.jobhistory.jhist.format).
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Final, NamedTuple

import msgspec

from engine.formats.traces.application import whole
from engine.formats.traces.json_objects import JsonObject
from engine.formats.traces.source import TraceSource

LONGEST: Final = 16 * 1024 * 1024  # Longest text [bytes], and most items of a list


class AvroError(Exception):
    """Bytes that are not a record of the schema; the message says why."""


class AvroReader:
    """Reads records of one schema."""

    def __init__(self, schema: bytes, stream: BinaryIO) -> None:
        """A reader that stands behind the schema. Raises AvroError if the schema is none."""
        self._stream = stream
        self._named: dict[str, Any] = {}
        try:
            self._schema: Any = msgspec.json.decode(schema)
            self._name(self._schema)
        except (msgspec.DecodeError, RecursionError) as error:
            raise AvroError(f"the schema cannot be read: {error}") from None

    def record(self) -> Any:
        try:
            return self._value(self._schema)
        except (KeyError, IndexError, TypeError, RecursionError, OverflowError, UnicodeDecodeError) as error:
            raise AvroError(f"not a record of the schema: {type(error).__name__}") from None

    def _value(self, schema: Any) -> Any:
        if isinstance(schema, list):
            return self._of_union(schema)
        kind = schema["type"] if isinstance(schema, dict) else schema
        if isinstance(kind, dict | list):
            return self._value(kind)
        read = _READERS.get(kind)
        if read is None:
            return self._value(self._named[kind])
        return read(self, schema)

    def _name(self, schema: Any) -> None:
        """Keep every type of the schema that has a name; it may be used before it is defined."""
        if isinstance(schema, list):
            for each in schema:
                self._name(each)
        elif isinstance(schema, dict):
            if "name" in schema and schema.get("type") in ("record", "enum"):
                self._named[schema["name"]] = self._named[f"{schema.get('namespace', '')}.{schema['name']}"] = schema
            for key in ("type", "items", "values"):
                self._name(schema.get(key))
            for field in schema.get("fields", ()):
                self._name(field)

    def _of_union(self, schema: list[Any]) -> Any:
        chosen = schema[self.number(None)]
        known = self._named.get(chosen, chosen) if isinstance(chosen, str) else chosen
        value = self._value(chosen)
        is_record = isinstance(known, dict) and known.get("type") == "record"
        return {known["name"]: value} if is_record else value

    def _bytes(self, size: int) -> bytes:
        if not 0 <= size <= LONGEST:
            raise AvroError(f"a text of {size} bytes")
        data = self._stream.read(size)
        if len(data) < size:
            raise AvroError("it ends within a record")
        return data

    def number(self, _: Any) -> int:
        """A whole number: seven bits a byte from the lowest, the sign in the lowest bit."""
        value = shift = 0
        while True:
            byte = self._bytes(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
            shift += 7
            if shift > 63:
                raise AvroError("a number of more than 64 bits")

    def boolean(self, _: Any) -> bool:
        return self._bytes(1) != b"\0"

    def text(self, _: Any) -> str:
        return self._bytes(self.number(None)).decode("utf-8", "replace")

    def fields(self, schema: Any) -> JsonObject:
        return {field["name"]: self._value(field["type"]) for field in schema["fields"]}

    def items(self, schema: Any) -> list[Any]:
        return [self._value(schema["items"]) for _ in self._blocks()]

    def entries(self, schema: Any) -> JsonObject:
        return {self.text(None): self._value(schema["values"]) for _ in self._blocks()}

    def _blocks(self) -> Iterator[int]:
        """Once for each item: blocks, each a number (where it is negative a size follows), until an empty one."""
        while count := self.number(None):
            if count < 0:
                self.number(None)
            if abs(count) > LONGEST:
                raise AvroError(f"a list of {abs(count)} items")
            yield from range(abs(count))


_READERS: Final[dict[str, Callable[[AvroReader, Any], Any]]] = {
    "null": lambda _reader, _schema: None,
    "boolean": AvroReader.boolean,
    "int": AvroReader.number,
    "long": AvroReader.number,
    "string": AvroReader.text,
    "record": AvroReader.fields,
    "enum": lambda reader, schema: schema["symbols"][reader.number(None)],
    "array": AvroReader.items,
    "map": AvroReader.entries,
}
"""Type → how a value of it is read: the types that job history has. Source: Events.avpr, Hadoop 3.4."""

# Tables of comma-separated values: columns by the names of the first line, else in the order they were published.
#
# Names are compared without capitals, blanks and signs: `job ID`, `job_id` and `JobID` are one.

_SIGNS: Final = re.compile(r"[^a-z0-9]")

Row = Mapping[str, str]


class Columns(NamedTuple):
    order: tuple[str, ...] = ()  # Their names where no line gives them; none: the first line always does
    also: Mapping[str, str] = {}  # Other names they are given


def rows(source: TraceSource, columns: Columns) -> Iterator[tuple[int, Row]]:
    """(line, row) of a table; the line of names is none."""
    names: Sequence[str] = columns.order
    is_first = True
    for number, line in source.lines():
        try:
            cells = next(csv.reader([line]), []) if '"' in line else line.split(",")
        except csv.Error:
            source.fault("this is not a row of comma-separated values", number)
            continue
        if is_first:
            is_first = False
            named = [_SIGNS.sub("", cell.lower()) for cell in cells]
            found = [columns.also.get(name, name) for name in named]
            if not columns.order or len(set(found) & set(columns.order)) > len(found) // 2:
                names = found
                continue
        yield number, dict(zip(names, map(str.strip, cells), strict=False))


def seconds_ms(text: str | None) -> int | None:
    """An instant in whole seconds [ms]; None where it is none."""
    found = whole(text, 0, 2**40)
    return None if found is None else found * 1000
