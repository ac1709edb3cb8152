"""The list of settings and keys: its columns, and the same as an object."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tui.commands.settings import app
from tui.settings import SETTINGS, keys_in_words, resolve


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings but those of the test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("NO_COLOR", "SCHEDLAB_CONFIG", *(setting.variable for setting in SETTINGS)):
        monkeypatch.delenv(name, raising=False)


def told(*arguments: str) -> str:
    """What is written."""
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0
    return done.stdout


def tables(text: str) -> tuple[list[str], list[str]]:
    """Lines of settings, and of keys."""
    _, settings, keys = text.rstrip("\n").split("\n\n")
    return settings.splitlines(), keys.splitlines()


@pytest.mark.parametrize("place", [0, 1])
def test_columns_are_as_wide_as_their_widest_cell_and_two_blanks(place: int) -> None:
    """The last one is as long as it is."""
    lines = tables(told())[place]
    head = lines[0]
    second, third, last = (head.index(word) for word in (("VALUE", "KEYS")[place], "SOURCE", "MEANING"))
    cells = [(line[:second], line[second:third], line[third:last]) for line in lines]

    for column in range(3):
        texts = [each[column] for each in cells]
        assert all(text.endswith("  ") for text in texts)
        assert any(not text.endswith("   ") for text in texts)
    assert all(line[last] != " " for line in lines)


def test_every_setting_and_every_key_has_a_line() -> None:
    """In their order, with what each is for."""
    settings, keys = tables(told())
    registry = resolve({}, None).registry

    assert settings[0].split() == ["SETTING", "VALUE", "SOURCE", "MEANING"]
    assert [line.split()[0] for line in settings[1:]] == [each.key for each in SETTINGS]
    assert all(line.endswith(each.about) for line, each in zip(settings[1:], SETTINGS, strict=True))
    assert keys[0].split() == ["[keys]", "KEYS", "SOURCE", "MEANING"]
    assert [line.split()[0] for line in keys[1:]] == [each.id for each in registry]
    for line, each in zip(keys[1:], registry, strict=True):
        assert f"  {keys_in_words(each)}  " in line
        assert line.endswith(f"  {each.help}")


@pytest.mark.parametrize(
    ("flags", "key", "value", "source"),
    [
        ((), "speed", "-", "default"),
        (("--speed", "2"), "speed", "2", "--speed"),
        (("--speed", "0.5"), "speed", "0.5", "--speed"),
        (("--no-alerts",), "alerts", "false", "--alerts"),
        (("--read-only",), "read_only", "true", "--read-only"),
        (("--theme", "light"), "theme", "light", "--theme"),
        (("--confirm", "never"), "confirm", "never", "--confirm"),
        (("--ascii",), "ascii", "true", "--ascii"),
        (("--runs", "r"), "runs", "r", "--runs"),
        (("--save-folder", "s"), "save_folder", "s", "--save-folder"),
        (("--paused",), "paused", "true", "--paused"),
    ],
)
def test_a_flag_is_the_source_of_its_value(flags: tuple[str, ...], key: str, value: str, source: str) -> None:
    """In words; a dash where there is none."""
    (line,) = [line for line in tables(told(*flags))[0] if line.split()[0] == key]
    found = json.loads(told(*flags, "--json"))
    (one,) = [each for each in found["settings"] if each["key"] == key]

    assert line.split()[1:3] == [value, source]
    assert one["source"]["kind"] == ("flag" if flags else "default")
    assert "line" not in one["source"]
    assert ("name" in one["source"]) is bool(flags)


def test_the_object_has_every_field() -> None:
    """Of every setting and key; nothing is noted."""
    found = json.loads(told("--json"))

    assert (found["schema"], found["file_is_there"], found["notes"]) == (1, False, [])
    assert found["file"].endswith("schedlab/config.toml")
    assert [(one["key"], one["default"], one["variable"], one["flag"], one["about"]) for one in found["settings"]] == [
        (each.key, each.default, each.variable, each.flag, each.about) for each in SETTINGS
    ]
    assert [(one["action"], one["keys"], one["source"]) for one in found["keys"]] == [
        (each.id, list(each.keys), {"kind": "default"}) for each in resolve({}, None).registry
    ]


def test_a_key_of_the_file_has_its_line(tmp_path: Path) -> None:
    """As an object has name and line."""
    path = tmp_path / "own.toml"
    path.write_text('[keys]\n\nkill = "f12"\n', encoding="utf-8")
    keys = json.loads(told("--config", str(path), "--json"))["keys"]
    (kill,) = [each for each in keys if each["action"] == "kill"]

    assert kill == {"action": "kill", "keys": ["f12"], "source": {"kind": "file", "name": str(path), "line": 3}}
