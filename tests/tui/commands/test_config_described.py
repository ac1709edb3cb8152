"""Configuration files as text, from listings made by hand."""

from typing import Any

import msgspec
import pytest

from engine.errors import Problem
from engine.formats.allocation_listing import AllocationListing, EffectiveValue, QueueListing
from engine.formats.capacity_listing import CapacityListing, EraDifference, OtherEra
from engine.formats.configuration_files import ConfigurationListing
from engine.formats.finding import Finding
from engine.formats.topology_table import RackTable
from tui.commands.config_text import described

PREFIX = "yarn.scheduler.capacity."
BARE = ConfigurationListing("3.4", (), None, "", None, None, (), 0, None, ())


def lines(**changes: Any) -> list[str]:
    """What is said of a listing, without its last line."""
    *found, last = described(msgspec.structs.replace(BARE, **changes))
    assert last == "no warnings"
    return found


def value(name: str, text: str = "1", origin: str = "a.xml:1") -> EffectiveValue:
    """One value."""
    return EffectiveValue(name, text, origin)


def queue(path: str, *values: EffectiveValue, parent: bool = False, place: str = "a.xml:2") -> QueueListing:
    """One queue."""
    return QueueListing(path, parent, place, values)


def capacity(*queues: QueueListing, settings: tuple[EffectiveValue, ...] = (), rules: tuple[str, ...] = ()) -> Any:
    """What a capacity scheduler makes of it."""
    return CapacityListing(queues, settings, rules)


def rows(*values: EffectiveValue, files: tuple[str, ...] = ()) -> list[str]:
    """How values are written; a first one keeps them from being told as all default."""
    return lines(settings=values, files=files)[1:-1]


def test_nothing_is_said_of_nothing() -> None:
    """But that there is nothing to warn of."""
    assert lines() == []


@pytest.mark.parametrize(
    ("files", "legend"),
    [
        (("a.xml",), []),
        (("x/a.xml",), ["a.xml is x/a.xml", ""]),
        (("x/a.xml", "b.xml", "y/c.xml"), ["a.xml is x/a.xml", "c.xml is y/c.xml", ""]),
        (("x/a.xml", "y/a.xml"), []),
        (("x/a.xml", "y/a.xml", "z/b.xml"), ["b.xml is z/b.xml", ""]),
    ],
)
def test_files_are_named_without_folders_where_that_leaves_no_doubt(files: tuple[str, ...], legend: list[str]) -> None:
    """And the top tells which they are."""
    assert lines(files=files) == legend


@pytest.mark.parametrize(("others", "more"), [(0, []), (1, ["  and 1 key of others"]), (2, ["  and 2 keys of others"])])
def test_keys_of_others_are_counted_below_the_settings(others: int, more: list[str]) -> None:
    """None is not told."""
    assert lines(settings=(value("key"),), other_keys=others) == ["Settings", "  key  1  a.xml:1", *more, ""]
    default = value("key", origin="default")
    assert lines(settings=(default,), other_keys=others) == [
        "Settings", "  none is stated; --json lists the defaults", *more, "",
    ]  # fmt: skip


def test_values_stand_in_columns_as_wide_as_the_widest() -> None:
    """A name takes 30 at most, a value 12; what lies beyond pushes the rest on."""
    short = [value("a", "1"), value("bcd", "1234")]
    name, text = "n" * 31, "t" * 13

    assert rows(*short) == ["  a    1     a.xml:1", "  bcd  1234  a.xml:1"]
    assert rows(value("a"), value("n" * 30)) == [f"  a{' ' * 29}  1  a.xml:1", f"  {'n' * 30}  1  a.xml:1"]
    assert rows(value("a"), value(name)) == [f"  a{' ' * 29}  1  a.xml:1", f"  {name}  1  a.xml:1"]
    assert rows(value("a"), value("b", "t" * 12)) == [f"  a  1{' ' * 11}  a.xml:1", f"  b  {'t' * 12}  a.xml:1"]
    assert rows(value("a"), value("b", text)) == [f"  a  1{' ' * 11}  a.xml:1", f"  b  {text}  a.xml:1"]


@pytest.mark.parametrize(
    ("origin", "is_stated"),
    [
        ("a.xml:1", True),
        ("a.xml:10", True),
        ("computed", True),
        ("from a.xml:3", True),
        ("default", False),
        ("from root", False),
    ],
)
def test_a_value_is_stated_where_a_line_or_a_computation_gives_it(origin: str, is_stated: bool) -> None:
    """Others are put together below; those that are empty are left out there."""
    found = rows(value("key", origin=origin), value("first"), value("none", "", "default"))

    assert found == (
        [f"  key    1  {origin}", "  first  1  a.xml:1"]
        if is_stated
        else ["  first  1  a.xml:1", "  by default: key=1"]
    )


def test_defaults_share_a_paragraph() -> None:
    """Its lines go on a little further in; a class is named without its package."""
    many = [value(f"some-key-{number}", "org.apache.hadoop.x.Y", "default") for number in range(6)]
    found = rows(value("a"), *many)

    assert found[1:] == [
        "  by default: some-key-0=Y, some-key-1=Y, some-key-2=Y, some-key-3=Y,",
        "    some-key-4=Y, some-key-5=Y",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("org.apache.hadoop.x.Y", "Y"),
        ("org.apache.hadoop.x.Y,org.apache.hadoop.x.Z", "org.apache.hadoop.x.Y,org.apache.hadoop.x.Z"),
        ("org.example.x.Y", "org.example.x.Y"),
        ("1.5", "1.5"),
    ],
)
def test_a_class_of_hadoop_is_named_without_its_package(text: str, shown: str) -> None:
    """One alone."""
    assert rows(value("a", text)) == [f"  a  {shown}  a.xml:1"]


@pytest.mark.parametrize("width", [79, 80, 81])
def test_an_origin_that_does_not_fit_has_a_line_of_its_own(width: int) -> None:
    """80 columns fit."""
    text = "t" * (width - len("  a    a.xml:1"))

    assert rows(value("a", text)) == ([f"  a  {text}  a.xml:1"] if width <= 80 else [f"  a  {text}", "      a.xml:1"])


def test_a_list_that_does_not_fit_is_broken_behind_commas() -> None:
    """Going on at the sixth column; the name keeps its own indentation."""
    text = ",".join(["somebody"] * 10)
    first, second, origin = rows(value("  a", text))

    assert first == f"    a  {', '.join(['somebody'] * 7)},"
    assert (second, origin) == (f"      {', '.join(['somebody'] * 3)}", "      a.xml:1")


def test_origins_name_files_and_keys_in_short() -> None:
    """Without folder and prefix."""
    assert rows(value("a", origin=f"from {PREFIX}root.x/a.xml:3"), files=()) == ["  a  1  from root.x/a.xml:3"]
    found = lines(settings=(value("a", origin="x/a.xml:3"),), files=("x/a.xml",))
    assert found[2:4] == ["Settings", "  a  1  a.xml:3"]


def test_a_queue_has_its_kind_and_place_above_its_values() -> None:
    """A blank line behind each."""
    root, leaf = queue("root", value("a"), parent=True), queue("root.x", value("b"), place="implied")

    assert lines(capacity=capacity(root, leaf)) == [
        "Capacity scheduler of Hadoop 3.4: 2 queues",
        "",
        "root  (parent, a.xml:2)",
        "  a  1  a.xml:1",
        "",
        "root.x  (leaf, implied)",
        "  b  1  a.xml:1",
        "",
        "Of the whole scheduler",
        "",
    ]


def test_queue_mappings_are_numbered() -> None:
    """Below the settings of the whole scheduler."""
    found = lines(capacity=capacity(settings=(value("a"),), rules=("first", "second")))

    assert found[2:] == [
        "Of the whole scheduler", "  a  1  a.xml:1", "", "Queue mappings", "  1. first", "  2. second", "",
    ]  # fmt: skip


def allocation(**changes: Any) -> AllocationListing:
    """What the fair scheduler makes of a file."""
    queues = (queue("root", parent=True, place="implied"), queue("root.default", place="default"), queue("root.x"))
    found = AllocationListing(queues, (value("d"),), (), ("a rule",), "x/fs.xml:9", ())
    return msgspec.structs.replace(found, **changes)


@pytest.mark.parametrize(
    ("not_made", "counted"),
    [
        ((), "3 queues"),
        (("root.y",), "3 queues; 1 of 2 queues of the file not made"),
        (("root.y", "root.z"), "3 queues; 2 of 3 queues of the file not made"),
    ],
)
def test_queues_of_an_allocation_file_are_counted(not_made: tuple[str, ...], counted: str) -> None:
    """Those that the file names, where some are not made."""
    found = lines(allocation=allocation(not_made=not_made), allocation_file="fs.xml")

    assert found[:2] == [f"fs.xml as Hadoop 3.4 reads it: {counted}", ""]


def test_an_allocation_file_has_defaults_users_and_placement_rules() -> None:
    """With where the rules stand; long ones go on below their words."""
    rule = " ".join(["word"] * 16)
    found = lines(
        allocation=allocation(queues=(), users=(value("ann"),), rules=("short", rule)),
        allocation_file="x/fs.xml",
        files=("x/fs.xml",),
    )

    assert found[2:] == [
        "fs.xml as Hadoop 3.4 reads it: 0 queues", "",
        "Defaults", "  d  1  a.xml:1", "",
        "Most running applications of single users", "  ann  1  a.xml:1", "",
        "Placement rules  (fs.xml:9)", "  1. short", f"  2. {' '.join(['word'] * 15)}", "     word", "",
    ]  # fmt: skip


def test_without_limits_of_users_none_are_told() -> None:
    """Rules follow defaults."""
    found = lines(allocation=allocation(queues=()), allocation_file="fs.xml")

    assert found[2:6] == ["Defaults", "  d  1  a.xml:1", "", "Placement rules  (x/fs.xml:9)"]


QUEUES = tuple(queue(f"root.{name}") for name in "abcdefgh")


@pytest.mark.parametrize(
    ("count", "where"),
    [
        (0, ""),
        (1, " (q0)"),
        (6, " (q0, q1, q2, q3, q4, q5)"),
        (7, " (q0, q1, q2, q3, q4, q5, 1 more)"),
        (8, " (every queue)"),
    ],
)
def test_a_difference_names_up_to_six_queues(count: int, where: str) -> None:
    """The rest is counted; all are called so."""
    one = EraDifference("key", "1", "", tuple(f"q{number}" for number in range(count)))
    found = lines(capacity=capacity(*QUEUES), other_era=OtherEra("2.7", (), (one,)))

    assert found[-3:] == ["Otherwise in Hadoop 2.7", f"  key nothing instead of 1{where}", ""]


def test_the_other_release_is_told_of_only_where_it_differs() -> None:
    """Or where it was not compared; with a capacity scheduler."""
    same, uncompared = OtherEra("2.7", (), ()), OtherEra("2.7", (), (), is_compared=False)
    plain = lines(capacity=capacity())

    assert lines(capacity=capacity(), other_era=same) == plain
    assert lines(other_era=uncompared) == []
    assert lines(capacity=capacity(), other_era=uncompared)[len(plain) :] == [
        "Not compared with Hadoop 2.7: too many queues; --era 2.7 reads them as it does",
        "",
    ]


def test_the_topology_is_a_line_for_each_host() -> None:
    """With its rack and line."""
    table = RackTable({"n1": "/r1", "n2": "/r2"}, {"n1": 1, "n2": 4}, ())

    assert lines(topology=table) == ["Topology", "  n1  /r1  line 1", "  n2  /r2  line 4", ""]


@pytest.mark.parametrize(
    ("problem", "head", "words"),
    [
        (Problem("wrong", "x/a.xml", 3, f"{PREFIX}root.a"), "  a.xml:3  root.a", "      wrong"),
        (Problem("wrong", "x/a.xml", 0, "key"), "  a.xml  key", "      wrong"),
        (Problem("wrong", "x/a.xml", 1), "  a.xml:1", "      wrong"),
        (Problem(f"wrong {PREFIX}b in x/a.xml", "b", 0, "k", "set it"), "  b  k", "      wrong b in a.xml (set it)"),
    ],
)
def test_a_warning_has_a_place_and_words(problem: Problem, head: str, words: str) -> None:
    """They are counted above, and have a source below where a rule gave them."""
    listing = msgspec.structs.replace(BARE, files=("x/a.xml",), warnings=(problem,))
    sourced = msgspec.structs.replace(listing, findings=(Finding("rule", "Some#where", problem),))

    assert described(listing)[2:] == ["1 warning", head, words]
    assert described(sourced)[2:] == ["1 warning", head, words, "      Source: Some#where"]
