"""Packed traces are unpacked as they are read, whatever packs them."""

import gzip
import struct
import sys
from pathlib import Path

import cramjam
import pytest
import zstandard

from engine.errors import ConfigError
from engine.formats.traces import source as packing
from engine.formats.traces.report import ImportReport
from engine.formats.traces.source import TraceSource
from tests.engine.formats.traces.samples import source

TEXT = b"".join(b"line %d of a text that packs well\n" % number for number in range(4000))
LINES = [line.decode() for line in TEXT.splitlines()]


def lz4_blocks(data: bytes, step: int = 32_768, *, is_raw: bool = False) -> bytes:
    written = b""
    for place in range(0, len(data), step):
        block = data[place : place + step]
        packed = block if is_raw else bytes(cramjam.lz4.compress_block(block, store_size=False))
        token = 0x10 if is_raw else 0x20
        written += struct.pack("<8sBiii", b"LZ4Block", token | 5, len(packed), len(block), 0) + packed
    return written + struct.pack("<8sBiii", b"LZ4Block", 0x15, 0, 0, 0)


def snappy_blocks(data: bytes, step: int = 32_768) -> bytes:
    written = b"\x82SNAPPY\0" + struct.pack(">ii", 1, 1)
    for place in range(0, len(data), step):
        packed = bytes(cramjam.snappy.compress_raw(data[place : place + step]))
        written += struct.pack(">i", len(packed)) + packed
    return written


PACKED = {
    "gzip": gzip.compress(TEXT),
    "Zstandard": zstandard.compress(TEXT),
    "LZ4": lz4_blocks(TEXT),
    "Snappy": snappy_blocks(TEXT),
}


@pytest.mark.parametrize("title", PACKED)
def test_a_packed_file_is_read_whole(title: str) -> None:
    once, twice = (source(PACKED[title] * times) for times in (1, 2))

    assert (once.packing, [line for _, line in once.lines()]) == (title, LINES)
    assert [line for _, line in twice.lines()] == LINES * 2


@pytest.mark.parametrize("title", PACKED)
def test_a_packed_file_that_is_cut_off_is_read_as_far_as_it_goes(title: str) -> None:
    report = ImportReport()
    found = [line for _, line in source(PACKED[title][: len(PACKED[title]) - 20], report).lines()]

    assert found == LINES[: len(found)] or found[:-1] == LINES[: len(found) - 1]
    assert [problem.message.partition(":")[0] for problem in report.problems] == (
        ["the packed file is damaged or cut off here"] if title != "Zstandard" else []
    )


def test_raw_blocks_are_taken_as_they_are() -> None:
    assert [line for _, line in source(lz4_blocks(TEXT, is_raw=True)).lines()] == LINES


@pytest.mark.parametrize(
    "data",
    [
        b"LZ4Block" + struct.pack("<Biii", 0x25, -1, 5, 0),
        b"LZ4Block" + struct.pack("<Biii", 0x25, 5, packing.LARGEST_BLOCK + 1, 0) + b"xxxxx",
        b"\x82SNAPPY\0" + struct.pack(">iii", 1, 1, packing.LARGEST_BLOCK + 1),
        b"\x82SNAPPY\0" + struct.pack(">iii", 1, 1, 5) + b"\xff\xff\xff\xff\x0f",
        b"\x28\xb5\x2f\xfdxxxxxxxx",
    ],
)
def test_a_block_that_is_none_is_reported(data: bytes) -> None:
    report = ImportReport()

    assert list(source(data, report).lines()) == []
    assert report.faults == 1


CUT = "a block is cut off"
NONE = "no block begins here"
HEADS = b"LZ4Block", b"\x82SNAPPY\0" + struct.pack(">ii", 1, 1)
VARINT = b"\x81\x01"
"""129, as a Snappy block begins."""
DAMAGED = [
    (HEADS[0] + b"\x25", CUT),
    (HEADS[0] + struct.pack("<Biii", 0x25, 5, 5, 0) + b"xxxx", CUT),
    (HEADS[0] + struct.pack("<Biii", 0x25, 5, -1, 0) + b"xxxxx", NONE),
    (HEADS[0] + struct.pack("<Biii", 0x25, 129, 5, 0) + b"x" * 129, NONE),
    (HEADS[0] + struct.pack("<Biii", 0x25, 5, 129, 0) + b"x" * 5, NONE),
    (HEADS[0] + struct.pack("<Biii", 0x15, 0, 0, 0) + b"LZ4Black" + bytes(13), NONE),
    (HEADS[1][:14], CUT),
    (HEADS[1] + b"\0\0\0", CUT),
    (HEADS[1] + struct.pack(">i", 5) + b"xxxx", CUT),
    (HEADS[1] + struct.pack(">i", -1) + b"xxxx", NONE),
    (HEADS[1] + struct.pack(">i", 129) + b"x" * 129, NONE),
    (HEADS[1] + struct.pack(">i", 3) + VARINT + b"x", "a block is larger than 0 mb"),
    (gzip.compress(b"", mtime=0)[:-1], "it has no end"),
]


@pytest.mark.parametrize(("data", "why"), DAMAGED)
def test_what_is_damaged_is_said(monkeypatch: pytest.MonkeyPatch, data: bytes, why: str) -> None:
    monkeypatch.setattr(packing, "LARGEST_BLOCK", 128)
    report = ImportReport()

    assert list(source(data, report).lines()) == []
    assert [one.message for one in report.problems] == [f"the packed file is damaged or cut off here: {why}"]


def test_the_largest_block_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as it says, packed or raw; behind a stream another may begin."""
    monkeypatch.setattr(packing, "LARGEST_BLOCK", 128)
    data = b"y" * 128
    packed = [lz4_blocks(data), lz4_blocks(data, is_raw=True), snappy_blocks(data), gzip.compress(data)]

    assert [list(source(each).lines()) for each in packed] == [[(1, data.decode())]] * 4
    assert list(source(gzip.compress(data) + bytes(9) + gzip.compress(b"z")).lines()) == [(1, data.decode() + "z")]
    assert list(source(gzip.compress(data) + bytes(9)).lines()) == [(1, data.decode())]


def test_a_missing_package_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ConfigError) as error:
        source(PACKED["Zstandard"])

    assert error.value.problems[0].hint == packing.EXTRA
    assert source(PACKED["gzip"]).packing == "gzip"


def test_a_damaged_piece_does_not_hide_the_next(tmp_path: Path) -> None:
    report = ImportReport()
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(gzip.compress(b"one\ntwo")[:-4])
    second.write_bytes(b"three\n")

    with TraceSource.of_pieces([first, second], "both", report) as opened:
        found = [line for _, line in opened.lines()]

    assert (found, report.faults) == (["one", "two", "three"], 1)


@pytest.mark.parametrize("length", [1, 127, 128, 129, 16_383, 16_384])
def test_a_block_of_snappy_says_its_length_first(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    data = b"y" * length
    monkeypatch.setattr(packing, "LARGEST_BLOCK", max(length, 30))
    assert list(source(snappy_blocks(data)).lines()) == [(1, data.decode())]

    report = ImportReport()
    monkeypatch.setattr(packing, "LARGEST_BLOCK", length - 1)
    assert list(source(snappy_blocks(data), report).lines()) == []
    assert report.faults == 1


def test_the_largest_block_is_told_in_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "LARGEST_BLOCK", 3 * 1024 * 1024)
    report = ImportReport()
    list(source(HEADS[1] + struct.pack(">i", 5) + b"\xff\xff\xff\x7fx", report).lines())

    assert [one.message.rpartition(": ")[2] for one in report.problems] == ["a block is larger than 3 mb"]
