"""A trace opened for reading: one file or several pieces, unpacked, in lines or objects, with flat memory.

A packed file that is cut off or damaged is read as far as it goes and reported.

Source: CompressionCodec, Spark 3.5; LZ4BlockOutputStream of lz4-java; SnappyOutputStream of snappy-java.
"""

import bz2
import codecs
import gzip
import importlib
import io
import lzma
import re
import struct
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, Self

from engine.errors import ConfigError
from engine.formats.regular_files import STANDARD_INPUT, open_file
from engine.formats.traces.json_objects import ObjectSplitter
from engine.formats.traces.report import ImportReport

# Lines that a terminal adds to what a program wrote when its text is copied: prompts, warnings, curl's meter.

_PROMPT: Final = (
    rb"(?:\([\w.-]{1,40}\) ?)?(?:"
    rb"\[[^\]\n]{1,80}@[^\]\n]{1,120}\] ?[$#%>]"  # [ann@host ~]$
    rb"|[\w.-]{1,40}@[\w.-]{1,80}[: ][^\n$#%>]{0,120}[$#%>]"  # ann@host:~$
    rb"|(?:ba|z|k|da)?sh-[\d.]{1,8}[$#%]"  # sh-4.2$
    rb"|(?:PS )?[A-Za-z]:\\[^\n>]{0,160}>"  # C:\>
    rb"|[$%#>] (?:sudo [^\n]{0,80} )?(?:yarn|mapred|hadoop|hdfs|curl|wget|sacct|z?cat|less|head|tail|kubectl|ssh)\b"
    rb"|\$ \w|[$%#>]\s*\Z"
    rb")"
)
_LOG: Final = (
    rb"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}|\d\d/\d\d/\d\d \d\d:\d\d:\d\d) (?:INFO|WARN) +"
    rb"(?:[\w.]*\.)?(?:client\.[\w$.]+|impl\.(?:Timeline|Yarn)ClientImpl|util\.NativeCodeLoader): "
)
"""Of the client; a log of a server begins otherwise."""
_METER: Final = (
    rb"\s*% Total\s+% Received|\s*Dload\s+Upload"
    rb"|\s*\d{1,3}\s+[\d.]+[kMG]?\s+\d{1,3}\s[^\n]*(?:\d\d|--):(?:\d\d|--)"
)
_OTHERS: Final = (
    rb"SLF4J: |log4j:WARN|Picked up _?JAVA|(?:OpenJDK|Java HotSpot)[^\n]{0,60}warning|WARNING: |DEPRECATED: "
    rb"|Last login: |Instead use the |HTTP/[\d.]{1,3} \d{3}[^\n]*(?:\n[\w-]{2,40}:[^\n]*)*|" + _METER
)
PROMPT: Final = re.compile(_PROMPT)
_ADDED: Final = re.compile(rb"(?:(?:" + _PROMPT + rb"|" + _LOG + rb"|" + _OTHERS + rb")[^\n]*(?:\n|\Z)|[ \t\r]*\n)+")
_COLOUR: Final = re.compile(rb"\x1b\[[\d;]{0,12}[mK]")


def added_by_terminal(head: bytes) -> int:
    """Bytes of whole lines at the beginning that a terminal added; 0 where there are none but blank ones.

    >>> added_by_terminal(b"[ann@host ~]$ sacct -P" + bytes([10]) + b"JobID|State"), added_by_terminal(b"x=1")
    (23, 0)
    """
    match = _ADDED.match(head)
    return match.end() if match is not None and match[0].strip() else 0


# Unpacks files as they are read, known by their first bytes: gzip, bzip2, xz, Zstandard, and Spark's LZ4 and Snappy.
#
# Zstandard, LZ4 and Snappy need the packages of the extra `compression`.

STEP: Final = 16 * 1024  # Packed bytes taken at once
LARGEST_BLOCK: Final = 64 * 1024 * 1024
"""Largest block that is unpacked [bytes]; lz4-java writes at most 32 MB, Spark 32 kB."""
LARGEST_WINDOW: Final = 128 * 1024 * 1024
"""Largest window of a Zstandard or xz file [bytes]; what `zstd` itself takes without being asked."""
EXTRA: Final = "pip install 'schedlab[compression]'"

_LZ4_MAGIC: Final = b"LZ4Block"
_LZ4_HEADER: Final = struct.Struct("<8sBiii")
_LZ4_RAW: Final = 0x10
_SNAPPY_MAGIC: Final = b"\x82SNAPPY\0"
_SNAPPY_VERSIONS: Final = 8
_SNAPPY_SIZE: Final = struct.Struct(">i")


class DamagedError(Exception):
    """Packed bytes that cannot be unpacked; the message says why."""


class _Packing(NamedTuple):
    title: str
    magic: bytes  # How such a file begins
    unpacked: Callable[[BinaryIO], Iterator[bytes]]
    """The bytes of such a file; raises `DamagedError` where they cannot be unpacked."""


class _PieceStream(io.RawIOBase):  # Of any size; closing it closes the generator of the pieces
    def __init__(self, pieces: Generator[bytes, None, None]) -> None:
        self._pieces = pieces
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # Any: a buffer of whatever kind the caller has
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        self._pieces.close()
        super().close()


def _gzip(packed: BinaryIO) -> Iterator[bytes]:
    try:
        yield from iter(partial(gzip.GzipFile(fileobj=packed).read1, STEP * 4), b"")
    except EOFError:
        raise DamagedError("it has no end") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DamagedError(str(error)) from None


def _streams(begin: Callable[[], Any]) -> Callable[[BinaryIO], Iterator[bytes]]:
    # One stream or several, as Python's bz2 and lzma unpack each; zeros may stand between them
    def unpacked(packed: BinaryIO) -> Iterator[bytes]:
        engine, waiting, is_begun = begin(), b"", False
        try:
            while waiting := waiting or packed.read(STEP):
                yield engine.decompress(waiting, STEP * 4)
                while not engine.needs_input and not engine.eof:
                    yield engine.decompress(b"", STEP * 4)
                waiting, is_begun = engine.unused_data.lstrip(b"\0"), not engine.eof
                engine = begin() if engine.eof else engine
        except lzma.LZMAError as error:
            raise DamagedError(str(error)) from None
        if is_begun:
            raise DamagedError("it has no end")

    return unpacked


def _zstandard(packed: BinaryIO) -> Iterator[bytes]:
    """The bytes of a Zstandard file of one frame or several. Raises DamagedError if they cannot be unpacked."""
    library = _library("zstandard", "Zstandard")
    unpacker = library.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
    reader = unpacker.stream_reader(packed, read_size=STEP, read_across_frames=True, closefd=False)
    try:
        while piece := reader.read(STEP * 4):
            yield piece
    except library.ZstdError as error:
        raise DamagedError(str(error)) from None


def _lz4(packed: BinaryIO) -> Iterator[bytes]:
    # lz4-java's: an empty block ends a stream, another may follow. Raises DamagedError if one is damaged or cut off
    library = _library("cramjam", "LZ4")
    while head := packed.read(_LZ4_HEADER.size):
        if len(head) < _LZ4_HEADER.size:
            raise DamagedError("a block is cut off")
        magic, token, size, original, _checksum = _LZ4_HEADER.unpack(head)
        if magic != _LZ4_MAGIC or not (0 <= size <= LARGEST_BLOCK and 0 <= original <= LARGEST_BLOCK):
            raise DamagedError("no block begins here")
        data = _whole(packed, size)
        if original:
            unpack = partial(library.lz4.decompress_block, output_len=original)
            yield data if token & 0xF0 == _LZ4_RAW else bytes(_asked(unpack, data, library))


def _snappy(packed: BinaryIO) -> Iterator[bytes]:
    # snappy-java's: a stream begins with magic and versions, also behind another. Raises DamagedError as `_lz4`
    library = _library("cramjam", "Snappy")
    while head := packed.read(_SNAPPY_SIZE.size):
        if len(head) == _SNAPPY_SIZE.size and _SNAPPY_MAGIC.startswith(head):
            _whole(packed, len(_SNAPPY_MAGIC) - len(head) + _SNAPPY_VERSIONS)
            continue
        if len(head) < _SNAPPY_SIZE.size:
            raise DamagedError("a block is cut off")
        (size,) = _SNAPPY_SIZE.unpack(head)
        if not 0 <= size <= LARGEST_BLOCK:
            raise DamagedError("no block begins here")
        data = _whole(packed, size)
        if _asked(library.snappy.decompress_raw_len, data, library) > LARGEST_BLOCK:
            raise DamagedError(f"a block is larger than {LARGEST_BLOCK >> 20} MB")
        yield bytes(_asked(library.snappy.decompress_raw, data, library))


def _whole(packed: BinaryIO, size: int) -> bytes:
    """So many bytes. Raises DamagedError if there are fewer."""
    data = packed.read(size)
    if len(data) < size:
        raise DamagedError("a block is cut off")
    return data


def _asked(call: Callable[[bytes], Any], data: bytes, library: Any) -> Any:
    try:
        return call(data)
    except library.DecompressionError as error:
        raise DamagedError(str(error)) from None


def _library(name: str, title: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ConfigError.of(f"files packed with {title} need the extra `compression`", hint=EXTRA) from None


PACKINGS: Final = (
    _Packing("gzip", b"\x1f\x8b", _gzip),
    _Packing("bzip2", b"BZh", _streams(bz2.BZ2Decompressor)),
    _Packing("xz", b"\xfd7zXZ", _streams(partial(lzma.LZMADecompressor, memlimit=LARGEST_WINDOW))),
    _Packing("Zstandard", b"\x28\xb5\x2f\xfd", _zstandard),
    _Packing("LZ4", _LZ4_MAGIC, _lz4),
    _Packing("Snappy", _SNAPPY_MAGIC, _snappy),
)

HEAD: Final = 16 * 1024  # How many bytes of a file are looked at to recognise it
LONGEST_HEAD: Final = 4 * 1024 * 1024
"""How many are looked at, at most, where the first object is longer than its beginning tells."""
LONGEST_LINE: Final = 16 * 1024 * 1024  # Longest line that is read [bytes]; Spark writes lines of some 100 kB
UTF16_BEGINNINGS: Final = (
    (re.compile(rb"\xff\xfe|\xfe\xff"), "utf-16"),
    (re.compile(rb"(?:[\t\n\r -~]\0){2}"), "utf-16-le"),
    (re.compile(rb"(?:\0[\t\n\r -~]){2}"), "utf-16-be"),
)
"""How text in UTF-16 begins, and how it is decoded."""
TICK: Final = 1000  # Lines between two looks at how far it is
Progressed = Callable[[int], None]  # Takes how many bytes of the file have been read


def _ignored(_read: int) -> None:
    pass


class TraceSource:
    """The pieces of one trace, opened as they are read; a context manager that closes them."""

    def __init__(
        self,
        streams: Iterable[BinaryIO],
        name: str,
        report: ImportReport,
        progressed: Progressed = _ignored,
        size: int = 0,
    ) -> None:
        """Stand at the beginning of the first of one trace's pieces, each packed or not; `size` 0 is unknown."""
        self.name = name
        self.report = report
        self.size = size
        self.packing = ""  # the packing of the first piece; empty where it has none
        self._progressed = progressed
        self._read_bytes = 0
        self.stream: io.BufferedReader[_PieceStream] = io.BufferedReader(_PieceStream(self._pieces(streams)), HEAD * 4)
        self._opened = [self.stream]
        self.head = self.stream.peek(HEAD)[:HEAD]  # the first bytes, unpacked; what a terminal added is left out
        self._before = 0  # lines that a terminal added before them
        added = added_by_terminal(self.head)
        if added:
            self._before = self.stream.read(added).count(b"\n")
            self.head = self.stream.peek(HEAD)[:HEAD]
            report.note("the text was copied from a terminal: lines of its prompt and warnings are passed over")

    @classmethod
    def of_file(cls, path: Path, report: ImportReport, progressed: Progressed = _ignored) -> Self:
        """A file, `-` for the standard input. Raises ConfigError if it, or what unpacks it, is not there."""
        return cls.of_pieces([path], str(path), report, progressed)

    @classmethod
    def of_pieces(
        cls, paths: Sequence[Path], name: str, report: ImportReport, progressed: Progressed = _ignored
    ) -> Self:
        """The files of one trace in their order. Raises ConfigError as `of_file`."""
        return cls(map(open_file, paths), name, report, progressed, sum(map(size_of, paths)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for each in reversed(self._opened):
            each.close()

    def look_further(self) -> bool:
        """Have a head that is sixteen times as long; False where there is nothing more, or enough was looked at."""
        size = len(self.head)
        if size >= LONGEST_HEAD:
            return False
        self.head = self.stream.read(max(HEAD, size) * 16)
        self.stream = io.BufferedReader(_PieceStream(_behind(self.head, self.stream)), HEAD * 4)
        self._opened.append(self.stream)
        return len(self.head) > size

    def lines(self) -> Iterator[tuple[int, str]]:
        """(number, line without its end), blank lines left out; bytes that are no UTF-8 become `�`."""
        for number, line in self.byte_lines():
            text = line.decode("utf-8", "replace")
            if not text.isspace():
                yield number, text

    def byte_lines(self) -> Iterator[tuple[int, bytes]]:
        """(number, line without its end), blank lines left out."""
        number = self._before
        while line := self.stream.readline(LONGEST_LINE):
            number += 1
            if number % TICK == 0:
                self._show_progress()
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                self.fault("this line is too long", number)
                while (piece := self.stream.readline(LONGEST_LINE)) and not piece.endswith(b"\n"):
                    pass
                continue
            if not line.isspace() and not (self._before and PROMPT.match(line)):
                yield number, line.rstrip(b"\r\n")
        self._show_progress()

    def objects(self, depth: int = 1) -> Iterator[tuple[int, Any]]:
        """(line, JSON object), of those that begin so many braces deep."""
        splitter = ObjectSplitter(self._chunk, lambda message, line: self.fault(message, line + self._before), depth)
        return ((line + self._before, value) for line, value in splitter.objects())

    def fault(self, message: str, line: int) -> None:
        self.report.fault(message, self.name, line)

    def _show_progress(self) -> None:
        self._progressed(self._read_bytes)

    def _chunk(self, size: int) -> bytes:
        self._show_progress()
        return self.stream.read1(size)

    def _pieces(self, streams: Iterable[BinaryIO]) -> Generator[bytes, None, None]:
        """The bytes of all pieces, unpacked; each begins on a line of its own. UTF-16 with its mark becomes UTF-8."""
        last = b"\n"
        for place, stream in enumerate(streams):
            if not last.endswith(b"\n"):
                yield b"\n"
            with closing(stream):
                for part in _in_utf8(self._unpacked(stream, place)):
                    last = part or last
                    yield part

    def _unpacked(self, stream: BinaryIO, place: int) -> Iterator[bytes]:
        packed = io.BufferedReader(_PieceStream(self._counted(stream)), HEAD)
        packing = None
        try:
            head = packed.peek(16)
            packing = next((each for each in PACKINGS if head.startswith(each.magic)), None)
            if packing is None:
                yield from iter(lambda: packed.read1(HEAD * 4), b"")
                return
            if place == 0:
                self.packing = packing.title
            yield from packing.unpacked(packed)
        except (OSError, DamagedError) as error:
            what = "cannot be read further" if packing is None else "the packed file is damaged or cut off here"
            self.report.fault(f"{what}: {str(error).lower()}", self.name)

    def _counted(self, stream: BinaryIO) -> Generator[bytes, None, None]:
        while data := stream.read(HEAD):
            self._read_bytes += len(data)
            yield data


def _in_utf8(parts: Iterator[bytes]) -> Iterator[bytes]:
    # Without the byte-order mark, which Windows writes, and colours. UTF-16 without its mark is known by an ASCII
    # character at its beginning
    first = next(parts, b"")
    utf16 = next((name for begin, name in UTF16_BEGINNINGS if begin.match(first)), None)
    if utf16 is not None:
        decoder = codecs.getincrementaldecoder(utf16)("replace")
        yield from (decoder.decode(part).encode("utf-8", "replace") for part in chain([first], parts))
        return
    for part in chain([first.removeprefix(codecs.BOM_UTF8)], parts):
        yield _COLOUR.sub(b"", part) if b"\x1b[" in part else part


def _behind(head: bytes, rest: "io.BufferedReader[_PieceStream]") -> Generator[bytes, None, None]:
    yield head
    yield from iter(lambda: rest.read1(HEAD * 4), b"")


def size_of(path: Path) -> int:
    """Bytes of a file; 0 where not known."""
    try:
        return path.stat().st_size if path != STANDARD_INPUT else 0
    except (OSError, ValueError):
        return 0
