"""The configuration of a MapReduce job, which the history server keeps beside its history as `JOB_conf.xml`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from engine.errors import ConfigError
from engine.formats.hadoop_configuration import read_configurations
from engine.formats.regular_files import is_there
from engine.formats.traces.application import whole
from engine.formats.traces.report import ImportReport
from engine.formats.traces.source import TraceSource
from engine.formats.traces.task_attempts import OLD_SLOW_START, SLOW_START
from engine.formats.xml_tree import decode_xml, parse_document

LARGEST: Final = 64 * 1024 * 1024
"""The largest configuration that is read [bytes]."""
SUFFIXES: Final = ("", ".gz")


def is_job_configuration(path: Path) -> bool:
    """Tell whether a file is a Hadoop configuration, packed or not."""
    try:
        with TraceSource.of_file(path, ImportReport()) as source:
            head = source.head.lstrip()
            return head.startswith(b"<") and b"<configuration" in head
    except ConfigError:
        return False


def configured(source: TraceSource, job: str) -> Mapping[str, str]:
    """The properties of a job: of a file that was named with its history, else of the one beside it; none without."""
    for path in _places(source, job):
        try:
            with TraceSource.of_file(path, ImportReport()) as opened:
                text = decode_xml(opened.stream.read(LARGEST), str(path))
            return read_configurations([path], parsed={path: parse_document(text, str(path)).root}).values
        except ConfigError as error:
            source.fault(f"{path.name} cannot be read: {error.first_line}", 0)
    return {}


def _places(source: TraceSource, job: str) -> Iterator[Path]:
    """Where the configuration of a job may be; one that names no job is that of any."""
    named = source.report.configurations
    yield from (path for path in named if job and job in path.name)
    yield from (path for path in named if "job_" not in path.name)
    beside = Path(source.name).parent
    if job:
        yield from (path for suffix in SUFFIXES if is_there(path := beside / f"{job}_conf.xml{suffix}"))


def slow_start_of(values: Mapping[str, str]) -> float | None:
    """The part of the maps that has ended when reduces are asked for; None where nothing says it."""
    for key in (SLOW_START, OLD_SLOW_START):
        try:
            part = float(values.get(key, "-1"))
        except ValueError:
            continue
        if 0 <= part <= 1:
            return part
    return None


def size_of(values: Mapping[str, str], memory: str, vcores: str) -> tuple[int | None, int | None]:
    """Memory [MB] and vcores that two properties state, 1 vcore where only the memory is; None where nothing is."""
    memory_mb = whole(values.get(memory), 1, 2**31 - 1)
    return memory_mb, None if memory_mb is None else whole(values.get(vcores), most=2**31 - 1) or 1
