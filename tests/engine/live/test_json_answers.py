"""Bounds of JSON answers, their forms, and what is said of those that are not understood."""

from collections.abc import Callable

import pytest

from engine.live.yarn_answers import AnswerError, Instant, Large, Whole, read, read_objects

READERS: tuple[Callable[[bytes], int], ...] = (
    lambda body: read(body, int),
    lambda body: read_objects(body, int, dict),
)


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [(Whole, -(2**45), 2**45), (Large, -(2**63), 2**63 - 1), (Instant, -1, 32_503_680_000_000)],
)
def test_a_number_is_taken_up_to_its_bounds(kind: type[int], least: int, most: int) -> None:
    assert (read(str(least).encode(), kind), read(str(most).encode(), kind)) == (least, most)
    for beyond in (least - 1, most + 1):
        with pytest.raises(AnswerError):
            read(str(beyond).encode(), kind)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"  ", "an empty answer ("),
        (b" <?xml version", "XML instead of JSON ("),
        (b"<html>", "an HTML page instead of JSON, as of a login ("),
        (b"nothing " * 20, f"something else than was asked for: {('nothing ' * 10).strip()!r} ("),
        (b"\xff", "something else than was asked for: '\N{REPLACEMENT CHARACTER}' ("),
    ],
)
def test_what_is_not_understood_is_said_and_quoted_from_its_beginning(body: bytes, words: str) -> None:
    for reader in READERS:
        with pytest.raises(AnswerError) as caught:
            reader(body)
        assert str(caught.value).startswith(words)
