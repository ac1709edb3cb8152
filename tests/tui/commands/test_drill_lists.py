"""`schedlab drill list` and `show`: what there is to take, and how one is solved."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.training.curriculum import curriculum
from tests.engine.training.small_drill import TEXT, small_drill
from tui.commands import drill as command
from tui.commands.drill import TRACKS, app

DRILLS = curriculum().drills


def run(*arguments: str) -> tuple[int, list[str]]:
    """Exit code and the lines of stdout."""
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.stdout.splitlines()


def test_drills_are_listed_by_track() -> None:
    """Each track once; names, difficulties and minutes stand below each other."""
    code, lines = run("list")
    width = max(len(one.name) for one in DRILLS)
    heads = [line for line in lines if not line.startswith(" ")]
    rows = [line for line in lines if line.startswith("  ")]

    assert (code, heads) == (0, [TRACKS[track] for track in dict.fromkeys(one.drill.track for one in DRILLS)])
    assert [row[2 : 2 + width].rstrip() for row in rows] == [one.name for one in DRILLS]
    first = DRILLS[0]
    assert rows[0] == (
        f"  {first.name:{width}}  {first.drill.difficulty:11}  {first.drill.minutes:2} min  {first.drill.teaches}"
    )


def test_the_list_as_json_says_what_comes_before() -> None:
    """An object each."""
    _, lines = run("list", "--json")
    first = DRILLS[0]

    assert len(lines) == len(DRILLS)
    assert json.loads(lines[0]) == {
        "name": first.name, "title": first.title, "track": first.drill.track, "difficulty": first.drill.difficulty,
        "minutes": first.drill.minutes, "before": first.drill.before, "teaches": first.drill.teaches,
    }  # fmt: skip


def test_a_drill_that_cannot_be_read_is_named_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason."""
    found = curriculum()._replace(drills=(), unreadable={"broken": "no brief"})
    monkeypatch.setattr(command, "curriculum", lambda: found)
    monkeypatch.setattr(command, "packaged_drills", lambda: ["broken", "a longer one"])

    assert run("list") == (0, ["broken        cannot be read: no brief"])
    assert json.loads(run("list", "--json")[1][0]) == {"name": "broken", "unreadable": "no brief"}


@pytest.fixture
def small(tmp_path: Path) -> str:
    """The small drill in a file."""
    path = tmp_path / "small.toml"
    path.write_text(TEXT)
    return str(path)


def test_a_drill_is_shown_without_its_solution(small: str) -> None:
    """Unless that is wanted: its steps at their times, and the debrief."""
    _, brief = run("show", small)
    _, whole = run("show", small, "--solution")

    assert "The third notebook stays ACCEPTED." in " ".join(brief)
    assert "SOLUTION" not in brief
    assert whole[: len(brief)] == brief
    assert whole[len(brief) :] == [
        "",
        "SOLUTION",
        "  +10s      answer fault ['yes']",
        "  +20s      answer cause ['masters']",
        "  +30s      queue-setting root.default maximum-am-resource-percent 0.9",
        "",
        "A tenth of the queue is room for two masters.",
    ]


def test_a_drill_is_shown_to_a_program(small: str) -> None:
    """With the steps where the solution is wanted."""
    brief: dict[str, Any] = json.loads(run("show", small, "--json")[1][0])
    whole: dict[str, Any] = json.loads(run("show", small, "--json", "--solution")[1][0])

    assert {"reference", "debrief"} & set(brief) == set()
    assert whole["debrief"] == "A tenth of the queue is room for two masters."
    assert [step["do"] for step in whole["reference"]] == [step.do for step in small_drill().drill.reference]
    assert {**whole, "reference": 0, "debrief": 0} == {**brief, "reference": 0, "debrief": 0}
