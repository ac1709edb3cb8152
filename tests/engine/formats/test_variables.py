"""Variables of configuration files: what is put in their place, and what is said of those that are left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.hadoop_configuration import MAX_SUBSTITUTIONS, Variables

RAW = {"a": "1", "b": "${a}${a}", "self": "x${self}", "one": "${two}", "two": "${one}", "fs.defaultFS": "hdfs", "e": ""}
GIVEN = {"user.name": "ann", "env.HOME": "/h", "env.EMPTY": ""}
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
    text = "${a}" * count
    assert Variables(RAW, {}, "2.7").replaced(text) == ("1" * count if count < MAX_SUBSTITUTIONS else None)
