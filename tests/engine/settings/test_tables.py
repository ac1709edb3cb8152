"""Tables of settings: what each entry has to be."""

import ast
import re
from collections import Counter
from math import inf
from pathlib import Path
from typing import Final

import pytest

import engine.settings
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.mapreduce1 import CAPACITY_TASKS, FAIR_TASKS, JOB_TRACKER, MAP_ATTEMPTS
from engine.settings.site import YARN_27, YARN_34
from engine.settings.spark import SPARK
from engine.settings.table import Key, SettingEntry

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
