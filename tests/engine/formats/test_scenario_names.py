"""What a scenario names is looked up: nodes, applications by name and number, sizes, and the places of problems."""

from typing import Any

import pytest

from engine.errors import ConfigError, Problem
from engine.formats import scenario_references
from engine.formats.scenario_layers import Layers, Origin
from engine.formats.scenario_references import located, placed
from engine.formats.scenario_toml import loads

HEAD = """scheduler = "{scheduler}"
duration = "10m"
first_application = 7
[cluster]
nodes = [{{host = "n1", memory = "8g", vcores = 8}}, {{host = "n2", memory = "8g", vcores = 8}}]
"""
"""Five lines."""
STAGES = "stages = [{tasks = 3, duration = 1}, {tasks = 4, duration = 1}]\n"
ASKS = "asks = [{memory = 1, vcores = 1, count = 2}, {memory = 1, vcores = 1, count = 3}]\n"
DAGS = "dags = [{stages = [{tasks = 3, duration = 1}]}, {stages = [{tasks = 4, duration = 1}]}]\n"
EXPECTED = "[[expectations]]\nat = 2\n"
SIZE = "{memory = 1, vcores = 1}"
SERVICE = """[[workload]]
type = "service"
name = "web"
user = "ann"
instances = 3
instance = {memory = "1g", vcores = 1}
"""


def told(text: str, scheduler: str = "fifo") -> list[str]:
    """What a scenario behind these lines is refused for: line, key, message and hint."""
    try:
        loads(HEAD.format(scheduler=scheduler) + text, "a.toml")
    except ConfigError as refused:
        return [f"{one.line} {one.key}: {one.message} ({one.hint})" for one in refused.problems]
    return []


def repeated(text: str, times: int) -> str:
    """An application that is submitted so often."""
    return f'{text}repeat = {{times = {times}, every = "1s"}}\n'


WORKLOADS = [
    ('type = "mapreduce"\nmaps = 3\nreduces = 2\n', 5, "fifo"),
    (f'type = "service"\ninstances = 3\ninstance = {SIZE}\n', 3, "fifo"),
    (f'type = "service"\ninstances = 3\neach_node = true\ninstance = {SIZE}\n', 6, "fifo"),
    (f'type = "scripted"\n{ASKS}', 5, "fifo"),
    (f'type = "spark"\nexecutors = 2\nexecutor = {SIZE}\n{STAGES}', 9, "fifo"),
    (f'type = "tez"\n{DAGS}', 7, "fifo"),
    (f'type = "spark-standalone"\n{STAGES}', 7, "spark"),
]


@pytest.mark.parametrize(("text", "tasks", "scheduler"), WORKLOADS)
def test_tasks_are_counted_with_their_repeats(
    monkeypatch: pytest.MonkeyPatch, text: str, tasks: int, scheduler: str
) -> None:
    """What each kind of application asks for; the most that is simulated is itself taken."""
    workload = f'[[workload]]\nuser = "ann"\n{repeated(text, 4)}'
    monkeypatch.setattr(scenario_references, "MAX_TASKS", 4 * tasks)
    assert told(workload, scheduler) == []
    monkeypatch.setattr(scenario_references, "MAX_TASKS", 4 * tasks - 1)
    (found,) = told(workload, scheduler)
    most = f"at most {4 * tasks - 1} are simulated"
    assert found == f"6 workload: has {4 * tasks} tasks and asks with their repeats; {most} ()"


def test_applications_are_counted_with_their_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is not repeated is one."""
    workload = SERVICE + repeated(SERVICE, 4)
    monkeypatch.setattr(scenario_references, "MAX_APPLICATIONS", 5)
    assert told(workload) == []
    monkeypatch.setattr(scenario_references, "MAX_APPLICATIONS", 4)
    assert told(workload) == ["6 workload: has 5 applications with their repeats; at most 4 are simulated ()"]


NUMBERED = [
    ("web", True),
    ("wab", False),
    ("7", True),
    ("application_1510360200000_0007", True),
    ("0009", True),
    ("9", True),
    ("12", True),
    ("13", False),
    ("50", True),
    ("52", True),
    ("53", False),
    ("49", False),
    ("2", True),
    ("3", False),
    ("x", False),
    ("", False),
    ("app-20171111-0008", True),
    ("app-20171111-0099", False),
    ("driver-20171111-0000", True),
    ("driver-20171111-0008", True),
    ("driver-20171111-0009", False),
    ("driver-x", False),
    ("1" * 10, False),
    ("1" * 11, False),
]


@pytest.mark.parametrize(("name", "is_there"), NUMBERED)
def test_an_application_is_named_by_its_name_or_the_end_of_its_number(name: str, is_there: bool) -> None:
    """Three that repeat from 50 on, one more by each number from the first of the scenario on, one to be submitted."""
    workload = f"{repeated(SERVICE + 'number = 50' + chr(10), 3)}{repeated(SERVICE.replace('web', 'w2'), 2)}"
    submit = (
        '[[script]]\nat = 1\ndo = "submit"\napplication = {type = "mapreduce", name = "late", user = "ann", maps = 1}\n'
    )
    expected = (
        f'[[expectations]]\nat = 2\nof = "application"\nwhat = "containers"\napplication = "{name}"\nequals = 0\n'
    )

    found = told(workload + submit + expected)
    assert [each.partition(": ")[2].partition(" (")[0] for each in found] == (
        [] if is_there else [f"no application is called {name} or numbered so"]
    )


PLACES = [
    ("yarn.x", ("settings", "yarn.x")),
    ("yarn.y", ("settings",)),
    ("workload.web", ("workload", 0)),
    ("workload.0", ("workload", 0)),
    ("workload.spark", ("workload", 1)),
    ("workload.service", ("workload",)),
    ("workload.5", ("workload",)),
    ("running.old", ("running", 1)),
    ("running.0", ("running", 0)),
    ("recovered.x", ("settings",)),
    ("cluster.nodes", ("cluster",)),
    ("faults.0.at", ("faults",)),
]


@pytest.mark.parametrize(("key", "path"), PLACES)
def test_a_problem_of_a_key_has_its_place(key: str, path: tuple[str | int, ...]) -> None:
    """An application by its name, its place or, where it has no name, its type; a key of no table is a setting."""
    data: dict[str, Any] = {
        "settings": {"yarn.x": "1"},
        "workload": [{"name": "web", "type": "service"}, {"type": "spark"}],
        "running": [{}, {"application": {"name": "old"}}],
        "cluster": {},
        "faults": [{}],
    }
    wanted: dict[tuple[str | int, ...], Origin] = {path[:length]: Origin("b", 1) for length in range(len(path))}
    layers = Layers(data, {**wanted, path: Origin("a.toml", 9)})

    (found,) = located([Problem("no", key=key, hint="so")], layers)
    assert found == Problem("no", "a.toml", 9, key, "so")
    with pytest.raises(ConfigError) as refused, placed(layers):
        raise ConfigError([Problem("no", key=key, hint="so")])
    assert refused.value.problems == (found,)


@pytest.mark.parametrize("problem", [Problem("no", "b.xml", 3, "yarn.x"), Problem("no", key="--at")])
def test_a_problem_that_has_its_place_keeps_it(problem: Problem) -> None:
    """An option of a command has none."""
    assert located([problem], Layers({}, {(): Origin("a.toml", 1)})) == [problem]


NODES = [
    ('[[faults]]\ndo = "lose"\nat = 1\nnode = "n3"\n', ["9 faults.0.node: there is no node n3 ()"]),
    (
        f'{EXPECTED}of = "reservations"\nwhat = "nodes"\nequals = ["n1", "n4"]\n',
        ["10 expectations.0.equals"],
    ),
    (
        f'{EXPECTED}of = "node"\nnode = "n5"\nwhat = "containers"\nequals = 1\n',
        ["9 expectations.0.node"],
    ),
    (f'{EXPECTED}of = "node"\nnode = "n2"\nwhat = "containers"\nequals = 1\n', []),
    ('[[script]]\nat = 1\ndo = "kill"\napplication = "we"\n', ["9 script.0.application: no application is called"]),
]


@pytest.mark.parametrize(("text", "expected"), NODES)
def test_names_that_nothing_has_are_said_at_their_line(text: str, expected: list[str]) -> None:
    """With the nearest name there is."""
    found = told(text + SERVICE)
    assert len(found) == len(expected)
    assert all(each.startswith(begin) for each, begin in zip(found, expected, strict=True)), found
