"""Tables of settings: what each entry has to be."""

import ast
import re
from collections import Counter
from math import inf
from pathlib import Path
from typing import Any, Final

import pytest

import engine.settings
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.mapreduce1 import CAPACITY_TASKS, FAIR_TASKS, JOB_TRACKER, MAP_ATTEMPTS, NATURAL, NUMBER, WHOLE
from engine.settings.mapreduce1 import FLAG as STRICT_FLAG
from engine.settings.site import YARN_27, YARN_34
from engine.settings.spark import SELECTION_POLICIES, SPARK
from engine.settings.table import FLAG, INTEGER, LONG, Key, SettingEntry, ValueKind

TABLES: Final = (
    *(CAPACITY_27, CAPACITY_34, FAIR_27, FAIR_34, YARN_27, YARN_34, SPARK),
    *(JOB_TRACKER, FAIR_TASKS, CAPACITY_TASKS),
)
ENTRIES: Final = [
    pytest.param(entry, id=f"{table.name}-{name}")
    for table in TABLES
    for name, entry in (*table.whole.items(), *table.queue.items())
]


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_default_parses_by_its_own_parser(entry: SettingEntry) -> None:
    """Whatever stands behind it: a text that is none would read as that; an empty text is not a value."""
    assert entry.default == "" or entry.kind.read(entry.default, False) == entry.kind.read(entry.default, True)


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_has_a_sentence_and_a_source(entry: SettingEntry) -> None:
    assert entry.meaning.endswith(".")
    assert entry.source


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_default_lies_within_its_bounds(entry: SettingEntry) -> None:
    """Where they are numbers, or words to choose from; an empty text is not a value."""
    words = entry.bounds.replace(" or ", ", ").split(", ")
    if entry.default == "":
        return
    if re.fullmatch(r"at (least|most) \d+", entry.bounds):
        least, most = entry.limits
        assert least <= float(entry.default) <= most
    elif entry.bounds.startswith("above 0"):
        assert float(entry.default) > 0
    elif found := re.match(r"([\d.]+) to ([\d.]+)$", words[0]):
        assert float(found.group(1)) <= float(entry.default) <= float(found.group(2))
    elif len(words) > 1 and " to " not in entry.bounds:
        assert entry.default in words


@pytest.mark.parametrize(
    ("bounds", "limits"),
    [("1 to 100", (1, 100)), ("at least 1", (1, inf)), ("at most 100", (-inf, 100)), ("", (-inf, inf))],
)
def test_limits_are_those_of_the_bounds(bounds: str, limits: tuple[float, float]) -> None:
    assert SettingEntry(Key[int]("x"), "5", "A number.", bounds=bounds).limits == limits


def test_a_value_is_read_from_its_text_or_is_the_default() -> None:
    assert JOB_TRACKER.value({}, MAP_ATTEMPTS) == 4
    assert JOB_TRACKER.value({"mapred.map.max.attempts": "2"}, MAP_ATTEMPTS) == 2
    with pytest.raises(ValueError, match="'two' is not a whole number"):
        JOB_TRACKER.value({"mapred.map.max.attempts": "two"}, MAP_ATTEMPTS)


def test_a_key_is_spelt_once() -> None:
    spelt = Counter[str]()
    for path in Path(engine.settings.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("Key["):
                spelt[ast.unparse(node)] += isinstance(node.args[0], ast.Constant)

    assert spelt
    assert [key for key, count in spelt.items() if count > 1] == []


# How texts of settings are read: as Hadoop, Spark and MapReduce 1 read them, with their bounds.


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [(INTEGER, "-2147483648", "2147483647"), (LONG, "-9223372036854775808", "9223372036854775807")],
)
def test_a_whole_number_is_as_large_as_its_type(kind: ValueKind[int], least: str, most: str) -> None:
    for text in (least, most):
        value = int(text)
        sign = "-" * (value < 0)
        assert kind.read(f" {text}\n", 0) == kind.read(f"{sign}0x000{abs(value):x}", 0) == value
        assert kind.read(f"{sign}0X{abs(value):X}", 0) == value
    for beyond in (int(least) - 1, int(most) + 1):
        for text in (str(beyond), f"{'-' * (beyond < 0)}0x{abs(beyond):x}"):
            with pytest.raises(ValueError, match="does not fit in"):
                kind.read(text, 0)


@pytest.mark.parametrize("text", ["", "0x", "-0x", "0xg", "0x1_0", "1_0", "0x-1", "x1", "--0x1", "0x" + "f" * 17, "ff"])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"^'{text}' is not a whole number$"):
        LONG.read(text, 5)


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("0x0", 0), ("-0x0a", -10), ("0xff", 255), ("007", 7), ("+3", 3), ("0X10", 16)]
)
def test_whole_numbers_have_two_forms(text: str, value: int) -> None:
    assert (INTEGER.read(text, 5), LONG.read(text, 5)) == (value, value)


@pytest.mark.parametrize(
    ("text", "values"),
    [(" True ", [True, True]), ("FALSE", [False, False]), ("yes", [False, True]), ("", [False, True])],
)
def test_a_boolean_that_is_neither_is_the_default(text: str, values: list[bool]) -> None:
    assert [FLAG.read(text, default) for default in (False, True)] == values


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (WHOLE, "-1", -1),
        (NATURAL, "0", 0),
        (NUMBER, "0.5", 0.5),
        (STRICT_FLAG, "true", True),
        (STRICT_FLAG, "false", False),
    ],
)
def test_mapreduce_1_reads_its_values(kind: ValueKind[Any], text: str, value: object) -> None:
    assert kind.read(text, None) == value


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        (WHOLE, "x", "^'x' is not a whole number$"),
        (NATURAL, "x", "^'x' is not a whole number$"),
        (NATURAL, "-1", "^-1 is negative$"),
        (STRICT_FLAG, "True", "^'True' is neither true nor false$"),
    ],
)
def test_mapreduce_1_refuses_what_is_none(kind: ValueKind[Any], text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        kind.read(text, None)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("spark.deploy.spreadOut", " TRUE ", True),
        ("spark.deploy.spreadOutApps", "false", False),
        ("spark.deploy.maxDrivers", "1", 1),
        ("spark.deploy.maxExecutorRetries", "-1", -1),
        ("spark.worker.timeout", " 2s", 2_000),
        ("spark.worker.timeout", "1", 1_000),
        ("spark.deploy.workerSelectionPolicy", " worker_id ", "WORKER_ID"),
        ("schedlab.spark.ties", " registration ", "registration"),
    ],
)
def test_a_master_reads_its_settings(key: str, text: str, value: object) -> None:
    assert SPARK.whole[key].kind.read(text, None) == value


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        ("spark.deploy.spreadOut", "yes", "^expected true or false$"),
        ("spark.deploy.maxDrivers", "0", "^must be positive$"),
        ("spark.deploy.maxDrivers", "-1", "^must be positive$"),
        ("spark.worker.timeout", "0s", "^must be positive$"),
        ("spark.worker.timeout", "1m", "1m"),
        ("spark.deploy.workerSelectionPolicy", "x", f"^expected one of {', '.join(SELECTION_POLICIES)}$"),
        ("schedlab.spark.ties", "Registration", "^expected one of worker-id, registration$"),
    ],
)
def test_a_master_refuses_what_is_none(key: str, text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        SPARK.whole[key].kind.read(text, None)
