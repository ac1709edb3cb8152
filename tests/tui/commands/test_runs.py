"""Kept runs on the command line: kept, listed, shown, exported, deleted; damage is told in words."""

import json
import os
from pathlib import Path

import pytest

from engine.run.run_store import FILE
from tests.invoke import said
from tests.small_disk import small_disk
from tests.tui.test_cli import SMALL, run


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A small scenario, with a directory for runs of its own."""
    monkeypatch.setenv("SCHEDLAB_RUNS_FOLDER", str(tmp_path / "runs"))
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


def damage(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = tmp_path / "runs" / "one" / FILE
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


@pytest.fixture
def kept(scene: str) -> str:
    assert run("play", "-q", scene, "--keep", "one").exit_code == 0
    return scene


def test_a_run_is_kept_under_the_first_free_name(scene: str) -> None:
    first, second = run("play", "-q", scene, "--keep", "auto"), run("play", "-q", scene, "--keep", "auto")

    assert (first.exit_code, second.exit_code) == (0, 0)
    assert ("kept as small-1" in first.stderr, "kept as small-2" in second.stderr) == (True, True)
    assert [line.split()[0] for line in run("runs").stdout.splitlines()] == ["small-1", "small-2"]


def test_a_name_that_is_taken_is_refused_unless_it_is_to_be_replaced(kept: str) -> None:
    again = run("play", "-q", kept, "--keep", "one")
    forced = run("play", "-q", kept, "--keep", "one", "--force")

    assert (again.exit_code, "there is a run one already" in again.stderr) == (2, True)
    assert (forced.exit_code, "kept as one" in forced.stderr) == (0, True)
    assert [line.split()[0] for line in run("runs").stdout.splitlines()] == ["one"]


def test_lists_and_facts_are_there_as_json(kept: str) -> None:
    _, line = run("runs", "-o", "jsonl").stdout.splitlines()
    shown = json.loads(run("get", "one", "-o", "json").stdout)

    assert json.loads(line)["name"] == shown["name"] == "one"
    assert shown["acts_done"][0][1] == {"kind": "KillApplication", "application": 183354}


def test_an_instant_of_a_run_is_rebuilt(kept: str) -> None:
    before = json.loads(run("get", "one", "--at", "09:00:20", "-o", "json").stdout)
    after = json.loads(run("get", "one", "--at", "+40", "-o", "json").stdout)

    assert (before["cluster"]["containers"], after["cluster"]["containers"]) == (2, 0)
    assert "Applications 1" in run("get", "one", "--at", "09:00:20").stdout


def test_an_exported_journal_is_the_one_play_writes(kept: str, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    run("play", "-q", kept, "-o", f"journal:{journal}")

    assert run("get", "one", "events", "-o", "jsonl").stdout_bytes == journal.read_bytes()
    assert run("get", "one", "events", "-o", f"jsonl:{tmp_path / 'out'}").exit_code == 0
    assert (tmp_path / "out").read_bytes() == journal.read_bytes()


def test_a_run_is_exported_as_one_object(kept: str) -> None:
    exported = json.loads(run("get", "one", "scenario", "-o", "json").stdout)

    assert exported["journal_hash"] == json.loads(run("runs", "-o", "jsonl").stdout.splitlines()[1])["journal_hash"]


def test_deleting_needs_an_answer(kept: str) -> None:
    assert run("runs", "rm", "one").exit_code == 2
    assert "one" in run("runs").stdout
    assert run("runs", "rm", "one", "--yes").exit_code == 0
    assert run("runs").stdout == ""
    assert run("runs", "rm", "one", "--yes").exit_code == 2


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(("answer", "is_there"), [("\n", True), ("n\n", True), ("y\n", False)])
def test_on_a_terminal_deleting_asks(tmp_path: Path, answer: str, is_there: bool) -> None:
    asked = said("runs rm one", reads=answer, is_typed=True)

    assert asked.stderr.startswith("Delete the kept run one? [y/N]: ")
    assert (tmp_path / "runs" / "one").exists() is is_there


@pytest.mark.parametrize("name", ["", "..", "a/b", "/nowhere", "\x1b[31m"])
def test_what_cannot_name_a_run_is_refused(
    kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path / "runs")  # what lies above the tests may be a configuration
    for command in ("get", "open", "runs rm", "runs repair", f"play -q {kept} --keep"):
        assert run(*command.split(), name).exit_code == 2, command
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["one"]


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("get", ["get", "one"]),
        ("get --at", ["get", "one", "--at", "+40"]),
        ("get events", ["get", "one", "events", "-o", "jsonl"]),
        ("get series", ["get", "one", "series"]),
        ("get scenario", ["get", "one", "scenario", "-o", "json:run.json"]),
        ("why", ["why", "one", "1", "--at", "+40"]),
        ("get queues", ["get", "one", "queues", "--at", "+40"]),
    ],
)
def test_a_damaged_run_is_one_message(kept: str, tmp_path: Path, verb: str, arguments: list[str]) -> None:
    """The line, how far it is good, and what keeps that part; exit code 2, nothing on stdout."""
    damage(tmp_path, b'{"kind":"KillApplication"', b'{"kind":"KillapplicatioN"')
    shown = run(*arguments)

    assert (shown.exit_code, shown.stdout, shown.stderr.count("\n")) == (2, "", 1), verb
    assert "is damaged; good up to 09:00:" in shown.stderr
    assert "`schedlab runs repair one` keeps that part" in shown.stderr


def test_a_damaged_run_is_repaired(kept: str, tmp_path: Path) -> None:
    whole = run("get", "one", "events", "-o", "jsonl").stdout
    damage(tmp_path, b'{"kind":"KillApplication"', b'{"kind":"KillapplicatioN"')
    repaired = run("runs", "repair", "one")

    assert (repaired.exit_code, repaired.stdout) == (0, "")
    assert "of one, up to line" in repaired.stderr
    assert "(cut off: line" in run("runs").stdout
    assert whole.startswith(run("get", "one", "events", "-o", "jsonl").stdout)
    assert run("get", "one", "--at", "+1").exit_code == 0
    assert "nothing of one is damaged" in run("runs", "repair", "one").stderr


def test_a_run_that_was_killed_is_shown_as_far_as_it_goes(kept: str, tmp_path: Path) -> None:
    path = tmp_path / "runs" / "one" / FILE
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))

    assert "incomplete" in run("get", "one").stdout
    assert "(incomplete)" in run("runs").stdout
    assert run("get", "one", "--at", "+30").exit_code == 0


def test_a_run_that_could_not_be_kept_ends_with_2(scene: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill_disk(monkeypatch)
    played = run("play", scene, "--keep", "one")

    assert (played.exit_code, "ended at 09:01:00" in played.stdout) == (2, True)
    assert "the run one is no longer kept: no space left on device" in played.stderr
    assert "(cut off: no space left on device)" in run("runs").stdout


def fill_disk(monkeypatch: pytest.MonkeyPatch, after: int = 5) -> None:
    """Let the disk of a kept run be full after some instants; it still takes what there is room for."""
    write, sizes = os.pwrite, {0: 0}

    def full(handle: int, data: bytes, place: int) -> int:
        sizes[handle] = sizes.get(handle, 0) + 1
        if sizes[handle] > after and data.endswith(b"  "):
            raise OSError(28, os.strerror(28))
        return write(handle, data, place)

    monkeypatch.setattr(os, "pwrite", full)


def test_an_export_that_fails_leaves_nothing(kept: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    with small_disk(100):
        exported = run("get", "one", "events", "-o", f"jsonl:{path}")

    assert (exported.exit_code, "cannot be written: file too large" in exported.stderr) == (2, True)
    assert not path.exists()


# `schedlab watch --keep`, and what other commands make of kept polls.

POLLS = "rm1-8088-1"


def test_kept_polls_are_told_in_words_and_as_json(polls: Path) -> None:
    words, listed = run("get", POLLS), json.loads(run("runs", "-o", "jsonl").stdout.splitlines()[-1])
    shown = json.loads(run("get", POLLS, "-o", "json").stdout)

    assert all(each in words.stdout for each in ("polls of rm1:8088", "polls      24", "all 12 nodes are reserved"))
    assert listed.items() <= shown.items()
    assert (shown["kind"], shown["where"], shown["is_whole"]) == ("schedlab polls", "rm1:8088", True)


def test_an_instant_of_kept_polls_is_shown(polls: Path) -> None:
    shown, also = run("get", POLLS, "--at", "+5s"), run("get", POLLS, "state", "--at", "+5s")
    document = json.loads(run("get", POLLS, "state", "-o", "json").stdout)
    table = run("get", POLLS, "nodes", "-o", "csv").stdout.splitlines()

    assert "! all 12 nodes are reserved" in run("get", POLLS, "--at", "+2s").stdout
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
def test_why_is_answered_of_kept_polls(polls: Path, question: list[str], words: str) -> None:
    done = run("why", POLLS, *question)

    assert (done.exit_code, words in done.stdout) == (0, True)


def test_the_page_about_kept_polls_names_the_twin_that_fix_plays(polls: Path) -> None:
    page = run("get", POLLS, "report", "-o", "md").stdout

    assert "schedlab fix rm1-8088-1 --at 01:22:54.020 plays its twin" in page
    assert "until a line says" not in page


def test_damaged_polls_are_named_and_repaired(polls: Path) -> None:
    data = bytearray(polls.read_bytes())
    data[len(data) // 2] ^= 1
    polls.write_bytes(data)
    shown, repaired, again = run("get", POLLS), run("runs", "repair", POLLS), run("runs", "repair", POLLS)

    assert (shown.exit_code, "runs repair" in shown.stderr) == (2, True)
    assert (repaired.exit_code, "of part-000001.jsonl" in repaired.stderr) == (0, True)
    assert again.stderr == f"nothing of {POLLS} is damaged\n"
    assert run("get", POLLS).exit_code == 0
