"""Settings: what goes before what, and what is said of mistakes."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from engine.errors import ConfigError
from tui.keymap import key_name
from tui.settings import Given, UserSettings, ValueSource, resolve


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def _resolved(
    file: Path, text: str, flags: Mapping[str, Given | None] = MappingProxyType({}), /, **environment: str
) -> UserSettings:
    file.write_text(text, encoding="utf-8")
    return resolve(flags, file, environment)


def _problems(file: Path, text: str, **environment: str) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        _resolved(file, text, {}, **environment)
    return [str(problem).removeprefix(f"{file}:") for problem in refused.value.problems]


def test_a_flag_goes_before_a_variable_before_the_file_before_the_default(file: Path) -> None:
    found = _resolved(
        file,
        'paused = true\nascii = true\ntheme = "light"\n',
        {"theme": "16"},
        SCHEDLAB_THEME="none",
        SCHEDLAB_ASCII="no",
    )

    assert found.values["theme"] == ("16", ValueSource("flag", "-c theme"))
    assert found.values["ascii"] == (False, ValueSource("variable", "SCHEDLAB_ASCII"))
    assert found.values["paused"] == (True, ValueSource("file", str(file), 1))
    assert found.values["speed"] == (None, ValueSource("default"))


@pytest.mark.parametrize(
    ("text", "environment", "theme"),
    [
        ("", {"NO_COLOR": "1"}, "none"),
        ("", {"NO_COLOR": ""}, "dark"),
        ('theme = "light"', {"NO_COLOR": "1"}, "none"),
        ("", {"NO_COLOR": "1", "SCHEDLAB_THEME": "light"}, "light"),
    ],
)
def test_no_color_is_a_variable_that_names_the_plain_theme(
    text: str, environment: dict[str, str], theme: str, file: Path
) -> None:
    """It goes before the file; what names a theme goes before it; empty it is nothing."""
    assert _resolved(file, text, {}, **environment).text("theme") == theme


def test_every_problem_is_told_at_once_in_the_order_of_the_file(file: Path) -> None:
    text = 'asci = true\ntheme = "lihgt"\nspeed = "fast"\npaused = 1\n[keys]\nkil = "x"\ndrain = "ctrl+nope"\n'

    assert _problems(file, text) == [
        "1: asci: no such setting (did you mean ascii?)",
        "2: theme: no theme lihgt (did you mean light?)",
        "3: speed: 'fast' is not a speed (a number from 0, and 0 is flat out)",
        "4: paused: 1 is neither true nor false",
        "6: keys.kil: no such action (did you mean kill?)",
        '7: keys.drain: \'ctrl+nope\' is not a key, nor a list of keys (as in "x", "+", "f5", "ctrl+x", ["K", "f9"])',
    ]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"theme = \n", "1: is not TOML"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"keys = 3", "1: keys: is not a table"),
        (b"a = " + b"[" * 3000 + b"]" * 3000, "is nested too deeply"),
        (b"[theme]\na = 1", "1: theme: no theme"),
        (b"[settings]\na = 1", "1: settings: no such setting"),
    ],
)
def test_a_broken_file_is_one_clear_problem(content: bytes, complaint: str, file: Path) -> None:
    file.write_bytes(content)
    with pytest.raises(ConfigError) as refused:
        resolve({}, file, {})

    assert complaint in str(refused.value)


def test_keys_can_be_given_to_actions(file: Path) -> None:
    found = _resolved(file, '[keys]\nkill = ["f12", "F9"]\npane.next = "f13"\n"tick.event" = "f11"\n')
    keys = {action.id: action.keys for action in found.registry}

    assert (keys["kill"], keys["pane.next"], keys["tick.event"]) == (("f12", "f9"), ("f13",), ("f11",))
    assert found.keys["pane.next"].source.line == 3


def test_a_key_that_is_taken_is_refused(file: Path) -> None:
    """With the action that has it, and its line where the user put it there."""
    taken, both, again = _problems(file, '[keys]\nkill = "p"\nsubmit = "f13"\ndrain = "f13"\n')

    assert taken == (
        "2: keys.kill: the key p is taken by pause: Stop the clock, or let it run. "
        "(give pause another key, or choose one)"
    )
    assert (both.startswith("3: keys.submit: the key F13 is taken by keys.drain (line 4)"), again[:2]) == (True, "4:")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("K", "K"),
        ("f9", "f9"),
        ("F12", "f12"),
        ("PgUp", "pageup"),
        ("+", "plus"),
        ("ctrl++", "ctrl+plus"),
        ("-", "minus"),
        (",", "comma"),
        ("/", "slash"),
        ("@", "at"),
        ("}", "right_curly_bracket"),
        ("Ctrl+S", "ctrl+S"),
        ("shift+tab", "shift+tab"),
        ("space", "space"),
        ("f99", None),
        ("super+x", None),
        ("", None),
        ("\n", None),
    ],
)
def test_keys_are_read_as_people_write_them(written: str, name: str | None) -> None:
    assert key_name(written) == name


def test_the_example_of_the_manual_is_taken(file: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "guides" / "team.md"
    example = page.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]

    assert _resolved(file, example).text("theme") == "colour-blind"
