"""`schedlab settings`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.formats.file_schema import previews
from engine.formats.scenario_toml import packaged
from tests.invoke import said
from tests.tui.test_cli import SMALL, run, schedlab
from tui.cli.completion import SHELLS, index, offered


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("NO_COLOR", "SCHEDLAB_SETTINGS", "SCHEDLAB_CONFIG", "SCHEDLAB_THEME"):
        monkeypatch.delenv(name, raising=False)


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


# Arguments of the command line: what the shell completes, and that it loads no engine for it.


def _offered(*words: str) -> list[str]:
    return [word for word, _ in offered(words[:-1], words[-1])]


def test_the_index_has_every_packaged_scenario_as_it_is() -> None:
    now = {name: each.digest for name, each in previews().items() if name in packaged()}

    assert {name: each.digest for name, each in index().scenarios.items()} == now


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("pl",), ["play"]),
        (("pla", "x"), []),
        (("drill", "pl"), ["play"]),
        (("drill", "play", "quiet"), ["quiet-shift"]),
        (("play", "fair-order"), ["fair-order", "fair-order-3.4"]),
        (("why", "reservation-deadlock", "18335"), ["183351", "183354", "183358"]),
        (("why", "reservation-deadlock", "10.120.117.84"), ["10.120.117.84"]),
        (("why", "reservation-deadlock", "root.et"), ["root.etl"]),
        (("why", "reservation-deadlock", "--at", "14"), ["14:00:00", "14:30:00"]),
        (("why", "reservation-deadlock", "--p"), ["--priority"]),
        (("play", "fair-order", "--until", "09:0"), ["09:00:00", "09:06:00"]),
        (("play", "fair-order", "-o", "j"), ["jsonl", "json", "junit", "journal"]),
        (("get", "fair-order", "qu"), ["queues"]),
        (("compare", "fair-order", "fair-3"), ["fair-3.4"]),
        (
            ("play", "fair-order", "--set", "yarn.scheduler.fair.preemptionI"),
            ["yarn.scheduler.fair.preemptionInterval="],
        ),
        (("play", "x", "-c", "the"), ["theme"]),
        (("help", "ou"), ["output"]),
    ],
)
def test_words_are_those_that_may_stand_there(words: tuple[str, ...], found: list[str]) -> None:
    assert _offered(*words) == found


def test_a_scenario_that_is_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")

    assert _offered("why", str(path), "n") == ["n1"]
    assert _offered("why", str(path), "--at", "09") == ["09:00:00", "09:00:30", "09:01:00"]
    assert _offered("why", str(tmp_path / "nothing.toml"), "--at", "") == []


def test_a_shell_is_told_without_the_engine() -> None:
    code = (
        "import sys; from tui.cli.completion import offered;"
        "print(len(offered(['why', 'reservation-deadlock'], '1833')), 'engine' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    answer = schedlab("why", "reservation-deadlock", "18335", _SCHEDLAB_COMPLETE="1")

    assert done.stdout.split()[1:] == ["False"]
    assert int(done.stdout.split()[0]) > 3
    assert answer.stdout.split() == ["183351", "183354", "183358"]
    assert all("_SCHEDLAB_COMPLETE" in script for script in SHELLS.values())
