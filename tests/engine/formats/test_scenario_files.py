"""Where scenario files come from: packages and paths, what they extend and include, keys set on top."""

import random
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from engine.errors import ConfigError, Problem
from engine.formats.scenario_overrides import Origin, lay_over, parse
from engine.formats.scenario_toml import dump, load, loads
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


def test_a_text_may_have_settings_that_nothing_reads() -> None:
    assert loads(SMALL.replace("[settings]\n", "[settings]\n'no.such' = 1\n")).settings["no.such"] == "1"


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
        ("weight = 2", 'weight = 2\n[[queues]]\nname = "root.prod"', "queue root.prod stands at line 12 too"),
        ('name = "prod"', 'name = "prod..a"', "'prod..a' has a part without a name"),
        ("vcores = 4, count = 2", "vcores = 4, count = 0", "0 is less than 1"),
        ('at = "09:00"', 'at = "-1s"', "is before the start"),
        ('at = "14:00"', 'at = "-90m"', "'-90m' is less than 0"),
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
        '[[expectations]]\nof = "application"\napplication = "w"\nwhat = "state"\nat = 1\nequals = "FAILED"\n'
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


# Where scenario files come from: packages and paths, what they extend and include, keys set on top.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path


def test_single_keys_may_be_set_on_top(folder: Path) -> None:
    """Keys of tables, items by index and by name, Hadoop keys with or without `settings.`."""
    scenario = load(
        folder / "small.toml",
        [
            "cluster.groups.0.memory=200g",
            "queues.prod.weight=3",
            "yarn.scheduler.maximum-allocation-mb=32000",
            "reservation.rule=off",
            "workload.weekly.at=09:30",
            "seed=7",
        ],
    )
    assert scenario.cluster.groups[0].memory_mb == 204800
    assert scenario.queues[0].weight == 3
    assert scenario.settings["yarn.scheduler.maximum-allocation-mb"] == "32000"
    assert scenario.settings["schedlab.reservation.rule"] == "off"
    assert scenario.workload[0].at_ms == 3_600_000
    assert scenario.seed == 7


def test_a_wrong_key_set_on_top_is_told_like_one_in_the_file(folder: Path) -> None:
    """All of them at once, with the option as the place and the nearest name."""
    with pytest.raises(ConfigError) as refused:
        load(
            folder / "small.toml",
            ["sede=7", "queues.prd.weight=3", "seed", "cluster.heartbeat.x=1", "seed=a lot", "cluster.heartbaet.x=2"],
        )
    told = {problem.file: problem for problem in refused.value.problems}
    assert told["--set sede=7"].hint == "did you mean seed?"
    assert told["--set queues.prd.weight=3"].hint == "did you mean prod?"
    assert told["--set seed"].message == "is not key=value"
    assert told["--set cluster.heartbeat.x=1"].message == "is not a table"
    assert told["--set seed=a lot"].key == "seed"
    assert told["--set cluster.heartbaet.x=2"].hint == "did you mean heartbeat?"


def test_a_file_may_extend_another(folder: Path) -> None:
    """Tables merge, lists are replaced, and the name and leading comment are the extending file's."""
    child = folder / "child.toml"
    child.write_text(
        '#:schema scenario.json\n# Bigger.\nextends = "small.toml"\nscript = []\n'
        '[settings]\n"schedlab.reservation.rule" = "limited"\n',
        encoding="utf-8",
    )
    scenario = load(child)
    assert (scenario.name, scenario.about, scenario.script) == ("child", "Bigger.", ())
    assert scenario.settings["yarn.scheduler.maximum-allocation-mb"] == "64000"
    assert scenario.settings["schedlab.reservation.rule"] == "limited"
    assert scenario.workload[0].name == "weekly"


def test_a_fault_in_an_extended_file_names_that_file(folder: Path) -> None:
    (folder / "small.toml").write_text(SMALL.replace("vcores = 32", "vcores = -1"), encoding="utf-8")
    child = folder / "child.toml"
    child.write_text('extends = "small.toml"\nsede = 1\n', encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load(child)
    assert [(Path(p.file).name, p.line, p.key) for p in refused.value.problems] == [
        ("child.toml", 2, "sede"),
        ("small.toml", 11, "cluster.groups.0.vcores"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extends = "a.toml"\n', "extends itself"),
        ("extends = 3\n", ":1: extends: 3 is not the name of a scenario"),
        ('extends = "nowhere.toml"\n', "no such file"),
        ('extends = "nowhere"\n', ":1: extends: there is no scenario called nowhere"),
        ('allocations_file = "nowhere.xml"\n', "no such file"),
    ],
)
def test_a_reference_to_a_file_that_leads_nowhere_is_a_fault(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        load(tmp_path / "a.toml")


SITE = """<configuration>
  <property><name>yarn.scheduler.maximum-allocation-mb</name><value>32000</value></property>
  <property><name>yarn.acl.enable</name><value>true</value></property>
</configuration>
"""


def test_hadoops_own_files_become_part_of_the_scenario(tmp_path: Path) -> None:
    """An allocation file and a yarn-site.xml are read beside the scenario; its own settings win."""
    (tmp_path / "fair.xml").write_text('<allocations><queue name="a"/></allocations>', encoding="utf-8")
    (tmp_path / "site.xml").write_text(SITE, encoding="utf-8")
    text = 'allocations_file = "fair.xml"\nyarn_site = "site.xml"\n[settings]\nyarn.acl.enable = false\n[cluster]\n'
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    scenario = load(tmp_path / "a.toml")
    assert scenario.allocations is not None
    assert '<queue name="a"/>' in scenario.allocations
    assert scenario.settings == {"yarn.scheduler.maximum-allocation-mb": "32000", "yarn.acl.enable": "false"}


def test_a_fault_in_an_allocation_file_names_the_file_and_its_line(tmp_path: Path) -> None:
    broken = '<allocations>\n<queue name="a">\n<weight>much</weight></queue></allocations>'
    (tmp_path / "fair.xml").write_text(broken, encoding="utf-8")
    (tmp_path / "a.toml").write_text('allocations_file = "fair.xml"\n[cluster]\n', encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load(tmp_path / "a.toml")
    assert [(problem.file, problem.line) for problem in refused.value.problems] == [("fair.xml", 3)]


def test_a_variant_may_set_single_keys_of_what_it_extends(folder: Path) -> None:
    """Items of lists by index, name or all at once; an absolute path is taken as it is."""
    child = folder / "child.toml"
    base = folder / "small.toml"
    child.write_text(
        f'extends = "{base}"\n[set]\n"cluster.groups.*.memory" = "200g"\n"queues.prod.weight" = 5\n', encoding="utf-8"
    )
    scenario = load(child)
    assert (scenario.cluster.groups[0].memory_mb, scenario.queues[0].weight) == (204800, 5)


@pytest.mark.parametrize(
    ("change", "message"), [("set = 3\n", "is not a table"), ('set = {"queues.nope.weight" = 1}\n', "has no item nope")]
)
def test_a_key_set_that_leads_nowhere_is_a_fault(folder: Path, change: str, message: str) -> None:
    child = folder / "child.toml"
    child.write_text(f'extends = "small.toml"\n{change}', encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as refused:
        load(child)
    assert refused.value.problems[0].line == 2


PLAIN = 'duration = "1m"\n[cluster]\nnodes = [{ host = "n1", memory = "8g", vcores = 8 }]\n'
"""A scenario that names no queues."""


@pytest.mark.parametrize("name", ["../out/f.xml", "./link.xml", "/etc/hostname", "sub/../../out/f.xml"])
@pytest.mark.parametrize("key", ["allocations_file", "yarn_site", "extends"])
def test_a_file_outside_the_folder_is_read_only_for_whoever_trusts_the_scenario(
    tmp_path: Path, key: str, name: str
) -> None:
    """By a path that leaves the folder, an absolute one, or a link; refused with file, line and key."""
    inside, outside = tmp_path / "in", tmp_path / "out"
    (inside / "sub").mkdir(parents=True)
    outside.mkdir()
    (outside / "f.xml").write_text("<allocations/>", encoding="utf-8")
    (inside / "link.xml").symlink_to(outside / "f.xml")
    (inside / "s.toml").write_text(f'name = "s"\n{key} = "{name}"\n{PLAIN}', encoding="utf-8")

    with pytest.raises(ConfigError) as refused:
        load(inside / "s.toml")

    problem = refused.value.problems[0]
    assert (problem.file, problem.line, problem.key) == (str(inside / "s.toml"), 2, key)
    assert "outside the folder" in problem.message
    if key == "allocations_file" and "out" in name:
        assert load(inside / "s.toml", is_trusted=True).allocations == "<allocations/>"


def test_a_number_of_too_many_digits_is_refused_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(f"title = 'x'\nseed = {'9' * 5_000}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load(tmp_path / "s.toml")
    assert refused.value.problems[0].line == 2


LINE = (
    '{"type": "service", "name": "%s", "user": "ann", "at": "5s", "instances": 1,'
    ' "instance": {"memory": "1g", "vcores": 1}}\n'
)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "Input data was truncated"),
        ("[]", "Expected `object`, got `array`"),
        ('{"name": "\\ud800"}', "is not an application as a JSON object"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_a_line_that_is_no_application_is_refused(folder: Path, line: str, message: str) -> None:
    (folder / "more.jsonl").write_text(LINE % "first" + line + "\n7\n")
    (folder / "long.toml").write_text('workload_file = "more.jsonl"\n' + SMALL)

    with pytest.raises(ConfigError) as refused:
        load(folder / "long.toml")

    assert [each.line for each in refused.value.problems] == [2, 3]
    assert message in refused.value.problems[0].message


# Broken scenario files: whatever stands where something else belongs, there are problems and never a traceback.

STRANGE = [0, -1, 3.7, "x", "", True, [], {}, [1], [{}], {"a": 1}, "64g", "09:00", 10**12, float("nan"), "25:99", "-5s"]


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


@pytest.mark.parametrize("seed", range(150))
def test_a_broken_file_gives_problems_with_lines_or_reads_back_the_same(seed: int) -> None:
    chance = random.Random(seed)
    document: dict[str, Any] = tomllib.loads(SMALL)
    *parents, last = chance.choice(list(places(document)))
    target: Any = document
    for key in parents:
        target = target[key]
    target[last] = chance.choice(STRANGE)
    outcome = outcome_of(tomli_w.dumps(document))
    if isinstance(outcome, Scenario):
        assert loads(dump(outcome)) == outcome
    else:
        assert all(problem.line or "." not in problem.key for problem in outcome)


def outcome_of(text: str) -> Scenario | tuple[Problem, ...]:
    try:
        return loads(text, "a.toml")
    except ConfigError as refused:
        return refused.problems


# Faults of a scenario's fields: the words for each kind, and the nearest key of the very table it stands in.

HEAD = """scheduler = "fair-2.7"
duration = "10m"
[cluster]
nodes = [{host = "n1", memory = "8g", vcores = 8}]
"""
"""Four lines."""
BARE = '[[workload]]\ntype = "service"\nname = "web"\nuser = "ann"\ninstance = {memory = "1g", vcores = 1}\n'
SERVICE = BARE + "instances = 2\n"
SPARK = '[[workload]]\ntype = "spark"\nuser = "ann"\nexecutor = {memory = 1, vcores = 1}\n'


CLUSTER_KEYS = (
    "there is nodes, groups, heartbeat, am_heartbeat, launch_delay, register_delay, exit_delay, am_own_rhythm"
)


def told(text: str) -> tuple[Problem, ...]:
    with pytest.raises(ConfigError) as refused:
        loads(HEAD + text, "a.toml")
    return refused.value.problems


@pytest.mark.parametrize(
    ("text", "line", "key", "hint"),
    [
        ("rakc = 1\n", 5, "cluster.rakc", CLUSTER_KEYS),
        ("[[cluster.groups]]\ncuont = 1\nmemory = 1\nvcores = 1\n", 6, "cluster.groups.0.cuont", "count"),
        (SERVICE + "instnaces = 2\n", 11, "workload.0.instnaces", "instances"),
        (SERVICE + "repeat = {tmies = 2, times = 2, every = 1}\n", 11, "workload.0.repeat.tmies", "times"),
        (SPARK + "stages = [{taks = 3, tasks = 3, duration = 1}]\n", 9, "workload.0.stages.0.taks", "tasks"),
        (SPARK + "dynamic = {initail = 3}\n", 9, "workload.0.dynamic.initail", "initial"),
        (
            '[[script]]\nat = 1\ndo = "kill"\napplication = "x"\naplication = "x"\n',
            9,
            "script.0.aplication",
            "application",
        ),
        ('[[faults]]\nat = 1\ndo = "lose"\nnode = "n1"\nndoe = "n1"\n', 9, "faults.0.ndoe", "node"),
        (
            '[[expectations]]\nat = 1\nof = "node"\nnode = "n1"\nwhat = "containers"\nequals = 1\nndoe = 1\n',
            11,
            "expectations.0.ndoe",
            "node",
        ),
    ],
)
def test_a_key_that_is_none_has_the_nearest_of_its_table(text: str, line: int, key: str, hint: str) -> None:
    """Of the variant that `type` or `do` names; where none is near all are listed."""
    hint = hint if hint == CLUSTER_KEYS else f"did you mean {hint}?"
    assert told(text) == (Problem("is not a key of this table", "a.toml", line, key, hint),)


RUNING = "there is no state 'RUNING'; did you mean RUNNING?"
NODES = "there is no state 'WAITING'; there is NEW, RUNNING, UNHEALTHY, LOST, REBOOTED, DECOMMISSIONED, "
NODES += "DECOMMISSIONING, SHUTDOWN"
LEAST, ATTEMPTS = "yarn.scheduler.minimum-allocation-mb", "yarn.resourcemanager.am.max-attempts"
EXPECTED = '[[expectations]]\nat = 1\nof = "applications"\nwhat = "count"\n'
OF_NODE = '[[expectations]]\nat = 1\nof = "node"\nnode = "n1"\nwhat = "state"\n'


@pytest.mark.parametrize(
    ("text", "line", "key", "message"),
    [
        (
            SPARK + "stages = [{tasks = 3, duration = [1, 2, 3]}]\n",
            9,
            "workload.0.stages.0.duration",
            "[1, 2, 3] has too many items, at most 2 may be there",
        ),
        (
            '[[workload]]\ntype = "tez"\nuser = "ann"\ndags = []\n',
            8,
            "workload.0.dags",
            "[] has too few items, at least 1 is needed",
        ),
        (SPARK + "executors = true\n", 9, "workload.0.executors", "true is not a whole number"),
        (SPARK + "at = 2026-01-01\n", 9, "workload.0.at", "2026-01-01 is not a whole number"),
        (SPARK + "at = nan\n", 9, "workload.0.at", "nan is not a finite number"),
        (f'[settings]\n"{LEAST}" = "x"\n', 6, LEAST, "'x' is not a whole number"),
        (f'[settings]\n"{ATTEMPTS}" = "x"\n', 6, ATTEMPTS, "'x' is not a whole number"),
        (EXPECTED + 'equals = "3"\n', 9, "expectations.0.equals", "'3' is not a number, as count of applications is"),
        (EXPECTED + 'state = "RUNING"\nequals = 3\n', 9, "expectations.0.state", RUNING),
        (OF_NODE + 'equals = "WAITING"\n', 10, "expectations.0.equals", NODES),
        (OF_NODE + "equals = 3\n", 10, "expectations.0.equals", "3 is not a word, as state of node is"),
        (OF_NODE + "at_most = 3\n", 10, "expectations.0.at_most", "state of node is a word; equals compares it"),
    ],
)
def test_other_faults_are_told_in_their_own_words(text: str, line: int, key: str, message: str) -> None:
    """Those of pydantic in small letters, those of the settings as the control plane says them."""
    message, _, hint = message.partition("; ")
    assert told(text) == (Problem(message, "a.toml", line, key, hint),)


# Keys set on top of a scenario, one at a time: where the value goes, what is replaced, what is refused.


def test_one_layer_over_another_keeps_where_each_key_came_from() -> None:
    below = parse("# first\na = 1\n[t]\nb = 1\nc = [1, 2]\n[settings.x]\ny = 1\n", "below.toml")
    above = parse("t.c = [3]\n[settings]\n'x.z' = 2\n", "above.toml")
    above.name = "above"
    found = lay_over(below, above)

    assert (found.about, found.name) == ("first", "above")
    assert found.data == {"a": 1, "t": {"b": 1, "c": [3]}, "settings": {"x.y": "1", "x.z": "2"}}
    places = {path: found.origin(path) for path in (("a",), ("t", "b"), ("t", "c"), ("settings", "x.y"))}
    assert list(places.values()) == [
        Origin("below.toml", 2),
        Origin("below.toml", 4),
        Origin("above.toml", 1),
        Origin("below.toml", 7),
    ]
    assert found.origin(("settings", "x.z")) == Origin("above.toml", 3)
    assert found.origin(()) == Origin("above.toml", 0)
