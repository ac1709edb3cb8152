"""`schedlab drill`: what it writes, and its exit codes."""

import json
from functools import partial
from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.training.drill import DrillScenario, load_drill, packaged_drills
from engine.training.records import ListedDrill, listed, read_history
from engine.training.unfinished import BegunExercise, UnfinishedFile
from tests.engine.training.small_drill import TEXT, small_drill
from tests.invoke import said
from tui.cli.drill_screen import _keep, keep_unfinished
from tui.cli.open import offered_drills
from tui.session.drill import DrillPlay

SOLUTION = """\
{"do": "answer", "question": "cause", "answer": ["masters"], "at": "20s"}
{"do": "queue-setting", "queue": "root.default", "key": "maximum-am-resource-percent", "value": "0.9", "at": "09:06"}
"""


@pytest.fixture
def drill(tmp_path: Path) -> str:
    file = tmp_path / "small.toml"
    file.write_text(TEXT)
    return str(file)


def run(*arguments: str | Path, reads: str = "") -> tuple[int, str]:
    done = said("drill", list(map(str, arguments)), reads=reads)
    return done.exit_code, done.output


def test_the_list_names_every_drill() -> None:
    code, written = run("list", "-o", "json", "--trainee", "nobody")
    answer = json.loads(written)
    assert (code, sorted(each["name"] for each in answer["items"])) == (0, list(packaged_drills()))
    assert answer["next"]["drill"] == "quiet-shift"
    lines = [line for line in run("list", "--trainee", "nobody")[1].splitlines() if line]
    assert len([line for line in lines if line.startswith("  ")]) == len(packaged_drills())
    assert lines[-1].startswith("next: quiet-shift: ")


def test_what_counts_is_in_the_words_of_the_system() -> None:
    said_of = run("show", "half-of-the-slots")[1].partition("NOT ACCEPTED")[2]
    assert "a job killed or failed" in said_of
    assert [word for word in ("application", "container", "node") if word in said_of] == []


def test_an_unreadable_drill_is_listed_and_takes_no_other_down(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = packaged_drills()[0]
    monkeypatch.setattr("engine.training.records.listed", partial(_listed, broken))

    code, written = run("list", "-o", "json", "-c", f"history_folder={tmp_path}")

    items = json.loads(written)["items"]
    assert (code, len(items), items[-1]) == (0, len(packaged_drills()), {"name": broken, "unreadable": "x.toml:3: bad"})
    lines = run("list", "-c", f"history_folder={tmp_path}")[1].splitlines()
    assert [broken, "cannot be read: x.toml:3: bad"] in [line.split(maxsplit=1) for line in lines]
    assert [one.about for one in offered_drills()][-1] == "x.toml:3: bad"


def _listed(broken: str, name: str) -> ListedDrill:
    if name == broken:
        raise ConfigError([Problem("bad", "x.toml", 3)])
    return listed(name)


def test_check_ends_with_1_when_a_drill_is_not_what_it_says(tmp_path: Path, drill: str) -> None:
    assert said("check", [drill]).exit_code == 0
    (tmp_path / "bad.toml").write_text(TEXT.replace("at_least = 3}", "at_least = 1}"))
    done = said("check", [str(tmp_path / "bad.toml")])
    assert done.exit_code == 1
    assert "FAIL bad: nothing is done: unsolved (it is solved)" in done.stdout


def test_a_file_of_acts_is_played_and_scored(tmp_path: Path, drill: str) -> None:
    """Exit code 0 when they solve it, 1 when they do not, 2 when they are wrong."""
    acts = tmp_path / "acts.jsonl"
    acts.write_text(SOLUTION)
    code, written = run("play", drill, "--steps", str(acts), "-o", "jsonl")
    assert (code, json.loads(written.splitlines()[-1])["solved"]) == (0, True)
    assert run("play", drill, "-o", "text")[0] == 1
    acts.write_text('{"do": "kil"}')
    code, written = run("play", drill, "--steps", str(acts))
    assert code == 2
    assert "acts.jsonl:1: 'kil' is not one of" in written


def test_a_program_is_answered_line_by_line(drill: str) -> None:
    code, written = run("play", drill, "--steps", "-", reads=SOLUTION)
    replies = [json.loads(line) for line in written.splitlines()]
    assert code == 0
    assert replies[0]["protocol"] == 4
    assert [reply["ok"] for reply in replies[1:3]] == [True, True]
    assert replies[-1]["solved"] is True
    assert len(replies) == 4
    programs = ("echo=cat", "gone=false", "late=sleep 9", "none=true")
    talkers = (f"to-{count}=sh -c 'yes \"\" | head -{count}'" for count in (9_999, 10_000))
    agents = [f"--agent=my-{each}" for each in (*programs, *talkers)]
    _, compared = run("play", drill, *agents, "-c", "drill.answer_seconds=1", "-o", "jsonl")
    assert '"agent": "my-echo"' in compared
    assert [line.partition(" at small: ")[::2] for line in compared.splitlines() if " at small: " in line] == [
        ("agent my-echo", "had 100 steps refused one after another; the drill goes on without it"),
        ("agent my-gone", "ended with exit code 1; the drill goes on without it"),
        ("agent my-late", "did not answer within 1 s; the drill goes on without it"),
        ("agent my-to-10000", "wrote 10000 lines or more; the drill goes on without it"),
    ]


def test_an_exercise_is_kept_listed_and_played_again(tmp_path: Path, drill: str) -> None:
    """With a name it is kept; the replay tells the same score; the history says what comes next."""
    acts = tmp_path / "acts.jsonl"
    acts.write_text(SOLUTION)
    kept = ("--trainee", "kim", "-c", f"history_folder={tmp_path / 'h'}")
    page = tmp_path / "d.html"
    code, written = run("play", drill, "--steps", str(acts), *kept, "-o", str(page))
    assert code == 0
    assert page.read_text().startswith("<!doctype html>")
    code, again = run("report", drill, "--try", "last", *kept)
    assert (code, again.splitlines()[0]) == (0, written.splitlines()[0])
    lines = run("list", *kept)[1].splitlines()
    assert lines[-1].startswith("next    quiet-shift: ")
    assert "score of each exercise" in lines
    assert next(line for line in lines if line.startswith("small")).startswith("small  best ")
    told = json.loads(run("list", *kept, "-o", "json")[1])
    assert [(one["drill"], one["steps"], one["clocks_s"]["explain"]) for one in told["played"]] == [("small", 2, 20.0)]
    assert told["next"]["drill"] == "quiet-shift"


def test_a_draft_of_a_kept_run_extends_its_scenario(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By its name; a run with settings of its own is refused, as it cannot be extended."""
    monkeypatch.setenv("SCHEDLAB_RUNS_FOLDER", str(tmp_path))
    play = ("play", "pattern-ask-above-every-node", "-q", "--until", "+2m")
    for options in (("--keep", "plain"), ("--keep", "own", "--set", "seed=77")):
        assert said("", [*play, *options]).exit_code in (0, 1)
    code, written = run("new", "plain", "--at", "+1m")
    assert (code, 'extends = "pattern-ask-above-every-node"' in written) == (0, True)
    code, written = run("new", "own", "--at", "+1m")
    assert (code, "was not of a packaged scenario as it is" in written) == (2, True)


# `schedlab drill report`: what a class did, as CSV and as one HTML file.


FAULT = '{"do": "answer", "question": "fault", "answer": ["yes"], "at": 10}\n'
CAUSE = '{"do": "answer", "question": "cause", "answer": ["masters"], "at": 20}\n'
RAISE = (
    '{"do": "queue-setting", "queue": "root.default", "key": "maximum-am-resource-percent", "value": "0.9", "at": 30}\n'
)
KILL = '{"do": "kill", "application": "1", "at": 40}\n'


@pytest.fixture(name="kept")
def class_of_two(tmp_path: Path) -> Path:
    """A folder of histories: ann solved the small drill at the second try, bob killed a notebook."""
    drill, acts, kept = tmp_path / "small.toml", tmp_path / "acts.jsonl", tmp_path / "kept"
    drill.write_text(TEXT)
    for trainee, steps in (("ann", FAULT), ("ann", FAULT + CAUSE + RAISE), ("bob", FAULT + KILL)):
        acts.write_text(steps)
        run("play", drill, "--steps", acts, "--trainee", trainee, "-c", f"history_folder={kept}")
    return kept


def test_the_page_says_what_was_solved_and_what_cost_most(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.cli.drill.load_drill", lambda name: _small(kept))
    page = kept / "class.html"
    assert run("report", "-c", f"history_folder={kept}", "-o", page)[0] == 0
    text = page.read_text()
    for part in (
        "1 of 2 incidents was solved.",
        'class="lead">',
        "▲ ",
        "not accepted: applications ended",
        "not solved when time is up",
        "seat 2",
    ):
        assert part in text
    assert "ann" not in text.replace("cannot", "").replace("channel", "").partition("<body>")[2]
    assert run("report", "-c", f"history_folder={kept}", "-o", page)[0] == 2


def test_the_output_takes_the_csv_beside_a_page(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.cli.drill.load_drill", lambda name: _small(kept))
    alone = run("report", "-c", f"history_folder={kept}")
    assert run(*("report", "-c", f"history_folder={kept}", "-o", "csv", "-o", tmp_path / "class.html")) == alone


def _small(kept: Path) -> DrillScenario:
    return load_drill(str(kept.parent / "small.toml"))


# A drill shared with an instructor: where it is read from, what is kept when the terminal goes, what visitors read.


def test_what_was_begun_is_kept_when_the_terminal_goes(tmp_path: Path) -> None:
    """Once, as if it had ended there; a brief that was only read is nothing to keep."""
    play = DrillPlay(small_drill())
    file = UnfinishedFile(tmp_path, BegunExercise("ann", "small", ""), "small")
    play.on_end = partial(_keep, play, file, tmp_path, "ann", None, [])
    keep_unfinished(play)
    before = read_history(tmp_path, "ann").played
    play.has_begun = True
    play.answer("fault", ("yes",))
    keep_unfinished(play)
    keep_unfinished(play)
    after = read_history(tmp_path, "ann").played

    assert before == ()
    assert len(after) == 1
    assert '"do": "answer"' in after[0].steps[0]
