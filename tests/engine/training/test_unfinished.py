"""An exercise whose program was killed is kept; one that is still played, or in which nothing was done, is not."""

from pathlib import Path

import msgspec
import pytest

from engine.errors import OutputError
from engine.training.records import read_history
from engine.training.steps import StepRecorder, written_steps
from engine.training.unfinished import FOLDER, BegunExercise, UnfinishedFile, recover
from tests.engine.training.small_drill import TEXT


@pytest.fixture
def begun(tmp_path: Path) -> BegunExercise:
    drill = tmp_path / "small.toml"
    drill.write_text(TEXT)
    return BegunExercise("kim", str(drill), "2024-03-04T10:00:00+00:00", is_exam=True)


def answered() -> StepRecorder:
    recorder = StepRecorder(0)
    recorder.add(10_000, do="answer", question="fault", answer=["yes"])
    return recorder


def test_a_killed_exercise_is_kept_as_if_it_had_ended(tmp_path: Path, begun: BegunExercise) -> None:
    recorder = answered()
    with UnfinishedFile(tmp_path, begun, "one") as file:
        file.keep(recorder.steps)
        recorder.add(20_000, do="assess", points=40)
        file.keep(recorder.steps)
        written = (tmp_path / FOLDER / "one.jsonl").read_text()
        assert list(recover(tmp_path)) == []
    assert not list((tmp_path / FOLDER).iterdir())
    (tmp_path / FOLDER / "killed.jsonl").write_text(written)
    (said,) = recover(tmp_path)
    assert said.startswith("small of kim was cut off at +0m20s; it is kept: exam not solved")
    (played,) = read_history(tmp_path, "kim").played
    assert (len(played.steps), played.is_exam, played.when) == (2, True, begun.when)
    assert list(recover(tmp_path)) == []


def test_a_folder_that_takes_no_file_is_named(tmp_path: Path, begun: BegunExercise) -> None:
    (tmp_path / "history").write_text("")

    with pytest.raises(OutputError, match=r"one\.jsonl: cannot be written: not a directory"):
        UnfinishedFile(tmp_path / "history", begun, "one")


@pytest.mark.parametrize("damage", ["", "{}", "no JSON"])
def test_a_damaged_file_is_named_and_left(tmp_path: Path, damage: str) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "a.jsonl").write_text(damage)
    assert [said.partition(" cannot be read")[0] for said in recover(tmp_path)] == [str(tmp_path / FOLDER / "a.jsonl")]


@pytest.mark.parametrize(("seed", "is_exam"), [(None, False), (7, False), (None, True)])
def test_it_is_recovered_as_it_was_begun(tmp_path: Path, begun: BegunExercise, seed: int | None, is_exam: bool) -> None:
    recorder = answered()
    varied = msgspec.structs.replace(begun, seed=seed, is_exam=is_exam)
    (tmp_path / FOLDER).mkdir()
    lines = [msgspec.json.encode(varied).decode(), *written_steps(recorder.steps)]
    (tmp_path / FOLDER / "killed.jsonl").write_text("\n".join(lines))
    (said,) = recover(tmp_path)
    (played,) = read_history(tmp_path, "kim").played

    kind = "exam " if is_exam else ""
    assert said == f"small of kim was cut off at +0m10s; it is kept: {kind}not solved, {played.score} of 100"
    assert (played.seed, played.is_exam, played.steps, played.drill) == (seed, is_exam, tuple(lines[1:]), "small")
    assert played.clocks_s["detect"] == 10
