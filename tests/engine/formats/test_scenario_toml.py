"""Scenario files: read, refused with every fault, changed by single keys, written back."""

from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import dump, load, loads, packaged
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
    """The problems a text is refused for."""
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
    """Texts and bare seconds mix in the bounds of a duration."""
    scenario = loads(SMALL)
    assert scenario.model_dump()["workload"][0]["asks"][0]["duration_ms"] == (14_000, 30_000)


def test_settings_may_be_nested_and_are_texts() -> None:
    """Hadoop's keys may be written with or without quotes; values are Hadoop's texts."""
    assert loads(SMALL).settings == {
        "yarn.scheduler.fair.preemption": "true",
        "yarn.scheduler.maximum-allocation-mb": "64000",
    }


def test_the_leading_comment_tells_what_it_is_about() -> None:
    """A file without `about` explains itself by its leading comment."""
    assert loads(SMALL).about == "What it shows.\nWhat to watch."


def test_every_fault_is_told_at_once_with_line_key_and_hint() -> None:
    """Unknown, missing, unreadable and misspelt values are all listed."""
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
    """The variant of an application does not hide where the fault is."""
    (fault,) = problems(SMALL.replace("count = 2,", "cuont = 2,").replace("groups = [{cuont", "groups = [{count"))
    assert (fault.key, fault.line, fault.hint) == ("workload.0.asks.0.cuont", 23, "did you mean count?")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("vcores = 32", 'vcores = "many"', "not a whole number"),
        ("weight = 2", "weight = -1", "greater than or equal to 0"),
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
    """Each kind of fault has a sentence of its own."""
    assert old in SMALL
    assert any(message in problem.message for problem in problems(SMALL.replace(old, new, 1)))


def test_a_text_that_is_no_toml_names_the_line() -> None:
    """The reader's own complaint is passed on with its line."""
    (problem,) = problems("a = 1\nb = \n")
    assert (problem.file, problem.line) == ("a.toml", 2)


def test_a_node_that_is_not_there_is_a_fault() -> None:
    """The script and the expectations may only name nodes of the cluster."""
    text = SMALL + '[[faults]]\ndo = "lose"\nat = 1\nnode = "node3"\n'
    (problem,) = problems(text)
    assert (problem.key, problem.hint) == ("faults.0.node", "did you mean node2?")


def test_what_is_written_reads_back_the_same() -> None:
    """A dump keeps everything that is not as by default."""
    scenario = loads(SMALL)
    assert loads(dump(scenario)) == scenario


def test_a_service_for_ever_reads_back_the_same() -> None:
    """For ever, unmanaged, negative instants and multi-line texts survive a dump."""
    text = SMALL + (
        '[[workload]]\ntype = "mapreduce"\nuser = "u"\nat = -60\nmaps = 2\nmap_duration = "forever"\n'
        'blocks = [["node1"], []]\nrepeat = {times = 2, every = 5}\n'
    )
    scenario = loads(text).model_copy(update={"about": "a\r\nb", "title": 'with "quotes"'})
    assert loads(dump(scenario)) == scenario


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small scenario in it."""
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path


def test_a_scenario_is_called_like_its_file(folder: Path) -> None:
    """Without a `name`, the file's own."""
    assert load(folder / "small.toml").name == "small"


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


def test_an_item_may_be_replaced_as_a_whole(folder: Path) -> None:
    """A list item is set like a key."""
    scenario = load(folder / "small.toml", ['queues.prod={name = "dev"}'])
    assert [queue.name for queue in scenario.queues] == ["dev"]


def test_a_file_may_extend_another(folder: Path) -> None:
    """Tables merge, lists are replaced, and the name and leading comment are the extending file's."""
    child = folder / "child.toml"
    child.write_text(
        '# Bigger.\nextends = "small.toml"\nscript = []\n[settings]\n"reservation.rule" = "limited"\n', encoding="utf-8"
    )
    scenario = load(child)
    assert (scenario.name, scenario.about, scenario.script) == ("child", "Bigger.", ())
    assert scenario.settings["yarn.scheduler.maximum-allocation-mb"] == "64000"
    assert scenario.settings["reservation.rule"] == "limited"
    assert scenario.workload[0].name == "weekly"


def test_a_fault_in_an_extended_file_names_that_file(folder: Path) -> None:
    """Merging does not lose where a key came from."""
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
        ("extends = 3\n", "names one scenario"),
        ('extends = "nowhere.toml"\n', "no such file"),
        ('extends = "nowhere"\n', "no scenario called nowhere"),
        ('allocations_file = "nowhere.xml"\n', "no such file"),
    ],
)
def test_a_reference_to_a_file_that_leads_nowhere_is_a_fault(tmp_path: Path, text: str, message: str) -> None:
    """Extended and included files are looked for beside the scenario."""
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        load(tmp_path / "a.toml")


def test_a_file_that_is_no_text_is_a_fault(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 are refused with a sentence."""
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(tmp_path / "a.toml")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    """A misspelt packaged scenario is guessed."""
    with pytest.raises(ConfigError, match="did you mean reservation-deadlock"):
        load("reservation-deadlok")


def test_scenarios_come_with_the_program() -> None:
    """The founding incident is among them."""
    assert "reservation-deadlock" in packaged()


def test_a_scenario_without_a_cluster_is_refused() -> None:
    """The one table that must be there."""
    (problem,) = problems("seed = 1\n")
    assert (problem.key, problem.message) == ("cluster", "is missing")
    assert isinstance(Scenario.model_fields["seed"].default, int)


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
    """What Hadoop would refuse at its start is refused here, at its place."""
    broken = '<allocations>\n<queue name="a">\n<weight>much</weight></queue></allocations>'
    (tmp_path / "fair.xml").write_text(broken, encoding="utf-8")
    (tmp_path / "a.toml").write_text('allocations_file = "fair.xml"\n[cluster]\n', encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load(tmp_path / "a.toml")
    assert [(problem.file, problem.line) for problem in refused.value.problems] == [("fair.xml", 3)]


def test_a_fault_in_an_inline_allocation_file_names_the_scenario_and_its_line() -> None:
    """Lines of the text are counted on from its key."""
    text = (
        'seed = 1\nallocations = """\n<allocations>\n<queue name="a">\n<weight>much</weight></queue></allocations>"""\n'
    )
    (problem,) = problems(text + "[cluster]\n")
    assert (problem.file, problem.line) == ("a.toml", 5)


def test_a_fault_in_the_queue_tables_names_them() -> None:
    """Tables that stand for a refused allocation file are pointed at."""
    (problem,) = problems(SMALL.replace('name = "prod"', 'name = "prod"\nmin_resources = "much"'))
    assert (problem.file, problem.line) == ("a.toml", 12)


def test_settings_merge_in_either_spelling(tmp_path: Path) -> None:
    """A key written with dots replaces the same key written quoted."""
    (tmp_path / "a.toml").write_text('[settings]\n"yarn.acl.enable" = true\n[cluster]\n', encoding="utf-8")
    (tmp_path / "b.toml").write_text('extends = "a.toml"\n[settings]\nyarn.acl.enable = false\n', encoding="utf-8")
    assert load(tmp_path / "b.toml").settings == {"yarn.acl.enable": "false"}


def test_a_start_may_be_written_as_text() -> None:
    """And is refused as such when it is none."""
    quoted = SMALL.replace("2017-11-11T08:30:00+08:00", '"2017-11-11T08:30:00+08:00"')
    assert loads(quoted) == loads(SMALL)
    assert any(problem.key == "start" for problem in problems(SMALL.replace("2017-11-11T08:30:00+08:00", '"soon"')))


def test_a_list_where_a_table_belongs_is_a_fault() -> None:
    """And a plain value where a list belongs."""
    found = {
        problem.key for problem in problems('settings = [1]\nworkload = 3\ngroups = "x"\n[cluster]\nnodes = [7]\n')
    }
    assert found >= {"settings", "workload", "groups", "cluster.nodes.0"}


def test_a_key_of_a_named_variant_is_checked_by_that_variant() -> None:
    """What one kind of application knows, another refuses."""
    (fault,) = problems(
        SMALL + '[[workload]]\ntype = "spark"\nuser = "u"\nexecutors = 1\nmaps = 2\nexecutor = {memory = 1}\n'
    )
    assert (fault.key, fault.message) == ("workload.1.maps", "is no key of this table")


def test_an_allocation_file_loaded_by_the_script_is_checked() -> None:
    """Before it is played, with its place."""
    (fault,) = problems(SMALL + '[[script]]\ndo = "reload"\nat = 1\nallocations = "<allocations>"\n')
    assert fault.key.startswith("script.1") or fault.line > 27


def test_a_file_in_the_working_directory_may_be_named_without_its_suffix(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no packaged scenario is called so."""
    (folder / "mine").write_text(SMALL, encoding="utf-8")
    monkeypatch.chdir(folder)
    assert load("mine").name == "mine"


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
    """Of the extending file, with its line."""
    child = folder / "child.toml"
    child.write_text(f'extends = "small.toml"\n{change}', encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as refused:
        load(child)
    assert refused.value.problems[0].line == 2
