"""The closing summary of `schedlab play`, the JSON lines, and who is not judged."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tui import cli

SCENE = """
start = 2024-03-04T09:00:00Z
duration = "5m"
[cluster]
groups = [{ prefix = "n", count = 1, memory = "4g", vcores = 4 }]
[[workload]]
type = "scripted"
name = "short"
user = "ann"
am = "unmanaged"
at = 1
asks = [{ memory = "1g", count = 2, duration = "10s" }]
[[workload]]
type = "scripted"
name = "long"
user = "ann"
am = "unmanaged"
at = 2
asks = [{ memory = "1g", count = 9 }]
[[script]]
at = "60s"
do = "kill"
application = "2"
[[script]]
at = "61s"
do = "kill"
application = "2"
[[expectations]]
about = "one runs at first"
of = "applications"
what = "count"
equals = 2
state = "RUNNING"
at = "5s"
[[expectations]]
of = "applications"
what = "count"
at_least = 3
within = "30s"
[[expectations]]
about = "none at last"
of = "cluster"
what = "containers"
equals = 0
at = "4m"
"""


@pytest.fixture
def scene(tmp_path: Path) -> str:
    """A scenario with two applications and three expectations."""
    path = tmp_path / "scene.toml"
    path.write_text(SCENE)
    return str(path)


def played(*arguments: str) -> tuple[int, list[str]]:
    """Exit code and the lines of stdout."""
    done = CliRunner().invoke(cli.app, ["play", *arguments])
    return done.exit_code, done.stdout.splitlines()


def test_the_summary_counts_what_happened(scene: str) -> None:
    """Applications, containers by how they ended, reservations, expectations, and steps that came to nothing."""
    code, lines = played("-q", scene)

    assert code == 1
    # 4 GB hold two of each at first; two more follow where the short one ends, and one more is reserved each time
    assert lines[lines.index("") + 1 :] == [
        "scene: ended at 09:05:00, 5m simulated",
        "applications  2 submitted, 1 FINISHED, 1 KILLED",
        "containers    6 allocated, 2 ended by themselves, 4 application ended",
        "reservations  2 made, 1 dropped",
        "expectations  2 of 3 met",
        "  met    at 09:00:05: one runs at first: applications state RUNNING count = 2",
        "  FAILED within 30s of 09:00:00: applications count at least 3; it was 2 at 09:00:30",
        "  met    at 09:04:00: none at last: cluster containers = 0",
        "  came to nothing: kill at 09:01:01: there is no live application 2",
    ]


def test_json_lines_end_with_the_outcome(scene: str) -> None:
    """Instants are ms after the start."""
    code, lines = played("--json", scene)
    events, outcome = [json.loads(line) for line in lines[:-1]], json.loads(lines[-1])
    results: list[Any] = outcome["expectations"]

    assert code == 1
    assert (outcome["kind"], outcome["scenario"], outcome["ended"], outcome["interrupted"], outcome["ok"]) == (
        "Outcome", "scene", 300_000, False, False,
    )  # fmt: skip
    assert [(one["verdict"], one["about"]) for one in results] == [
        ("met", "one runs at first"), ("failed", ""), ("met", "none at last"),
    ]  # fmt: skip
    assert (results[0]["at"], results[2]["at"], len(outcome["mishaps"])) == (5_000, 240_000, 1)
    assert events[0]["at"] == min(event["at"] for event in events)
    assert {"Allocated", "Submitted", "Acted"} <= {event["kind"] for event in events}


def test_who_waits_at_the_end_and_was_not_judged_is_told(scene: str) -> None:
    """With since when, as JSON where that is wanted; nothing where no alerts are looked for."""
    _, lines = played("--json", "--until", "+59s", scene)
    _, without = played("--json", "--no-alerts", "--until", "+59s", scene)

    assert json.loads(lines[-1])["not_judged"] == []
    assert "not_judged" not in json.loads(without[-1])
