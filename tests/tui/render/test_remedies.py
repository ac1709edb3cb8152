"""Remedies in words: what each starts, frees, loses and delays."""

from typing import Any

import msgspec
import pytest

from engine.explain.remedy import Remedy
from engine.explain.remedy_report import AppliedReport, AppliedStart, RefusedReport, RemediesReport
from engine.scenario.acts import AddNode, KillApplication, ReturnNode, SetPreemption
from tests.reports import report_of
from tests.tui import answered, fakes
from tests.tui.render.drawing import stored
from tests.tui.render.helped import ENTRIES, NOTHING, entry, remedies
from tui.answers import WhySubject
from tui.format import Beside
from tui.render.remedy_text import (
    RemedyWords,
    applied_lines,
    expected_words,
    lost_words,
    remedy_lines,
    remedy_words,
    rest_words,
    short_remedy,
    step_words,
    subject_words,
)
from tui.render.why_remedies import (
    frees_words,
)

DAY = Beside(fakes.NOW, 8 * 3_600_000)
BIG = WhySubject("application", "183354")
MR1 = ("map_slots", "reduce_slots")


def test_a_remedy_is_told_in_five_parts() -> None:
    """Of several targets how many start; at least so many where it was not played to the end."""
    one = remedies(*ENTRIES[:1])
    one = msgspec.structs.replace(one, targets=one.targets[:1])

    assert remedy_words(ENTRIES[0], one, DAY) == RemedyWords(
        "kill application 183331 (etl-1) (2 similar)",
        "09:01:03",
        "60G/15c and 1 reservation",
        "15 containers, 1h30m of work",
        "183330 by at least 1m30s",
    )
    assert [remedy_words(each, remedies(), DAY) for each in ENTRIES[1:]] == [
        RemedyWords(
            "at most: kill application 183332 (etl-2)",
            "at least 1 of 3 by 09:02:35",
            "2G/2c",
            "1 container, 59s of work",
            "nobody",
        ),
        RemedyWords(
            "set the reservation rule to off",
            "1 of 3 by 09:26:00",
            "nothing",
            "nothing",
            "1 by 1m00s, 2 by at least 2m00s, 3 by 3m00s and 2 others",
        ),
        RemedyWords(
            "add a node of 102400 MB and 32 vcores",
            "1 of 3 by 09:11:00",
            "100G/32c and 3 reservations",
            "nothing",
            "183330 by at least 1m30s",
        ),
    ]


@pytest.mark.parametrize(
    ("remedy", "named", "short"),
    [
        (Remedy(KillApplication(7)), "kill 7", "kill 7"),
        (Remedy(KillApplication(7), name="a b"), "kill 7 a b", "kill 7"),
        (Remedy(ReturnNode("n"), host="10.1.2.33"), "return 10.1.2.33", "return .33"),
        (Remedy(ReturnNode("n"), host="10.1.2"), "return 10.1.2", "return 10.1.2"),
        (Remedy(ReturnNode("n"), host="a.1.2.3"), "return a.1.2.3", "return a.1.2.3"),
        (Remedy(AddNode("n", 2048, 2)), "add a node of 2G/2c", "add a node of 2G"),
        (
            Remedy(AddNode("n", 2, 1), dimensions=MR1),
            "add a tracker of 2 maps 1 reduce",
            "add a tracker of 2 maps 1 reduce",
        ),
    ],
)
def test_a_remedy_is_short_without_names(remedy: Remedy, named: str, short: str) -> None:
    """Of an address the last number is left, of a YARN node its memory."""
    assert (short_remedy(remedy), short_remedy(remedy, is_named=False)) == (named, short)


@pytest.mark.parametrize(
    ("loses", "words"),
    [
        (NOTHING, "nothing"),
        ({"containers": 1, "seconds": 61}, "1 container, 1m01s"),
        ({"containers": 3, "seconds": 0, "drivers": 1}, "2 containers and 1 driver, 0s"),
        ({"containers": 1, "seconds": 5, "drivers": 1}, "1 driver, 5s"),
    ],
)
def test_drivers_are_counted_beside_containers(loses: dict[str, int], words: str) -> None:
    """With how long what is lost had run."""
    assert lost_words(entry(1, 3, loses=loses)) == words


@pytest.mark.parametrize(
    ("frees", "dimensions", "words"),
    [
        ((61440, 15, 1), None, "1 node"),
        ((61440, 15, 2), None, "2 nodes"),
        ((61440, 15, 0), None, "60G"),
        ((0, 15, 0), None, "–"),
        ((3, 0, 0), MR1, "3 maps"),
        ((0, 2, 0), MR1, "2 reduces"),
        ((0, 0, 0), MR1, "–"),
    ],
)
def test_what_a_remedy_frees_is_nodes_else_memory(
    frees: tuple[int, int, int], dimensions: tuple[str, ...] | None, words: str
) -> None:
    """Of a JobTracker slots."""
    remedy = Remedy(KillApplication(7)) if dimensions is None else Remedy(KillApplication(7), dimensions=dimensions)
    memory_mb, vcores, reservations = frees
    freed = {"memory_mb": memory_mb, "vcores": vcores, "reservations": reservations}

    assert frees_words(entry(1, 3, remedy, frees=freed)) == words


@pytest.mark.parametrize(
    ("changes", "subject", "expected"),
    [
        ({}, "3 waiting, 183354 longest", "none starts without an act"),
        ({"targets": ("a_183354",)}, "183354", "never starts without an act"),
        ({"targets": ()}, "nobody", "there is nothing to do"),
        ({"never": False}, "3 waiting, 183354 longest", "not all start by 09:02:10 without an act"),
        ({"never": False, "targets": ("a_7",)}, "7", "does not start by 09:02:10 without an act"),
    ],
)
def test_it_is_said_whom_remedies_are_for_and_whether_they_start_anyhow(
    changes: dict[str, Any], subject: str, expected: str
) -> None:
    """Nobody, one or several."""
    found = msgspec.structs.replace(remedies(), **changes)

    assert (subject_words(found), expected_words(found, DAY)) == (subject, expected)


@pytest.mark.parametrize(("targets", "words"), [(1, "starts at 09:01:09"), (2, "all start by 09:01:09")])
def test_who_starts_anyhow_is_told_the_last_instant(targets: int, words: str) -> None:
    """That by which all have started."""
    at = ["2017-11-11T09:01:09.000+08:00", "2017-11-11T09:01:04.000+08:00"][:targets]
    expected = [{"application": answered.name(n), "priority": None, "starts": each} for n, each in enumerate(at)]
    found = report_of(RemediesReport, {**answered.helped(), "never": False, "expected": expected})
    found = msgspec.structs.replace(found, targets=("a_1", "a_2")[:targets])

    assert expected_words(found, DAY) == f"{words} without an act"


def test_a_twin_assumes_that_what_runs_runs_on() -> None:
    """It is said only where it is a twin's."""
    assert expected_words(remedies(), DAY._replace(mark=" if")).startswith("none starts without an act, ")


def test_the_rest_is_what_does_not_help_is_refused_or_not_decided() -> None:
    """Six that do not help are named."""
    refused = RefusedReport(remedy=Remedy(SetPreemption(on=True)), why="not\nin this release")
    named = "; ".join(f"kill {200 + number}" for number in range(6))

    assert rest_words(remedies(refused=(refused,)), DAY) == [
        f"no help: {named}; and 2 others",
        "refused: switch preemption on: not in this release",
        "3 of 12 remedies are not decided yet; looked until 09:02:10",
    ]
    six = msgspec.structs.replace(remedies(tried=12), useless=remedies().useless[:6])
    assert rest_words(six, DAY) == [f"no help: {named}"]


def test_all_that_is_known_has_a_heading_for_each_group() -> None:
    """As the command line writes it."""
    drawn, kept = stored("remedies-text", [[(line, "text")] for line in remedy_lines(remedies(), DAY)])

    assert drawn == kept


@pytest.mark.parametrize(("at_ms", "real"), [(fakes.NOW + 4000, "started 09:01:04"), (None, "not started")])
def test_what_was_applied_is_told_with_what_came_of_it(at_ms: int | None, real: str) -> None:
    """The step as a script has it, each start as promised and as it was."""
    start = AppliedStart(application=fakes.BIG, promised_ms=fakes.NOW + 3000, at_ms=at_ms)
    applied = AppliedReport(
        number=1, remedy=ENTRIES[0].remedy, refused="", until_ms=fakes.NOW + 60_000, starts=(start,)
    )

    assert applied_lines(remedies(applied=applied), DAY) == [
        "applied   kill application 183331 (etl-1)",
        f"          script = [{{ {step_words(ENTRIES[0].step)} }}]",
        f"          183354 {real}, promised 09:01:03",
        "          simulated until 09:02:00 with all submissions",
    ]
    assert applied_lines(remedies(), DAY) == []


def test_a_step_is_written_as_a_table_of_toml() -> None:
    """Texts have quotes, numbers none, and what is on or off is true or false."""
    report = type(ENTRIES[0].step)(act=SetPreemption(on=True), at_s=1.5)

    assert step_words(report) == 'do = "preemption", on = true, at = 1.5'
    assert step_words(type(report)(act=SetPreemption(on=False), at_s=2)).split(", ")[1] == "on = false"
