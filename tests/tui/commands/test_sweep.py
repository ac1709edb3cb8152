"""`schedlab tune`."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.invoke import Result, said

pytestmark = pytest.mark.usefixtures("sources")


FIRST = "95 % wait for the"


def run(*arguments: str) -> Result:
    return said("tune", arguments)


def test_a_sweep_is_shown_again_as_text_json_csv_and_html(tmp_path: Path) -> None:
    done = tmp_path / "s"
    code, _, err = run("small.toml", "--workers", "1", "--vary", "scheduler=fifo,fair-2.7", "-o", f"sweep:{done}")
    assert code == 0, err
    code, out, _ = run(str(done))
    assert (code, out.splitlines()[0]) == (0, f"small: 2 done; {FIRST} first container asked for, lowest first")
    document = json.loads(run(str(done), "-o", "json")[1])
    assert {each["settings"]["policy"] for each in document["settings"]} == {"fifo", "fair-2.7"}
    rows = list(csv.DictReader(io.StringIO(run(str(done), "-o", "csv")[1])))
    assert [(row["policy"], row["status"]) for row in rows] == [("fifo", "done"), ("fair-2.7", "done")]
    report = tmp_path / "r.html"
    assert run(str(done), "-o", f"html:{report}")[0] == 0
    page = report.read_text(encoding="utf-8")
    assert "What matters" in page
    assert "<svg" in page
    assert "://" not in page.replace("http://www.w3.org", "")


def test_a_sweep_has_the_words_of_its_system() -> None:
    """Of Spark `used` is of cores, however a sweep keeps the dimensions."""
    words = ("spark-packing", "--workers", "1", "--vary", "spark.deploy.spreadOutApps=true", "--until", "1m")
    assert f"{FIRST} first executor asked for, lowest first" in run(*words)[1]
    assert "cores held, highest first" in run(*words, "--goal", "used")[1]


def test_a_size_is_found_with_the_steps_that_prove_it_and_resumed_from_its_file(tmp_path: Path) -> None:
    """One trial at the largest, one at the least, which is enough here; resumed, nothing is played."""
    file = tmp_path / "z"
    arguments = ["small.toml", "--limit", "p95 < 1h", "--smallest", "nodes=2..3", "--seeds", "1"]
    first = run(*arguments, "--workers", "1", "-o", f"sweep:{file}", "-o", "text")
    kept = file.read_bytes()
    document = json.loads(run(str(file), "--workers", "1", "-o", "json")[1])

    assert (document["answer"], [each["value"] for each in document["steps"]]) == (2, [3, 2])
    assert first[:2] == run(str(file), "--workers", "1")[:2]
    assert first[1].startswith("2 nodes keep p95_wait < 1h with the one seed\n")
    assert "p95_wait against nodes" in first[1]
    assert file.read_bytes() == kept
