"""What `compare`, `sweep` and the settings they take say is so: each a question an operator asked."""

import json
import re
from pathlib import Path

import pytest

from engine.formats.scenario_toml import load
from engine.measures import Quantiles, RunMeasures
from engine.settings.known import nearest_known, readers
from engine.sweep import GOALS, Axis, StoredPoint, summarised
from tests.engine.sweep.test_points import RUN
from tests.gates.recount import differences
from tests.invoke import Result, said
from tests.test_architecture import ROOT

CASES = ROOT / "tests" / "cases"
MISSPELT = "did you mean yarn.scheduler.fair.preemption?"
OF_A = "yarn.scheduler.capacity.root.a"
SETTING = re.compile(r"(?<![\w./-])(?:yarn\.scheduler|yarn\.resourcemanager|spark\.deploy|mapred)\.[\w.-]*[\w]")


def ran(*arguments: str) -> Result:
    return said("", arguments)


def test_a_setting_that_deadlocks_is_ranked_last(tmp_path: Path) -> None:
    """All masters start at once and no task ever does."""
    vary = "queues.0.max_am_share=0.3,0.5,1.0"
    code, out, _ = ran("sweep", "pattern-am-only", "--vary", vary, "-o", str(tmp_path / "a.sweep"), "--workers", "1")

    ranks = re.findall(r"^ +(\d) +(0\.3|0\.5|1\.0) .*$", out, flags=re.MULTILINE)
    assert (code, ranks) == (0, [("1", "0.5"), ("2", "0.3"), ("3", "1.0")])
    assert re.search(r"^ +3 +1\.0 +\S+ +1 of 1 +4 +0\.6s +99\.0%", out, flags=re.MULTILINE)


def point(number: int, value: str, **changes: object) -> StoredPoint:
    run: RunMeasures = RUN.__class__(**{name: getattr(RUN, name) for name in RUN.__struct_fields__} | changes)
    return StoredPoint(number, {"k": value}, 0, "done", "", run, 0.0)


@pytest.mark.parametrize(
    "harm",
    [{"frozen_ms": 1}, {"unfinished": 7}, {"refused": 4}, {"failed": 6}, {"livelock_ms": 1}],
    ids=lambda harm: next(iter(harm)),
)
@pytest.mark.parametrize("goal", GOALS)
def test_no_goal_makes_good_what_is_lost(harm: dict[str, object], goal: str) -> None:
    """Whatever its figures, a setting that loses more is below one that does not, and not on the front."""
    better = {"waits": Quantiles(1, 0, 0, 0), "makespan_ms": 0, "starved": 0, "used_share": {"memory_mb": 1.0}}
    points = [point(0, "lossy", **better, **harm), point(1, "sound")]
    found = summarised(points, [Axis("k", ("lossy", "sound"))], GOALS[goal])

    assert [(each.settings["k"], each.is_front) for each in found.settings] == [("sound", True), ("lossy", False)]


def test_what_spark_holds_is_cores() -> None:
    run = point(0, "", used_share={"memory_mb": 0.4, "cores": 0.9}).measures
    assert run is not None
    assert GOALS["used"].of(run) == 0.9


STOPS = "yarn.scheduler.capacity.root.short.state=STOPPED"
SAID = {
    ("pattern-am-only", "yarn.scheduler.fair.preemption=true"): (
        r"^pattern-am-only: .*:04 .* no application finishes\.\n",
    ),
    ("pattern-am-only", "capacity-3.4", "--until", "40"): (  # The end of the run cuts a wait off
        "under capacity-3.4 1 of 4 applications finishes",
        "3 of 4 applications have begun to work by the end",
        r"\n  never started +4 +1\n",
    ),
    ("pattern-am-only", "capacity-3.4"): (  # The limit that decides, not a node that happens to be full, too
        r"00:00:03\.139(?s:.)*?  B passes it by\n +application masters use 10240 MB of 10240 MB in root\.a.*"
        r"\(yarn\.scheduler\.capacity\.maximum-am-resource-percent = 0\.5\)\n",
    ),
    ("three-schedulers-capacity", STOPS, "--until", "09:05"): (
        r"applications? (is|are) refused under .*: the queue root\.short is stopped.*\n\n",
        r"\nB .*REFUSED \d",
    ),
    ("spark-worker-lost", "spark.deploy.spreadOutApps=false", "--until", "09:01"): (
        "Workers at once, most: 0001 batch is on 4 under A, 3 under B",
        r"\n  workers in use, mean +4\.0 +3\.8\n",
    ),
    ("pattern-am-only", "fair-3.4"): ("fair-2.7 and fair-3.4 freeze at 00:00:04 .* alike",),
    ("capacity-am-limit", "fair-3.4"): ("3 of 5 applications have begun to work by the end; under fair-3.4 every",),
    ("reservations-one-queue", "seed=9"): ("wait at most 9m04s under capacity-2.7 and seed=9 alike",),
    ("capacity-user-limit", "fifo"): (r"alike; under capacity-2\.7 \d+\.\d% of the memory is held, under fifo",),
    ("preemption-3.4", "seed=9"): (
        "2 of 3 applications fail under fair-3.4 and seed=9 alike",
        r"\nB seed=9  FAILED 2  ",
    ),
    ("fair-two-users", "capacity-2.7"): (r"\nB capacity-2\.7  NOT STARTED 2  1 of 3 applications has begun",),
    ("pattern-preemption-livelock", "yarn.scheduler.fair.preemption=false"): (
        "fair-2.7 goes round in a preemption livelock from 00:00:11 on, for 2m48s, no application finishes; under",
        r"\nA fair-2\.7  LIVELOCK 2m48s  no application finishes\n",
        r"\n  preemption livelock, proved +2m48s +0s\n",
        r"\n  B takes no container from it\n",
    ),
    ("pattern-fifo-head-of-line-twin", "rm-failover"): (
        r"they do other work\. Numbers that are not .*: 0001 filler or store",
        r"\n  A knows no such application then\n",
        r"\n  default +1\.1s 33\.1s +3\.1s 3\.9s\n",  # With and without a root above it one queue
    ),
    ("pattern-fifo-head-of-line-twin", "workload.filler.at=60"): (
        "the same applications come in another order.*: 0001 filler or behind, 0002 behind or filler",
        r"\n  0001 filler +1\.1s +2\.1s\n",
    ),
    ("pattern-locality-never-relaxed", "capacity-2.7"): (r"B passes it by\n.*passed over, so it is not reserved\n",),
    ("spark-no-worker-large-enough", "seed=9"): (  # Also while only who is known to get nothing waits
        "freeze 2 times, first at 09:00:10 .* and allocate nothing for 9m50s alike; every application finishes",
    ),
    ("pattern-user-limit-twin", "duration=1m"): (r"\n  mapped: it lasts 1m, A \d+m; all are played to the same end\n",),
    ("pattern-fifo-head-of-line", "fair-3.4", "--until", "1"): ("fair-3.4 the application has not begun to work",),
    ("reservation-deadlock-small-maximum", "pattern-user-limit-twin", "fair-3.4", "--until", "09:05"): (
        r"(?s)1 of 29 applications fails under reserv.*\nB pattern.*\nC fair-3\.4  FAILED 1 .* 28 of 29",
    ),
    ("pattern-user-limit-twin", "pattern-user-limit-twin"): ("nowhere: every decision is the same",),
}


@pytest.mark.parametrize("words", SAID, ids=" ".join)
def test_what_a_comparison_says_is_so(words: tuple[str, ...]) -> None:
    """What is alike as it is written is no difference, and of runs that freeze no wait is told."""
    _, out, _ = ran("compare", *words, "-q")

    assert [each for each in SAID[words] if not re.search(each, out)] == []
    assert not [line for line in out.splitlines() if re.search("freeze|FROZEN", line) and "wait" in line]


def test_figures_after_a_restart_are_those_of_the_journal() -> None:
    """`python -m tests.gates.recount` asks the same of every packaged scenario with a restart."""
    assert list(differences(load("mr1-job-tracker-restart"), "mr1-fifo")) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "pattern-am-only", "--with", "yarn.scheduler.fair.preemptio=true"),
        ("play", "-q", "pattern-am-only", "--set", "yarn.scheduler.fair.preemptio=true"),
        ("why", "pattern-am-only", "--app", "1", "--set", 'settings."yarn.scheduler.fair.preemptio"=true'),
        ("sweep", "pattern-am-only", "--vary", "yarn.scheduler.fair.preemptio=true,false"),
        ("scenario", "check", str(CASES / "lint" / "misspelt-setting" / "day.toml")),
        ("play", "-q", str(CASES / "lint" / "misspelt-setting" / "day.toml")),
    ],
    ids=lambda arguments: " ".join(arguments[:3])[:40],
)
def test_a_misspelt_key_is_refused_with_the_nearest(arguments: tuple[str, ...]) -> None:
    """Wherever it is written."""
    code, out, err = ran(*arguments)

    assert (code, MISSPELT in out + err) == (1 if "check" in arguments else 2, True)


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        (f"{OF_A}.maximum-capcity", f"{OF_A}.maximum-capacity"),
        ("yarn.scheduler.capacity.a.capacity", f"{OF_A}.capacity"),
        (f"{OF_A}.accessible-node-labels.x.capcity", f"{OF_A}.accessible-node-labels.x.capacity"),
        ("mapred.capacity-scheduler.queue.a.capasity", "mapred.capacity-scheduler.queue.a.capacity"),
        ("spark.deploy.spreadOutt", "spark.deploy.spreadOut"),
        ("yarn.foo", ""),
    ],
)
def test_an_unknown_key_has_a_nearest_one_where_one_is_near(key: str, nearest: str) -> None:
    """Also below the name of a queue or a label."""
    assert (readers(key), nearest_known(key)) == ((), f"did you mean {nearest}?" if nearest else "")
    assert not nearest or readers(nearest)


def test_a_key_of_another_scheduler_is_said_to_do_nothing() -> None:
    """Once, and it is played all the same; so is a priority where there are none."""
    spark, ranked = "spark.deploy.spreadOutApps=false", "workload.*.priority=3"
    code, _, err = ran("play", "-q", "pattern-am-only", "--until", "5", "--set", spark, "--set", ranked)

    assert (code, err.count("does nothing under fair-2.7")) == (0, 2)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("nodes=3", "nodes 3 "),
        ("yarn.nodemanager.resource.memory-mb=2048", "of 20G"),
        ("yarn.nodemanager.resource.cpu-vcores=3", "containers 30,"),
        ("nodes=0", "--set nodes=0: is not a number of nodes"),
        ("nodes=3x8g", "--set nodes=3x8g: is not a number of nodes"),
        ("nodes=99999999999", "is not a number of nodes"),
        ("yarn.nodemanager.resource.memory-mb=4g", "'4g' is not a whole number"),
    ],
)
def test_how_many_nodes_there_are_and_how_large_may_be_set(setting: str, words: str) -> None:
    """What cannot be is refused."""
    code, out, err = ran("get", "prod-dev-fair", "--at", "+60", "--set", setting)

    assert (code, words in out + err) == (2 if "is not" in words else 0, True)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("mr1-slots-of-the-wrong-kind", "mapred.reduce.slowstart.completed.maps"),
        ("mr1-as-containers", "mapreduce.job.reduce.slowstart.completedmaps"),
    ],
)
def test_a_property_that_why_names_of_jobs_may_be_set(name: str, key: str) -> None:
    """As the owner of every job would."""
    runs = [ran("get", name, "--at", "+2m", "--set", each) for each in (f"{key}=1.0", "workload.*.slow_start=1.0")]

    assert runs[0] == runs[1]
    assert runs[0][0] == 0
    assert ran("get", "prod-dev-fair", "--at", "+2m", "--set", f"{key}=1.0")[0] == 2


@pytest.mark.parametrize(("text", "code"), [("yes", 2), ("on", 2), ("1", 2), ("True", 0), ("false", 0)])
def test_a_flag_is_true_or_false(tmp_path: Path, text: str, code: int) -> None:
    """An option is refused; of a file it is said that it counts as not stated, as in Hadoop."""
    key, words = "yarn.scheduler.fair.preemption", "is neither true nor false"
    path = tmp_path / "yarn-site.xml"
    path.write_text(f"<configuration><property><name>{key}</name><value>{text}</value></property></configuration>")
    scenario = tmp_path / "day.toml"
    scenario.write_text(f'extends = "pattern-am-only"\n[settings]\n"{key}" = "{text}"\n')
    option = ran("get", "pattern-am-only", "--at", "+5", "--set", f'{key}="{text}"')

    assert (option[0], words in option[2]) == (code, code == 2)
    for of_file in (ran("check", str(path)), ran("get", str(scenario), "--at", "+5")):
        assert (of_file[0], words in of_file[1] + of_file[2]) == (0, code == 2)


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        (
            "prod-dev-fair",
            "[settings]",
            '[settings]\n"yarn.nodemanager.resource.memory-mb" = 2048',
            "does nothing here: each node of the cluster states its own size",
        ),
        ("prod-dev-capacity", "[settings]", f'[settings]\n"{OF_A[:-1]}emg.capacity" = 3', "queues has root.emg"),
        ("mr1-job-tracker-restart", "job_tracker_restart", "rm_restart", "it is of a ResourceManager and its nodes"),
        ("node-labels-capacity", '"gpu"', '"gpus"', "the cluster has no node label gpus, so its nodes join"),
        ("node-labels-capacity", "capacity-2.7", "fair-2.7", "the cluster has no node label gpu, so its nodes join"),
    ],
)
def test_what_a_file_states_and_nobody_reads_is_said(name: str, old: str, new: str, words: str, tmp_path: Path) -> None:
    text, path = (ROOT / "scenarios" / f"{name}.toml").read_text(), tmp_path / "day.toml"
    before, place, after = text.rpartition(f"partition = {old}" if old == '"gpu"' else old)
    path.write_text(before + place.replace(old, new) + after)

    code, _, err = ran("get", str(path), "--at", "+60")

    assert (code, words in err) == (0, True)


LEFT_OUT = {"mapred.skip.mode"}
"""Keys of features that the manual says are not there."""


@pytest.mark.parametrize(
    "page",
    [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_pages_name_settings_that_are_read(page: Path) -> None:
    """A key that is written out is one of a scheduler, or begins one; what a source calls it does not count."""
    known = [*SETTING.findall((ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8"))]
    named = SETTING.findall(re.sub(r"Source: [^|\n]*", "", page.read_text(encoding="utf-8")))

    unread = [key for key in named if not readers(key) and not any(each.startswith(key) for each in known)]
    assert set(unread) <= LEFT_OUT


def test_runs_that_start_on_other_days_are_set_beside_each_other() -> None:
    """Each has the figures it has alone, and numbers that are other applications are not compared."""
    first, other = "pattern-fifo-head-of-line-twin", "rm-failover"
    _, out, _ = ran("compare", first, other, "-q", "-o", "json")
    _, alone, _ = ran("compare", other, other, "-q", "-o", "json")
    found = json.loads(out)

    assert found["runs"][1]["measures"] == json.loads(alone)["runs"][0]["measures"]
    assert found["unlike"] == [1, 2]
    assert not {1, 2} & {each["application"] for each in found["divergences"]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("pattern-am-only --vary nodes=1,2 --limit unfinished<=0", "no setting keeps every limit"),
        ("pattern-am-only --limit worst_wait<1h --smallest nodes=4..4 --until 60", "cut off by the end with 3"),
        ("pattern-am-only --limit p95_wait<1h --until 500ms", "cannot be judged: there is no p95_wait"),
        ("pattern-preemption-livelock --limit p95_wait<1h --smallest nodes=1..1", "0 of 3, a livelock with 3"),
    ],
)
def test_a_limit_that_nothing_keeps_fails(words: str, said: str) -> None:
    code, out, _ = ran("tune", *words.split(), "--workers", "1", "-q")
    assert (code, said in out) == (1, True)


def test_who_was_taken_over_waits_since_it_was_submitted(tmp_path: Path) -> None:
    """It is one application, with its number; what is assumed goes before the answer."""
    path = tmp_path / "twin.toml"
    path.write_text("""extends = "pattern-fifo-head-of-line-twin"
assumed = [{ what = "asks", sentence = "it asks for what others have" }]
[[recovered]]
registered = false
waiting_since = "-5s"
application = { type = "scripted", number = 9, user = "eve", at = "-5s", asks = [{ memory = "1g", duration = 1 }] }
""")
    told = ran("compare", str(path), "seed=9", "-q")[1]
    found, tuned = (
        json.loads(ran(verb, str(path), *words, "-q", "-o", "json")[1])
        for verb, *words in (["compare", "seed=9"], ["tune", "--vary", "seed=9", "--workers", "1"])
    )

    rows = {row["number"]: row["waits_ms"]["A"] for row in found["applications"]}
    assert (len(rows), rows[9] > 5000) == (3, True)
    assert tuned["assumed"] == found["assumed"] == ["it asks for what others have"]
    assert "twin: If the cluster is as assumed: 95 % of" in told
