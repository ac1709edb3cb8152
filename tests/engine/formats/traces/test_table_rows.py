"""Rows of tables of machines and jobs, field by field: Alibaba's, Google's, openb's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.traces import cluster_tables as google
from engine.formats.traces.application import MappingRules, TraceApplication, whole, words
from engine.formats.traces.parsing import Columns, rows
from tests.engine.formats.traces.samples import imported, source

RULES = MappingRules(machine_mb=1000, machine_vcores=10, container_mb=77, container_vcores=3)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12", 12),
        (" 7 ", 7),
        (3.9, 3),
        ("3.9", 3),
        (-1, None),
        ("", None),
        ("x", None),
        (None, None),
        (True, None),
        ([], None),
        ("1" * 19, None),
        (2**53, 2**53),
        (2**53 + 1, None),
        (float("inf"), None),
        ("1e3", 1000),
        ("nan", None),
        ("-0.5", None),
    ],
)
def test_a_number_of_a_trace_is_a_whole_one(text: object, found: int | None) -> None:
    assert whole(text) == found


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-50, 50))
def test_a_number_lies_within_its_bounds(value: int, least: int, most: int) -> None:
    assert whole(str(value), least, most) == whole(value, least, most) == (value if least <= value <= most else None)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (" a\n\tb ", "a b"),
        (7, "7"),
        (2**63 - 1, "9223372036854775807"),
        (2**63, ""),
        (True, ""),
        (None, ""),
        (1.5, ""),
        ("x" * 201, "x" * 200),
    ],
)
def test_a_text_of_a_trace_is_one_line_of_bounded_length(value: object, found: str) -> None:
    assert words(value) == found


@pytest.mark.parametrize(
    ("text", "order", "found"),
    [
        ("a,b\n1, 2\n", (), [(2, {"a": "1", "b": "2"})]),
        ("A_a,b-B\n1,2,3\n", (), [(2, {"aa": "1", "bb": "2"})]),
        ("1,2\n3\n", ("a", "b"), [(1, {"a": "1", "b": "2"}), (2, {"a": "3"})]),
        ("b,a\n1,2\n", ("a", "b"), [(2, {"b": "1", "a": "2"})]),
        ("b,x\n1,2\n", ("a", "b"), [(1, {"a": "b", "b": "x"}), (2, {"a": "1", "b": "2"})]),
        ("b,a,x\n1,2\n", ("a", "b"), [(2, {"b": "1", "a": "2"})]),
        ('a,b\n"1,5",2\n', (), [(2, {"a": "1,5", "b": "2"})]),
        ('a,b\n"1"\n', (), [(2, {"a": "1"})]),
    ],
)
def test_columns_are_found_by_the_first_line_or_stand_in_order(
    text: str, order: tuple[str, ...], found: list[tuple[int, dict[str, str]]]
) -> None:
    assert list(rows(source(text), Columns(order))) == found


def event(at_us: int, kind: int, task: int = 0, job: int = 1, size: str = "0.25,0.1") -> str:
    return f"{at_us},,{job},{task},,{kind},ann,2,9,{size},0.1,0"


def events(*lines: str) -> tuple[list[TraceApplication], dict[str, int], int]:
    found, report = imported("\n".join(lines) + "\n", "google", RULES)
    assert (report.machine_size, list(report.notes)) == ((1000, 10), [google.NO_CLASSES])
    return found, dict(report.dropped), report.faults


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("x,,1,0,,0,ann,2,9,,,,", 1),
        ("1,,,0,,0,ann,2,9,,,,", 1),
        ("1,,1,,,0,ann,2,9,,,,", 1),
        ("1,,1,0,,9,ann,2,9,,,,", 1),
        (f"{2**62},,1,0,,0,ann,2,9,,,,", 0),
    ],
)
def test_events_of_google_that_cannot_be_are_faults(line: str, faults: int) -> None:
    found, _, found_faults = events(event(5_000_000, 0, 0, 7), line)

    assert ([each.id for each in found], found_faults) == (["7"], faults)
