"""`schedlab check` does what a run does before its first event."""

import json
from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import load, packaged
from engine.scenario import Scenario
from tests.invoke import said

SCENARIO = """\
duration = "1m"
scheduler = "{scheduler}"
{top}
[settings]
{setting}
[cluster]
nodes = [{{ host = "n1", memory = "8g", vcores = 8 }}]
{rest}
"""


def check(folder: Path, *, scheduler: str = "fair-2.7", setting: str = "", rest: str = "", top: str = "") -> str:
    """What is said of a scenario that must be refused."""
    file = folder / "s.toml"
    file.write_text(SCENARIO.format(scheduler=scheduler, setting=setting, rest=rest, top=top))
    done = said("check", [str(file)])
    assert done.exit_code == 1, done.output
    return done.output.replace(f"{folder}/", "").strip()


@pytest.mark.parametrize(
    ("scheduler", "key", "value", "words"),
    [
        ("fifo", "yarn.scheduler.minimum-allocation-mb", "-1", "is not between 0 and the largest, 8192"),
        ("fair-2.7", "yarn.resourcemanager.am.max-attempts", "true", "'true' is not a whole number"),
        ("fifo-3.4", "yarn.resourcemanager.am.max-attempts", "0", "0 is not greater than 0"),
        ("fair-2.7", "yarn.nm.liveness-monitor.expiry-interval-ms", "soon", "'soon' is not a whole number"),
        ("fair-2.7", "yarn.scheduler.fair.update-interval-ms", "0", "0 is not greater than 0"),
        ("fair-3.4", "yarn.scheduler.fair.locality.threshold.node", "NaN", "'NaN' is not a finite number"),
        ("fair-3.4", "yarn.scheduler.reservation-threshold.increment-multiple", "1e400", "is not a finite number"),
        ("fair-3.4", "yarn.resource-types.vcores.increment-allocation", "9" * 5000, "is too large"),
        ("spark", "spark.worker.timeout", "0", "must be positive"),
        ("capacity-2.7", "yarn.scheduler.capacity.maximum-am-resource-percent", "x", "'x' is not a number"),
        ("capacity-3.4", "yarn.scheduler.capacity.root.queues", "a", "its queues have no capacity"),
        ("capacity-3.4", "yarn.scheduler.minimum-allocation-mb", "-1", "is not between 1 and the largest, 8192"),
        ("capacity-3.4", "yarn.resource-types", "memory-mb,yarn.io/gpu", "alone, and there is yarn.io/gpu, too"),
    ],
)
def test_a_setting_that_no_run_begins_with_is_refused_at_its_line(
    tmp_path: Path, scheduler: str, key: str, value: str, words: str
) -> None:
    told = check(tmp_path, scheduler=scheduler, setting=f'"{key}" = "{value}"')

    lines = [line for line in told.splitlines() if line.startswith(f"s.toml:5: {key}: ")]
    assert any(words in line for line in lines), told


def test_a_queue_without_capacity_is_refused_by_the_key_it_lacks(tmp_path: Path) -> None:
    """Once, in 2.7 at the line of the settings; what is missing adds nothing to a sum."""
    told = check(tmp_path, scheduler="capacity-2.7", setting='"yarn.scheduler.capacity.root.queues" = "a"')

    assert told == "s.toml:4: yarn.scheduler.capacity.root.a.capacity: the queue is given no capacity"


def test_an_application_that_cannot_run_at_the_start_is_refused_at_its_line(tmp_path: Path) -> None:
    service = 'type = "service", name = "web", user = "u", instances = 1, instance = { memory = "1g" }'
    rest = f'[[running]]\napplication = {{ {service} }}\nplaced = [{{ node = "n1", memory = "90g" }}]'

    assert check(tmp_path, rest=rest).startswith("s.toml:8: running.web: ")


@pytest.mark.parametrize(
    ("named", "key"), [('node = "n2"', "node"), ('node = "n1", also = ["n1", "n2"]', "also")], ids=["node", "also"]
)
def test_a_fault_on_a_node_that_is_not_there_is_refused_at_its_line(tmp_path: Path, named: str, key: str) -> None:
    told = check(tmp_path, top=f'faults = [{{ at = 9, do = "health", healthy = false, {named} }}]')

    assert told == f"s.toml:3: faults.0.{key}: there is no node n2"


def test_an_application_of_another_control_plane_is_refused_at_its_line(tmp_path: Path) -> None:
    told = check(tmp_path, rest='\n[[workload]]\ntype = "spark-standalone"\nuser = "u"')

    assert told.startswith("s.toml:9: workload.0: type spark-standalone does not run on scheduler fair-2.7 (there")


@pytest.mark.parametrize("table", ["faults", "script"])
def test_nothing_happens_before_the_start(tmp_path: Path, table: str) -> None:
    """A fault or an action one second early is refused; at the start it is not."""
    told = check(tmp_path, rest=f'[[{table}]]\nat = "-1s"\ndo = "lose"\nnode = "n1"')

    assert told.startswith(f"s.toml:9: {table}.0.at: ")
    file = tmp_path / "s.toml"
    file.write_text(file.read_text().replace('"-1s"', '"0s"'))
    assert said("check", [str(file)]).exit_code == 0


def test_a_scenario_is_shown_as_json_or_as_toml() -> None:
    shown = said("get", ["fair-two-users", "scenario", "-o", "json"])
    both = said("get", ["fair-two-users", "scenario", "-o", "json", "-o", "toml"])

    assert (json.loads(shown.stdout)["name"], both.exit_code) == ("fair-two-users", 2)


def test_a_check_as_json_has_an_object_for_each_scenario(tmp_path: Path) -> None:
    """With everything that is wrong with it; one that is good has no problem."""
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("clutser = 1\n")
    done = said("check", ["fair-two-users", str(wrong), "-o", "jsonl"])
    head, good, bad = (json.loads(line) for line in done.stdout.splitlines())

    assert (done.exit_code, head["schema"]) == (1, "check/1")
    assert (good["name"], good["problems"]) == ("fair-two-users", [])
    assert any("clutser" in problem["key"] for problem in bad["problems"])


def test_what_can_never_start_is_told_and_is_no_fault() -> None:
    huge, service = (said("check", [name]) for name in ("pattern-ask-above-every-node", "spark-worker-lost"))

    assert (huge.exit_code, service.stdout) == (0, "spark-worker-lost: good\n")
    assert "cannot start: 1 application, e.g. huge: 2 of 2 nodes: too small" in huge.stdout


def test_an_unreadable_scenario_is_listed_and_takes_no_other_down(monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded(name: str) -> Scenario:
        if name == packaged()[0]:
            raise ConfigError([Problem("bad", "x.toml", 3)])
        return load(name)

    monkeypatch.setattr("tui.cli.get.load", loaded)
    result = said("get", ["-o", "jsonl"])

    _, *lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert lines[0] == {"name": packaged()[0], "kind": "scenario", "unreadable": "x.toml:3: bad"}
    assert [each["name"] for each in lines if each["kind"] == "scenario"] == list(packaged())


def test_who_is_refused_at_once_cannot_start(tmp_path: Path) -> None:
    """Whoever asks for a label that no cluster has is in no list of applications."""
    settings = "\n".join(
        f'"yarn.{key}" = {value}'
        for key, value in {
            "node-labels.enabled": "true",
            "scheduler.capacity.root.queues": '"a"',
            "scheduler.capacity.root.a.capacity": "100",
            "scheduler.capacity.root.a.accessible-node-labels": '"gpu"',
            "scheduler.capacity.root.accessible-node-labels.gpu.capacity": "100",
            "scheduler.capacity.root.a.accessible-node-labels.gpu.capacity": "100",
            "scheduler.capacity.root.a.default-node-label-expression": '"gpu"',
        }.items()
    )
    job = '[[workload]]\ntype = "mapreduce"\nname = "j"\nuser = "u"\nqueue = "a"\nmaps = 1\nat = 1'
    file = tmp_path / "s.toml"
    file.write_text(SCENARIO.format(scheduler="capacity-3.4", setting=settings, rest=job, top=""))
    done = said("check", [str(file)])

    words = "cannot start: 1 application, e.g. j: refused: the cluster has no label gpu"
    assert (done.exit_code, words in done.output) == (0, True)
