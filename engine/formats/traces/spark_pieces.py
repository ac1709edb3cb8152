"""Puts the files of one Spark application together: rolling logs, attempts, and the pieces of Databricks.

A folder `eventlog_v2_<application>[_<attempt>]` holds `events_<number>_<application>…`; a file that ends in `.compact`
stands for itself and all before it. Databricks writes `eventlog-<time>` for what is rolled and `eventlog` for the end.
Attempts of an application on YARN are files or folders that differ in the last number.

Source: RollingEventLogFilesWriter, EventLogFileWriter#getLogPath, EventLogFileCompactor, Spark 3.5.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import STANDARD_INPUT

ROLLING: Final = "eventlog_v2_"
_EVENTS: Final = re.compile(r"events_(\d{1,18})_")
_COMPACT: Final = ".compact"
_PIECE: Final = re.compile(r"eventlog(?:-(.+?))?(?:\.gz|\.zstd|\.lz4|\.snappy)?")
_ATTEMPT: Final = re.compile(r"(?:eventlog_v2_)?(application_\d{1,20}_\d{1,20})_(\d{1,9})(?:\.\w+)*")
"""A log of one attempt; names of files and folders."""
_IGNORED: Final = re.compile(r"\..*|_SUCCESS|appstatus_.*|.*\.crc|job_.*_conf\.xml")
"""What lies beside logs and is none."""


class TracePieces(NamedTuple):
    """The files of one trace, in their order."""

    name: str
    paths: tuple[Path, ...]
    is_found: bool = False
    """True: it lies in a folder that was named, and may be something else."""


def put_together(paths: Sequence[Path]) -> list[TracePieces]:
    """The traces of files and folders; a folder stands for all that lies directly in it.

    Raises:
        ConfigError: A folder cannot be read or holds no file.
    """
    found = [pieces for path in paths for pieces in _of(path)]
    attempts: dict[tuple[Path, str], list[tuple[int, TracePieces]]] = {}
    others: list[TracePieces] = []
    for each in found:
        place = Path(each.name)
        match = _ATTEMPT.fullmatch(place.name)
        if match is None:
            others.append(each)
        else:
            attempts.setdefault((place.parent, match[1]), []).append((int(match[2]), each))
    return [*others, *(_one(numbered) for numbered in attempts.values())]


def _one(numbered: list[tuple[int, TracePieces]]) -> TracePieces:
    """The attempts of one application, the first attempt first."""
    ordered = [each for _, each in sorted(numbered, key=lambda pair: pair[0])]
    return TracePieces(ordered[0].name, tuple(path for each in ordered for path in each.paths), ordered[0].is_found)


def _of(path: Path) -> list[TracePieces]:
    """The traces that a path names.

    Raises:
        ConfigError: It is a folder that cannot be read or holds no file.
    """
    try:
        if path == STANDARD_INPUT or not path.is_dir():
            return [TracePieces(str(path), (path,))]
        inside = sorted(each for each in path.iterdir() if not _IGNORED.fullmatch(each.name))
        found = _inside(path, [each for each in inside if each.is_file()])
        folders = [each for each in inside if each.name.startswith(ROLLING) and each.is_dir()]
    except OSError as error:
        raise ConfigError([Problem(f"cannot be read: {error.strerror or error}", str(path))]) from None
    except ValueError:
        raise ConfigError([Problem("not a file name", str(path))]) from None
    found += [pieces for folder in folders for pieces in _of(folder)]
    if not found:
        raise ConfigError([Problem("this folder holds no file", str(path))])
    return found


def _inside(folder: Path, files: list[Path]) -> list[TracePieces]:
    """The traces of the files of a folder."""
    rolled = [each for each in files if _EVENTS.match(each.name)]
    if rolled and folder.name.startswith(ROLLING):
        return [TracePieces(str(folder), tuple(_rolled(rolled)))]
    together = _rolled(rolled) or sorted((each for each in files if _PIECE.fullmatch(each.name)), key=_time_of)
    others = [TracePieces(str(each), (each,), is_found=True) for each in files if each not in {*rolled, *together}]
    return [TracePieces(str(folder), tuple(together), is_found=True), *others] if together else others


def _rolled(paths: Sequence[Path]) -> list[Path]:
    """Rolled files by their number, from the last compact one on."""

    def number(path: Path) -> tuple[int, bool]:
        match = _EVENTS.match(path.name)
        return (int(match[1]) if match else 0), path.name.endswith(_COMPACT)

    ordered = sorted(paths, key=number)
    compact = max((place for place, path in enumerate(ordered) if path.name.endswith(_COMPACT)), default=0)
    return ordered[compact:]


def _time_of(path: Path) -> tuple[bool, str]:
    """Return the sort key of the pieces of Databricks: the one without a time is the end."""
    match = _PIECE.fullmatch(path.name)
    time = match[1] if match and match[1] else ""
    return not time, time
