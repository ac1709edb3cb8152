"""The report of an import, line by line: what was read, inferred, dropped and unreadable."""

from typing import Any

import pytest

from engine.errors import Problem
from engine.formats.scenario_toml import loads
from engine.formats.traces.report import ImportedFile, ImportReport
from tests.tui.small_run import SMALL
from tui.commands.import_text import EACH_STARTS, LISTED, found_lines, report_lines

SCENARIO = loads(SMALL, "x")


def report(files: int = 1, **counts: Any) -> ImportReport:
    """A report of some files of a SWIM trace."""
    found = ImportReport()
    found.files = [ImportedFile(f"{number}.tsv", "swim", 1, 2) for number in range(files)]
    found.applications, found.tasks = files, 2 * files
    for name, value in counts.items():
        setattr(found, name, value)
    return found


def lines(found: ImportReport) -> list[str]:
    """What is said behind the files."""
    return found_lines(found)[len(found.files[:LISTED]) :]


def test_a_file_is_told_with_what_was_read_of_it() -> None:
    """One file alone is not summed up."""
    [line] = found_lines(report())

    assert line.startswith("read      0.tsv: ")
    assert line.endswith(", 1 application, 2 tasks")


@pytest.mark.parametrize(
    ("files", "more"), [(12, []), (13, ["          and 1 more file"]), (14, ["          and 2 more files"])]
)
def test_so_many_files_are_listed(files: int, more: list[str]) -> None:
    """The rest is counted, and all are summed up."""
    whole = f"          {files} applications and {2 * files} tasks in all"

    assert (LISTED, lines(report(files))) == (12, [*more, whole])


@pytest.mark.parametrize(("count", "more"), [(1, []), (12, []), (13, ["          and 1 more file"])])
def test_files_that_are_no_traces_are_named(count: int, more: list[str]) -> None:
    """So many."""
    skipped = [Problem("is no trace", f"{number}.txt") for number in range(count)]
    told = [f"skipped   {number}.txt: is no trace" for number in range(min(count, 12))]

    assert lines(report(skipped=skipped)) == [*told, *more]


def test_what_was_inferred_and_dropped_is_told_most_first() -> None:
    """With the rule, and of how many applications."""
    found = report()
    found.inferred.update({("maps", "by input"): 1, ("memory", "by default"): 2})
    found.note("times are of UTC")
    found.drop("without a size", 1_200)
    found.drop("before the first", 3_000)

    assert lines(found) == [
        "inferred  memory of 2 applications: by default",
        "inferred  maps of 1 application: by input",
        "note      times are of UTC",
        "dropped   3,000 before the first",
        "dropped   1,200 without a size",
    ]


@pytest.mark.parametrize(
    ("faults", "more"), [(1, []), (12, []), (13, ["          and 1 more"]), (2_000, ["          and 1,988 more"])]
)
def test_faulty_places_are_counted(faults: int, more: list[str]) -> None:
    """So many of them are named."""
    found = report()
    for line in range(1, faults + 1):
        found.fault("no number", "0.tsv", line)
    told = lines(found)

    assert told[0] == f"faulty    {faults} place{'s' * (faults > 1)}, left out"
    assert told[1] == "          0.tsv:1: no number"
    assert told[1 + min(faults, 12) :] == more


def test_the_scenario_is_told_last() -> None:
    """Its applications, nodes, scheduler and length, and how long it takes."""
    found = report_lines(report(), SCENARIO, 0.5)

    assert found[1:] == [
        "",
        "a scenario of 1 application on 2 nodes under fair-2.7, 10m long",
        "playing it takes less than 2 s here",
    ]


def test_that_each_can_start_is_told_where_it_was_seen() -> None:
    """Before how long it takes."""
    assert report_lines(report(can_all_start=True), SCENARIO, 0.5)[-2] == EACH_STARTS


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1.99, "less than 2 s"), (2.0, "about 2s"), (9.4, "about 9s"), (14.0, "about 10s"), (16.0, "about 20s"),
     (84.0, "about 1m20s"), (149.0, "about 1m40s"), (151.0, "about 3m20s")],
)  # fmt: skip
def test_how_long_is_told_to_one_figure(seconds: float, words: str) -> None:
    """Less than two seconds are not told apart."""
    assert report_lines(report(), SCENARIO, seconds)[-1] == f"playing it takes {words} here"
