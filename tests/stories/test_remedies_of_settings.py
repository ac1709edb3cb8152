"""An operator asks `fix` about the waits of real clusters: the setting that worked stands among the first remedies."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.gates.witness_templates import VICTIM, asks, scene, templates
from tests.gates.witnesses import FIRST, place_in, remedies_of, witnesses
from tests.invoke import said

CASES: Final = Path(__file__).parents[1] / "cases" / "fix"
BALANCE: Final = "preemption-to-balance-queue-after-satisfied"


def told(name: str, *arguments: str) -> str:
    result = said("fix", [name, *arguments, "--budget", "0", "--workers", "1"])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def numbered(text: str) -> list[str]:
    return [found[1] for line in text.split("\n") if (found := re.match(r"\s*\d+\s+(.*)", line))]


OFFERED: Final = (
    ("two-limits-fix", "second", "+2m", "set queueMaxAppsDefault to 2", "then wait until the file"),
    ("partition-without-capacity", "one", "+5m", "capacity of root in the partition gpu to 100", "then yarn rmadmin"),
    ("refused-application", "1", "+4m", "set yarn.scheduler.capacity.queue-mappings to u:ann:", "-refreshQueues"),
    ("drivers-hold-all-cores", "7", "+20m", "set spark.deploy.maxDrivers to ", "then restart the Master"),
    ("idle-sessions", "report", "+10m", "min.held-containers of session and 1 alike to 5", "-D tez"),
    ("attempts", "", "+5h", "attemptFailuresValidityInterval of stream to 3600s", "it still runs at 14:00:30"),
    ("least-executors", "second", "+30m", "minExecutors of thrift to 13 (now 15)", "minExecutors=13"),
    ("masters-of-fifo", "5", "+20m", "run fair-3.4 in place of fifo", "capacity.CapacityScheduler</value>"),
    ("../why/racks-alone", "local", "+3m", "capacity.node-locality-delay to 0", "-refreshQueues"),
    ("two-maxima", "job", "+5m", "18432 (now 8192), and set yarn.scheduler.maximum-allocation-vcores to 5", "then"),
    ("few-applications", "job4", "+3m", "set maximum-applications of root.adhoc to 4", "-refreshQueues"),
    ("no-node", "job", "+5m", "add a node of 1024 MB and 1 vcore", "need hardware"),
    ("placed-nowhere", "job", "+3m", "set weight of root.dev.ann to 1.0", '<queue name="ann">'),
    ("half-of-its-share", "vic", "+10m", "Threshold of root.adhoc to 1", "loses 8 containers"),
    ("../why/maximum-of-children", "job", "+5m", "set maxChildResources of root.users to", "can be done now"),
    ("../why/minimum-of-others", "vic", "+5m", "set minResources of root.prod to", "(now 65536 mb, 64 vcores)"),
    ("../why/template-of-queues", "job", "+5m", "leaf-queue-template.maximum-capacity of root.users", "-refreshQ"),
    ("../why/path-of-a-leaf", "job", "+3m", "submit job to queue etl", "its owner submits it so"),
    ("preemption-forbidden-above", "victim", "+10m", "set disable_preemption of root.a.x to false", "-refreshQ"),
    ("applications-of-a-user", "3", "+10m", "0.26 (now 0.1), and set yarn.scheduler.capacity.maximum-app", "to 6"),
    ("queue-not-declared", "1", "+10m", "set weight of root.adhoc to 1.0", "the queue is made"),
    ("amounts-in-brackets", "victim", "+10m", "of root.a to [memory=11264,vcores=10]", "-refreshQueues"),
    ("parent-named", "1", "+5m", "submit victim to queue root.p.a", "its owner submits it so"),
    ("../why/unhealthy-nodes", "pi", "+10m", "make n1 and 1 more healthy again", "yarn node -status n1:8041"),
    ("../why/label-of-masters", "victim", "+10m", "default-node-label-expression to nothing", "in the partition CORE"),
    ("../why/two-limits-of-a-template", "victim", "+10m", "leaf-queue-template.user-limit-factor", "to 24 "),
    ("weight-of-a-user", "job", "+5m", "user-settings.ann.weight of root.default to 0.33", "-refreshQueues"),
    ("one-a-second", "many", "+1m", "set maxResources of root.a to 34816 mb, 99 vcores", "delays nothing"),
    ("wide-executors", "1", "+10m", "set spark.executor.cores of wide to 4 (now 8)", "SPARK_WORKER_CORES=8"),
    ("large-maps", "1", "+10m", "cluster.max.map.memory.mb to 4096", "then restart the JobTracker"),
    ("undeclared-pool", "1", "+5m", "submit job to pool prod", "-D mapred.fairscheduler.pool=prod"),
    ("sick-trackers", "1", "+10m", "healthy again (1 similar)", ": mend what the script of mapred.healthChecker"),
    ("no-vcores", "a1", "+3m", "set maxResources of root.sample to 90000 mb, 5 vcores", "can be done now"),
    ("label-not-declared", "train", "+5m", "add the node label gpu", '-addToClusterNodeLabels "gpu"'),
    ("container-above-nodes", "spark", "+3m", "set yarn.scheduler.maximum-allocation-mb to 10240", "ends well"),
    ("masters-by-vcores", "s3", "+5m", "maximum-am-resource-percent to 0.26", "starts 09:05:00.571"),
    ("rounded-up", "pi", "+10m", "minimum-allocation-mb to 512 (now 1024)", "then restart the ResourceManager"),
    ("rounded-up-once", "serving", "+5m", "set yarn.scheduler.minimum-allocation-mb to 1024 (now 4096)", "nothing"),
    ("rounded-up-twice", "serving", "+5m", "and set yarn.scheduler.increment-allocation-mb to 256", "then restart"),
    ("../why/sick-node-of-a-label", "train", "+5m", "make g1 healthy again", "yarn node -status g1:8041"),
    ("../why/applications-of-each-queue", "4", "+5m", "set yarn.scheduler.capacity.global-queue-max-appl", "to 4 "),
    ("../why/no-policy-that-preempts", "victim", "+5m", "monitor.policies to org.apache.hadoop.yarn", "refreshQueues"),
    ("driver-submitted", "nightly", "+10m", "set spark.cores.max of stream to 2", "with this one container and no"),
    ("../why/masters-reserve", "1", "+5m", "set queueMaxAMShareDefault to 0.62 (now -1)", "within 10 s"),
    ("driver-of-many-cores", "cl", "+5m", "set spark.driver.cores of cl to 1 (now 4)", "spark.driver.cores=1"),
    ("driver-on-the-only-core", "cl", "+5m", "spark.submit.deployMode of cl to client", "then restart the Workers;"),
    ("heap-and-overhead", "1", "+5m", "of etl to 2688m (3072 MB with overhead, now 4096 MB)", "memory=2688m"),
    ("no-reduce-slots", "a", "+5m", "reduce.tasks.maximum to 1 (now 0)", "then restart the TaskTrackers"),
    ("one-vcore", "batch", "+5m", "cpu-vcores of every node to 2", "but bring one container alone"),
    ("priority-not-supported", "b", "+4m", "supports-priority of default to true", "then restart the JobTracker"),
    ("alike-notebooks", "wide", "+5m", "set spark.cores.max of nb1 and 3 alike to 4 (now 8)", "spark.cores.max=4"),
    ("../why/template-of-version-2", "victim", "+10m", "v2.template.maximum-capacity of root.users to 24", "-refreshQ"),
    ("large-instances", "", "+5m", "set yarn.scheduler.maximum-allocation-mb to 12288", "it still runs at"),
    ("stopped-by-hand", "late", "+5m", "set state of root.a to RUNNING (now STOPPED)", "-refreshQueues"),
    ("../why/increments-of-3", "job", "+2m", "memory-mb.increment-allocation to 1024 (now 3072)", "ResourceManager"),
    ("part-of-a-partition", "nightly", "+5m", "of root.etl to fast, and set capacity of root.etl in", "-refreshQueues"),
    ("reservations-at-a-limit", "big", "+10m", "reservations-continue-look-all-nodes to true", "-refreshQueues"),
    ("../why/receivers-of-a-stream", "1", "+3m", "set spark.executor.instances of", "it is not waiting: 10 tasks"),
    ("../why/template-of-a-list", "job", "+5m", "submit_applications of root.teams to ann,bob (now ann)", "-refreshQ"),
    ("../why/queue-not-made", "job", "+5m", "auto-queue-creation-v2.enabled of root.users to true", "-refreshQueues"),
    ("capacity-of-none", "daemons", "+5m", "and set capacity of root.rest to", "and set maximum-capacity of root.live"),
    ("../why/priority-of-a-queue", "nightly", "+10m", "set priority of root.adhoc to 0 (now 5)", "-refreshQueues"),
    ("../why/parent-kept-from-preemption", "victim", "+5m", "set allowPreemptionFrom of root.a to true", "10 s"),
    ("../why/priority-within-a-queue", "high", "+10m", "order-policy to priority_first", "user-limit-factor of root"),
    ("../why/room-that-is-reserved", "tiny", "+10m", "container of large to 4096 (now 6144)", "its owner submits it"),
    ("priority-above-its-list", "urgent", "+5m", "priority of urgent to 2 (now 8)", "its owner submits it so"),
    ("../why/task-preemption-off", "small", "+10m", "and set mapred.fairscheduler.preemption to true", "JobTracker"),
    ("large-reduces", "sort", "+10m", "set mapreduce.reduce.memory.mb of sort to 2048 (now 4096)", "-D mapreduce.red"),
    ("large-tasks", "pi", "+10m", "and mapreduce.reduce.memory.mb of pi to 1024 (now 1536 and 3072)", "1024 -D map"),
    ("memory-of-workers", "notebook", "+20m", "set spark.deploy.spreadOutApps to false", "then restart the Master"),
    ("../why/driver-lost", "etl", "+20m", "supervise of etl to true (now false)", "it was lost at 09:05:00: its dr"),
    ("../why/hung-maps", "next", "+10m", "task.timeout of import to 300000", "-D mapred.map.tasks.speculative."),
    ("../why/shuffle-kept", "batch", "+40m", "shuffleTracking.timeout of shell to 1800s", "timeout=1800s"),
    ("../why/reduces-at-a-maximum", "small", "+30m", "slowstart.completedmaps of big to 0.", "start by 2024-03-05"),
    ("supervised-stream", "batch", "+10m", "cores.max of stream to 4", "Client kill spark://MASTER:7077 driver-2024"),
    ("../why/few-slots", "model", "+10m", "capacity of default to 50 (now 5), and set capacity of prod", "mradmin -r"),
    ("../why/receiver-alone", "stream", "+10m", "spark.cores.max of stream to 2 (now 1)", "it is not waiting: 1 task"),
    ("masters-on-a-sick-node", "job", "+10m", "move spot1 to the partition CORE_ONDEMAND", "configured-node-partition"),
    ("masters-label-not-declared", "job", "+5m", "add the node label CORE_ONDEMAND", "no label CORE_ONDEMAND (yarn."),
    ("../why/one-a-heartbeat", "victim", "+80s", "fair.assignmultiple to true", "it gets the last container it asks"),
    ("../why/static-sessions", "job", "+20m", "dynamicAllocation.enabled of notebook and 1 alike to true", "=true --"),
    ("shell-of-all-cores", "batch", "+4m", "spark.cores.max of context to 16", "spark.deploy.defaultCores 16"),
    ("small-workers", "1", "+3m", "memory of job to 1024m (now 2048m), and set spark.executor.cores of job to 1", "-"),
    ("executors-above-both", "1", "+5m", "now 12288 MB), and set spark.executor.cores of job to 4", "it still runs at"),
    ("first-user-has-the-slots", "report", "+5m", "user-limit-percent of default to 50", "mradmin -refreshQueues"),
    ("crowd-of-jobs", "16", "+20m", "run capacity-2.7 in place of fifo", "it gets its next container at 09:50"),
    ("silent-trackers", "sort", "+12m", "tasktracker.expiry.interval to 300000", "then restart the JobTracker"),
    ("hung-master", "sort", "+8m", "yarn.am.liveness-monitor.expiry-interval-ms to 60000", "ResourceManager"),
    ("dead-worker", "two", "+10m", "return w1", "09:10:00.001, with this one container and no more; frees nothing"),
    ("one-large-worker", "app", "+5m", "SPARK_WORKER_MEMORY of every worker to 12288m (now 8192m)", "on machines"),
    ("notebooks-at-two-limits", "notebook2", "+25m", "and set yarn.scheduler.capacity.maximum-am", "minExecutors=0"),
    ("driver-above-workers", "job", "+5m", "(now 4), and set spark.driver.memory of job to 2048m", "deployMode=client"),
    ("large-executors", "job", "+10m", "set spark.executor.memory of shell to 5120m (now 6144m)", "starts at 09:03:00"),
    ("executors-kept-for-shuffle", "next", "+25m", "of repl to 600s", "2  set spark.dynamicAllocation.shuffleTracking"),
    ("long-backlog", "etl", "+10m", "schedulerBacklogTimeout of etl to 300s (now 3600s)", "BacklogTimeout=300s"),
    ("lagging-maps", "next", "+15m", "map.tasks.speculative.execution to false", "-D mapred.map.tasks.speculative"),
    ("tasks-above-a-user", "1", "+10m", "active-tasks-per-user of default to 4000", "has 3000 tasks, a user may"),
    ("memory-of-small-workers", "rec", "+10m", "executor.memory of rec to 4096m (now 6144m)", "next executor"),
    ("launchers-at-a-maximum", "child", "+10m", "set maximum-capacity of etl to 50", "set now, it gets its next map"),
    ("three-of-a-service", "flink", "+5m", "container of flink to 2048 (now 4096)", "one container alone"),
)
LONG: Final = (
    *("minimum-of-others", "of-its-share", "forbidden-above", "not-supported", "hung-maps", "at-a-maximum"),
    *("that-is-reserved", "of-a-queue", "few-slots", "kept-from-preemption", "within-a-queue", "task-preemption-off"),
    *("label-of-masters", "of-a-partition", "static-sessions", "has-the-slots", "crowd-of-jobs"),
)
"""Ends of cases that take a second of the processor and more."""


@pytest.mark.parametrize(
    ("case", "app", "at", "wanted", "written"),
    [pytest.param(*row, marks=[pytest.mark.long] * row[0].endswith(LONG)) for row in OFFERED],
)
def test_what_worked_elsewhere_is_offered(case: str, app: str, at: str, wanted: str, written: str) -> None:
    """Whoever can change it, with what is given at submission, written or run; what helps is not said to be no help."""
    text = told(str(CASES / case / "day.toml"), *app.split(), "--at", at, "--from-start")

    assert any(wanted in each for each in numbered(text)), text
    assert written in text
    assert not {each.split(" (now")[0] for each in numbered(text)} & {*re.split("no help: |; |\n", text)}


def test_a_setting_that_helps_without_another_one_is_offered_once() -> None:
    text = told(str(CASES / "rounded-up-once" / "day.toml"), "serving", "--at", "+5m", "--from-start")
    assert text.count("set yarn.scheduler.minimum-allocation-mb to 1024 (now 4096)") == 1


def test_the_third_remedy_changes_what_stands_in_the_way() -> None:
    """Where those of the first three would else be others, that are sooner done."""
    remedies = numbered(told(str(CASES / "threshold-of-use" / "day.toml"), "victim", "--at", "+10m", "--from-start"))

    assert remedies[2].startswith("set yarn.scheduler.fair.preemption.cluster-utilization-threshold to ")


def halved(folder: Path, held: list[str], count: int = 0, **more: int) -> list[str]:
    """What is offered to one of 6 GB in the queue b beside who holds the nodes; each queue has half."""
    queues = {"root.queues": '"a,b"', "root.a.capacity": 50, "root.b.capacity": 50, "user-limit-factor": 10, **more}
    settings = [f'"yarn.scheduler.capacity.{key}" = {value}' for key, value in queues.items()]
    nodes = f'groups = [{{ prefix = "n", count = {count}, memory = "{16 // max(1, count)}g", vcores = 16 }}]'
    day = scene("capacity-3.4", settings, [*held, asks(VICTIM, "b", 60, "6g", 1)], *([nodes] if count else []))
    (folder / "day.toml").write_text(day)
    return numbered(told(str(folder / "day.toml"), VICTIM, "--at", "+5m", "--from-start"))


@pytest.mark.parametrize(("ends", "place"), [("31m", 0), ("33m", 3)])
def test_a_kill_that_helps_late_comes_after_what_its_owner_may_do(ends: str, place: int, tmp_path: Path) -> None:
    """Late is after half of the wait from 09:05 until 10:00, when the other ends that holds the nodes."""
    held = [asks("one", "a", 1, "4g", 4), asks("other", "a", 1, "4g", 4).replace('"1h"', f'"{ends}"')]
    assert halved(tmp_path, held)[place] == "kill application 1 (one)"


def test_a_kill_that_ends_a_wait_without_end_is_not_late() -> None:
    assert numbered(told("pattern-am-only", "--at", "+5m"))[0] == "kill application 4 (job 4)"


def test_one_that_is_slow_is_judged_by_many_containers(tmp_path: Path) -> None:
    """What ran on the node that is down was lost with it, and not by its return."""
    apps = [asks("slow", "a", 1, "1g", 400).replace('"1h"', '"20s"')]
    lost = 'faults = [{ do = "lose", node = "n1", at = 60 }, { do = "lose", node = "n2", at = 60 }]'
    (tmp_path / "day.toml").write_text(scene("fair-2.7", [], apps, top=lost))
    text = told(str(tmp_path / "day.toml"), "slow", "--at", "+3m8s", "--apply", "1")
    started, promised = re.findall(r"0001 started (\S+), promised (\S+)\n", text)[0]

    assert re.search(r"gets 202 more containers by 09:\S+ without an act", text)
    assert numbered(text)[0] == "return n1 and 1 more"
    assert re.search(rf"202 containers by {promised}; frees .*; loses nothing; delays nothing", text)
    assert started == promised


def test_work_that_is_preempted_again_and_again_is_to_end() -> None:
    text = told("long-work-never-ends", "1", "--at", "09:06")

    assert numbered(text)[0] == "set fairSharePreemptionTimeout of root.adhoc to 480 (now 1)"
    assert numbered(text)[1] == "set yarn.scheduler.fair.preemption to false (now true)"
    assert "it ends well at 09:22:07.078" in text
    assert "switch preemption off" not in text


def test_a_second_kill_comes_after_all_that_takes_no_machines(tmp_path: Path) -> None:
    remedies = halved(tmp_path, [asks("one", "a", 1, "8g", 1), asks("other", "a", 1, "8g", 1)], 2)
    assert [each.partition(" ")[0] for each in remedies[:5]] == ["kill", "set", "set", "kill", "add"], remedies


@pytest.mark.parametrize(("ends", "is_late"), [("32m", False), ("33m", True)])
def test_a_limit_that_helps_late_comes_after_what_its_owner_may_do(ends: str, is_late: bool, tmp_path: Path) -> None:
    """The limit goes at once, and the node is full until the other ends."""
    held = [asks("one", "a", 1, "8g", 1).replace('"1h"', f'"{ends}"'), asks("own", "b", 1, "6g", 1)]
    remedies = halved(tmp_path, held, 1, **{"root.b.maximum-capacity": 50, "maximum-am-resource-percent": 1})
    both = [each for each in remedies if "maximum-capacity of root.b" in each or "memory of" in each]

    assert ("memory of" in both[0]) == is_late, remedies


@pytest.mark.parametrize(("worker", "is_offered"), [("512m", True), ("511m", False)])
def test_no_heap_is_offered_that_spark_refuses(worker: str, is_offered: bool, tmp_path: Path) -> None:
    large = 'type = "spark-standalone"\nname = "large"\nuser = "a"\nexecutor_memory = "1g"\nstages = [{ tasks = 1 }]\n'
    cluster = f'[cluster]\ngroups = [{{ count = 1, memory = "{worker}", vcores = 2 }}]\n[[workload]]\n{large}'
    (tmp_path / "day.toml").write_text(f'name = "day"\nduration = "1h"\nscheduler = "spark"\n{cluster}')
    text = told(str(tmp_path / "day.toml"), "large", "--at", "+5m", "--from-start")

    assert re.findall(r"set spark\.executor\.memory of large to (\w+)", text) == ["512m"] * is_offered


@pytest.mark.long
def test_what_a_setting_needs_is_set_with_it() -> None:
    """Preemption beyond the guarantee kills nothing before its marks are forgotten, unless it waits less."""
    text = told(str(CASES / "balance-beyond-guarantee" / "day.toml"), "--app", "more-a", "--at", "+10m", "--from-start")

    (line,) = (each for each in numbered(text) if BALANCE in each)
    assert f"{BALANCE}.enabled to true" in line
    assert f"{BALANCE}.max-wait-before-kill to 15000" in line
    assert "restart the ResourceManager" not in text


@pytest.mark.parametrize("which", [("--app", "1"), ()])
def test_a_refused_application_is_answered_with_its_refusal(which: tuple[str, ...]) -> None:
    """And with what would have let it in, also unasked where nothing waits."""
    text = told(str(CASES / "refused-application" / "day.toml"), *which, "--at", "+4m")

    assert "it was refused at 09:00:00" in text
    assert "queue default" in text
    assert "set queues of root to dev,prod,default" in text


def test_without_an_application_it_is_about_whom_the_header_counts() -> None:
    """Also where it has some of what it asks for, and nothing waits for ever."""
    remedies = numbered(told("spark-worker-lost", "--at", "09:01:37"))

    assert any(each.startswith("kill application 1 ") for each in remedies)


@pytest.mark.parametrize(
    ("drill", "at", "wanted"),
    [
        pytest.param("each-kills-the-other", "+4m", "switch preemption off", marks=pytest.mark.long),
        pytest.param("killed-again-and-again", "+4m", "switch preemption off", marks=pytest.mark.long),
        ("nobody-answers", "09:07", "start the ResourceManager"),
    ],
)
def test_work_that_is_lost_again_or_not_heard_of_is_no_progress(drill: str, at: str, wanted: str) -> None:
    """So what lets it run out is a remedy, though nobody is given anything sooner."""
    assert numbered(said("fix", [drill, "--at", at, "--workers", "1"]).stdout)[0] == wanted


def test_what_ends_this_wait_is_told_from_what_helps_the_next_time(tmp_path: Path) -> None:
    """A lower limit of who holds everything takes nothing from it; two limits of who waits may go at once."""
    (tmp_path / "full.toml").write_text(templates("capacity-3.4")["two queues"])
    full = told(str(tmp_path / "full.toml"), "--app", VICTIM, "--at", "+2m", "--from-start")
    now, _, later = full.partition("can be set now, and help the next time")
    limited = told(str(CASES / "two-limits-fix" / "day.toml"), "--app", "second", "--at", "+2m", "--from-start")

    assert "maximum-capacity of root.a" not in now
    assert "set maximum-capacity of root.a to" in later
    assert "set queueMaxAppsDefault to 2" in numbered(limited)[0]
    assert "set now, it starts at 09:02:00" in limited


def test_a_gain_of_a_few_seconds_in_minutes_is_no_remedy(tmp_path: Path) -> None:
    """The end of a container that ends soon anyway gains nothing."""
    apps = [asks("brief", "a", 1, "8g", 4).replace('"1h"', '"5m"'), asks(VICTIM, "a", 60, "8g", 1, user="bob")]
    (tmp_path / "day.toml").write_text(scene("fifo", [], apps).replace('queue = "a"', 'queue = "default"'))
    text = told(str(tmp_path / "day.toml"), "--app", VICTIM, "--at", "+4m55s")

    assert numbered(text)[0].startswith("kill application 1")
    assert "add a node" not in numbered(text)[0]


@pytest.mark.parametrize(
    ("scheduler", "template", "key"),
    [
        ("capacity-2.7", "one user", "user-limit-factor"),
        ("fair-2.7", "alone", "maxResources"),
        pytest.param("fair-2.7", "masters fill their share", "master", marks=pytest.mark.long),
        ("spark", "too large", "container"),
    ],
)
def test_a_row_that_decides_is_found_among_the_first(scheduler: str, template: str, key: str) -> None:
    """Of all rows the gate `tests.gates.witnesses` tells."""
    found = next(each for each in witnesses(scheduler, [template]) if each.row.key == key)

    assert template in templates(scheduler)
    assert 0 < place_in(remedies_of(found.worse), found) <= FIRST
