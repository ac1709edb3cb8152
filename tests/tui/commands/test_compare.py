"""`schedlab compare`."""

import csv
import json
import re
from pathlib import Path

from tests.invoke import Result, said

SHORT = ("three-schedulers-capacity", "--until", "+90s")

FAIR = """<allocations><queue name="long"><weight>{weight}</weight></queue><queue name="short"/></allocations>"""

CAPACITY = """<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>long,short</value></property>
<property><name>yarn.scheduler.capacity.root.long.capacity</name><value>{long}</value></property>
<property><name>yarn.scheduler.capacity.root.short.capacity</name><value>20</value></property>
</configuration>"""


def run(*arguments: str) -> Result:
    return said("compare", arguments)


def test_the_text_says_where_they_part_and_who_waits() -> None:
    """The headline first, then the first decision with what each run did, then the figures side by side."""
    code, out, _ = run(*SHORT, "fifo", "fair-2.7")
    assert code == 0
    assert out.startswith(
        "three-schedulers-capacity: Under capacity-2.7 and fair-2.7 every application has begun to work, under fifo 1"
    )
    assert re.search(r"09:01:01\.542  0002 small \(bob, short\) asks for 40 × 1G/1c", out)
    assert re.search(r"\n  A gives it 1G/1c on node\d+\n  B passes it by\n", out)
    assert re.search(r"\n  worst +1\.5s +30\.0s +1\.5s\n", out)
    assert "dropped: 2 queues: FIFO has one" in out


def test_a_comparison_has_the_words_of_its_system(tmp_path: Path) -> None:
    page, mr1 = (
        tmp_path / "slots.html",
        ("mr1-slots-of-the-wrong-kind", "--set", "workload.index.at=1", "--until", "1m"),
    )
    run("mr1-slots-of-the-wrong-kind", "mr1-fifo", "--until", "10s", "-o", str(page))
    slots, pools, spark = (
        re.sub("(?s)<style.*?</style>|<.*?>", "\n", run(*words)[1])
        for words in (
            (*mr1, "mr1-fifo"),
            (*mr1, "mapred.tasktracker.map.tasks.maximum=2", "-o", "html"),
            ("spark-packing", "spark.deploy.spreadOutApps=true", "-o", "html"),
        )
    )

    assert "asks for 12 × 1 map, 192 × 1 reduce, tracker node03" in slots
    assert re.findall("container|application|memory", re.sub(r"(?s)<style.*?</style>", "", page.read_text())) == [
        "memory"
    ]
    assert "executors allocated" in spark
    assert re.findall("container|application|0M", slots) + re.findall("container|queue|reserv|node", spark) == []
    assert re.findall("[Cc]ontainer|pplication|[Qq]ueue|emory held|eserv", pools) == []


def test_the_same_as_json_and_as_csv(tmp_path: Path) -> None:
    table = tmp_path / "runs.csv"
    answer = json.loads(run(*SHORT, "fifo", "-o", "json", "-o", str(table))[1])
    worst = [each["measures"]["waits"]["worst"] for each in answer["runs"]]
    rows = {
        row[1]: row[3:]
        for row in csv.reader(table.read_text(encoding="utf-8").splitlines())
        if row[0].startswith("Waits")
    }
    assert [str(each) for each in worst] == rows["worst"]
    assert 2 in [each["application"] for each in answer["partings"]]
    assert [each["letter"] for each in answer["partings"][0]["sides"]] == ["A", "B"]


def test_the_report_is_one_file_with_its_figures(tmp_path: Path) -> None:
    """It holds both figures and every measure; another one is not overwritten; the same command writes the same."""
    report, again = tmp_path / "report.html", tmp_path / "again.html"
    assert run(*SHORT, "fifo", "-o", str(report))[0] == 0
    page = report.read_text()
    assert page.count("<svg") == 2
    assert "Where they part" in page
    assert not re.search(r'(src|href)="http', page)
    code, _, wrong = run(*SHORT, "fifo", "-o", str(report))
    assert (code, "is there already" in wrong) == (2, True)
    run(*SHORT, "fifo", "-o", str(again))
    assert again.read_text() == page


def test_configurations_are_compared(tmp_path: Path) -> None:
    """Files of the fair scheduler, and of the capacity scheduler in a folder, replace the scenario's own."""
    for name, weight in (("old.xml", 1), ("new.xml", 9)):
        (tmp_path / name).write_text(FAIR.format(weight=weight))
    old, new = str(tmp_path / "old.xml"), str(tmp_path / "new.xml")
    code, out, _ = run(*SHORT, old, new, "-o", "json")
    assert code == 0
    assert [(each["name"], each["policy"]) for each in json.loads(out)["runs"]] == [
        ("capacity-2.7", "capacity-2.7"),
        ("old.xml", "fair-2.7"),
        ("new.xml", "fair-2.7"),
    ]
    folder = tmp_path / "conf"
    folder.mkdir()
    (folder / "capacity-scheduler.xml").write_text(CAPACITY.format(long=80))
    _, out, _ = run(*SHORT, str(folder), "-o", "json")
    assert [each["name"] for each in json.loads(out)["runs"]] == ["capacity-2.7", "conf"]


def test_a_kept_run_is_compared_with_what_was_done_to_it(tmp_path: Path) -> None:
    place = ("-c", f"runs_folder={tmp_path}")
    kill = "script=[{do='kill', at='+30s', application='1'}]"
    played = said("play", ["three-schedulers-fair", "-q", "--set", kill, "--until", "+90s", "--keep", "mine", *place])
    code, out, _ = run("mine", *place, "fifo", "-o", "json")
    answer = json.loads(out)

    assert (played.exit_code, code) == (0, 0)
    assert answer["until_ms"] - answer["start_ms"] == 90_000
    assert [each["measures"]["failed"] for each in answer["runs"]] == [1, 1]
