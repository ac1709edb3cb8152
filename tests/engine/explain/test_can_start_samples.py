"""What is played to find out whether applications can start: which of them, how short, and on which nodes."""

from itertools import permutations

import pytest

from engine.explain import can_start
from engine.explain.can_start import ALIKE, BEGINNING_MS, PATIENCE_MS, SHORT_MS, never_starting, play_beginnings
from engine.formats.scenario_toml import loads
from engine.incremental import finish
from engine.run import Run
from engine.scenario import MapReduceSpec, Scenario, ScriptedSpec, SparkSpec, StandaloneSpec
from tests.engine.explain.test_can_start import HEAD, YARN, found, scripted


class Played:
    """The scenarios that are played."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.all: list[Scenario] = []
        monkeypatch.setattr(can_start, "Run", self._run)

    def _run(self, scenario: Scenario) -> Run:
        self.all.append(scenario)
        return Run(scenario)

    @property
    def scripted(self) -> ScriptedSpec:
        """The application that is played first."""
        (spec,) = self.all[0].workload
        assert isinstance(spec, ScriptedSpec)
        return spec


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Played:
    """What is played in a test."""
    return Played(monkeypatch)


@pytest.mark.parametrize("order", [*permutations((100, 4096, 4097, 5000))])
def test_the_least_that_cannot_start_stands_for_all_larger_ones(order: tuple[int, ...]) -> None:
    """In whatever order they come."""
    (never,) = found(*(scripted(f"a{size}", size) for size in order))

    assert never.kind.sample.name == "a4097"
    assert sorted(spec.name for spec in never.kind.specs) == ["a4097", "a5000"]


def test_kinds_of_which_neither_is_larger_are_told_apart() -> None:
    """One wants too much memory, the other too many vcores, a third a master too large."""
    cores = scripted("cores", 100).replace('memory = "100m"', 'memory = "100m", vcores = 9')
    never = found(scripted("memory", 4097), cores, scripted("master", 50, am=4097), policy="fair-3.4")

    assert sorted(each.kind.sample.name for each in never) == ["cores", "master", "memory"]
    assert {each.kind.sample.name: each.kind.sizes for each in never} == {
        "memory": (1024, 1, 4097, 1, 0, 0),
        "cores": (1024, 1, 100, 9, 0, 0),
        "master": (4097, 1, 50, 1, 0, 0),
    }


def test_who_waits_for_all_asks_for_the_sum() -> None:
    """Of its containers, without the master."""
    (never,) = found(scripted("a", 1024, count=9, waits="true"))

    assert never.kind.sizes == (1024, 1, 1024, 1, 9 * 1024, 9)


def test_one_that_starts_stands_for_all_that_ask_for_less(played: Played) -> None:
    """The largest is played alone, for a while."""
    assert found(*(scripted(f"a{size}", size) for size in (100, 3000, 2000))) == ()

    assert [[spec.name for spec in each.workload] for each in played.all] == [["a3000"]]
    assert played.all[0].duration_ms == PATIENCE_MS


def test_each_size_of_a_scripted_application_is_asked_for_once_and_shortly(played: Played) -> None:
    """At once, and anywhere unless its place is a must."""
    asks = '{ memory = "100m", count = 7, duration = "9h", hosts = ["node1"] }, '
    asks += '{ at = 50, memory = "100m", priority = 3 }, { memory = "200m", duration = "1h" }'
    found(f'type = "scripted"\nname = "a"\nam = {{ memory = "1g" }}\nwaits = false\nasks = [{asks}]')
    spec = played.scripted

    assert sorted((ask.memory_mb, ask.count, ask.at_ms, ask.duration_ms, ask.hosts) for ask in spec.asks) == [
        (100, 1, 0, SHORT_MS, ()),
        (200, 1, 0, SHORT_MS, ()),
    ]
    assert (spec.at_ms, spec.ends_after_ms, spec.outcome) == (0, None, "FINISHED")


def test_who_waits_for_all_asks_for_all(played: Played) -> None:
    """As often as it does."""
    found(scripted("a", 100, count=3, waits="true"))

    assert [(ask.count, ask.at_ms, ask.duration_ms) for ask in played.scripted.asks] == [(3, 0, SHORT_MS)]


@pytest.mark.parametrize(("maps", "reduces"), [(5, 3), (1, 1), (1, 0), (2, 0)])
def test_of_a_job_one_task_of_each_kind_is_played(played: Played, maps: int, reduces: int) -> None:
    """None of a kind it has none of."""
    found(f'type = "mapreduce"\nname = "j"\nmaps = {maps}\nreduces = {reduces}\nmap_duration = "9h"')
    (spec,) = played.all[0].workload

    assert isinstance(spec, MapReduceSpec)
    assert (spec.maps, spec.reduces) == (min(1, maps), min(1, reduces))
    assert (spec.map_duration_ms, spec.reduce_duration_ms) == (SHORT_MS, SHORT_MS)


def test_of_spark_one_executor_is_played(played: Played) -> None:
    """Without its jobs."""
    found('type = "spark"\nname = "s"\nexecutors = 3\nduration = "1h"\nexecutor = { memory = "100m" }')
    (spec,) = played.all[0].workload

    assert isinstance(spec, SparkSpec)
    assert (spec.executors, spec.duration_ms, spec.waits, spec.stages) == (1, SHORT_MS, False, ())


def test_of_a_standalone_application_one_executor_and_stage_are_played(played: Played) -> None:
    """Its first one."""
    stages = "[{ tasks = 3 }, { tasks = 4 }]"
    found(f'type = "spark-standalone"\nname = "s"\nexecutor_memory = "1g"\nstages = {stages}', policy="spark")
    (spec,) = played.all[0].workload

    assert isinstance(spec, StandaloneSpec)
    assert (spec.executor_limit, [stage.tasks for stage in spec.stages]) == (1, [3])


def test_some_nodes_of_every_size_are_enough_to_begin_with(played: Played) -> None:
    """Eight of each, in their order."""
    head = HEAD.format(policy="fifo", nodes=9, memory=4096, settings=YARN)
    group = '{ prefix = "b", count = 10, memory = "4g", vcores = 7 }'
    group += ', { prefix = "c", count = 2, memory = "4g", vcores = 8 }'
    text = head.replace("vcores = 8 }]", f"vcores = 8 }}, {group}]")
    finish(never_starting(loads(f'{text}[[workload]]\nat = 5\nuser = "ann"\n{scripted("a", 100)}\n')))
    nodes = played.all[0].cluster.all_nodes()

    assert [sum(node.vcores == vcores for node in nodes) for vcores in (8, 7)] == [ALIKE, ALIKE]
    assert len(nodes) == 2 * ALIKE


def test_a_beginning_lasts_until_a_master_has_begun(played: Played) -> None:
    """From when it may register."""
    text = HEAD.format(policy="fifo", nodes=2, memory=4096, settings=YARN)
    scenario = loads(f'{text}[[workload]]\nat = 5\nuser = "ann"\n{scripted("a", 100)}\n')
    finish(play_beginnings(scenario))

    assert [each.duration_ms for each in played.all] == [BEGINNING_MS + scenario.cluster.register_delay_ms]
    assert [spec.at_ms for spec in played.all[0].workload] == [0]
