"""Reads files of traces one after the other, each as what it is, and counts what was read."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from engine.formats.traces.application import TraceApplication
from engine.formats.traces.formats import TraceFormat, format_of
from engine.formats.traces.report import ImportedFile, ImportReport
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.source import Progressed, TraceSource


def read_traces(
    paths: Sequence[Path],
    report: ImportReport,
    rules: MappingRules | None = None,
    *,
    wanted: str | None = None,
    progressed: Progressed = lambda _read: None,
) -> Iterator[TraceApplication]:
    """The applications of files, in the order of the files and of their lines.

    Args:
        paths: The files; `-` is the standard input.
        report: Takes what is read, inferred, dropped and faulty.
        rules: The numbers by which what is missing is inferred.
        wanted: The format of all of them; None recognises each by its content.
        progressed: Takes how many bytes of all the files have been read.

    Raises:
        ConfigError: A file cannot be opened, or is no trace.
    """
    rules = rules or MappingRules()
    before = 0
    for path in paths:
        last = 0

        def tell(read: int, before: int = before) -> None:
            nonlocal last
            last = read
            progressed(before + read)

        with TraceSource.of_file(path, report, tell) as source:
            form = format_of(source, wanted)
            yield from counted(form, form.read(source, rules), source.name, report)
        before += last


def counted(
    form: TraceFormat, applications: Iterable[TraceApplication], name: str, report: ImportReport
) -> Iterator[TraceApplication]:
    """The applications as they pass, counted in the report."""
    applications_before, tasks_before = report.applications, report.tasks
    for application in applications:
        report.count(application)
        yield application
    report.files.append(
        ImportedFile(name, form.name, report.applications - applications_before, report.tasks - tasks_before)
    )
