"""Scenario files: read, refused with every fault, and written back."""

import random
import tomllib

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import dump, loads
from engine.formats.toml_lines import Path, line_numbers
from engine.scenario import Scenario

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


def test_amounts_and_times_become_integers() -> None:
    """Memory is MB, instants are ms after the start, bare numbers are seconds and MB."""
    scenario = loads(SMALL, "a.toml")
    assert scenario.start_ms == 1510360200000
    assert scenario.duration_ms == 6 * 3_600_000
    assert scenario.cluster.heartbeat_ms == 1000
    assert scenario.cluster.all_nodes()[1].memory_mb == 102400
    assert scenario.workload[0].at_ms == 1_800_000
    assert scenario.workload[0].am is None


def test_spans_may_be_one_duration_or_two() -> None:
    scenario = loads(SMALL)
    assert scenario.model_dump()["workload"][0]["asks"][0]["duration_ms"] == (14_000, 30_000)


def test_settings_may_be_nested_and_are_texts() -> None:
    assert loads(SMALL).settings == {
        "yarn.scheduler.fair.preemption": "true",
        "yarn.scheduler.maximum-allocation-mb": "64000",
    }


def test_the_leading_comment_tells_what_it_is_about() -> None:
    assert loads(SMALL).about == "What it shows.\nWhat to watch."


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
        ('application = "183354"', 'application = "77"', "no application is called 77"),
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


def test_a_node_that_is_down_holds_nothing() -> None:
    text = SMALL + '[[cluster.nodes]]\nhost = "x"\nmemory = 8\nvcores = 8\nstate = "LOST"\n'
    text += TAKEN.partition('[[recovered]]\ncontainers = [{ node = "node1", memory = 1 }]\n')[0]
    found = problems(text.replace("node9", "x").replace("node2", "x:8041"))

    assert {problem.key for problem in found} >= {"recovered.0.containers.1.node", "recovered.0.reserved.0.node"}


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


def test_a_recovered_application_reads_back_the_same() -> None:
    text = SMALL + "[[recovered]]" + TAKEN.split("[[recovered]]")[1].replace("node9", "node2")
    scenario = loads(text)

    assert loads(dump(scenario)).digest() == scenario.digest()
    assert "recovered" in scenario.model_dump()
    assert "recovered" not in loads(SMALL).model_dump()


def test_a_node_that_is_not_there_is_a_fault() -> None:
    text = SMALL + '[[faults]]\ndo = "lose"\nat = 1\nnode = "node3"\n'
    (problem,) = problems(text)
    assert (problem.key, problem.hint) == ("faults.0.node", "did you mean node2?")


def test_what_is_written_reads_back_the_same() -> None:
    scenario = loads(SMALL)
    assert loads(dump(scenario)) == scenario


def test_a_service_for_ever_reads_back_the_same() -> None:
    text = SMALL + (
        '[[workload]]\ntype = "mapreduce"\nuser = "u"\nat = -60\nmaps = 2\nmap_duration = "forever"\n'
        'blocks = [["node1"], []]\nrepeat = {times = 2, every = 5}\n'
    )
    scenario = loads(text).model_copy(update={"about": "a\r\nb", "title": 'with "quotes"'})
    assert loads(dump(scenario)) == scenario


def test_a_scenario_without_a_cluster_is_refused() -> None:
    (problem,) = problems("seed = 1\n")
    assert (problem.key, problem.message) == ("cluster", "is missing")
    assert isinstance(Scenario.model_fields["seed"].default, int)


def test_a_fault_in_an_inline_allocation_file_names_the_scenario_and_its_line() -> None:
    text = (
        'seed = 1\nallocations = """\n<allocations>\n<queue name="a">\n<weight>much</weight></queue></allocations>"""\n'
    )
    (problem,) = problems(text + "[cluster]\n")
    assert (problem.file, problem.line) == ("a.toml", 5)


def test_a_fault_in_the_queue_tables_names_them() -> None:
    (problem,) = problems(SMALL.replace('name = "prod"', 'name = "prod"\nmin_resources = "much"'))
    assert (problem.file, problem.line) == ("a.toml", 12)


def test_a_start_may_be_written_as_text() -> None:
    quoted = SMALL.replace("2017-11-11T08:30:00+08:00", '"2017-11-11T08:30:00+08:00"')
    assert loads(quoted) == loads(SMALL)
    assert any(problem.key == "start" for problem in problems(SMALL.replace("2017-11-11T08:30:00+08:00", '"soon"')))


def test_a_list_where_a_table_belongs_is_a_fault() -> None:
    found = {
        problem.key for problem in problems('settings = [1]\nworkload = 3\ngroups = "x"\n[cluster]\nnodes = [7]\n')
    }
    assert found >= {"settings", "workload", "groups", "cluster.nodes.0"}


def test_a_key_of_a_named_variant_is_checked_by_that_variant() -> None:
    (fault,) = problems(
        SMALL + '[[workload]]\ntype = "spark"\nuser = "u"\nexecutors = 1\nmaps = 2\nexecutor = {memory = 1}\n'
    )
    assert (fault.key, fault.message) == ("workload.1.maps", "is no key of this table")


def test_an_allocation_file_loaded_by_the_script_is_checked() -> None:
    (fault,) = problems(SMALL + '[[script]]\ndo = "reload"\nat = 1\nallocations = "<allocations>"\n')
    assert fault.key.startswith("script.1") or fault.line > 27


# Lines of the keys of documents written at random: each key stands where the writer put it.

SCALARS = (
    "1",
    "-2.5e3",
    "true",
    "inf",
    "2026-01-01T00:00:00Z",
    "07:32:00",
    '"a # b"',
    '"]}"',
    r'"\"=\\"',
    "'c:\\'",
    "''",
    '""',
    '"""x"""',
    "'''it's'''",
    '"""a\n[b]\n"""',
    "'''\n\nc = 1'''",
    '"""q""""',
    '"""e\\"""\n"""',
)
KEYS = ("a", "b-1", "_c", "9", '"d e"', "'f.g'", '"h#"', '"]"', "true")
BLANKS = ("", " ", "\t", "  ")


class Writer:
    """Writes a document and notes where each key stands."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.text = ""
        self.lines: dict[Path, int] = {}

    @property
    def line(self) -> int:
        return self.text.count("\n") + 1

    def put(self, text: str) -> None:
        self.text += text + self.chance.choice(BLANKS)

    def document(self) -> None:
        self.pairs(())
        for name in ("one", "two", "list", "list", "list"):
            if self.chance.random() < 0.5:
                self.text += self.chance.choice(("\n", "# [no]\n", '\n# x = """\n\n'))
            self.lines.setdefault((name,), self.line)
            if name == "list":
                index = sum(len(path) == 2 and path[0] == name and isinstance(path[1], int) for path in self.lines)
                self.lines[name, index] = self.line
                self.put("[[")
                self.put(name)
                self.text += "]]\n"
                self.pairs((name, index))
                if self.chance.random() < 0.6:
                    self.lines[name, index, "in ner"] = self.line
                    self.put(f'[{name}."in ner"]')
                    self.text += "# end\n"
                    self.pairs((name, index, "in ner"))
            else:
                self.put("[")
                self.put(name)
                self.put("]")
                self.text += "\n"
                self.pairs((name,))

    def pairs(self, path: Path) -> None:
        for key in self.chance.sample(KEYS, self.chance.randrange(4)):
            self.pair(path, key, 0)
            self.text += self.chance.choice(("\n", " # = [\n", "\n\n"))

    def pair(self, path: Path, key: str, depth: int) -> None:
        name = key.strip("\"'")
        dotted = self.chance.random() < 0.2
        if dotted:
            self.lines[*path, name, "z"] = self.line
            self.lines.setdefault((*path, name), self.line)
            self.put(key)
            self.put(".")
            self.put("z")
            here: Path = (*path, name, "z")
        else:
            here = (*path, name)
            self.lines[here] = self.line
            self.put(key)
        self.put("=")
        self.value(here, depth)

    def value(self, path: Path, depth: int) -> None:
        kind = self.chance.random()
        if kind < 0.25 and depth < 3:
            begin = self.line
            self.put("[")
            for index in range(self.chance.randrange(4)):
                self.put(self.chance.choice(("", "\n", "# , ]\n", "\n\n")))
                if self.line != begin:
                    self.lines[*path, index] = self.line
                self.value((*path, index), depth + 1)
                self.put(self.chance.choice((",", ",", " ,\n")))
            self.put("]")
        elif kind < 0.45 and depth < 3:
            self.put("{")
            for place, key in enumerate(self.chance.sample(KEYS, self.chance.randrange(3))):
                if place:
                    self.put(",")
                self.pair(path, key, depth + 1)
            self.put("}")
        else:
            self.put(self.chance.choice(SCALARS))


@pytest.mark.parametrize("seed", range(200))
def test_each_key_of_a_document_has_the_line_it_was_written_on(seed: int) -> None:
    writer = Writer(seed)
    writer.document()
    tomllib.loads(writer.text)
    assert line_numbers(writer.text) == writer.lines


# Where keys stand in a TOML text.

TEXT = '''# a comment with [brackets] = "and more"
title = "a # b"
about = """
two = "lines" \\""" and
[[more]]"""
"quoted.key" = 1

[cluster]  # a table
nested.inner = 2026-01-01T00:00:00Z
literal = 'c:\\n'
[[cluster.nodes]]
host = "a"

[[cluster.nodes]]
host = "b"
asks = [
  {memory = "1g", tags = ["x", "]"]},  # first
  {memory = "2g"},
]
[cluster.nodes.limits]
most = 3
'''


def test_every_key_of_a_document_has_its_line() -> None:
    """Tables, lists of tables, inline tables, dotted and quoted keys, strings with traps; items where they break."""
    tomllib.loads(TEXT)
    lines = line_numbers(TEXT)
    assert lines["title",] == 2
    assert lines["quoted.key",] == 6
    assert lines["cluster",] == 8
    assert lines["cluster", "nested", "inner"] == 9
    assert lines["cluster", "nodes", 1, "host"] == 15
    assert lines["cluster", "nodes", 1, "asks", 0, "tags"] == 17
    assert ("cluster", "nodes", 1, "asks", 0, "tags", 1) not in lines
    assert lines["cluster", "nodes", 1, "asks", 1, "memory"] == 18
    assert lines["cluster", "nodes", 1, "limits", "most"] == 21


def test_text_inside_strings_is_not_taken_for_keys() -> None:
    assert ("more",) not in line_numbers(TEXT)
    assert ("two",) not in line_numbers(TEXT)


def test_a_comment_may_end_the_text() -> None:
    assert line_numbers("a = 1 # end") == {("a",): 1}


def test_quotes_next_to_the_closing_marks_belong_to_the_string() -> None:
    text = 'a = """x"""""\nb = 1\n'
    assert tomllib.loads(text)["a"] == 'x""'
    assert line_numbers(text)["b",] == 2
