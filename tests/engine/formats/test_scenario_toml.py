"""Scenario files: read, refused with every fault, and written back."""

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import dump, loads

SMALL = """# What it shows.
# What to watch.

start = 2017-11-11T08:30:00+08:00
duration = "14:30"
[settings]
yarn.scheduler.fair.preemption = true
"yarn.scheduler.maximum-allocation-mb" = 64000
[cluster]
heartbeat = 1
groups = [{count = 2, memory = "100g", vcores = 32}]
[[queues]]
name = "prod"
weight = 2
[[workload]]
type = "scripted"
name = "weekly"
number = 183354
user = "mina"
at = "09:00"
am = "unmanaged"
asks = [
  {memory = 64000, vcores = 4, count = 2, duration = ["14s", 30]},
]
[[script]]
do = "kill"
at = "14:00"
application = "183354"
"""


def problems(text: str) -> list[Problem]:
    with pytest.raises(ConfigError) as refused:
        loads(text, "a.toml")
    return list(refused.value.problems)


def test_every_fault_is_told_at_once_with_line_key_and_hint() -> None:
    broken = (
        SMALL.replace("duration = ", "duratoin = ")
        .replace('"100g"', '"100q"')
        .replace('user = "mina"\n', "")
        .replace("scripted", "scriptd")
    )
    found = {problem.key: problem for problem in problems(broken)}
    assert (found["duratoin"].line, found["duratoin"].hint) == (5, "did you mean duration?")
    assert found["cluster.groups.0.memory"].line == 11
    assert "scripted" in found["workload.0"].hint
    assert {problem.file for problem in found.values()} == {"a.toml"}


def test_a_fault_inside_a_list_of_tables_names_its_own_line() -> None:
    (fault,) = problems(SMALL.replace("count = 2,", "cuont = 2,").replace("groups = [{cuont", "groups = [{count"))
    assert (fault.key, fault.line, fault.hint) == ("workload.0.asks.0.cuont", 23, "did you mean count?")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("vcores = 32", 'vcores = "many"', "not a whole number"),
        ("weight = 2", "weight = -1", "-1 is less than 0"),
        ('at = "14:00"', 'at = "25:00"', "not a time of day"),
        ('do = "kill"\n', "", "has no do"),
        ('["14s", 30]', '["44s", 30]', "shorter duration comes first"),
        ("2017-11-11T08:30:00+08:00", "2017-11-11T08:30:00", "has no time zone"),
        ("count = 2, memory", 'count = 2, hosts = ["a"], memory', "either hosts or a count"),
        ('application = "183354"', 'application = "77"', "no application has the name or number 77"),
        ("groups = [{", 'groups = [{prefix = "x"}, {', "is missing"),
    ],
)
def test_a_fault_is_said_in_words(old: str, new: str, message: str) -> None:
    assert old in SMALL
    assert any(message in problem.message for problem in problems(SMALL.replace(old, new, 1)))


def test_a_text_that_is_no_toml_names_the_line() -> None:
    (problem,) = problems("a = 1\nb = \n")
    assert (problem.file, problem.line) == ("a.toml", 2)


def test_what_a_running_application_holds_must_be_there() -> None:
    text = SMALL + (
        '[[running]]\napplication = {type = "service", user = "u", instances = 1, instance = {memory = 1}}\n'
        'placed = [{node = "node1", memory = 1}, {node = "node9", memory = 1}]\nreserved = [{node = "x", memory = 1}]\n'
        '[[expectations]]\nof = "reservations"\nwhat = "nodes"\nat = 1\nequals = ["node1", "y"]\n'
        '[[expectations]]\nof = "node"\nnode = "z"\nwhat = "state"\nat = 1\nequals = "LOST"\n'
        '[[expectations]]\nof = "application"\napplication = "w"\nwhat = "state"\nat = 1\nequals = "LOST"\n'
    )
    assert {problem.key for problem in problems(text)} == {
        "running.0.placed.1.node",
        "running.0.reserved.0.node",
        "expectations.0.equals",
        "expectations.1.node",
        "expectations.2.application",
    }


TAKEN = """
[[recovered]]
containers = [{ node = "node1", memory = 1 }, { node = "node9", memory = 1, ask = 0 }]
reserved = [{ node = "node2", memory = 1 }]
application = { type = "scripted", user = "u", number = 3, asks = [{ memory = 1 }] }
[[recovered]]
containers = [{ node = "node1", memory = 1 }]
reserved = [{ node = "node2", memory = 1 }]
application = { type = "scripted", user = "u", number = 3 }
"""


def test_what_a_recovered_application_holds_must_be_there_once() -> None:
    """Its nodes, a number and reservations that nobody else has; all problems at once."""
    assert {problem.key for problem in problems(SMALL + TAKEN)} == {
        "recovered.0.containers.1.node",
        "recovered.1.application.number",
        "recovered.1.reserved.0.node",
    }


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("ask = 0 }", "ask = 1 }", "answers ask 1; there are 1"),
        ("ask = 0 }", "ask = 0, count = 2 }", "2 containers answer ask 0, which is for 1"),
        (", ask = 0 }", " }", "2 containers without an ask"),
        ("[[recovered]]", "[[recovered]]\nregistered = false", "without a registered master"),
        ("number = 3,", "number = 3, at = 5,", "submitted after the start"),
        ("number = 3,", "number = 3, waits = true,", "repeat or waits"),
    ],
)
def test_a_recovered_application_must_hold_together(old: str, new: str, words: str) -> None:
    """Containers answer its asks, one is its master's, and it was submitted before the start."""
    first = "[[recovered]]" + TAKEN.split("[[recovered]]")[1].replace("node9", "node2")

    (problem,) = problems(SMALL + first.replace(old, new, 1))

    assert words in problem.message


def test_what_is_written_reads_back_the_same() -> None:
    scenario = loads(SMALL)
    assert loads(dump(scenario)) == scenario


def test_a_fault_in_an_inline_allocation_file_names_the_scenario_and_its_line() -> None:
    text = (
        'seed = 1\nallocations = """\n<allocations>\n<queue name="a">\n<weight>much</weight></queue></allocations>"""\n'
    )
    (problem,) = problems(text + "[cluster]\n")
    assert (problem.file, problem.line) == ("a.toml", 5)


def test_a_list_where_a_table_belongs_is_a_fault() -> None:
    found = {
        problem.key for problem in problems('settings = [1]\nworkload = 3\ngroups = "x"\n[cluster]\nnodes = [7]\n')
    }
    assert found >= {"settings", "workload", "groups", "cluster.nodes.0"}


def test_a_key_of_a_named_variant_is_checked_by_that_variant() -> None:
    (fault,) = problems(
        SMALL + '[[workload]]\ntype = "spark"\nuser = "u"\nexecutors = 1\nmaps = 2\nexecutor = {memory = 1}\n'
    )
    assert (fault.key, fault.message) == ("workload.1.maps", "is not a key of this table")


# Lines of the keys of documents written at random: each key stands where the writer put it.


# Where keys stand in a TOML text.
