"""`schedlab drill report`: what a class did, as CSV and as one HTML file."""

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.training.drill import DrillScenario, load_drill
from tests.engine.training.small_drill import TEXT
from tui.cli.drill import app
from tui.cli.drill_report import COLUMNS

FAULT = '{"do": "answer", "question": "fault", "answer": ["yes"], "at": 10}\n'
CAUSE = '{"do": "answer", "question": "cause", "answer": ["masters"], "at": 20}\n'
RAISE = (
    '{"do": "queue-setting", "queue": "root.default", "key": "maximum-am-resource-percent", "value": "0.9", "at": 30}\n'
)
KILL = '{"do": "kill", "application": "1", "at": 40}\n'


def run(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    return done.exit_code, done.stdout


@pytest.fixture(name="kept")
def class_of_two(tmp_path: Path) -> Path:
    """A folder of histories: ann solved the small drill at the second try, bob killed a notebook."""
    drill, acts, kept = tmp_path / "small.toml", tmp_path / "acts.jsonl", tmp_path / "kept"
    drill.write_text(TEXT)
    for trainee, steps in (("ann", FAULT), ("ann", FAULT + CAUSE + RAISE), ("bob", FAULT + KILL)):
        acts.write_text(steps)
        run("play", drill, "--headless", "--acts", acts, "--trainee", trainee, "--history", kept)
    return kept


def test_the_last_try_of_each_seat_is_a_line(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its clocks and its harm beyond par; names only where they are wanted."""
    monkeypatch.setattr("tui.cli.drill_report.load_drill", lambda name: _small(kept))
    code, written = run("report", "--history", kept)
    rows = list(csv.DictReader(written.splitlines()))
    assert (code, tuple(rows[0])) == (0, COLUMNS)
    assert [(row["seat"], row["solved"], row["detect_s"], row["explain_s"], row["forbidden"]) for row in rows] == [
        ("seat 1", "1", "10.0", "20.0", "0"),
        ("seat 2", "0", "10.0", "", "1"),
    ]
    assert float(rows[1]["waited_beyond_par_s"]) > float(rows[0]["waited_beyond_par_s"]) == 0
    assert [row["seat"] for row in csv.DictReader(run("report", "--history", kept, "--names")[1].splitlines())] == [
        "ann",
        "bob",
    ]


def test_the_page_says_what_was_solved_and_what_cost_most(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.cli.drill_report.load_drill", lambda name: _small(kept))
    page = kept / "class.html"
    assert run("report", "--history", kept, "--html", page)[0] == 0
    text = page.read_text()
    for part in (
        "1 of 2 incidents were solved.",
        'class="lead">',
        "▲ ",
        "forbidden: kill everything",
        "not solved when time is up",
        "seat 2",
    ):
        assert part in text
    assert "ann" not in text.replace("cannot", "").replace("channel", "").partition("<body>")[2]
    assert run("report", "--history", kept, "--html", page)[0] == 2


def test_the_output_takes_the_csv_beside_a_page(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.cli.drill_report.load_drill", lambda name: _small(kept))
    alone = run("report", "--history", kept)
    assert run("report", "--history", kept, "--csv", "-", "--html", tmp_path / "class.html") == alone


def test_a_drill_that_nobody_played_is_refused(kept: Path, tmp_path: Path) -> None:
    assert run("report", "--history", kept, "--drills", "quiet-shift")[0] == 2
    assert run("report", "--history", tmp_path / "none")[0] == 2


def _small(kept: Path) -> DrillScenario:
    return load_drill(str(kept.parent / "small.toml"))
