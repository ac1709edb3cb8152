"""An operator has files looked at: mistakes are warned of, and nothing is said of the files put right."""

import re
from pathlib import Path

import pytest

from tests.invoke import said

CASES = Path(__file__).parents[1] / "cases" / "lint"

MISTAKES = [
    ("acl-administer", (), "acl_administer_queue: one blank is no user"),
    ("masters-without-limit", ("--nodes", "4x8g/8"), "queueMaxAMShareDefault -1: no share of masters is checked"),
    ("balance-wait", ("--era", "3.4"), "nothing is ever preempted for balance"),
    ("partition-capacity", (), "no capacity in the partition gpu"),
    ("label-of-masters", (), "root.etl has no capacity in the partition CORE: its masters ask there"),
    ("part-of-a-leaf", ("--era", "3.4"), "no capacity in the partition gpu"),
    ("disks-called-bad", (), "1 %: nearly every disk counts as full"),
    ("disks-called-bad", (), "a node is healthy only with more disks than it has"),
    ("no-queues", (), "root has no queue: no ResourceManager starts"),
    ("nothing-may-be-taken", ("--era", "3.4"), "nothing may be taken from any queue"),
    ("pools-called-queues", (), "unknown element: the fair scheduler of MapReduce 1 ignores it"),
    ("master-above-nodes", (), "am.resource.mb by default is 1536 MB, and no node has more than 1285 MB"),
]


def described(folder: Path, *options: str) -> str:
    """The answer of `schedlab config` on all files of a folder, in one line."""
    result = said("config", [*options, *(str(path) for path in sorted(folder.glob("*.xml")))])
    assert result.exit_code == 0, result.output
    return re.sub(r"\s+", " ", result.stdout)


@pytest.mark.parametrize(("case", "options", "warning"), MISTAKES)
def test_a_mistake_is_warned_of_until_it_is_mended(case: str, options: tuple[str, ...], warning: str) -> None:
    """The way out, taken, leaves nothing to say of it."""
    assert warning in described(CASES / case, *options)
    assert warning not in described(CASES / case / "mended", *options)


def test_files_of_mapreduce_1_are_known() -> None:
    """They are listed in their words, and said to be read by no YARN."""
    told = described(CASES / "capacity-file-of-mapreduce-1")

    assert "CapacityTaskScheduler of MapReduce 1: 1 queue" in told
    assert "no YARN release reads it" in told
    assert re.search(r"FairScheduler of MapReduce 1 pool etl .*minMaps 5 .*userMaxJobsDefault 3 .*capacity 100 ", told)
    assert "yarn.resourcemanager" not in told


def properties(**values: str) -> str:
    rows = (f"<property><name>{key}</name><value>{value}</value></property>" for key, value in values.items())
    return f"<configuration>{''.join(rows)}</configuration>"


LARGEST = {"yarn.scheduler.maximum-allocation-mb": "1024", "yarn.scheduler.maximum-allocation-vcores": "2"}
POOLS = {"mapred.fairscheduler.preemption": "true", "mapred.fairscheduler.allocation.file": "/etc/hadoop/pools.xml"}


@pytest.mark.parametrize(
    ("name", "settings", "beside", "text", "told"),
    [
        ("yarn-site.xml", LARGEST, "spark-defaults.conf", "spark.master yarn", "and a container has at most 1024 MB"),
        ("yarn-site.xml", LARGEST, "spark-defaults.conf", "spark.master yarn\nspark.executor.cores 3", "at most 2: n"),
        ("mapred-site.xml", POOLS, "pools.xml", "<allocations/>", "preemption is on, and no timeout is stated"),
    ],
)
def test_files_of_a_folder_are_read_together(
    tmp_path: Path, name: str, settings: dict[str, str], beside: str, text: str, told: str
) -> None:
    """Executors are compared with the largest container; pools are read of the file that the settings name."""
    (tmp_path / name).write_text(properties(**settings))
    (tmp_path / beside).write_text(text)

    assert told in re.sub(r"\s+", " ", said("check", [str(tmp_path)]).stdout)


SCHEDULER = "yarn.resourcemanager.scheduler.class"
TASKS = "mapred.jobtracker.taskScheduler"
PACKAGE = "org.apache.hadoop.yarn.server.resourcemanager.scheduler."


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("yarn.nodemanager.resource.menory-mb", "8192", "did you mean yarn.nodemanager.resource.memory-mb?"),
        ("yarn.nodemanager.vmem-check-enable", "false", "did you mean yarn.nodemanager.vmem-check-enabled?"),
        ("yarn.resourcemanager.address", "h:1", ""),
        ("yarn.nodemanager.resource.memory-mb", "8g", "'8g' is not a whole number (8192)"),
        ("yarn.scheduler.maximum-allocation-mb", "1023", ":1 out-of-range yarn.scheduler.maximum-allocation-mb"),
        ("yarn.scheduler.maximum-allocation-mb", "1024", ""),
        ("yarn.scheduler.capacity.root.a.capacty", "100", "did you mean capacity?"),  # beside what is refused
        (SCHEDULER, f"{PACKAGE}fare.FairScheduler", f"did you mean {PACKAGE}fair.FairScheduler?"),
        (SCHEDULER, f"{PACKAGE}fifo.FifoScheduler ", "there is no class"),
        (SCHEDULER, f"{PACKAGE}fifo.FifoScheduler", ""),
        (SCHEDULER, "com.example.FairSheduler", ""),
        (TASKS, "org.apache.hadoop.mapred.FairSchedular", "did you mean org.apache.hadoop.mapred.FairScheduler?"),
        ("mapred.tasktracker.map.tasks.max", "7", "did you mean mapred.tasktracker.map.tasks.maximum?"),
        ("mapred.reduce.slowstart.completed.map", "1", ""),  # of a client, too
    ],
)
def test_what_is_wrong_with_a_key_is_said(tmp_path: Path, key: str, value: str, told: str) -> None:
    """Whichever scheduler is chosen; keys of other daemons and classes of others are left alone."""
    (tmp_path / "yarn-site.xml").write_text(properties(**{key: value}))
    answer = re.sub(r"\s+", " ", said("check", [str(tmp_path)]).stdout)

    assert ("good" in answer) is not bool(told), answer
    assert told in answer


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("capacity", "<configuration/>", "no-queues root.queues"),
        ("fair", "<allocations><queuePlacementPolicy><rule/></queuePlacementPolicy></allocations>", "cy#fromXml]"),
    ],
)
def test_what_refuses_a_whole_file_is_said(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / f"{name}-scheduler.xml").write_text(text.replace("<rule/>", '<rule name="nestedUserQueue"/>'))
    assert told in re.sub(r"\s+", " ", said("check", [str(tmp_path)]).stdout)
