"""Our Spark Master decides what the real one was recorded to decide."""

import json
from pathlib import Path

import pytest

from tests.oracle.spark_replay import Json, check, compare, main, read_cases, replay

GOLDEN = Path(__file__).parent.parent / "cases" / "recorded"
SAMPLE = GOLDEN / "spark-sample.jsonl"
RECORDED = list(read_cases(GOLDEN / "spark-cases.jsonl.gz"))
KINDS = sorted({record["case"]["id"].split("/")[0] for record in RECORDED})


def of_kind(kind: str) -> list[Json]:
    return [record for record in RECORDED if record["case"]["id"].split("/")[0] == kind]


@pytest.mark.parametrize("kind", KINDS)
def test_every_recorded_case_is_decided_alike(kind: str) -> None:
    """Launches in order, kills, and the whole state after each event equal what Spark 4.3.0 answered."""
    differences = {record["case"]["id"]: difference for record in of_kind(kind) if (difference := check(record))}

    assert differences == {}


@pytest.mark.parametrize("kind", KINDS)
def test_every_recorded_case_survives_a_fork(kind: str) -> None:
    """A copy forked at some event answers the rest like the original, and neither disturbs the other."""
    cases = of_kind(kind)

    differences = [difference for record in cases if (difference := check(record, fork=True))]

    assert differences == []


def test_spark_3_differs_in_ties_only() -> None:
    """Recorded with 3.5.7 and all identity hashes equal: with ties by registration the same rule decides alike."""
    records = list(read_cases(GOLDEN / "spark-3.5.7-cases.jsonl.gz"))

    assert len(records) == 240
    assert [record["case"]["id"] for record in records if check(record)] == []


def test_all_recorded_cases_are_there() -> None:
    """The golden file holds the 404 recorded cases, the sample a few of them."""
    ids = {record["case"]["id"] for record in RECORDED}

    assert len(ids) == 404
    assert {record["case"]["id"] for record in read_cases(SAMPLE)} < ids


def test_a_difference_is_named_by_its_place() -> None:
    assert compare({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == ".a[1].b: expected 2, got 3"


def test_a_wrong_answer_fails_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A case whose recorded result is not ours is counted, named, and makes the exit status 1."""
    record = next(iter(read_cases(SAMPLE)))
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(record | {"result": {}}) + "\n", encoding="utf-8")

    status = main([str(file), "--show", record["case"]["id"]])

    assert status == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed"


def test_answers_are_written_in_the_recorded_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = tmp_path / "answers.jsonl"

    main([str(SAMPLE), "--answers", str(answers)])
    status = main([str(answers), "--fork", "--show", "hand/app-before-workers"])

    assert status == 0
    assert "7 passed, 0 failed" in capsys.readouterr().out


def test_what_cannot_be_replayed_is_told() -> None:
    """An unknown kind of event and an impossible setting fail their case, not the run."""
    strange = {"id": "x", "events": [{"op": "explode"}]}
    impossible = {"id": "y", "events": [], "conf": {"spark.deploy.defaultCores": "0"}}

    differences = [check({"case": case, "result": {}}) for case in (strange, impossible)]

    assert all(difference.startswith("cannot be replayed") for difference in differences)


def test_a_pass_may_be_asked_for() -> None:
    (step,) = replay({"id": "x", "events": [{"op": "schedule"}], "conf": {"spark.unknown": "1"}})["steps"]

    assert step == {"sent": [], "workers": [], "waiting_apps": [], "waiting_drivers": []}


def test_a_refused_event_is_told() -> None:
    events = [{"op": "add_worker", "id": "w1", "cores": 1, "memory_mb": 512}]
    events.append(
        {
            "op": "submit_app",
            "max_cores": 1,
            "cores_per_executor": 1,
            "memory_per_executor_mb": 1,
            "executor_limit": None,
        }
    )
    report = {"op": "executor_state", "app": 0, "executor": 0, "state": "RUNNING"}

    assert replay({"id": "x", "events": [*events, report, report]}) == {"error": "AssertionError"}
