"""Bounds of JSON answers, their forms, and what is said of those that are not understood."""

from collections.abc import Callable

import msgspec
import pytest

from engine.live import json_answers
from engine.live.json_answers import AnswerError, Instant, Large, Percent, Whole, many, read, read_each, read_objects

READERS: tuple[Callable[[bytes], int], ...] = (
    lambda body: read(body, int),
    lambda body: read_objects(body, int, dict),
)


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [(Whole, -(2**45), 2**45), (Large, -(2**63), 2**63 - 1), (Instant, -1, 32_503_680_000_000)],
)
def test_a_number_is_taken_up_to_its_bounds(kind: type[int], least: int, most: int) -> None:
    """One beyond is refused."""
    assert (read(str(least).encode(), kind), read(str(most).encode(), kind)) == (least, most)
    for beyond in (least - 1, most + 1):
        with pytest.raises(AnswerError):
            read(str(beyond).encode(), kind)


@pytest.mark.parametrize(("text", "is_taken"), [("1e9", True), ("-1e9", True), ("1000000001", False), ("-2e9", False)])
def test_a_percentage_is_bounded_too(text: str, *, is_taken: bool) -> None:
    """A server may say more than 100 of a queue that borrows."""
    if is_taken:
        assert read(text.encode(), Percent) == float(text)
    else:
        with pytest.raises(AnswerError):
            read(text.encode(), Percent)


@pytest.mark.parametrize(
    ("body", "found"), [(b"null", ()), (b"[]", ()), (b"[1, 2]", (1, 2)), (b"3", (3,)), (b'"4"', (4,))]
)
def test_the_items_of_a_collection_are_read_in_every_form(body: bytes, found: tuple[int, ...]) -> None:
    """Nothing, a list, one item without its list; numbers may be quoted."""
    assert read_each(msgspec.Raw(body), int) == found


def test_an_item_that_is_something_else_is_quoted() -> None:
    """So many characters of the collection."""
    body = b'["' + b"x" * 200 + b'"]'
    with pytest.raises(AnswerError, match=r"^something else than was asked for: '\[\"x{78}' \("):
        read_each(msgspec.Raw(body), int)


@pytest.mark.parametrize(
    ("value", "found"), [(None, ()), ((1, 2), (1, 2)), ([1], [1]), (5, (5,)), ("text", ("text",)), (0, (0,))]
)
def test_a_value_is_a_collection_in_any_of_its_forms(value: object, found: object) -> None:
    """A text is one item."""
    assert many(value) == found


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
    """At most 80 characters of it, by both readers."""
    for reader in READERS:
        with pytest.raises(AnswerError) as caught:
            reader(body)
        assert str(caught.value).startswith(words)


def test_nesting_without_end_is_refused() -> None:
    """By both readers."""
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


def test_an_answer_no_longer_than_its_values_is_not_counted() -> None:
    """It cannot have more."""
    assert read(b"[[[]]]", list[object], 6) == [[[]]]


def test_objects_whose_every_value_is_kept_are_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """By their own bound."""
    monkeypatch.setattr(json_answers, "MOST_OBJECTS", 4)
    assert read_objects(b'{"a": [1, 2, 3]}', dict[str, list[int]], dict) == {"a": [1, 2, 3]}

    with pytest.raises(AnswerError, match=r"^more than 4 values$"):
        read_objects(b'{"a": [1, 2, 3, 4]}', dict[str, list[int]], dict)


def test_a_name_may_stand_several_times_in_an_object() -> None:
    """Whoever makes it sees all of them in order."""

    def keep(pairs: list[tuple[str, object]]) -> dict[str, object]:
        return {"names": [name for name, _ in pairs], "values": [value for _, value in pairs]}

    assert read_objects(b'{"a": 1, "b": 2, "a": 3}', dict[str, list[object]], keep) == {
        "names": ["a", "b", "a"],
        "values": [1, 2, 3],
    }


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
