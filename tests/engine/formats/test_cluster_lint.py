"""Settings that hurt on the nodes of a cluster, and the pairs of scenarios that show it."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from engine.formats.cluster_lint import witness_of
from engine.formats.configuration_files import read_files
from engine.formats.finding import RULES, Finding, NodeSizes, finding_of
from engine.formats.scenario_toml import loads
from engine.run import play
from engine.scenario import ApplicationSpec, Scenario, StandaloneSpec
from engine.settings.site import SCHEDULER_CLASSES
from tests.build.capacity import CAPACITY
from tests.engine.formats.capacity_files import write

MAXIMUM = "yarn.scheduler.maximum-allocation-mb"
DEFAULT = (("root.queues", "default"), ("root.default.capacity", "100"))
TWO = (("root.queues", "default,b"), ("root.default.capacity", "40"), ("root.b.capacity", "60"))


def findings(
    folder: Path, *properties: tuple[str, str], queues: str = "", nodes: tuple[NodeSizes, ...] = (), era: str = "2.7"
) -> list[Finding]:
    files = [write(folder, *properties)]
    if queues:
        files.append(folder / "fs.xml")
        files[-1].write_text(f"<allocations>\n{queues}\n</allocations>")
    return list(read_files(files, era, nodes=nodes).findings)


def rules(folder: Path, *properties: tuple[str, str], **keys: object) -> list[str]:
    return [each.rule for each in findings(folder, *properties, **keys)]  # type: ignore[arg-type]  # as a test says


@pytest.mark.parametrize(
    ("most", "expected"),
    [(4096, []), (4097, ["reservations"]), (8192, ["reservations"]), (8193, ["maximum-above-node"])],
)
def test_the_largest_container_is_compared_with_the_largest_node(
    tmp_path: Path, most: int, expected: list[str]
) -> None:
    nodes = NodeSizes(2, 8192, 8), NodeSizes(10, 4096, 64)
    assert rules(tmp_path, *DEFAULT, (MAXIMUM, str(most)), nodes=nodes) == [*expected, "vcores-ignored"]


@pytest.mark.parametrize(("vcores", "expected"), [(8, []), (9, ["vcores-above-node"])])
def test_vcores_are_compared_with_the_largest_node_where_they_count(
    tmp_path: Path, vcores: int, expected: list[str]
) -> None:
    most = (MAXIMUM, "1024"), ("yarn.scheduler.maximum-allocation-vcores", str(vcores))
    nodes = (NodeSizes(2, 8192, 8),)
    dominant = ("resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator")

    assert rules(tmp_path, *most, nodes=nodes, queues='<queue name="a"/>') == expected
    assert rules(tmp_path, *DEFAULT, *most, dominant, nodes=nodes) == expected
    assert "vcores-above-node" not in rules(tmp_path, *DEFAULT, *most, nodes=nodes)


@pytest.mark.parametrize(("element", "is_of_mapreduce_1"), [("pool", True), ("queue", False)])
def test_a_file_with_queues_is_yarns_though_it_has_names_of_mapreduce_1(
    tmp_path: Path, element: str, is_of_mapreduce_1: bool
) -> None:
    text = f'<{element} name="a"/><userMaxJobsDefault>3</userMaxJobsDefault>'
    text += "<defaultMinSharePreemptionTimeout>60</defaultMinSharePreemptionTimeout>"

    assert ("task-preemption-off" in rules(tmp_path, queues=text)) == is_of_mapreduce_1


@pytest.mark.parametrize(("least", "expected"), [(3, []), (4, ["minimums-above-slots"])])
def test_minimums_of_pools_are_compared_with_all_slots(tmp_path: Path, least: int, expected: list[str]) -> None:
    pool, nodes = f'<pool name="a"><minMaps>{least}</minMaps></pool>', (NodeSizes(2, 8192, 8),)
    found = rules(tmp_path, ("mapred.job.tracker", "h:9001"), queues=pool, nodes=nodes)
    assert found == ["task-preemption-off", *expected]


@pytest.mark.parametrize(("most", "expected"), [(2047, ["masters-too-large"]), (2048, [])])
def test_a_maximum_too_small_for_a_master_is_said_of_3_4_too(tmp_path: Path, most: int, expected: list[str]) -> None:
    queues = f'<queue name="a"><maxResources>{most} mb, 9 vcores</maxResources></queue>'
    nodes = (NodeSizes(2, 8192, 64),)

    for era in ("2.7", "3.4"):
        found = rules(tmp_path, (MAXIMUM, "1024"), nodes=nodes, queues=queues, era=era)
        assert found == (expected if era == "2.7" or most < 2047 else [])


@pytest.mark.parametrize(
    ("part", "era", "expected"),
    [("0.5", "3.4", []), ("0.51", "3.4", ["reservable-nodes"]), ("0.51", "2.7", [])],
)
def test_many_reservable_nodes_are_said_of_3_4(tmp_path: Path, part: str, era: str, expected: list[str]) -> None:
    assert (
        rules(tmp_path, ("yarn.scheduler.fair.reservable-nodes", part), queues='<queue name="a"/>', era=era) == expected
    )


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ((), []),
        ((("root.queues", "a"), ("root.a.capacity", "100")), ["no-default-queue"]),
        ((("root.queues", "a"), ("root.a.capacity", "100"), ("queue-mappings", "u:%user:a")), []),
    ],
)
def test_a_capacity_scheduler_needs_a_queue_for_those_who_name_none(
    tmp_path: Path, properties: tuple[tuple[str, str], ...], expected: list[str]
) -> None:
    assert rules(tmp_path, *(properties or DEFAULT)) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ([("root.default.maximum-capacity", "100")], [("one-user-limit", "2.5")]),
        ([("root.default.maximum-capacity", "90")], [("one-user-limit", "2.25")]),
        ([("root.default.maximum-capacity", "40")], []),
        ([("root.default.maximum-capacity", "100"), ("root.default.user-limit-factor", "1.1")], []),
        ([], []),
    ],
)
def test_a_user_who_may_not_use_what_the_queue_may_is_said(
    tmp_path: Path, more: list[tuple[str, str]], expected: list[tuple[str, str]]
) -> None:
    """With the factor by which one user may."""
    found = findings(tmp_path, *TWO, *more)
    assert [(each.rule, each.problem.hint.rpartition(" ")[2]) for each in found] == expected


@pytest.mark.parametrize(("factor", "part"), [("1", "40"), ("0.5", "20")])
def test_the_part_that_one_user_may_use_follows_the_factor(tmp_path: Path, factor: str, part: str) -> None:
    grows = ("root.default.maximum-capacity", "100"), ("root.default.user-limit-factor", factor)
    messages = [each.problem.message for each in findings(tmp_path, *TWO, *grows)]
    assert (
        f"root.default may grow to 100 %, but one user of it only to {part} %, even where the rest is free" in messages
    )


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ([("root.b.acl_submit_applications", "ann")], ["acl-open"]),
        ([("root.b.acl_submit_applications", "ann"), ("root.acl_submit_applications", " ")], ["acl-open"]),
        (
            [
                ("root.b.acl_submit_applications", "ann"),
                ("root.acl_submit_applications", " "),
                ("root.acl_administer_queue", " "),
            ],
            [],
        ),
        ([("root.b.acl_submit_applications", "*")], []),
        ([("root.b.acl_submit_applications", "ann"), ("yarn.acl.enable", "false")], ["acl-off"]),
        ([("root.b.acl_submit_applications", "ann"), ("yarn.acl.enable", "true")], ["acl-open"]),
    ],
)
def test_lists_that_keep_nobody_out_are_said(tmp_path: Path, more: list[tuple[str, str]], expected: list[str]) -> None:
    assert rules(tmp_path, *TWO, *more) == expected


@pytest.mark.parametrize(
    ("share", "expected"),
    [("0.124", ["masters-too-large"]), ("0.125", []), ("-1", ["masters-unlimited"])],
)
def test_a_share_of_masters_too_small_for_one_is_said(tmp_path: Path, share: str, expected: list[str]) -> None:
    queue = f'<queue name="a"><maxAMShare>{share}</maxAMShare></queue>'
    small = (MAXIMUM, "1024")
    assert rules(tmp_path, small, queues=queue, nodes=(NodeSizes(1, 8192, 8),)) == expected


@pytest.mark.parametrize(("least", "expected"), [(4096, []), (4097, ["minimums-above-cluster"])])
def test_minimums_above_the_cluster_are_said(tmp_path: Path, least: int, expected: list[str]) -> None:
    queues = "".join(
        f'<queue name="{name}"><minResources>{least} mb, 1 vcores</minResources></queue>' for name in ("a", "b")
    )
    small = (MAXIMUM, "1024")
    assert rules(tmp_path, small, queues=queues, nodes=(NodeSizes(2, 4096, 8),)) == expected


@pytest.mark.parametrize(("most", "expected"), [(8192, []), (8191, ["root-uses-as-much"])])
def test_a_default_maximum_that_leaves_some_of_the_cluster_is_said(
    tmp_path: Path, most: int, expected: list[str]
) -> None:
    queues = f'<queue name="a"/><queueMaxResourcesDefault>{most} mb, 16 vcores</queueMaxResourcesDefault>'
    small = (MAXIMUM, "1024")
    assert rules(tmp_path, small, queues=queues, nodes=(NodeSizes(2, 4096, 8),), era="3.4") == expected


@pytest.mark.parametrize("timeout", ["", "<defaultFairSharePreemptionTimeout>10</defaultFairSharePreemptionTimeout>"])
def test_preemption_without_any_timeout_is_said(tmp_path: Path, timeout: str) -> None:
    found = rules(tmp_path, ("yarn.scheduler.fair.preemption", "true"), queues=f'<queue name="a"/>{timeout}')

    assert found == ([] if timeout else ["preemption-never"])


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ("<minSharePreemptionTimeout>5</minSharePreemptionTimeout>", ["preemption-never"]),
        ("<minSharePreemptionTimeout>5</minSharePreemptionTimeout><minResources>1 mb, 0 vcores</minResources>", []),
        ("<fairSharePreemptionTimeout>5</fairSharePreemptionTimeout>", []),
    ],
)
def test_a_timeout_of_minimum_shares_needs_a_minimum_share(tmp_path: Path, queue: str, expected: list[str]) -> None:
    queues = f'<queue name="a">{queue}</queue>'
    assert rules(tmp_path, ("yarn.scheduler.fair.preemption", "true"), queues=queues) == expected


@pytest.mark.parametrize(("least", "expected"), [(512, []), (513, ["node-below-minimum"])])
def test_a_node_below_the_smallest_container_is_said(tmp_path: Path, least: int, expected: list[str]) -> None:
    given = ("yarn.scheduler.minimum-allocation-mb", str(least)), (MAXIMUM, "1024")
    nodes = NodeSizes(1, 512, 64), NodeSizes(9, 8192, 64)
    assert rules(tmp_path, *given, queues='<queue name="a"/>', nodes=nodes) == expected


ALL = [
    *(("vcores-above-node", f"{kind}-{era}") for kind in ("fair", "capacity") for era in ("2.7", "3.4")),
    *((rule, scheduler) for rule in ("maximum-above-node",) for scheduler in ("fair-2.7", "fair-3.4", "capacity-3.4")),
    ("reservable-nodes", "fair-3.4"),
    *(("reservations", scheduler) for scheduler in ("fair-2.7", "capacity-2.7")),
    *(
        (rule, scheduler)
        for rule in ("minimums-above-cluster", "masters-too-large", "preemption-never", "preemption-threshold")
        for scheduler in ("fair-2.7", "fair-3.4")
    ),
    *(
        (rule, scheduler)
        for rule in (
            *("no-default-queue", "one-user-limit", "no-partition-capacity", "queue-of-nothing", "masters-unlimited"),
            *("preemption-observes", "preemption-nothing", "preemption-forbidden", "minimum-fills-node"),
            *("preemption-ignores", "preemption-slow", "preemption-off"),
        )
        for scheduler in ("capacity-2.7", "capacity-3.4")
    ),
    *(
        (rule, scheduler)
        for rule in ("masters-unlimited", "places-refused", "never-starved")
        for scheduler in ("fair-2.7", "fair-3.4")
    ),
    *((rule, "capacity-3.4") for rule in ("balance-never", "preemption-round", "preemption-of-no-user")),
    *((rule, "capacity-3.4") for rule in ("priority-capped", "no-parallel-application")),
    *(("container-above-maximum", scheduler) for scheduler in ("capacity-2.7", "capacity-3.4", "fair-3.4")),
    *(("node-below-minimum", scheduler) for scheduler in ("capacity-2.7", "capacity-3.4")),
    ("blank-in-list", "capacity-2.7"),
    *((rule, "mr1-fifo") for rule in ("no-slots", "early-reduces")),
    *((f"task-preemption-{rule}", "mr1-fair") for rule in ("off", "never", "logs")),
    *((rule, "mr1-fair") for rule in ("long-locality-delay", "pool-of-nothing", "minimums-above-slots")),
    *((rule, "mr1-capacity") for rule in ("one-job-at-a-time", "one-user-of-tasks")),
    *((rule, "spark") for rule in ("executor-above-worker", "driver-above-worker", "maximum-below-executor")),
    *((rule, "spark") for rule in ("cores-unlimited", "executors-of-whole-workers", "least-fills-cluster")),
    *((rule, "spark") for rule in ("idle-executors-kept", "drivers-unlimited")),
    ("root-runs-as-many", "fair-2.7"),
    *((rule, "fair-3.4") for rule in ("preemption-forbidden", "root-uses-as-much")),
]


@cache
def sized_by(most_mb: int, most_vcores: int) -> Finding:
    """What is said of a largest container that is too large for the cluster, with the sizes of its witness."""
    keys = (MAXIMUM, str(most_mb)), ("yarn.scheduler.maximum-allocation-vcores", str(most_vcores))
    with TemporaryDirectory() as folder:
        (found,) = findings(Path(folder), *keys, nodes=(NodeSizes(1, 131_072, 8),), queues='<queue name="a"/>')
    return found


@pytest.mark.parametrize(("rule", "scheduler"), ALL)
def test_a_pair_of_scenarios_shows_each_finding(tmp_path: Path, rule: str, scheduler: str) -> None:
    sized = sized_by(*{"maximum-above-node": (200_000, 4), "vcores-above-node": (1024, 12)}.get(rule, (70_000, 4)))
    found = witness_of(finding_of(rule, sized.problem, **sized.values), scheduler)

    assert found is not None
    pair = [loads(text) for text in found]
    more = {"mapred.heartbeats.in.second": "1"} if pair[0].system == "mr1" else {}  # fewer heartbeats are played sooner
    said = [{each.rule for each in linted(tmp_path, scenario)} for scenario in pair]
    assert (rule in said[0], rule in said[1]) == (True, False)
    for scenario, other in zip(pair, reversed(pair), strict=True):
        update = {"expectations": scenario.expectations + other.expectations, "settings": scenario.settings | more}
        failed = {each.expectation for each in play(scenario.model_copy(update=update)).failed}
        assert failed
        assert failed.isdisjoint(scenario.expectations)


def test_each_rule_has_a_witness_or_says_why_not() -> None:
    with_witness = {rule for rule, _ in ALL}

    assert {rule for rule, each in RULES.items() if not each.no_witness} == with_witness


_P = "yarn.resourcemanager.monitor.capacity.preemption."
FAIR = {"yarn.resourcemanager.scheduler.class": SCHEDULER_CLASSES["fair"]}
DYNAMIC, MIN = {"spark.dynamicAllocation.enabled": "true"}, "spark.dynamicAllocation.minExecutors"
MOST, VCORES = "spark.dynamicAllocation.maxExecutors", "mapreduce.map.cpu.vcores"
SERVICES, SLOTS = "yarn.nodemanager.aux-services", {"mapred.tasktracker.map.tasks.maximum": "4"}
PAIR = {f"yarn.resourcemanager.{key}": "h" for key in ("cluster-id", "zk-address", "hostname.a", "hostname.b")}
PAIR["yarn.resourcemanager.ha.enabled"] = "true"
YARN_4G = {"spark.master": "yarn", "SPARK_WORKER_MEMORY": "4g"}


def linted(folder: Path, scenario: Scenario) -> list[Finding]:
    """What is said of the files of a scenario's cluster."""
    given = [(key.removeprefix(CAPACITY), value) for key, value in scenario.settings.items()]
    jobs = [each for each in scenario.workload if each.type == "mapreduce"]
    given += [("mapreduce.map.memory.mb", str(each.map.memory_mb)) for each in jobs]
    nodes = [NodeSizes(1, each.memory_mb, each.vcores) for each in scenario.cluster.all_nodes()]
    if scenario.scheduler.startswith(("spark", "mr1")):
        of_first = submitted(scenario.workload[0])
        lines = "\n".join(f"{key} {value}" for key, value in {**scenario.settings, **of_first}.items())
        files = [folder / "spark-defaults.conf"]
        files[0].write_text(lines)
        if scenario.system == "mr1":
            files = [write(folder, *scenario.settings.items(), *of_first.items())]
            files.append(folder / "pools.xml")
            files[1].write_text(scenario.allocations_xml() or "<allocations/>")
        return list(read_files(files, nodes=nodes).findings)
    files = [write(folder, *given)]
    if scenario.scheduler.startswith("fair"):
        files.append(folder / "fs.xml")
        files[-1].write_text(scenario.allocations_xml() or "<allocations/>")
    return list(read_files(files, scenario.scheduler.rpartition("-")[2], nodes=nodes).findings)


@pytest.mark.parametrize(
    ("rule", "stated", "key", "good", "bad"),
    [
        ("early-reduces", {}, "mapred.reduce.slowstart.completed.maps", "0.5", "0.49"),
        ("long-locality-delay", {}, "mapred.fairscheduler.locality.delay", "60000", "60001"),
        ("idle-executors-kept", DYNAMIC, "spark.dynamicAllocation.executorIdleTimeout", "600s", "601s"),
        ("cores-left-over", {"spark.executor.cores": "4"}, "spark.cores.max", "8", "9"),
        ("maximum-below-executor", {"spark.executor.cores": "4"}, "spark.cores.max", "4", "3"),
        ("executor-above-worker", {"SPARK_WORKER_MEMORY": "2g"}, "SPARK_EXECUTOR_MEMORY", "2048m", "2049m"),
        ("executor-above-worker", {}, "SPARK_WORKER_CORES", "1", "0"),
        ("executor-above-worker", YARN_4G, "spark.executor.memory", "3712", "3713"),
        ("executor-above-worker", YARN_4G, "spark.yarn.executor.memoryOverhead", "3072", "3073"),
        ("executors-above-maximum", {**DYNAMIC, "spark.executor.cores": "2", MIN: "3"}, "spark.cores.max", "6", "4"),
        ("memory-without-unit", {"spark.executor.memory": "4096"}, "spark.master", "yarn", "spark://h:7077"),
        ("task-above-executor", {"spark.master": "yarn"}, "spark.task.cpus", "1", "2"),
        ("heap-no-size", {}, "mapreduce.map.java.opts", "-Xmx819m -Xms${x}", "-Xmx819.2m"),
        ("heap-no-size", {}, "mapred.child.java.opts", "-Xmx1048576", "-Xmx 819m"),
        ("masters-of-nothing", FAIR, "yarn.scheduler.minimum-allocation-mb", "1", "0"),
        ("heap-above-container", {}, "yarn.app.mapreduce.am.command-opts", "-Xmx1535m", "-Xmx1536m"),
        ("heap-above-container", {"mapreduce.map.memory.mb": "1024"}, "mapred.child.java.opts", "-Xmx1023m", "-Xmx1g"),
        ("no-number", {}, "mapreduce.map.memory.mb", "2048", "2g"),
        ("no-number", {}, "mapred.tasktracker.map.tasks.maximum", "4", "two"),
        ("no-service", {}, SERVICES, "mapreduce_shuffle", "mapreduce.shuffle"),
        ("no-service", {f"{SERVICES}.b.class": "B"}, SERVICES, "mapreduce_shuffle,b", "mapreduce_shuffle, b"),
        ("service-not-named", {f"{SERVICES}.b.class": "B"}, SERVICES, "b", "mapreduce_shuffle"),
        ("no-shuffle", {"mapreduce.framework.name": "yarn"}, SERVICES, "mapreduce_shuffle", "b"),
        ("no-pair", PAIR, "yarn.resourcemanager.ha.rm-ids", "a, b", "a"),
        ("nothing-recovered", PAIR, "yarn.resourcemanager.recovery.enabled", "true", "false"),
        ("nothing-recovered", {}, "spark.deploy.recoveryMode", "FILESYSTEM", "FILE"),
        ("no-recovery", {}, "spark.deploy.recoveryMode", "NONE", "ZOOKEEPER"),
        ("no-processors", {}, "yarn.nodemanager.resource.percentage-physical-cpu-limit", "1", "0"),
        ("no-framework", {}, "mapreduce.framework.name", "yarn", "Yarn"),
        ("slots-of-mapreduce-1", SLOTS, "mapreduce.framework.name", "classic", "yarn"),
        ("reduces-never", {}, "mapreduce.job.reduce.slowstart.completedmaps", "1", "80"),
        ("no-such-queue", dict(DEFAULT), "mapred.job.queue.name", "default", "etl"),
        ("attempts-capped", {}, "mapreduce.am.max-attempts", "2", "3"),
        ("container-above-maximum", {"yarn.scheduler.maximum-allocation-vcores": "4"}, VCORES, "4", "5"),
        ("memory-limit", {}, "yarn.nodemanager.vmem-pmem-ratio", "1", "0.9"),
        ("masters-given-up", {}, "yarn.am.liveness-monitor.expiry-interval-ms", "3001", "3000"),
        ("preemption-part", {}, f"{_P}total_preemption_per_round", "1", "10"),
        ("acl-off", {"mapred.queue.a.acl-submit-job": "ann"} | SLOTS, "mapred.acls.enabled", "true", "false"),
        ("least-above-most", YARN_4G | DYNAMIC | {MOST: "3"}, "spark.dynamicAllocation.initialExecutors", "3", "4"),
        ("workers-share-cores", {}, "SPARK_WORKER_INSTANCES", "1", "2"),
    ],
)
def test_a_value_that_hurts_is_told_from_its_boundary_on(
    tmp_path: Path, rule: str, stated: dict[str, str], key: str, good: str, bad: str
) -> None:
    said = []
    for value in (good, bad):
        given = {**stated, key: value}
        if key.lower().startswith("spark"):
            path = tmp_path / "spark-defaults.conf"
            path.write_text("\n".join(f"{each}={text}" for each, text in given.items()))
        else:
            path = write(tmp_path, *given.items())
        said.append(rule in {each.rule for each in read_files([path]).findings})

    assert said == [False, True]


@pytest.mark.parametrize("era", ["2.7", "3.4"])
@pytest.mark.parametrize(
    ("value", "hint"), [("1.0", None), ("1.01", "1"), ("2", "0.02"), ("50", "0.5"), ("100", "1"), ("101", "1")]
)
def test_a_percentage_that_should_be_a_fraction_counts_as_1(
    tmp_path: Path, era: str, value: str, hint: str | None
) -> None:
    of_queue = "".join(f"<{name}>{value}</{name}>" for name in ("maxAMShare", "fairSharePreemptionThreshold"))
    defaults = ("queueMaxAMShareDefault", "defaultFairSharePreemptionThreshold")
    text = "".join(f"<{name}>{value}</{name}>" for name in defaults)
    path = tmp_path / "fs.xml"
    path.write_text(f'<allocations><queue name="a">{of_queue}</queue>{text}</allocations>')
    said = [each.hint for each in read_files([path], era).warnings if "counts as 1: it is a fraction" in each.message]

    assert said == ([] if hint is None else [hint] * 4)


STANDALONE = ["cores-unlimited", "instances-ignored", "drivers-unlimited"]


@pytest.mark.parametrize(
    ("manager", "expected"),
    [
        ("", STANDALONE),
        ("spark.master spark://h:7077", STANDALONE),
        ("spark.master yarn", []),
        ("spark.master k8s://https://h", []),
        ("spark.yarn.historyServer.address h:18080", []),
        ("spark.master spark://h:7077\nspark.yarn.queue q", STANDALONE),
        ("spark.deploy.recoveryMode FILESYSTEM\nspark.worker.ui.port 1\nspark.local.dir /tmp", STANDALONE),
    ],
)
def test_what_a_master_does_is_said_of_standalone_clusters_alone(
    tmp_path: Path, manager: str, expected: list[str]
) -> None:
    path = tmp_path / "day.props"
    path.write_text(f"spark.submit.deployMode cluster\nspark.executor.instances 5\n{manager}\n")

    listing = read_files([path])
    assert [each.rule for each in listing.findings] == expected
    assert not [each for each in listing.warnings if "unknown key" in each.message]


def submitted(spec: ApplicationSpec) -> dict[str, str]:
    """What the owner of an application states, where it is a setting."""
    if spec.type == "mapreduce":
        return {"mapred.reduce.slowstart.completed.maps": str(spec.slow_start)} if spec.reduces else {}
    assert isinstance(spec, StandaloneSpec), "no other type runs on these"
    driver, dynamic = spec.driver, spec.dynamic
    stated = {
        "spark.executor.memory": f"{spec.executor_memory_mb}m",
        "spark.cores.max": spec.cores_max,
        "spark.executor.cores": spec.executor_cores,
        "spark.submit.deployMode": driver and "cluster",
        "spark.driver.memory": driver and f"{driver.memory_mb}m",
        "spark.dynamicAllocation.enabled": dynamic and "true",
        "spark.dynamicAllocation.minExecutors": dynamic and dynamic.least,
        "spark.dynamicAllocation.maxExecutors": dynamic and dynamic.most,
        "spark.dynamicAllocation.executorIdleTimeout": dynamic and f"{dynamic.idle_ms}ms",
    }
    return {key: str(value) for key, value in stated.items() if value is not None}


# What each rule about a cluster says: the words, the line, the way out, and the sizes of a scenario that shows it.

NODES = NodeSizes(2, 8192, 8), NodeSizes(10, 4096, 64)
"""57,344 MB."""
MINIMUM = "yarn.scheduler.minimum-allocation-mb"
STARVED = "none starts"
MASTERS = [
    (
        '<queue name="b"><maxResources>4000 mb, 1 vcores</maxResources><maxAMShare>0.1</maxAMShare></queue>',
        "",
        "2.7",
        2,
        f"masters of root.b may have 400 MB, the smallest has 1024 MB ({MINIMUM} by default): {STARVED}"
        " (maxAMShare of 0.257 or more)",
    ),
    (
        '<queueMaxAMShareDefault>0.1</queueMaxAMShareDefault>\n<queue name="b"><maxResources>500 mb, 1 vcores'
        "</maxResources></queue>",
        "",
        "2.7",
        2,
        f"masters of root.b may have 50 MB, the smallest has 1024 MB ({MINIMUM} by default): {STARVED}"
        " (a larger maxResources)",
    ),
    (
        '<queue name="c"/><queue name="b">\n<maxResources>3000 mb, 1 vcores</maxResources></queue>',
        "2048",
        "3.4",
        3,
        f"masters of root.b may have 1500 MB, the smallest has 2048 MB: {STARVED} (maxAMShare of 0.683 or more)",
    ),
    (
        '<queue name="b">\n<maxResources>2048 mb, 1 vcores</maxResources></queue>',
        "2048",
        "2.7",
        3,
        f"masters of root.b may have 1024 MB, the smallest has 2048 MB: {STARVED} (maxAMShare of 1 or more)",
    ),
]


def said(folder: Path, *properties: tuple[str, str], **keys: Any) -> list[str]:
    return [str(each.problem).replace(f"{folder}/", "") for each in findings(folder, *properties, **keys)]


@pytest.mark.parametrize(("queues", "least", "era", "line", "words"), MASTERS)
def test_the_share_that_lets_a_master_start_is_enough(
    tmp_path: Path, queues: str, least: str, era: str, line: int, words: str
) -> None:
    """More than the part that the smallest container is; what was said lets one start."""
    properties = [(MAXIMUM, "2048"), *([(MINIMUM, least)] if least else [])]
    found = said(tmp_path, *properties, nodes=NODES, queues=queues, era=era)
    assert found == [f"fs.xml:{line}: root.b.maxAMShare: {words}"]

    share = words.partition("maxAMShare of ")[2].partition(" ")[0]
    if share:
        mended = f"<maxAMShare>{share}</maxAMShare></queue>"
        queues = queues.replace("<maxAMShare>0.1</maxAMShare>", "").replace("</queue>", mended)
        assert said(tmp_path, *properties, nodes=NODES, queues=queues, era=era) == []


@pytest.mark.parametrize(
    ("most", "rule", "values"),
    [
        (4097, "reservations", (8192, 4097, 8193, 8192, 2048, 5119)),
        (8193, "maximum-above-node", (8192, 8193, 8193, 8192, 2048, 4097)),
        (9000, "maximum-above-node", (5000, 9000, 5001, 4096, 1250, 2501)),
        (900, "maximum-above-node", (800, 900, 801, 1, 200, 924)),
    ],
)
def test_a_scenario_that_shows_it_has_its_sizes(tmp_path: Path, most: int, rule: str, values: tuple[int, ...]) -> None:
    least = (MINIMUM, "512")
    found = findings(tmp_path, (MAXIMUM, str(most)), least, nodes=(NodeSizes(1, values[0], 1),))[-1]

    names = ("node_mb", "maximum_mb", "above_mb", "fits_mb", "quarter_mb", "beside_mb")
    assert (found.rule, found.values) == (rule, dict(zip(names, values, strict=True)))


PRIORITY = (f"{CAPACITY}root.default.default-application-priority", "5")
A_QUEUE = '<queue name="a"/>'
OWN = '<queue name="default"><maxRunningApps>3</maxRunningApps></queue>'
SLOW = '<queue name="a"><fairSharePreemptionTimeout>60000</fairSharePreemptionTimeout></queue>'
QUEUES = tuple((f"{CAPACITY}root.{key}", value) for key, value in (("queues", "default"), ("default.capacity", "100")))
ON = ("yarn.resourcemanager.scheduler.monitor.enable", "true")


@pytest.mark.parametrize(
    ("properties", "queues", "mended", "rule", "words"),
    [
        ((ON, (f"{_P}total_preemption_per_round", "0.01")), "", "0.1", "preemption-round", "a round may take 573 MB"),
        ((ON, (f"{_P}total_preemption_per_round", "0.00001")), "", "0.1", "preemption-round", "a round may take 1 MB"),
        ((ON, (f"{_P}max_ignored_over_capacity", "1")), "", "0.1", "preemption-ignores", "2 times its guarantee"),
        ((ON, (f"{_P}max_wait_before_kill", "600001")), "", "600000", "preemption-slow", "waits 10m1ms"),
        ((ON,), "", "false", "preemption-idle", "nothing to take"),
        ((("yarn.resourcemanager.am.max-attempts", "1"),), "", "2", "one-attempt", "its first master fails"),
        ((("yarn.resourcemanager.am.max-attempts", "0"),), "", "1", "no-start", "needs an attempt"),
        ((("yarn.nm.liveness-monitor.expiry-interval-ms", "999"),), "", "1000", "no-start", "less than a heartbeat"),
        ((("yarn.scheduler.increment-allocation-mb", "5000"),), A_QUEUE, "4096", "minimum-fills-node", "5000"),
        ((ON, (f"{_P}intra-queue-preemption.enabled", "true")), "", "false", "preemption-of-no-user", "each user may"),
        ((PRIORITY,), "", "0", "priority-capped", "5 counts as 0, the largest priority"),
        (
            (("yarn.scheduler.fair.user-as-default-queue", "true"),),
            OWN,
            "false",
            "default-queue-passed-by",
            "their user",
        ),
        ((("yarn.scheduler.fair.preemption", "true"),), SLOW, "false", "preemption-slow", "the value is in seconds"),
    ],
)
def test_values_that_hurt_and_their_mends(
    tmp_path: Path, properties: tuple[tuple[str, str], ...], queues: str, mended: str, rule: str, words: str
) -> None:
    """The last property at another value is not warned of."""
    keys = (*(() if queues else QUEUES), (MAXIMUM, "1024"))

    def found(*given: tuple[str, str]) -> list[Finding]:
        every = findings(tmp_path, *keys, *given, nodes=NODES, era="3.4", queues=queues)
        return [each for each in every if each.rule == rule]

    hurts = found(*properties)
    assert len(hurts) == 1
    assert words in str(hurts[0].problem)
    mends = (*properties[:-1], (properties[-1][0], mended))
    assert found(*mends) == []
