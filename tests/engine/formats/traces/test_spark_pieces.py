"""The files of one Spark application are one trace."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.formats.traces.formats import read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.spark_event_log import put_together
from tests.engine.formats.traces.samples import SPARK


def made(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch()
    return folder


def names(*paths: Path) -> list[list[str]]:
    return [[path.name for path in pieces.paths] for pieces in put_together(paths)]


def test_a_rolling_log_is_one_trace_in_the_order_of_its_numbers(tmp_path: Path) -> None:
    folder = made(
        tmp_path / "eventlog_v2_app-1",
        "events_10_app-1.zstd",
        "events_2_app-1.zstd",
        "events_1_app-1",
        "appstatus_app-1",
    )

    assert names(folder) == [["events_1_app-1", "events_2_app-1.zstd", "events_10_app-1.zstd"]]


def test_a_compact_file_stands_for_those_before_it(tmp_path: Path) -> None:
    folder = made(
        tmp_path / "eventlog_v2_app-1", "events_1_app-1", "events_2_app-1", "events_2_app-1.compact", "events_3_app-1"
    )

    assert names(folder) == [["events_2_app-1.compact", "events_3_app-1"]]


def test_pieces_of_databricks_end_with_the_one_without_a_time(tmp_path: Path) -> None:
    folder = made(tmp_path / "logs", "eventlog", "eventlog-2026-01-02--10-00.gz", "eventlog-2026-01-02--09-30.gz")

    assert names(folder) == [["eventlog-2026-01-02--09-30.gz", "eventlog-2026-01-02--10-00.gz", "eventlog"]]


def test_attempts_of_an_application_are_one_trace(tmp_path: Path) -> None:
    folder = made(
        tmp_path, "application_1_0001_2", "application_1_0001_10.zstd", "application_1_0001_1", "application_1_0002_1"
    )

    assert names(folder) == [
        ["application_1_0001_1", "application_1_0001_2", "application_1_0001_10.zstd"],
        ["application_1_0002_1"],
    ]


def test_a_folder_of_logs_holds_files_and_rolling_logs(tmp_path: Path) -> None:
    made(tmp_path, "app-1", ".app-1.crc", "_SUCCESS")
    made(tmp_path / "eventlog_v2_app-2", "events_1_app-2")
    made(tmp_path / "other", "events_1_app-3")

    assert names(tmp_path) == [["app-1"], ["events_1_app-2"]]


def test_a_file_beside_pieces_is_one_by_itself(tmp_path: Path) -> None:
    assert names(made(tmp_path / "a", "eventlog", "eventlog-1", "README.md")) == [
        ["eventlog-1", "eventlog"],
        ["README.md"],
    ]
    assert names(made(tmp_path / "b", "events_2_x", "events_1_x", "notes")) == [["events_1_x", "events_2_x"], ["notes"]]


def test_what_is_no_trace_in_a_folder_is_skipped_and_told_of(tmp_path: Path) -> None:
    """A file that was named is refused, and so is a folder without any trace."""
    (tmp_path / "README.md").write_text("# Logs of ours\n")
    with pytest.raises(ConfigError, match="README"):
        list(read_traces([tmp_path], ImportReport()))
    (tmp_path / "app-1").write_text(SPARK)
    report = ImportReport()

    assert len(list(read_traces([tmp_path], report))) == 1
    assert [Path(each.file).name for each in report.skipped] == ["README.md"]
    with pytest.raises(ConfigError, match="README"):
        list(read_traces([tmp_path / "README.md", tmp_path / "app-1"], ImportReport()))


def test_a_folder_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        put_together([tmp_path])

    assert error.value.problems[0].file == str(tmp_path)


def test_the_second_attempt_runs_its_stages_behind_those_of_the_first(tmp_path: Path) -> None:
    """It was submitted with the first; a piece that repeats its beginning is no attempt."""
    (tmp_path / "application_1_0001_1").write_text(SPARK)
    (tmp_path / "application_1_0001_2").write_text(SPARK.replace('"Timestamp": 1000', '"Timestamp": 9500'))
    repeated = tmp_path / "rolled"
    made(repeated)
    for number in (1, 2):
        (repeated / f"events_{number}_app-1").write_text(SPARK)

    (attempts,) = read_traces([tmp_path / "application_1_0001_1", tmp_path / "application_1_0001_2"], ImportReport())
    (rolled,) = read_traces([repeated], ImportReport())

    assert (attempts.submitted_ms, [tasks.count for tasks in attempts.tasks]) == (1000, [2, 2, 2])
    assert [tasks.count for tasks in rolled.tasks] == [2, 4]
