"""Access control lists."""

import pytest

from engine.schedulers.placement import EVERYBODY, NOBODY, AccessControlList


@pytest.mark.parametrize(
    ("text", "user", "groups", "allowed"),
    [
        ("alice", "alice", [], True),
        ("alice", "bob", ["alice"], False),
        ("alice,bob", "bob", [], True),
        (" , alice , ", "bob", ["alice"], True),
        ("alice dev,ops", "carol", ["ops"], True),
        ("alice dev", "dev", [], False),
        (" dev", "dev", [], False),
        (" dev", "x", ["dev"], True),
        ("alice dev ops", "x", ["ops"], False),
        ("alice dev ops", "x", ["dev ops"], True),
        ("*", "x", [], True),
        (" * ", "x", [], True),
        ("\n*\n", "x", [], True),
        ("alice *", "x", [], True),
        ("*,alice", "x", [], False),
        ("", "", [], False),
        (" ", "x", ["x"], False),
        ("alice\t,bob", "alice", [], True),
        ("alice\nbob", "alice", [], False),
    ],
)
def test_who_is_allowed(text: str, user: str, groups: list[str], allowed: bool) -> None:
    """Users stand before the first blank, groups behind it; a star on either side allows everybody."""
    assert AccessControlList(text).allows(user, groups) is allowed


def test_the_defaults_of_root_and_of_other_queues() -> None:
    assert EVERYBODY.allows("x", [])
    assert not NOBODY.allows("x", ["y"])


def test_a_list_is_shown_as_it_would_be_written() -> None:
    assert [str(AccessControlList(text)) for text in ("a,,b c", " * ", " ")] == ["a,b c", "*", " "]
