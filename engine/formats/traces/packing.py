"""Unpacks files as they are read, recognised by their first bytes: gzip, Zstandard, and Spark's LZ4 and Snappy blocks.

Zstandard, LZ4 and Snappy need the packages of the extra `compression`.

Source: CompressionCodec, Spark 3.5; LZ4BlockOutputStream of lz4-java; SnappyOutputStream of snappy-java.
"""

import importlib
import io
import struct
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import Any, Final, NamedTuple, Protocol

from engine.errors import ConfigError, Problem

STEP: Final = 16 * 1024
"""Packed bytes taken at once."""
LARGEST_BLOCK: Final = 64 * 1024 * 1024
"""Largest block that is unpacked [bytes]; lz4-java writes at most 32 MB, Spark 32 kB."""
LARGEST_WINDOW: Final = 128 * 1024 * 1024
"""Largest window of a Zstandard file [bytes]; what `zstd` itself takes without being asked."""
EXTRA: Final = "pip install 'schedlab[compression]'"
_GZIP_BITS: Final = 31
"""For zlib: a gzip's header, and the largest window."""

_LZ4_MAGIC: Final = b"LZ4Block"
_LZ4_HEADER: Final = struct.Struct("<8sBiii")
_LZ4_RAW: Final = 0x10
_SNAPPY_MAGIC: Final = b"\x82SNAPPY\0"
_SNAPPY_VERSIONS: Final = 8
_SNAPPY_SIZE: Final = struct.Struct(">i")


class Packed(Protocol):
    """A stream of packed bytes."""

    def read(self, size: int, /) -> bytes:
        """So many bytes; fewer only at the end."""


class DamagedError(Exception):
    """Packed bytes that cannot be unpacked; the message says why."""


class Packing(NamedTuple):
    """A way to pack a file."""

    title: str
    magic: bytes
    """How such a file begins."""
    unpacked: Callable[[Packed], Iterator[bytes]]
    """The bytes of such a file; raises `DamagedError` where they cannot be unpacked."""


def packing_of(head: bytes) -> Packing | None:
    """The packing of a file that begins so; None where it is not packed."""
    return next((each for each in PACKINGS if head.startswith(each.magic)), None)


class PieceStream(io.RawIOBase):
    """A stream of pieces of any size; closing it closes the generator of the pieces."""

    def __init__(self, pieces: Generator[bytes, None, None]) -> None:
        self._pieces = pieces
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:  # Any: a buffer of whatever kind the caller has
        """Take some bytes; 0 at the end."""
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
        """Give up what has not been read."""
        self._pieces.close()
        super().close()


def _gzip(packed: Packed) -> Iterator[bytes]:
    """The bytes of a gzip of one member or several, zeros between them left out.

    Raises:
        DamagedError: A member has no end, or is none.
    """
    engine = zlib.decompressobj(_GZIP_BITS)
    is_begun, waiting = False, b""
    while waiting or (waiting := packed.read(STEP)):
        if engine.eof:
            waiting = waiting.lstrip(b"\0")
            if not waiting:
                continue
            engine = zlib.decompressobj(_GZIP_BITS)
        try:
            piece = engine.decompress(waiting, STEP * 4)
        except zlib.error as error:
            raise DamagedError(str(error)) from None
        waiting = engine.unconsumed_tail or engine.unused_data
        is_begun = not engine.eof
        yield piece
    if is_begun:
        raise DamagedError("it has no end")


def _zstandard(packed: Packed) -> Iterator[bytes]:
    """The bytes of a Zstandard file of one frame or several.

    Raises:
        DamagedError: They cannot be unpacked.
    """
    library = _library("zstandard", "Zstandard")
    unpacker = library.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
    reader = unpacker.stream_reader(packed, read_size=STEP, read_across_frames=True, closefd=False)
    try:
        while piece := reader.read(STEP * 4):
            yield piece
    except library.ZstdError as error:
        raise DamagedError(str(error)) from None


def _lz4(packed: Packed) -> Iterator[bytes]:
    """The blocks of lz4-java's streams; an empty one ends a stream, another may follow.

    Raises:
        DamagedError: A block cannot be unpacked or is cut off.
    """
    library = _library("cramjam", "LZ4")
    while head := packed.read(_LZ4_HEADER.size):
        if len(head) < _LZ4_HEADER.size:
            raise DamagedError("a block is cut off")
        magic, token, size, original, _checksum = _LZ4_HEADER.unpack(head)
        if magic != _LZ4_MAGIC or not (0 <= size <= LARGEST_BLOCK and 0 <= original <= LARGEST_BLOCK):
            raise DamagedError("no block begins here")
        data = _whole(packed, size)
        if original:
            is_raw = token & 0xF0 == _LZ4_RAW
            yield data if is_raw else _unpacked(library.lz4.decompress_block, data, library, output_len=original)


def _snappy(packed: Packed) -> Iterator[bytes]:
    """The blocks of snappy-java's streams; a stream begins with its magic and versions, also behind another.

    Raises:
        DamagedError: A block cannot be unpacked or is cut off.
    """
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
        if _unpacked_length(data) > LARGEST_BLOCK:
            raise DamagedError(f"a block is larger than {LARGEST_BLOCK >> 20} MB")
        yield _unpacked(library.snappy.decompress_raw, data, library)


def _whole(packed: Packed, size: int) -> bytes:
    """So many bytes.

    Raises:
        DamagedError: There are fewer.
    """
    data = packed.read(size)
    if len(data) < size:
        raise DamagedError("a block is cut off")
    return data


def _unpacked(unpack: Callable[..., Any], data: bytes, library: Any, **options: int) -> bytes:
    try:
        return bytes(unpack(data, **options))
    except library.DecompressionError as error:
        raise DamagedError(str(error)) from None


def _unpacked_length(block: bytes) -> int:
    """The length that a Snappy block begins with, seven bits a byte from the lowest [bytes]."""
    length = 0
    for place, byte in enumerate(block[:5]):
        length |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            break
    return length


def _library(name: str, title: str) -> Any:
    """The package that unpacks.

    Raises:
        ConfigError: It is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ConfigError([Problem(f"files packed with {title} need the extra `compression`", hint=EXTRA)]) from None


PACKINGS: Final = (
    Packing("gzip", b"\x1f\x8b", _gzip),
    Packing("Zstandard", b"\x28\xb5\x2f\xfd", _zstandard),
    Packing("LZ4", _LZ4_MAGIC, _lz4),
    Packing("Snappy", _SNAPPY_MAGIC, _snappy),
)
