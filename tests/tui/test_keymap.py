"""The registry of actions."""

import string
from collections import Counter

from tui.actions import ACT, ACTIONS
from tui.acts.command import VERBS
from tui.board.board import ScreenOptions
from tui.keymap import actions, help_groups, hints, spelled
from tui.screens.cluster import ClusterScreen
from tui.terminal.theme import styles


def test_no_key_does_two_things() -> None:
    keys = Counter(key for action in ACTIONS for key in action.keys)

    assert [key for key, count in keys.items() if count > 1] == []


def test_ids_are_unique() -> None:
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)


def test_capitals_act_and_lower_case_looks() -> None:
    """Every act is on a capital (or F9), and the only capitals that look are G and N, as in vi, and W beside w."""
    acting = {key for action in ACTIONS if action.group == ACT for key in action.keys}
    looking = {key for action in ACTIONS if action.group != ACT for key in action.keys if key in string.ascii_uppercase}

    assert (acting - set(string.ascii_uppercase), looking) == ({"f9"}, {"G", "N", "W", "X"})


def test_nothing_harmful_is_on_a_key_that_slips() -> None:
    acting = {key for action in ACTIONS if action.changes_cluster for key in action.keys}

    assert [key for key in acting if "ctrl" in key or key in {"delete", "backspace"}] == []


def test_every_action_exists_on_the_screen() -> None:
    """What keys and commands call is a method of a part of the screen."""
    parts = ClusterScreen(ScreenOptions(styles("dark"))).parts
    calls = [action.call.partition("(")[0] for action in ACTIONS] + [verb.target for verb in VERBS]
    missing = [call for call in calls if not callable(getattr(parts[call.split(".")[0]], call.split(".")[1], None))]

    assert missing == []


def test_read_only_has_no_act() -> None:
    titles = {hint.title for group in hints(read_only=True) for hint in group}

    assert ([a for a in actions(read_only=True) if a.changes_cluster], titles & {"kill", "submit"}) == ([], set())


def test_help_has_a_line_for_every_action() -> None:
    assert sum(len(rows) for _, rows in help_groups()) == len(ACTIONS)


def test_keys_are_spelled_as_on_the_keyboard() -> None:
    assert [spelled(key) for key in ("plus", "question_mark", "f10", "pageup", "K")] == ["+", "?", "F10", "PgUp", "K"]
