"""`schedlab import`."""

from pathlib import Path

import pytest

from engine.formats.scenario_toml import load
from tests.engine.formats.traces.samples import SLS, SPARK, SWIM
from tests.invoke import Result, said


def run(*arguments: object) -> Result:
    return said("import", map(str, arguments))


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "day.tsv"
    path.write_text(SWIM + "odd\n")
    return path


def test_a_trace_becomes_a_scenario_and_the_report_says_how(trace: Path) -> None:
    target = trace.with_name("day.toml")
    code, out, err = run(trace, "-o", target, "--nodes", "3x8g/4")

    assert (code, err) == (0, "")
    assert f"read      {trace}: a SWIM trace, 2 applications, 4 tasks\n" in out
    assert "inferred  maps of 2 applications: one map for each 128 MB of input\n" in out
    assert f"          {trace}:3: a line has a job," in out
    assert "a scenario of 2 applications on 3 nodes under fair-2.7" in out
    scenario = load(target)
    assert (scenario.name, len(scenario.workload), scenario.cluster.groups[0].memory_mb) == ("day", 2, 8192)
    assert "one map for each 128 MB of input" in scenario.about


def test_the_report_proves_that_each_application_can_start(trace: Path) -> None:
    good, bad = trace.with_name("good.toml"), trace.with_name("bad.toml")

    assert "each application can start" in run(trace, "-o", good)[1]
    code, out, _ = run(trace, "-o", bad, "--nodes", "2x1023m/4", "--assume", "container=512m,1")

    assert code == 0
    assert "each application can start" not in out
    assert "cannot start: 2 applications, e.g. job0: " in out
    assert "this one needs 1024 MB; to change: enlarge node" in out
    assert "cannot start: 2 applications" in load(bad).about


def test_the_report_names_a_file_of_which_a_part_was_taken(trace: Path) -> None:
    out = run(trace, "--first", "1")[1]

    assert f"read      {trace}: a SWIM trace, 1 application, 3 tasks\n" in out


def test_the_scenario_goes_to_the_output_and_the_report_beside_it(trace: Path) -> None:
    code, out, err = run(trace, "-o", "-")

    assert code == 0
    assert out.startswith('name = "day"')
    assert "read      " in err


def test_a_part_under_another_scheduler(trace: Path) -> None:
    other = trace.with_name("sls.json")
    other.write_text(SLS)
    target = trace.with_name("x.toml")
    code, _, err = run(
        other, "-o", target, "--set", "scheduler=capacity-3.4", "--queue-map", "etl=prod.a", "--first", "1"
    )

    assert (code, err) == (0, "")
    assert load(target).workload[0].queue == "root.prod.a"


def test_the_log_of_a_run_is_imported(tmp_path: Path) -> None:
    scenario, log, swim = tmp_path / "s.toml", tmp_path / "rm.log", tmp_path / "plain.tsv"
    swim.write_text(SWIM)
    assert run(swim, "-o", scenario, "--nodes", "2")[0] == 0
    played = said("play", [str(scenario), "--quiet", "-o", f"rm-log:{log}"])
    code, out, _ = run(log)

    assert (played.exit_code, code) == (0, 0)
    assert f"read      {log}: a log of a ResourceManager, 2 applications, 4 tasks" in out
    assert "2 nodes named" in out


def test_control_characters_of_a_trace_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(SPARK.replace('"app-1"', '"\\u001b[31m\\u0007"') + "\n\x1b]0;x\x07\n")
    code, out, err = run(path, "-o", "-")

    assert code == 0
    assert not {"\x1b", "\x07"} & {*out, *err}


# `schedlab get SOURCE workload`.


def told(*arguments: object) -> Result:
    source, *options = map(str, arguments)
    return said("get", [source, "workload", *options])


def test_a_trace_is_described(tmp_path: Path) -> None:
    """Arrivals as a plot, a row for each queue and user, and what was inferred."""
    (tmp_path / "t.tsv").write_text(SWIM)
    code, out, err = told(tmp_path / "t.tsv")

    assert (code, err) == (0, "")
    assert out.startswith("2 applications within 52s: 2 mapreduce\n")
    assert "⠉" in out or "⡀" in out or "⣀" in out
    assert "by queue, 1 queue\n" in out
    assert "inferred  maps of 2 applications: one map for each 128 MB of input\n" in out
    assert max(map(len, out.splitlines()[:16])) <= 120


def test_a_scenario_is_described_in_ascii() -> None:
    code, out, _ = told("reservation-deadlock", "--ascii")

    assert code == 0
    assert out.isascii()
    assert "by queue, 4 queues\n  adhoc" in out


@pytest.mark.parametrize(
    ("spread", "work", "within", "told_work"),
    [("9999ms", "35999999ms", "10.0s", "9h59m"), ("10s", "10h", "10s", "10 h")],
    ids=["short", "long"],
)
def test_a_short_span_has_tenths_and_much_work_whole_hours(
    tmp_path: Path, spread: str, work: str, within: str, told_work: str
) -> None:
    asks = '[{{ memory = "1g", duration = "{}" }}]'
    text = 'duration = "1h"\nscheduler = "fifo"\n[cluster]\nnodes = [{ host = "n", memory = "8g", vcores = 8 }]\n'
    for at, duration in (("0s", work), (spread, "0s")):
        text += f'[[workload]]\ntype = "scripted"\nuser = "u"\nat = "{at}"\nasks = {asks.format(duration)}\n'
    (tmp_path / "s.toml").write_text(text)
    lines = told(tmp_path / "s.toml")[1].splitlines()

    assert lines[0] == f"2 applications within {within}: 2 containers"
    assert next(line for line in lines if line.startswith("all ")).endswith(f"  {told_work}")


def test_an_export_says_when_what_it_cannot_keep_changes_what_happens(stuck: str) -> None:
    """A deadlock is none in SLS, whose jobs wait for no container of theirs."""
    words = "what is left out makes a difference: half of the applications wait at most 3s, 1s in the scenario;"

    assert f"{words} 2 of 2 applications end, 0 of 2 in the scenario" in told(stuck, "-o", "sls")[2]
