"""A table of settings: keys, defaults, values, what is listed and explained."""

from collections.abc import Callable

import pytest

from engine.settings.capacity import CAPACITY_27, CAPACITY_34, capacity_table
from engine.settings.fair import FAIR_27, FAIR_34, fair_table
from engine.settings.kind import FLAG, INTEGER
from engine.settings.mapreduce1 import WHOLE
from engine.settings.mapreduce1_capacity import CAPACITY_TASKS, MOST_JOBS, USER_LIMIT, USER_LIMIT_OF_ALL
from engine.settings.site import YARN_27, YARN_34, yarn_table
from engine.settings.table import Key, SettingEntry, SettingHelp, SettingTable

SIZE = Key[int]("size", "x.")
WIDTH = Key[int]("y.width")
IS_ON = Key[bool]("y.on")
HIDDEN = Key[str]("y.hidden")
HELP = SettingHelp("5", "how large")
TABLE = SettingTable(
    "table",
    (
        SettingEntry(SIZE, "1", "A number.", kind=INTEGER),
        SettingEntry(WIDTH, "3", "A number.", kind=INTEGER),
        SettingEntry(IS_ON, "", "Whether.", kind=FLAG),
        SettingEntry(HIDDEN, "h", "A text.", listed=False),
    ),
    (
        SettingEntry(SIZE, "2", "A number.", kind=INTEGER, help=HELP),
        SettingEntry(Key[str]("name", "x."), "n", "A text."),
    ),
    live=(Key[str]("name", "x."), SIZE),
    families=("user.", "label."),
)


def test_a_key_is_spelt_for_the_whole_for_a_queue_and_for_a_partition_of_it() -> None:
    """And is called by its name."""
    assert (SIZE.everywhere, SIZE.of("root.a"), str(SIZE)) == ("x.size", "x.root.a.size", "size")
    assert SIZE.of("root.a", "gpu") == "x.root.a.accessible-node-labels.gpu.size"


def test_a_default_of_a_queue_may_differ_from_that_of_the_whole() -> None:
    """Each is read from its own text; a boolean without one is false."""
    assert (TABLE.default(SIZE), TABLE.queue_default(SIZE)) == (1, 2)
    assert (TABLE.queue_default(SIZE), TABLE.default(SIZE)) == (2, 1)
    assert TABLE.default(IS_ON) is False


@pytest.mark.parametrize(("values", "value"), [({}, 3), ({"y.width": "7"}, 7), ({"width": "7"}, 3)])
def test_a_value_is_that_of_the_whole_key(values: dict[str, str], value: int) -> None:
    """Else the default."""
    assert TABLE.value(values, WIDTH) == value


def test_a_text_that_means_nothing_is_the_default() -> None:
    """Of a boolean."""
    assert TABLE.value({"y.on": "perhaps"}, IS_ON) is False


@pytest.mark.parametrize(
    ("name", "is_read"),
    [("size", True), ("name", True), ("user.ann", True), ("label.gpu.size", True), ("user", False), ("y.width", False)],
)
def test_names_of_queues_are_read_by_name_or_by_family(name: str, *, is_read: bool) -> None:
    """Those of the whole are none of them."""
    assert TABLE.reads(name) == is_read


def test_what_is_listed_has_no_prefix_of_a_scheduler() -> None:
    """With its default; some are not listed."""
    assert TABLE.listed() == {"y.width": "3", "y.on": ""}


def test_what_changes_is_explained_where_there_are_words() -> None:
    """By name."""
    assert (TABLE.name, TABLE.live, TABLE.helps()) == ("table", ("name", "size"), {"size": HELP})


@pytest.mark.parametrize(("shown", "words"), [(None, "5"), ("", ""), ("any", "any")])
def test_a_default_is_printed_in_words_where_it_has_some(shown: str | None, words: str) -> None:
    """Else as its text."""
    assert SettingEntry(WIDTH, "5", "A number.", shown=shown).effective_default == words


@pytest.mark.parametrize(
    ("table_of", "old", "new"),
    [(capacity_table, CAPACITY_27, CAPACITY_34), (fair_table, FAIR_27, FAIR_34), (yarn_table, YARN_27, YARN_34)],
)
def test_each_release_has_its_table(table_of: Callable[[str], SettingTable], old: object, new: object) -> None:
    """Two of them."""
    assert (table_of("2.7"), table_of("3.4")) == (old, new)


def test_an_entry_of_mapreduce_1_has_its_source_and_its_bounds() -> None:
    """And what holds for all queues."""
    words = "The most jobs that are initialized in all queues."

    assert CAPACITY_TASKS.whole[MOST_JOBS.everywhere] == SettingEntry(
        MOST_JOBS, "5000", words, "jobs", WHOLE, "at least 1", source="CapacitySchedulerConf"
    )
    assert CAPACITY_TASKS.queue[USER_LIMIT.name].wider == USER_LIMIT_OF_ALL
