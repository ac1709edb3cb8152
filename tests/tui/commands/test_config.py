"""`schedlab config`."""

from pathlib import Path

import pytest

from tests.engine.formats.traces.samples import RM_LOG
from tests.invoke import said
from tests.tui.screen_text import transcript

OF_HADOOP_1 = "<configuration><property><name>mapred.job.tracker</name><value>jt:1</value></property></configuration>"
GOOD = """<allocations>
<queue name="a"><weight>2</weight></queue>
<user name="u"><maxRunningApps>3</maxRunningApps></user>
</allocations>"""


MOST = """<configuration><property>
<name>yarn.scheduler.fair.max.assign</name><value>${most}</value>
</property><property><name>yarn.scheduler.maximum-allocation-mb</name><value>64000</value></property></configuration>"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.xml").write_text(GOOD)
    (tmp_path / "site.xml").write_text("<configuration/>")
    (tmp_path / "most.xml").write_text(MOST)
    (tmp_path / "rm.log").write_text(RM_LOG)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "bad.xml").write_text(
        '<allocations>\n<queue name="a.b"><weight>x</weight></queue></allocations>'
    )
    (tmp_path / "sub" / "directory.xml").mkdir()
    (tmp_path / "racks").write_text("n1 /r1\nodd\n")
    return tmp_path


LINES = """
get good.xml settings
get racks,good.xml,site.xml settings
get most.xml settings -D most=3 -o json
get sub/bad.xml settings
get sub/bad.xml settings -o json --release 3.4
check .
check most.xml --nodes rm.log
""".strip().splitlines()


@pytest.mark.usefixtures("folder")
def test_each_line_says_what_is_stored() -> None:
    """Values with their origins, every problem of a refused file, a cluster for each file that has no folder."""
    told, stored = transcript("settings-of-files", [f"schedlab {line}" for line in LINES])

    assert told == stored


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (GOOD, 0, "read by Hadoop 2.7 (FairScheduler)"),
        (OF_HADOOP_1, 0, "read by a JobTracker of Hadoop 1"),
        ("spark.executor.memory 4g\nspark.master yarn\n", 0, "good; read by Spark"),
        ("spark.executor.memory 4 gigs\n", 1, "1 error, 1 warning; read by Spark"),
        ("export SPARK_WORKER_CORES=two\n", 1, "'two' is not a whole number [WorkerArguments]"),
        ("n1 /r1\n", 0, "read by Hadoop 2.7"),
        ("Total Nodes:1\n  Node-Id  Node-State Node-Http-Address\n", 2, "is the text of yarn node -list, no trace"),
        ("$ yarn queue -status a\nQueue Information : \n", 2, "is the text of yarn queue -status or"),
        ("======================\nQueue Name : a \n", 2, "or mapred queue -list, no trace"),
        ("Application Report : \n\tApplication-Id : application_1_1\n", 2, "nothing to check: import"),
        ("<apps><app><id>application_1_1</id></app></apps>", 2, "nothing to check: import"),
        ("words\n", 2, "is a text that begins 'words', no trace"),
        (RM_LOG, 2, "nothing to check: import"),
    ],
)
def test_a_file_is_what_its_text_is_whatever_it_is_called(tmp_path: Path, text: str, code: int, words: str) -> None:
    """None is sent to a command that refuses it."""
    path = tmp_path / "fair-scheduler.bak"
    path.write_text(text)
    result = said("check", [str(path)])

    assert (result.exit_code, words in result.output) == (code, True)


def test_a_link_to_itself_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "loop.xml").symlink_to("loop.xml")

    for command in ("check", "import"):
        told = said(command, [str(tmp_path / "loop.xml")]).stderr.splitlines()
        assert ["its links go in a circle" in line for line in told] == [True]


def test_witnesses_are_written_and_played(tmp_path: Path) -> None:
    """A pair for each rule that can be shown; what nothing waits for is said."""
    path = tmp_path / "cs.xml"
    value = "<property><name>yarn.scheduler.capacity.{}</name><value>{}</value></property>"
    lines = [value.format("root.queues", "a"), value.format("root.a.capacity", "100")]
    path.write_text("\n".join(["<configuration>", *lines, "</configuration>"]))
    result = said("check", [str(path), "--nodes", "2x8g/8", "-o", f"witness:{tmp_path / 'w'}"])

    assert result.exit_code == 0
    assert sorted(each.name for each in (tmp_path / "w").iterdir()) == [
        "no-default-queue-mended.toml",
        "no-default-queue.toml",
        "reservations-mended.toml",
        "reservations.toml",
    ]
    assert "no-default-queue.toml: simulated, the application gets nothing" in result.output
    assert "no example scenario for vcores-ignored: it makes no application wait" in result.output


# Configuration files as text of 80 columns.


def text_of(folder: Path, *properties: tuple[str, str], era: str = "2.7") -> str:
    """What is said of a file with these properties of CapacityScheduler, and two queues."""
    wanted = {"root.queues": "a", "root.a.capacity": "100", **dict(properties)}
    rows = "".join(
        f"<property><name>yarn.scheduler.capacity.{key}</name><value>{value}</value></property>\n"
        for key, value in wanted.items()
    )
    (folder / "cs.xml").write_text(f"<configuration>\n{rows}</configuration>")
    return said("get", [str(folder / "cs.xml"), "settings", "--release", era]).stdout


def test_no_line_is_wider_than_80_columns(tmp_path: Path) -> None:
    people = ",".join(f"somebody{number}" for number in range(20))
    text = text_of(
        tmp_path,
        ("root.a.acl_submit_applications", people),
        ("root.a.acl_submit_jobs", "*"),
        ("resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"),
        ("per-node-heartbeat.maximum-offswitch-assignments", "1"),
    )
    legend, *lines = text.splitlines()
    assert legend.startswith("cs.xml is ")
    assert max(map(len, lines)) <= 80
    assert "DominantResourceCalculator  cs.xml:6" in text


@pytest.mark.parametrize(("era", "line"), [("2.7", "4 instead of 32"), ("3.4", "32 instead of 4")])
def test_values_of_the_other_release_are_shown_once(tmp_path: Path, era: str, line: str) -> None:
    text = text_of(tmp_path, ("node-locality-delay", "40"), era=era)
    other = {"2.7": "3.4", "3.4": "2.7"}[era]
    assert f"Otherwise in Hadoop {other}\n  maximum-allocation-vcores {line} (every queue)\n\n" in text
