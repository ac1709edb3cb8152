"""The registry of actions."""

import string
from collections import Counter

from tui.actions import ACT, ACTIONS
from tui.keymap import actions, hints


def test_no_key_does_two_things() -> None:
    keys = Counter(key for action in ACTIONS for key in action.keys)

    assert [key for key, count in keys.items() if count > 1] == []


def test_capitals_act_and_lower_case_looks() -> None:
    """Every act is on a capital (or F9), and the only capitals that look are G and N, as in vi, and W beside w."""
    acting = {key for action in ACTIONS if action.group == ACT for key in action.keys}
    looking = {key for action in ACTIONS if action.group != ACT for key in action.keys if key in string.ascii_uppercase}

    assert (acting - set(string.ascii_uppercase), looking) == ({"f9"}, {"G", "N", "W", "X"})


def test_nothing_harmful_is_on_a_key_that_slips() -> None:
    acting = {key for action in ACTIONS if action.changes_cluster for key in action.keys}

    assert [key for key in acting if "ctrl" in key or key in {"delete", "backspace"}] == []


def test_read_only_has_no_act() -> None:
    titles = {hint.title for group in hints(read_only=True) for hint in group}

    assert ([a for a in actions(read_only=True) if a.changes_cluster], titles & {"kill", "submit"}) == ([], set())
