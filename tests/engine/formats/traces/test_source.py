"""A file is read in lines and objects, packed or not, as far as it can be read."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.formats.traces import source as sources
from engine.formats.traces.formats import read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.source import TraceSource
from tests.engine.formats.traces.samples import SWIM, packed, source


def test_a_gzip_of_several_members_is_read_as_one() -> None:
    """As rotated logs that were put together; what follows that is no gzip is reported."""
    report = ImportReport()
    data = packed("a\n") + packed("") + b"\0\0" + packed("b\n" * 50_000)

    assert [line for _, line in source(data).lines()] == ["a"] + ["b"] * 50_000
    assert [line for _, line in source(data + b"more", report).lines()][-1] == "b"
    assert report.faults == 1


def test_a_line_that_is_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LONGEST_LINE", 10)
    report = ImportReport()

    assert list(source("short\n" + "x" * 25 + "\nlast\n", report).lines()) == [(1, "short"), (3, "last")]
    assert (report.problems[0].line, report.faults) == (2, 1)


def test_several_files_are_read_in_order_and_progress_counts_their_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    for path in paths:
        path.write_text(SWIM)
    report, seen = ImportReport(), list[int]()
    found = [each.id for each in read_traces(paths, report, progressed=seen.append)]

    assert found == ["job0", "job1"] * 2
    assert seen[-1] == 2 * len(SWIM)
    assert [each.applications for each in report.files] == [2, 2]


def test_a_file_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(ConfigError):
            TraceSource.of_file(path, ImportReport())
