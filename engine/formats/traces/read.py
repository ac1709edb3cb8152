"""Reads files of traces one after the other, each as what it is, and counts what was read."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import STANDARD_INPUT
from engine.formats.traces.application import TraceApplication
from engine.formats.traces.formats import BY_NAME, HISTORIES, LOGS, NODES, TraceFormat, format_of
from engine.formats.traces.job_configuration import is_job_configuration
from engine.formats.traces.report import ImportedFile, ImportReport
from engine.formats.traces.resource_manager_log import timeline_of
from engine.formats.traces.rm_timeline import ResourceManagerTimeline
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import Progressed, TraceSource
from engine.formats.traces.spark_pieces import TracePieces, put_together


def read_traces(
    paths: Sequence[Path],
    report: ImportReport,
    rules: MappingRules | None = None,
    *,
    wanted: str | None = None,
    progressed: Progressed = lambda _read: None,
) -> Generator[TraceApplication, None, None]:
    """The applications of files, in the order of the files and of their lines; files that belong together come last.

    Args:
        paths: Files, and folders of them; `-` is the standard input.
        report: Takes what is read, inferred, dropped and faulty.
        rules: The numbers by which what is missing is inferred.
        wanted: The format of all of them; None recognises each by its content.
        progressed: Takes how many bytes of all the files have been read.

    Raises:
        ConfigError: A file cannot be opened, or is no trace; in a folder such files are skipped while there is a trace.
    """
    rules = rules or MappingRules()
    before = 0
    together: dict[str, list[TraceSource]] = {}
    with ExitStack() as stack:
        placed = _placed(paths, wanted, report, stack)
        for form, opened, pieces in sorted(placed, key=lambda each: each[0].name not in NODES):
            total = _Total(before, progressed)
            source = opened or stack.enter_context(TraceSource.of_pieces(pieces.paths, pieces.name, report, total.add))
            before += source.size
            if form.are_together:
                together.setdefault(form.name, []).append(source)
            else:
                yield from counted(form, form.read([source], rules), source.name, report)
        for name, sources in together.items():
            names = ", ".join(source.name for source in sources)
            yield from counted(BY_NAME[name], BY_NAME[name].read(sources, rules), names, report)


def _placed(
    paths: Sequence[Path], wanted: str | None, report: ImportReport, stack: ExitStack
) -> list[tuple[TraceFormat, TraceSource | None, TracePieces]]:
    """The traces with their formats; what else lies in a folder that was named is skipped, and told of.

    Raises:
        ConfigError: A file that was named cannot be opened, or is no trace, or a folder holds no trace.
    """
    placed, alone = [], list[ConfigError]()
    for pieces in put_together(paths):
        try:
            placed.append((*_recognised(pieces, wanted, report, stack), pieces))
        except ConfigError as error:
            if is_job_configuration(pieces.paths[0]):
                report.configurations.append(pieces.paths[0])
                alone.append(error)
            elif not pieces.is_found:
                raise
            else:
                report.skipped += error.problems
    if alone and not any(form.name in HISTORIES for form, _, _ in placed):
        raise alone[0]
    if not placed:
        raise ConfigError(report.skipped)
    return placed


def _recognised(
    pieces: TracePieces, wanted: str | None, report: ImportReport, stack: ExitStack
) -> tuple[TraceFormat, TraceSource | None]:
    """The format of a trace, and the source where it cannot be opened again.

    Raises:
        ConfigError: It cannot be opened, or is no trace.
    """
    if STANDARD_INPUT in pieces.paths:
        source = stack.enter_context(TraceSource.of_pieces(pieces.paths, pieces.name, report))
        return format_of(source, wanted), source
    with TraceSource.of_pieces(pieces.paths, pieces.name, ImportReport()) as source:
        return format_of(source, wanted), None


def is_log(path: Path) -> bool:
    """Tell whether a file begins as a ResourceManager's log does.

    Raises:
        ConfigError: It cannot be opened.
    """
    with TraceSource.of_file(path, ImportReport()) as source:
        return BY_NAME[LOGS].is_this(source.head)


def read_timeline(
    paths: Sequence[Path], report: ImportReport, *, progressed: Progressed = lambda _read: None
) -> ResourceManagerTimeline:
    """Return what the rotated files of one log say, in whichever order they are named.

    A path `-` is the standard input; `progressed` takes how many bytes of all the files have been read.

    Raises:
        ConfigError: A file cannot be opened, or is no log.
    """
    before = 0
    with ExitStack() as stack:
        sources: list[TraceSource] = []
        for path in paths:
            source = stack.enter_context(TraceSource.of_file(path, report, _Total(before, progressed).add))
            before += source.size
            form = format_of(source)
            if form.name != LOGS:
                raise ConfigError([Problem(f"is {form.title}, no log of a ResourceManager", source.name)])
            sources.append(source)
        return timeline_of(sources)


class _Total(NamedTuple):
    """Adds what was read of one file to the size of those before it."""

    before: int
    progressed: Progressed

    def add(self, read: int) -> None:
        """Take how much of the file has been read."""
        self.progressed(self.before + read)


def counted(
    form: TraceFormat, applications: Iterable[TraceApplication], name: str, report: ImportReport
) -> Iterator[TraceApplication]:
    """The applications as they pass, counted in the report."""
    applications_before, tasks_before = report.applications, report.tasks
    try:
        for application in applications:
            report.count(application)
            yield application
    finally:  # also where only some of them are taken
        read = report.applications - applications_before, report.tasks - tasks_before
        report.files.append(ImportedFile(name, form.name, *read))
