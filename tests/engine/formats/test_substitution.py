"""Variables in values, as the classes of 2.7.2 and 3.4.1 answered."""

import pytest

from engine.formats.hadoop_configuration import Variables

RAW = {"b": "${c}", "c": "7", "self": "${self}", "hop": "a${hop}", "t": "${u}", "u": "${t}", "big": "x" * 500_000}
GIVEN = {"env.SET": "ea", "env.EMPTY": "", "b.prop": "p", "c.prop": "p"}


def replaced(text: str, era: str) -> str | None:
    return Variables({**RAW, "c.prop": "of the file"}, GIVEN, era).replaced(text)


@pytest.mark.parametrize("era", ["2.7", "3.4"])
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${c}", "7"),
        ("x${c}y${b}z", "x7y7z"),
        ("$${c}", "$7"),
        ("${x${c}", "${x7"),
        ("${${c}}", "${7}"),
        ("${c}}", "7}"),
        ("$b ${ c} ${c ${}", "$b ${ c} ${c ${}"),
        ("${none}${c}", "${none}${c}"),
        ("${c}" * 19, "7" * 19),
        ("${c}" * 20, None),
        ("${t}", None),
        ("${big}${big}${big}", None),
        ("${c.prop}${b.prop}", "pp"),
        ("${java.io.tmpdir}${file.separator}x", "/tmp/x"),
        ("${env.NONE}", "${env.NONE}"),
        ("${env.}", "${env.}"),
    ],
)
def test_both_releases_replace_alike(era: str, text: str, value: str | None) -> None:
    """One at a time from the left, at most 19; one without a value ends it; Java's properties go before the file."""
    assert replaced(text, era) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${env.SET}", "ea"),
        ("${env.SET:-x}", "ea"),
        ("${env.NONE:-x}", "x"),
        ("${env.NONE-x}", "x"),
        ("${env.EMPTY:-x}", "x"),
        ("${env.EMPTY-x}", ""),
        ("${env.NONE:-}", ""),
        ("${env.NONE-}", ""),
        ("${env.SET-b:-c}", "ea"),
        ("${env.a-b:-c}", "b:-c"),
        ("${env.:-x}", "x"),
        ("${env.NONE:-${c}}", "7"),
        ("${env.NONE:-x y}", "${env.NONE:-x y}"),
    ],
)
def test_only_hadoop_3_reads_the_environment(text: str, value: str) -> None:
    """`:-` stands in for what is not set or empty, `-` only for what is not set; 2.7 leaves all of it."""
    assert replaced(text, "3.4") == value
    assert replaced(text, "2.7") == text.replace("${c}", "7")


@pytest.mark.parametrize(
    ("text", "value"), [("${self}", "${self}"), ("1${hop}", "1${hop}"), ("${b}${hop}", "${b}${hop}")]
)
def test_a_variable_that_leads_to_itself_at_once(text: str, value: str) -> None:
    assert replaced(text, "2.7") is None
    assert replaced(text, "3.4") == value


@pytest.mark.parametrize(
    ("text", "era", "said"),
    [
        ("7", "2.7", ("", "")),
        (
            "${user.home}/x",
            "2.7",
            (
                "${user.home} is a property of the server's Java, not known here, and stays as it is",
                "-D user.home=VALUE gives it one",
            ),
        ),
        ("${env.A:-b}", "2.7", ("${env.A:-b} stays as it is", "Hadoop reads the environment from 3.0 on")),
        (
            "${env.A}",
            "3.4",
            (
                "${env.A} is the environment of the server, not known here, and stays as it is",
                "-D env.A=VALUE gives it one",
            ),
        ),
        ("${hdp}", "3.4", ("${hdp} has no value here and stays as it is", "-D hdp=VALUE gives it one")),
    ],
)
def test_what_is_left_is_said(text: str, era: str, said: tuple[str, str]) -> None:
    assert Variables({}, {}, era).left(text) == said
