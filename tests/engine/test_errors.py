"""Problems read as sentences with a place; errors carry what callers need."""

import pytest

from engine.errors import (
    ConfigError,
    EngineError,
    InvariantError,
    Problem,
    Problems,
    RefusedError,
    alike,
    listed,
    nearest,
    quoted,
    shortened,
)


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("no such queue"), "no such queue"),
        (Problem("no such queue", file="a.toml"), "a.toml: no such queue"),
        (Problem("no such queue", file="a.toml", line=3), "a.toml:3: no such queue"),
        (Problem("no such queue", line=3), "no such queue"),
        (
            Problem("unknown", key="cluster.nods", hint="did you mean nodes?"),
            "cluster.nods: unknown (did you mean nodes?)",
        ),
        (
            Problem("too big", file="a.toml", line=3, key="am", hint="at most 64000"),
            "a.toml:3: am: too big (at most 64000)",
        ),
    ],
)
def test_a_problem_reads_as_place_key_message_hint(problem: Problem, text: str) -> None:
    assert str(problem) == text


def test_a_config_error_carries_every_problem() -> None:
    error = ConfigError(iter([Problem("first"), Problem("second", key="k")]))

    assert error.problems == (Problem("first"), Problem("second", key="k"))
    assert str(error) == "first\nk: second"


def test_a_refusal_without_words_is_named_by_its_kind() -> None:
    silent, spoken = RefusedError("APP_REJECTED"), RefusedError("APP_REJECTED", "queue is full")

    assert (silent.kind, str(silent)) == ("APP_REJECTED", "APP_REJECTED")
    assert (spoken.kind, str(spoken)) == ("APP_REJECTED", "queue is full")


@pytest.mark.parametrize("kind", [ConfigError, RefusedError, InvariantError])
def test_every_error_of_ours_is_an_engine_error(kind: type[Exception]) -> None:
    assert issubclass(kind, EngineError)


def test_all_problems_are_raised_together() -> None:
    problems = Problems("f.xml")
    problems.add("bad", line=3, key="a")
    problems.add("worse", hint="mend it")

    with pytest.raises(ConfigError) as caught:
        problems.check()

    assert caught.value.problems == (Problem("bad", "f.xml", 3, "a"), Problem("worse", "f.xml", hint="mend it"))


def test_warnings_do_not_refuse() -> None:
    problems = Problems("f.xml")
    problems.warn("odd", line=1)

    problems.check()

    assert problems.warnings == [Problem("odd", "f.xml", 1)]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("maxRuningApps", "did you mean maxRunningApps?"),
        ("MAXRUNNINGAPPS", "did you mean maxRunningApps?"),
        ("wieght", "did you mean weight?"),
        ("zzz", ""),
    ],
)
def test_the_nearest_valid_name_is_hinted_at(name: str, hint: str) -> None:
    assert nearest(name, ["weight", "maxRunningApps"]) == hint


def test_so_many_names_alike_are_answered_in_order() -> None:
    assert alike("weigh", ["height", "weight", "weights"], 2) == ["weight", "weights"]


def test_a_long_list_of_problems_is_counted() -> None:
    lines = listed([Problem(str(number)) for number in range(51)])

    assert lines == [*(str(number) for number in range(50)), "and 1 more"]
    assert listed([Problem("x")] * 50) == ["x"] * 50


@pytest.mark.parametrize(
    ("value", "text"),
    [("a" * 80, repr("a" * 80)), ("a" * 81, repr("a" * 66 + "..." + "a" * 11)), (1.5, "1.5")],
)
def test_a_value_is_quoted_up_to_a_length(value: object, text: str) -> None:
    assert quoted(value) == text


def test_a_number_that_python_does_not_write_out_is_quoted() -> None:
    """A number of thousands of digits is named by its size, also inside a list."""
    assert quoted(10**5000) == "a number of more than 300 digits"
    assert quoted([10**5000]) == "[a number of more than 300 digits]"


def test_a_text_of_the_longest_length_is_not_shortened() -> None:
    assert (shortened("abcdefghij", 10), shortened("abcdefghijk", 10)) == ("abcdefghij", "abcdef...k")


def test_a_problem_of_any_length_reads_as_one_bounded_sentence() -> None:
    """Names, keys and messages of a file are cut, so that no message fills a screen."""
    assert len(str(Problem("m" * 10_000, "f" * 10_000, 1, "k" * 10_000, "h" * 10_000))) < 1_100
