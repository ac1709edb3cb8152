"""Laws of what is imported: what is played has what is stated, or the report says how far it is from it."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formats.traces.application import BANDS, EXACT, TraceApplication
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import BY_TIMES
from engine.run import Run
from engine.scenario import Scenario
from engine.serve.attempts import AppsWriter
from tests.engine.formats.traces.samples import imported

START = "2026-01-01T00:00:00Z"


def played(scenario: Scenario) -> list[dict[str, Any]]:
    """What a ResourceManager would say of each application at the end, in the order of their submission."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "apps.json"
        with AppsWriter.to_file(path, scenario) as writer:
            run = Run(scenario, [writer], is_judged=False)
            writer.follow(run.simulation)
            run.advance(run.until_ms)
            writer.finish()
        return sorted(json.loads(path.read_text())["apps"]["app"], key=lambda row: row["id"])


def sums_of(scenario: Scenario) -> list[tuple[str, int, int]]:
    """Name, MB · s and vcore · s of each application, played."""
    return [(row["name"], row["memorySeconds"], row["vcoreSeconds"]) for row in played(scenario)]


def answer(rows: list[dict[str, Any]]) -> str:
    """The answer of a ResourceManager about applications that have ended, in the order of their submission."""
    named = {"user": "u", "queue": "default", "state": "FINISHED", "finalStatus": "SUCCEEDED", "applicationType": "X"}
    return json.dumps({"apps": {"app": [{**named, "id": f"application_1_{row['name']}", **row} for row in rows]}})


@st.composite
def stated(draw: st.DrawFn) -> dict[str, Any]:
    """An application that has ended, with sums of any size within reason."""
    started_ms = 1_476_913_457_000 + draw(st.integers(0, 3_600_000))
    life_s = draw(st.integers(1, 7200))
    vcore_s = round(life_s * draw(st.floats(0.01, 40)))
    each_mb = draw(st.one_of(st.sampled_from([256, 512, 1024, 1536, 2048, 8192]), st.floats(60, 9000)))
    return {
        "startedTime": started_ms,
        "finishedTime": started_ms + life_s * 1000,
        "elapsedTime": life_s * 1000,
        "memorySeconds": int(max(1, vcore_s) * each_mb),
        "vcoreSeconds": vcore_s,
    }


def bound_of(application: TraceApplication) -> float:
    """How far the report lets the sums of an application be from what is stated."""
    off = application.inferred.get("sums", "")
    return next((band for band in BANDS if f" {band:.0%} off" in off), 1e9) if off else EXACT


@given(st.lists(stated(), min_size=1, max_size=6))
@settings(max_examples=25, deadline=None)
def test_sums_are_played_as_stated_or_the_report_says_how_far_off(rows: list[dict[str, Any]]) -> None:
    """Within 5 %, or within what the report says of the application, but for a second of what it holds."""
    named = {f"{number:04d}": row for number, row in enumerate(sorted(rows, key=lambda row: row["startedTime"]), 1)}
    applications, report = imported(answer([{**row, "name": name} for name, row in named.items()]))
    bounds = {each.name: bound_of(each) for each in applications}
    containers = {each.name: 1 + each.containers for each in applications}
    found = sums_of(imported_scenario(applications, report))

    assert [name for name, _, _ in found] == list(named)
    for name, memory_mb_s, vcore_s in found:
        row = named[name]
        second_mb_s = row["memorySeconds"] / (row["elapsedTime"] / 1000)
        assert abs(memory_mb_s - row["memorySeconds"]) <= bounds[name] * row["memorySeconds"] + second_mb_s
        if any(value == "vcores" for value, _ in report.inferred):
            continue  # the scheduler counts memory alone
        assert abs(vcore_s - row["vcoreSeconds"]) <= bounds[name] * max(1, row["vcoreSeconds"]) + containers[name]


JOBS = st.lists(
    st.fixed_dictionaries(
        {
            "at": st.integers(0, 3600),
            "memory": st.sampled_from(["1g", "2g", "3g", "8g"]),
            "count": st.integers(1, 6),
            "duration": st.integers(60, 1800),
        }
    ),
    min_size=1,
    max_size=4,
)


@given(JOBS)
@settings(max_examples=10, deadline=None)
def test_what_was_played_plays_alike_when_its_answer_is_imported(jobs: list[dict[str, Any]]) -> None:
    """Within 10 % of its own sums."""
    workload = [
        {
            "type": "scripted",
            "name": str(number),
            "user": "u",
            "at": job["at"],
            "am": {"memory": "1g", "vcores": 1},
            "asks": [{**{key: job[key] for key in ("memory", "count", "duration")}, "vcores": 1}],
        }
        for number, job in enumerate(jobs)
    ]
    nodes = {"groups": [{"count": 8, "memory": "16g", "vcores": 16}]}
    first = played(
        Scenario.model_validate({"name": "x", "cluster": nodes, "workload": workload, "duration": "3h", "start": START})
    )
    applications, report = imported(answer(first))
    again = {name: (memory, vcores) for name, memory, vcores in sums_of(imported_scenario(applications, report))}

    for row in first:
        memory_mb_s, vcore_s = again[row["name"]]
        assert abs(memory_mb_s / row["memorySeconds"] - 1) < 0.1
        assert abs(vcore_s / row["vcoreSeconds"] - 1) < 0.1


@st.composite
def batch_logs(draw: st.DrawFn) -> tuple[str, int]:
    """A log in SWF that states when jobs ran on a machine where a job waits or not, and how many it had at most."""
    rows, changes, submit_s = [], [], 0
    for number in range(1, draw(st.integers(1, 12)) + 1):
        submit_s += draw(st.integers(0, 600))
        wait_s, run_s, size = draw(st.integers(0, 300)), draw(st.integers(1, 900)), draw(st.integers(1, 64))
        rows.append(f"{number} {submit_s} {wait_s} {run_s} {size} -1 -1 {size} -1 -1 1 1 1 -1 1 1 -1 -1\n")
        changes += [(submit_s + wait_s, size), (submit_s + wait_s + run_s, -size)]
    busy = [sum(size for when, size in changes if when <= instant) for instant, _ in changes]
    return "".join(rows), max(busy)


@given(batch_logs())
def test_the_machine_of_a_batch_log_is_the_least_that_its_times_prove(log: tuple[str, int]) -> None:
    """Whatever is submitted when: what ran at once fits, and one processor less would not hold it."""
    text, most = log
    applications, report = imported(text)
    (node,) = imported_scenario(applications, report).cluster.all_nodes()

    assert node.vcores == most
    assert ("processors of the machine", BY_TIMES.format(most=most)) in report.inferred
