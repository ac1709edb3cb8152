"""`schedlab settings`: every setting and key in force, and where its value comes from."""

from typing import Any

from engine.errors import ConfigError, did_you_mean
from tui.cli.grammar import Given
from tui.cli.output import targets_of
from tui.cli.source import settings_of
from tui.cli.talk import note
from tui.keymap import spelled
from tui.settings import FILE_VARIABLE, SETTINGS, UserSettings, ValueSource


def settings(given: Given) -> None:
    targets, found, key = targets_of(given), settings_of(given), given.word()
    for each in found.notes:
        note(f"schedlab: {each}")
    if key is not None:
        _one(found, key.replace("-", "_"), given)
        return
    targets.answer("settings/1", lambda: _text(found), _object(found))


def _one(found: UserSettings, key: str, given: Given) -> None:
    if key not in found.values:
        raise ConfigError.of(f"there is no setting {key}", hint=did_you_mean(key, list(found.values)))
    own = found.values[key]
    document = {"key": key, "value": own.value, "source": _source(own.source)}
    targets_of(given).answer("setting/1", lambda: [f"{_shown(own.value)}  {own.source}"], document)


def _text(found: UserSettings) -> list[str]:
    there = "" if found.is_there else " (not there)"
    rows = [
        (setting.key, _shown(found.values[setting.key].value), str(found.values[setting.key].source), setting.about)
        for setting in SETTINGS
    ]
    lines = [f"file  {found.file}{there}; another one by {FILE_VARIABLE}", ""]
    lines += _columns([("SETTING", "VALUE", "SOURCE", "MEANING"), *rows])
    actions = [
        (action.id, " ".join(map(spelled, action.keys)), str(_key_source(found, action.id)), action.help)
        for action in found.registry
    ]
    return [*lines, "", *_columns([("[keys]", "KEYS", "SOURCE", "MEANING"), *actions])]


def _columns(rows: list[tuple[str, str, str, str]]) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]) for row in rows]


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _key_source(found: UserSettings, action_id: str) -> ValueSource:
    own = found.keys.get(action_id)
    return ValueSource("default") if own is None else own.source


def _object(found: UserSettings) -> dict[str, Any]:
    return {
        "file": str(found.file),
        "file_is_there": found.is_there,
        "settings": [
            {
                "key": setting.key,
                "value": found.values[setting.key].value,
                "source": _source(found.values[setting.key].source),
                "default": setting.default,
                "variable": setting.variable,
                "flag": setting.flag,
                "about": setting.about,
            }
            for setting in SETTINGS
        ],
        "keys": [
            {"action": action.id, "keys": list(action.keys), "source": _source(_key_source(found, action.id))}
            for action in found.registry
        ],
        "notes": list(found.notes),
    }


def _source(source: ValueSource) -> dict[str, str | int]:
    fields: dict[str, str | int] = {"kind": source.kind}
    if source.name:
        fields["name"] = source.name
    if source.line:
        fields["line"] = source.line
    return fields
