"""Problems read as sentences with a place; errors carry what callers need."""

import pytest

from engine.errors import (
    Problem,
    nearest,
    quoted,
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


@pytest.mark.parametrize(
    ("value", "text"),
    [("a" * 80, repr("a" * 80)), ("a" * 81, repr("a" * 66 + "..." + "a" * 11)), (1.5, "1.5")],
)
def test_a_value_is_quoted_up_to_a_length(value: object, text: str) -> None:
    assert quoted(value) == text


def test_a_problem_of_any_length_reads_as_one_bounded_sentence() -> None:
    """Names, keys and messages of a file are cut, so that no message fills a screen."""
    assert len(str(Problem("m" * 10_000, "f" * 10_000, 1, "k" * 10_000, "h" * 10_000))) < 1_100
