"""Bounds of JSON answers, their forms, and what is said of those that are not understood."""

from collections.abc import Callable

import pytest

from engine.live import yarn_answers as json_answers
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


def test_nesting_without_end_is_refused() -> None:
    body = b"[" * 100_000
    for reader in READERS:
        with pytest.raises(AnswerError):
            reader(body)


def test_values_are_counted_by_commas_and_brackets_of_all_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as there may be are taken, one more is not; each kind of mark counts once."""
    monkeypatch.setattr(json_answers, "PIECE", 4)
    body = b"[{}, {}, [1, 2, 3]]"
    assert len(read(body, list[object], 8)) == 3

    with pytest.raises(AnswerError, match=r"^more than 7 values$"):
        read(body, list[object], 7)


@pytest.mark.parametrize(
    ("body", "is_taken"),
    [
        (b" " * 8 + b'""', True),
        (b'"' + b"x" * 18 + b'"', True),
        (b'"' + b"x" * 18 + b'" ', True),
        (b'"' + b"x" * 19 + b'"', False),
        (b" " * 9 + b'"' + b"x" * 8 + b'"', True),
        (b" " * 10 + b'""', False),
    ],
)
def test_a_stretch_without_a_quotation_mark_is_bounded(
    monkeypatch: pytest.MonkeyPatch, body: bytes, *, is_taken: bool
) -> None:
    """Each stretch of ten bytes has one where more than ten are left; what is left may have none."""
    monkeypatch.setattr(json_answers, "LONGEST_TEXT", 10)

    if is_taken:
        assert read(body, str) == body.decode().strip()[1:-1]
    else:
        with pytest.raises(AnswerError, match=r"^a text of more than half a megabyte$"):
            read(body, str)
