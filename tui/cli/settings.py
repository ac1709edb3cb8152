"""`schedlab settings`: every setting and key in force, and where its value comes from."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from tui.cli import new_app
from tui.cli.cli_errors import reported_errors
from tui.protocol.form import CONFIRM
from tui.settings import FILE_VARIABLE, SETTINGS, UserSettings, ValueSource, keys_in_words, resolve
from tui.terminal.edges import visible_line, visible_lines
from tui.terminal.palettes import PALETTES

app = new_app()

Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Settings file; else $SCHEDLAB_CONFIG, else the usual place."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]
Theme = Annotated[
    str | None,
    typer.Option(
        "--theme",
        metavar="NAME",
        help="Colours; `schedlab settings` lists them.",
        autocompletion=lambda incomplete: [name for name in PALETTES if name.startswith(incomplete)],
    ),
]
Ascii = Annotated[bool | None, typer.Option("--ascii/--no-ascii", help="Draw with ASCII characters only.")]
ReadOnly = Annotated[bool | None, typer.Option("--read-only/--no-read-only", help="Look only: keys that act are off.")]
Confirm = Annotated[
    str | None,
    typer.Option(
        "--confirm",
        metavar="WHEN",
        help="Acts that ask first: always, loss or never.",
        autocompletion=lambda incomplete: [name for name in CONFIRM if name.startswith(incomplete)],
    ),
]
Paused = Annotated[bool | None, typer.Option("--paused/--no-paused", help="Begin paused.")]
Speed = Annotated[
    float | None,
    typer.Option(
        "--speed",
        metavar="X",
        help="Seconds of the cluster per second; 0 is flat out; 10 or, beyond an hour, 60 when not given.",
    ),
]
Alerts = Annotated[
    bool | None, typer.Option("--alerts/--no-alerts", help="Tell when nothing will be allocated any more, as it forms.")
]
Runs = Annotated[str | None, typer.Option("--runs", metavar="DIR", help="Where kept runs are.")]
SaveFolder = Annotated[
    str | None, typer.Option("--save-folder", metavar="DIR", help="Where saved screens and tables go.")
]


@app.command()
def settings(
    config: Config = None,
    theme: Theme = None,
    ascii_only: Ascii = None,
    read_only: ReadOnly = None,
    confirm: Confirm = None,
    paused: Paused = None,
    speed: Speed = None,
    alerts: Alerts = None,
    runs: Runs = None,
    save_folder: SaveFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Show every setting and key in force, and where its value comes from.

    A flag goes before an environment variable, that before the file, that before the default. Exit code 2: something
    is wrong; every problem is shown.
    """
    flags = {
        "theme": theme,
        "ascii": ascii_only,
        "read_only": read_only,
        "confirm": confirm,
        "paused": paused,
        "speed": speed,
        "alerts": alerts,
        "runs": runs,
        "save_folder": save_folder,
    }
    with reported_errors():
        found = resolve(flags, config)
        for note in found.notes:
            typer.echo(f"schedlab: {visible_line(note)}", err=True)
        sys.stdout.write(_json(found) if as_json else visible_lines(_text(found)))


def _text(found: UserSettings) -> list[str]:
    there = "" if found.is_there else " (not there)"
    rows = [
        (setting.key, _shown(found.values[setting.key].value), str(found.values[setting.key].source), setting.about)
        for setting in SETTINGS
    ]
    lines = [f"file  {found.file}{there}; another one by --config or {FILE_VARIABLE}", ""]
    lines += _columns([("SETTING", "VALUE", "SOURCE", "MEANING"), *rows])
    actions = [
        (action.id, keys_in_words(action), str(_key_source(found, action.id)), action.help) for action in found.registry
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


def _json(found: UserSettings) -> str:
    """`file`, `settings`, `keys` and `notes`; a source has a kind, and a name and a line where there are any."""
    document = {
        "schema": 1,
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
    return json.dumps(document, indent=1) + "\n"


def _source(source: ValueSource) -> dict[str, str | int]:
    fields: dict[str, str | int] = {"kind": source.kind}
    if source.name:
        fields["name"] = source.name
    if source.line:
        fields["line"] = source.line
    return fields
