"""Packed traces are unpacked as they are read, whatever packs them."""

import gzip
import struct
import sys

import cramjam
import pytest
import zstandard

from engine.errors import ConfigError
from engine.formats.traces import source as packing
from engine.formats.traces.report import ImportReport
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


def test_a_missing_package_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ConfigError) as error:
        source(PACKED["Zstandard"])

    assert error.value.problems[0].hint == packing.EXTRA
    assert source(PACKED["gzip"]).packing == "gzip"


@pytest.mark.parametrize("length", [1, 127, 128, 129, 16_383, 16_384])
def test_a_block_of_snappy_says_its_length_first(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    data = b"y" * length
    monkeypatch.setattr(packing, "LARGEST_BLOCK", max(length, 30))
    assert list(source(snappy_blocks(data)).lines()) == [(1, data.decode())]

    report = ImportReport()
    monkeypatch.setattr(packing, "LARGEST_BLOCK", length - 1)
    assert list(source(snappy_blocks(data), report).lines()) == []
    assert report.faults == 1
