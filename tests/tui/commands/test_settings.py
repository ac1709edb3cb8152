"""`schedlab settings`."""

import json
from pathlib import Path

import pytest

from tests.invoke import Result, said


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("NO_COLOR", "SCHEDLAB_SETTINGS", "SCHEDLAB_CONFIG", "SCHEDLAB_THEME"):
        monkeypatch.delenv(name, raising=False)


def run(*arguments: str) -> Result:
    return said("", list(arguments))


def _written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_each_value_is_told_with_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHEDLAB_ASCII", "1")
    path = _written(tmp_path, '\ntheme = "light"\n[keys]\nkill = "f12"\n')
    lines = [
        " ".join(line.split()[:3])
        for line in said("settings", ["-c", "paused=true"], environment={"SCHEDLAB_SETTINGS": path}).stdout.splitlines()
    ]

    assert f"theme light {path}:2" in lines
    assert "ascii true SCHEDLAB_ASCII" in lines
    assert "paused true --paused" in lines
    assert "alerts true default" in lines
    assert f"kill F12 {path}:4" in lines


def test_the_same_is_told_as_json(tmp_path: Path) -> None:
    path = _written(tmp_path, 'theme = "light"\n')
    told = json.loads(said("settings", ["-o", "json"], environment={"SCHEDLAB_SETTINGS": path}).stdout)
    theme = next(one for one in told["settings"] if one["key"] == "theme")

    assert (theme["value"], theme["source"]) == ("light", {"kind": "file", "name": path, "line": 1})
    assert {one["action"] for one in told["keys"]} >= {"kill", "pause"}


@pytest.mark.parametrize("command", [["settings"], ["play", "delay-scheduling", "-q"]])
def test_problems_exit_with_2(command: list[str], tmp_path: Path) -> None:
    path = _written(tmp_path, 'teme = "light"\nspeed = -1\n')
    result = said("", command, environment={"SCHEDLAB_SETTINGS": path})

    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 2)
    assert f"schedlab: {path}:1: teme: no such setting (did you mean theme?)" in result.stderr


def test_the_usual_file_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "schedlab"
    folder.mkdir()
    (folder / "config.toml").write_text("alerts = false\n", encoding="utf-8")
    told = json.loads(run("settings", "-o", "json").stdout)

    assert (told["file_is_there"], [one["value"] for one in told["settings"] if one["key"] == "alerts"]) == (
        True,
        [False],
    )


def test_a_broken_file_is_told_where_runs_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHEDLAB_SETTINGS", _written(tmp_path, "runs_folder = 3\n"))

    assert [run("runs").exit_code, run("runs", "rm", "a").exit_code] == [2, 2]
