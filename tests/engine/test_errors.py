"""Problems read as sentences with a place; errors carry what callers need."""

import pytest

from engine.errors import ConfigError, EngineError, InvariantError, Problem, RefusedError


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
    """What is not known is left out together with its punctuation."""
    assert str(problem) == text


def test_a_config_error_carries_every_problem() -> None:
    """All problems are reported at once, one per line, in the order found."""
    error = ConfigError(iter([Problem("first"), Problem("second", key="k")]))

    assert error.problems == (Problem("first"), Problem("second", key="k"))
    assert str(error) == "first\nk: second"


def test_a_refusal_without_words_is_named_by_its_kind() -> None:
    """The kind is the real exception's name, the message what it would say."""
    silent, spoken = RefusedError("APP_REJECTED"), RefusedError("APP_REJECTED", "queue is full")

    assert (silent.kind, str(silent)) == ("APP_REJECTED", "APP_REJECTED")
    assert (spoken.kind, str(spoken)) == ("APP_REJECTED", "queue is full")


@pytest.mark.parametrize("kind", [ConfigError, RefusedError, InvariantError])
def test_every_error_of_ours_is_an_engine_error(kind: type[Exception]) -> None:
    """A caller at the edge can catch them all by one name."""
    assert issubclass(kind, EngineError)
