"""Bytes typed into a screen: what means nothing is ignored, and the program reads on."""

import pytest
from textual import events

from tui.terminal.screen_edges import HIGHEST, WIDEST, TypedInput


def _keys(data: bytes) -> list[str]:
    """The keys that bytes mean, one after the other, then an `a`."""
    typed = TypedInput()
    found = [*typed.read(data), *typed.wait(), *typed.read(b"a")]
    return [message.key for message in found if isinstance(message, events.Key)]


@pytest.mark.parametrize(
    "data",
    [
        b"\xff",
        b"\xe9",
        b"\x9b31m",
        b"\xed\xa0\x80",
        b"\x1b[999999999;999999999H",
        b"\x1b[55296u",
        b"\x1b[1114112u",
        b"\x1b[99999999999999999999u",
        b"\x1b[48;0;0;0;0t\x1b[<0;9;9M",
    ],
)
def test_bytes_that_mean_nothing_are_ignored(data: bytes) -> None:
    """No UTF-8, no character of that number, a screen of no size: the key after them arrives, and is the last."""
    assert _keys(data)[-1] == "a"
    assert "H" not in _keys(data)


def test_a_letter_may_come_in_pieces() -> None:
    typed = TypedInput()
    found = [message for byte in "é".encode() for message in typed.read(bytes([byte]))]

    assert [message.character for message in found if isinstance(message, events.Key)] == ["é"]


def test_keys_and_sequences_keep_their_meaning() -> None:
    typed = TypedInput()
    found = typed.read(b"k\x1b[A\x1b[200~x\xffy\x1b[201~\x1b[I")
    pasted = [message.text for message in found if isinstance(message, events.Paste)]

    assert [message.key for message in found if isinstance(message, events.Key)] == ["k", "up"]
    assert pasted == ["xy"]


@pytest.mark.parametrize(
    ("width", "height", "is_believed"),
    [(WIDEST, HIGHEST, True), (WIDEST + 1, 24, False), (80, HIGHEST + 1, False), (0, 24, False), (80, 0, False)],
)
def test_a_size_that_no_terminal_has_is_ignored(width: int, height: int, is_believed: bool) -> None:
    found = TypedInput().read(f"\x1b[48;{height};{width};{height};{width}t".encode())

    assert any(isinstance(message, events.Resize) for message in found) == is_believed


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_paste_with_escapes_in_it_stays_a_paste(cut: int) -> None:
    """Nothing in it is a key; it comes without what would order something, in any pieces after its beginning."""
    data, typed = b"a\nb\x1b[31m\x1bc\x1b[201~d", TypedInput()
    messages = [
        *typed.read(b"\x1b[200~"),
        *typed.read(data[:cut]),
        *typed.wait(),
        *typed.read(data[cut:]),
        *typed.wait(),
    ]

    assert [each.text for each in messages if isinstance(each, events.Paste)] == ["a\nb[31mc"]
    assert [each.key for each in messages if isinstance(each, events.Key)] == ["d"]
