"""Configuration files as text of 80 columns."""

from pathlib import Path

import pytest

from engine.formats.configuration_files import read_files
from tests.engine.formats.capacity_files import CLASS, TWO_QUEUES, read, write
from tui.commands.config_text import WIDTH, described


def text_of(folder: Path, *properties: tuple[str, str], era: str = "2.7") -> str:
    return "\n".join(described(read(folder, *properties, era=era)))


def test_stated_values_have_a_line_and_defaults_share_one(tmp_path: Path) -> None:
    lines = text_of(tmp_path).splitlines()
    assert lines[0] == f"cs.xml is {tmp_path / 'cs.xml'}"
    start = lines.index("root.a  (leaf, cs.xml:3)")
    assert [" ".join(line.split()) for line in lines[start + 1 : start + 6]] == [
        "capacity 40 cs.xml:3",
        "absolute capacity 40 % computed",
        "absolute maximum-capacity 100 % computed",
        "maximum-applications 4000 computed",
        "a second application in a cluster of 25600 MB or more computed",
    ]
    assert lines[start + 6].startswith("  by default: maximum-capacity=100, minimum-user-limit-percent=100,")


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
    assert max(map(len, lines)) <= WIDTH
    assert "DominantResourceCalculator  cs.xml:7" in text


def test_a_warning_has_its_place_above_its_words(tmp_path: Path) -> None:
    """The prefix that all keys share is left out; a rule about the whole cluster names its source."""
    assert text_of(tmp_path, ("root.a.maximum-capactiy", "75")).splitlines()[-8:] == [
        "2 warnings",
        "  cs.xml:2  root.queues",
        "      there is no queue `default` and no mapping: an application that names no",
        "      queue is refused (add a queue default, or queue-mappings)",
        "      Source: CapacityScheduler#addApplication",
        "  cs.xml:5  root.a.maximum-capactiy",
        "      unknown property of a queue: Hadoop ignores it (did you mean",
        "      maximum-capacity?)",
    ]


def test_files_of_the_same_name_keep_their_folders(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    site = write(tmp_path, ("yarn.acl.enable", "true"))
    queues = write(tmp_path / "sub", *TWO_QUEUES)
    lines = described(read_files([site, queues]))
    assert lines[0] == "Settings"
    assert any(f"{queues}:3" in line for line in lines)


@pytest.mark.parametrize(("era", "line"), [("2.7", "4 instead of 32"), ("3.4", "32 instead of 4")])
def test_values_of_the_other_release_are_shown_once(tmp_path: Path, era: str, line: str) -> None:
    text = text_of(tmp_path, ("node-locality-delay", "40"), era=era)
    other = {"2.7": "3.4", "3.4": "2.7"}[era]
    assert f"Otherwise in Hadoop {other}\n  maximum-allocation-vcores {line} (every queue)\n\n" in text


def test_what_the_other_release_refuses_is_shown(tmp_path: Path) -> None:
    text = text_of(tmp_path, ("root.a.minimum-user-limit-percent", "33.3"), era="3.4")
    expected = "Hadoop 2.7 refuses these files\n  cs.xml:5  root.a.minimum-user-limit-percent\n"
    assert expected + "      '33.3' is not a whole number\n\n" in text


def test_settings_that_nothing_states_are_not_listed(tmp_path: Path) -> None:
    assert "Settings\n  none is stated; --json lists the defaults\n\n" in text_of(tmp_path)
    stated = text_of(tmp_path, (CLASS, "org.example.CapacityScheduler"))
    assert "  yarn.resourcemanager.scheduler.class" in stated
    assert "by default: yarn.acl.enable=false," in stated


def test_queues_that_are_not_made_are_in_the_title(tmp_path: Path) -> None:
    file = tmp_path / "fs.xml"
    root = '<queue name="root"><schedulingPolicy>fifo</schedulingPolicy><queue name="a"/></queue>'
    file.write_text(f"<allocations>{root}</allocations>")
    lines = described(read_files([file], "3.4"))
    assert "fs.xml as Hadoop 3.4 reads it: 1 queue; 1 of 2 queues of the file not made" in lines
