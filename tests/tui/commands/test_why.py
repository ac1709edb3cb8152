"""`schedlab why`."""

import json
from pathlib import Path

import pytest

from tests.invoke import Result, said
from tests.tui.commands.conftest import SCENE


def run(*arguments: str) -> Result:
    unbounded = [] if "--budget" in arguments else ["--budget", "0"]
    return said("why", [*arguments, *unbounded])


def test_it_tells_verdict_reasons_holders_and_proof(stuck: str) -> None:
    code, out, _ = run(stuck, "first", "--at", "+60s")

    assert code == 0
    for part in ("deadlocked", "because", "too full", "held by", "0002 second", "0001 waits for 0002"):
        assert part in out


def test_what_is_known_when_the_time_is_over_is_told(stuck: str) -> None:
    """Reasons are there at once; a budget of nothing is enough for those, and says how far it looked."""
    code, out, _ = run(stuck, "1", "--at", "+60s", "--budget", "1ms")

    assert code == 0
    assert "not found in this time" in out
    assert " only; a larger --budget looks further" in out
    assert "too full" in out


@pytest.mark.parametrize("words", [("queue/a",), ("a",), ("root.a",), ("node/n1",), ("n1",), ()])
def test_it_tells_who_waits_in_a_place(stuck: str, words: tuple[str, ...]) -> None:
    """Without a word, the whole cluster is the place."""
    code, out, _ = run(stuck, *words, "--at", "+60s")

    assert code == 0
    assert "2 applications waiting" in out
    assert out.count("deadlocked") == 2


@pytest.mark.parametrize(
    ("source", "at", "parts"),
    [
        ("spark-no-worker-large-enough", "5m", ["09:05:00: 1 application waiting\napp-20240304090010-0001"]),
        ("mr1-slots-of-the-wrong-kind", "1m", ["cluster at 09:01:00: 1 job waiting\n0001 crawl: 144 asked"]),
        ("three-schedulers-fifo", "5m", ["cluster at 09:05:00: 2 applications waiting\n0001 large: 500 asked for"]),
        (
            "reservation-deadlock",
            "10:43",
            [
                "queue root at 10:43:00: 78 applications waiting\n183354 pyspark",
                "nothing for others\n  the same for 75 others: 183314, 183315, 183359, 183316,"
                " 183317, 183318, 183360, 183319, 183320, 183312 and 65 more",
            ],
        ),
    ],
)
def test_every_scheduler_tells_who_waits_in_the_cluster(source: str, at: str, parts: list[str]) -> None:
    written = run(source, "--at", at, "--budget", "1ms")[1]

    assert [part for part in parts if part not in written] == []


def test_play_tells_of_the_freeze(stuck: str) -> None:
    result = said("play", [stuck])

    assert "ALERT" in result.stdout
    assert "nothing will be allocated any more" in result.stdout


KILLED = """
[[script]]
do = "kill"
at = 90
application = "second"
"""


@pytest.fixture
def kept(stuck: str, tmp_path: Path) -> tuple[str, str, tuple[str, str]]:
    """A scenario with an act from outside, the name of a kept run of it, and where that is."""
    path = Path(stuck)
    path.write_text(path.read_text() + KILLED)
    place = ("-c", f"runs_folder={tmp_path}/runs")
    assert said("play", [stuck, "--keep", "monday", *place]).exit_code == 0
    return stuck, "monday", place


@pytest.mark.parametrize(
    "question",
    [
        ("first", "--at", "+60s"),
        ("first",),
        ("first", "--at", "+89.5s"),
        ("first", "--at", "+90s"),
        ("second", "--at", "+2s"),
        ("queue/a", "--at", "+60s"),
        ("node/n1", "--at", "+100s"),
        ("queue/a",),
    ],
)
def test_a_kept_run_answers_as_its_scenario(kept: tuple[str, str, tuple[str, str]], question: tuple[str, ...]) -> None:
    scenario, name, place = kept

    asked, played = run(name, *question, "-o", "json", *place), run(scenario, *question, "-o", "json")
    answers = [{**json.loads(out), "source": None} for _, out, _ in (asked, played)]

    assert answers[0] == answers[1]
    assert asked[0] == 0


def test_who_is_over_is_asked_about_in_its_longest_wait(kept: tuple[str, str, tuple[str, str]]) -> None:
    told = "this is the middle of its longest wait: 1m08s, from 00:00:21.611 to 00:01:30;"

    assert told in run(kept[0], "second")[1].splitlines()[1]


TWO = """
[[workload]]
type = "scripted"
name = "two"
user = "ann"
queue = "root.a"
at = 1
am = "unmanaged"
waits = true
asks = [
  { priority = 1, memory = "12g" },
  { priority = 2, memory = "2g", hosts = ["n9"], relax = false },
]
"""


@pytest.fixture
def two(tmp_path: Path) -> str:
    """A scenario with an application whose two requests wait for different reasons."""
    path = tmp_path / "two.toml"
    path.write_text(SCENE + TWO)
    return str(path)


@pytest.mark.parametrize(("priority", "code"), [(1, "NODE_TOO_SMALL"), (2, "LOCALITY_NOT_RELAXED")])
def test_one_request_has_its_own_reasons(two: str, priority: int, code: str) -> None:
    answer = json.loads(run(two, "1", "--priority", str(priority), "--at", "+30s", "-o", "json")[1])

    assert answer["request"]["priority"] == priority
    assert [reason["code"] for reason in answer["request"]["reasons"]] == [code]
