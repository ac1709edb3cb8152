"""`schedlab drill bench`: a line for each drill, then how many were solved and the mean."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.training.bench import BenchResult
from engine.training.drill import DrillScenario
from tests.engine.training.small_drill import TEXT
from tui.commands import drill_bench
from tui.commands.drill import app

SCORES = {"idle": (0, False), "random": (7, False), "mine": (55, True), "par": (100, True)}


@pytest.fixture
def drills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two files of a drill, and agents whose scores are known; a second drill is worth one more."""
    asked: list[str] = []

    def bench(drill: DrillScenario, programs: dict[str, str]) -> list[BenchResult]:
        more = len(asked)
        asked.append(drill.name)
        order = ["idle", "random", *programs, "par"]
        return [BenchResult(drill.name, name, SCORES[name][1], SCORES[name][0] + more, 3) for name in order]

    monkeypatch.setattr(drill_bench, "bench", bench)
    files = []
    for name in ("a.toml", "longer.toml"):
        (tmp_path / name).write_text(TEXT)
        files.append(str(tmp_path / name))
    return files


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    done = CliRunner().invoke(app, ["bench", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_scores_stand_below_their_agents(drills: list[str]) -> None:
    """A plus is a solved drill; the mean is rounded."""
    code, out, _ = run(*drills, "--agent", "mine=./mine --fast")
    name = max(len(Path(each).stem) for each in drills)

    assert code == 0
    assert [line.split() for line in out.splitlines()] == [
        ["drill", "idle", "random", "mine", "par"],
        ["a", "0", "7", "55", "+", "100", "+"],
        ["longer", "1", "8", "56", "+", "101", "+"],
        ["solved", "0", "0", "2", "2"],
        ["mean", "0", "8", "56", "100"],
    ]
    assert out.splitlines()[0] == f"{'drill':{name}}{'idle':>12}{'random':>12}{'mine':>12}{'par':>12}"
    assert out.splitlines()[1] == f"{'a':{name}}{'0  ':>12}{'7  ':>12}{'55 +':>12}{'100 +':>12}"


def test_as_json_each_score_is_an_object(drills: list[str]) -> None:
    """A line each, and no table."""
    code, out, _ = run("--json", drills[0])

    assert code == 0
    assert [json.loads(line) for line in out.splitlines()] == [
        {"drill": "a", "agent": name, "solved": SCORES[name][1], "score": SCORES[name][0], "steps": 3}
        for name in ("idle", "random", "par")
    ]


@pytest.mark.parametrize("words", ["mine", "=./mine", "idle=./mine", "par=./mine"])
def test_an_agent_has_a_name_of_its_own_and_a_command(words: str, drills: list[str]) -> None:
    """Else it is refused."""
    code, out, err = run(*drills, "--agent", words)

    assert (code, out) == (2, "")
    assert err == f"schedlab: --agent: '{words}' is not NAME=COMMAND\n"
