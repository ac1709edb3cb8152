"""`schedlab watch --keep`, and what other commands make of kept polls."""

import json
from pathlib import Path

import pytest

from tests.engine.recorded.polls import keep, polled
from tests.invoke import Result, said

NAME = "rm1-8088-1"


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "runs"
    monkeypatch.setenv("SCHEDLAB_RUNS_FOLDER", str(root))
    return root


@pytest.fixture
def kept(runs: Path) -> Path:
    """Polls of a deadlock and its end, kept to their end; the file of their part."""
    found = keep(runs, polled())
    found.writer.finish()
    return found.path / "part-000001.jsonl"


def run(*arguments: str) -> Result:
    return said("", list(arguments))


def test_kept_polls_are_told_in_words_and_as_json(kept: Path) -> None:
    words, listed = run("get", NAME), json.loads(run("runs", "-o", "jsonl").stdout.splitlines()[1])
    shown = json.loads(run("get", NAME, "-o", "json").stdout)

    assert all(each in words.stdout for each in ("polls of rm1:8088", "polls      24", "all 12 nodes are reserved"))
    assert listed.items() <= shown.items()
    assert (shown["kind"], shown["where"], shown["is_whole"]) == ("schedlab polls", "rm1:8088", True)


def test_an_instant_of_kept_polls_is_shown(kept: Path) -> None:
    shown, also = run("get", NAME, "--at", "+5s"), run("get", NAME, "state", "--at", "+5s")
    document = json.loads(run("get", NAME, "state", "-o", "json").stdout)
    table = run("get", NAME, "nodes", "-o", "csv").stdout.splitlines()

    assert "! all 12 nodes are reserved" in run("get", NAME, "--at", "+2s").stdout
    assert (shown.exit_code, shown.stdout) == (0, also.stdout)
    assert (document["cluster"]["nodes"], document["scenario"], len(table)) == (12, "rm1:8088", 13)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (["10", "--at", "+2s"], "no forecast for a live or recorded cluster"),
        (["queue/adhoc", "--at", "+2s"], "queue root.adhoc at"),
        (["node01", "--at", "+2s"], "node node01:45454 at"),
    ],
)
def test_why_is_answered_of_kept_polls(kept: Path, question: list[str], words: str) -> None:
    done = run("why", NAME, *question)

    assert (done.exit_code, words in done.stdout) == (0, True)


def test_damaged_polls_are_named_and_repaired(kept: Path) -> None:
    data = bytearray(kept.read_bytes())
    data[len(data) // 2] ^= 1
    kept.write_bytes(data)
    shown, repaired, again = run("get", NAME), run("runs", "repair", NAME), run("runs", "repair", NAME)

    assert (shown.exit_code, "runs repair" in shown.stderr) == (2, True)
    assert (repaired.exit_code, "of part-000001.jsonl" in repaired.stderr) == (0, True)
    assert again.stderr == f"nothing of {NAME} is damaged\n"
    assert run("get", NAME).exit_code == 0
