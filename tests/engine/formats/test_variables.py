"""Variables of configuration files: what is put in their place, and what is said of those that are left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.substitution import MAX_SUBSTITUTIONS, Variables, new_name

RAW = {"a": "1", "b": "${a}${a}", "self": "x${self}", "one": "${two}", "two": "${one}", "fs.defaultFS": "hdfs", "e": ""}
GIVEN = {"user.name": "ann", "env.HOME": "/h", "env.EMPTY": ""}
STAYS = "and stays as it is"
REPLACED = [
    ("${a}", "1", "1"),
    ("x${b}y", "x11y", "x11y"),
    ("${a} ${none} ${a}", "1 ${none} ${a}", "1 ${none} ${a}"),
    ("${e}", "", ""),
    ("${}", "${}", "${}"),
    ("${a b}", "${a b}", "${a b}"),
    ("$a", "$a", "$a"),
    ("${self}", None, "${self}"),
    ("${a}${self}", None, "${a}${self}"),
    ("${one}", None, None),
    ("${user.name}", "ann", "ann"),
    ("${os.name}", "Linux", "Linux"),
    ("${fs.default.name}", "hdfs", "hdfs"),
    ("${env.HOME}", "${env.HOME}", "/h"),
    ("${env.NONE}", "${env.NONE}", "${env.NONE}"),
    ("${env.NONE:-d}", "${env.NONE:-d}", "d"),
    ("${env.NONE-d}", "${env.NONE-d}", "d"),
    ("${env.EMPTY:-d}", "${env.EMPTY:-d}", "d"),
    ("${env.EMPTY-d}", "${env.EMPTY-d}", ""),
    ("${env.HOME:-d}", "${env.HOME:-d}", "/h"),
    ("${env.}", "${env.}", "${env.}"),
]


@pytest.mark.parametrize(("text", "in_27", "in_34"), REPLACED)
def test_a_variable_is_replaced_by_what_the_release_knows(text: str, in_27: str | None, in_34: str | None) -> None:
    """The machine before the files; 2.7 has no environment and goes round until it gives up."""
    found = [Variables(RAW, GIVEN, era).replaced(text) for era in ("2.7", "3.4")]
    assert found == [in_27, in_34]


@given(st.integers(0, 25))
def test_twenty_rounds_are_enough_or_it_is_an_error(count: int) -> None:
    """The last one finds nothing more to replace."""
    text = "${a}" * count
    assert Variables(RAW, {}, "2.7").replaced(text) == ("1" * count if count < MAX_SUBSTITUTIONS else None)


@pytest.mark.parametrize(("length", "is_refused"), [(1_000_000, False), (1_000_001, True)])
def test_a_value_has_a_million_characters(length: int, is_refused: bool) -> None:
    """More are refused as a value that does not end."""
    found = Variables({"a": "x" * length}, {}, "3.4").replaced("${a}")
    assert (found is None) == is_refused


LEFT = [
    ("x", "2.7", ("", "")),
    ("${none}", "2.7", ("${none} has no value here " + STAYS, "-D none=VALUE gives it one")),
    (
        "${java.home}",
        "3.4",
        (
            "${java.home} is a property of the server's Java, not known here, " + STAYS,
            "-D java.home=VALUE gives it one",
        ),
    ),
    ("${env.X}", "2.7", ("${env.X} stays as it is", "Hadoop reads the environment from 3.0 on")),
    (
        "${env.X:-}",
        "3.4",
        (
            "${env.X:-} is the environment of the server, not known here, " + STAYS,
            "-D env.X=VALUE gives it one",
        ),
    ),
]


@pytest.mark.parametrize(("text", "era", "words"), LEFT)
def test_a_variable_that_is_left_is_said_with_a_way_out(text: str, era: str, words: tuple[str, str]) -> None:
    """The first of them."""
    assert Variables(RAW, GIVEN, era).left(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("${a}", ""),
        ("${env.HOME:-d}", ""),
        ("${env.X}", ""),
        ("${a}${env.X-d}", "X of the server's environment is not known here: 'd'"),
        ("${env.X:-a-b}", "X of the server's environment is not known here: 'a-b'"),
    ],
)
def test_a_default_that_counts_is_said(text: str, words: str) -> None:
    """Where the environment is read and not given."""
    assert Variables(RAW, GIVEN, "3.4").assumed(text) == words
    assert Variables(RAW, GIVEN, "2.7").assumed(text) == ""


def test_old_names_are_read_under_the_new_ones() -> None:
    """Some only by 3.4."""
    names = ("fs.default.name", "yarn.resourcemanager.zk-acl", "yarn.x")
    assert [new_name(name, "2.7") for name in names] == ["fs.defaultFS", *names[1:]]
    assert [new_name(name, "3.4") for name in names] == ["fs.defaultFS", "hadoop.zk.acl", "yarn.x"]
