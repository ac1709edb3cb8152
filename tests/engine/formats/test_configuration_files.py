"""Configuration files of one cluster, read together."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.formats.configuration_files import FileKind, read_file, read_files, summary
from engine.settings.fair import FAIR_27

FAIR = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "fair.xml": '<allocations><queue name="a"/><foo/></allocations>',
        "more.xml": "<allocations/>",
        "yarn.xml": site(("yarn.scheduler.fair.user-as-default-queue", "false"), ("other", "1")),
        "fairsite.xml": site(("yarn.resourcemanager.scheduler.class", FAIR), ("yarn.scheduler.fair.max.assign", "x")),
        "misspelt.xml": site(("yarn.scheduler.fair.preemtion", "true"), ("yarn.scheduler.fair.am.preemption", "0")),
        "racks.data": "n1 /r1\nn2\n",
        "html.xml": "<html/>",
        "racks.xml": "n1 /r1",
        "notes.txt": "some words\nhere",
        "include.xml": '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="yarn.xml"/>',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def site(*properties: tuple[str, str]) -> str:
    final = "<final>true</final>"
    body = [f"<property><name>{name}</name><value>{value}</value>" for name, value in properties]
    return "<configuration>\n" + f"{final}</property>\n".join(body[:2]) + "</property></configuration>"


def problems(*paths: Path) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read_files(paths)
    return [str(problem).replace(f"{paths[0].parent}/", "") for problem in caught.value.problems]


def test_files_are_told_apart_by_what_is_in_them(folder: Path) -> None:
    kinds = [read_file(folder / name).kind for name in ("fair.xml", "yarn.xml", "include.xml", "racks.data")]

    assert kinds == [FileKind.ALLOCATIONS, FileKind.PROPERTIES, FileKind.PROPERTIES, FileKind.TOPOLOGY]


def test_files_of_other_kinds_are_refused(folder: Path) -> None:
    assert problems(folder / "html.xml", folder / "racks.xml", folder / "notes.txt", folder / "none.xml") == [
        "html.xml:1: html: the top element is <html>; <allocations> and <configuration> are read",
        "racks.xml:1: not well-formed XML: syntax error",
        "notes.txt: is neither XML nor a table of hosts and racks (a line of a table is: HOST /RACK)",
        "none.xml: no such file",
    ]


def test_settings_decide_the_placement_of_the_allocation_file(folder: Path) -> None:
    view = read_files([folder / "fair.xml", folder / "yarn.xml", folder / "racks.data"])

    assert view.allocation is not None
    assert view.topology is not None
    assert view.allocation.rules == ("specified", "default: root.default")
    assert view.topology.rack("n1") == "/r1"
    assert len(view.warnings) == 2


def test_settings_are_shown_with_their_places(folder: Path) -> None:
    view = read_files([folder / "yarn.xml"])

    values = {value.name: (value.text, value.origin) for value in view.settings}
    assert values["yarn.scheduler.fair.user-as-default-queue"] == ("false", f"{folder / 'yarn.xml'}:2 (final)")
    assert values["yarn.acl.enable"] == ("false", "default")
    assert (list(values), view.other_keys) == (list(FAIR_27.listed()), 1)


def test_without_settings_none_are_shown(folder: Path) -> None:
    assert read_files([folder / "fair.xml"]).settings == ()


def test_a_cluster_has_one_allocation_file(folder: Path) -> None:
    assert problems(folder / "fair.xml", folder / "more.xml") == [
        "more.xml: is a second fair-scheduler.xml (a cluster has one)"
    ]
    assert read_files([folder / "yarn.xml", folder / "include.xml"]).allocation is None


def test_settings_the_scheduler_cannot_read_are_refused(folder: Path) -> None:
    (folder / "bad.xml").write_text("<allocations><queue name='a.b'/></allocations>")
    (folder / "broken.xml").write_text("<configuration><property><value><b/></value></property></configuration>")

    assert problems(folder / "fairsite.xml", folder / "bad.xml", folder / "broken.xml") == [
        "broken.xml:1: value: does not begin with text",
        "bad.xml:1: root.a.b: the queue name 'a.b' must not contain a period (nest queues instead)",
    ]
    assert problems(folder / "fairsite.xml") == [
        "fairsite.xml:3: yarn.scheduler.fair.max.assign: 'x' is not a whole number"
    ]


def test_unknown_keys_of_the_scheduler_are_said(folder: Path) -> None:
    warnings = [str(warning).rpartition("/")[2] for warning in read_files([folder / "misspelt.xml"]).warnings]

    assert warnings == [
        "misspelt.xml:2: yarn.scheduler.fair.preemtion: unknown key: Hadoop ignores it"
        " (did you mean yarn.scheduler.fair.preemption?)",
        "misspelt.xml:3: yarn.scheduler.fair.am.preemption: unknown key: Hadoop ignores it (read by Hadoop 3 only)",
    ]


def test_each_era_has_its_keys_and_defaults(folder: Path) -> None:
    (folder / "keys.xml").write_text(
        site(("yarn.scheduler.fair.preemptionInterval", "1"), ("yarn.scheduler.fair.am.preemption.root.a", "false"))
    )

    view = read_files([folder / "keys.xml"], "3.4")

    assert [warning.key for warning in view.warnings] == ["yarn.scheduler.fair.preemptionInterval"]
    assert ("yarn.scheduler.maximum-allocation-vcores", "4") in [(value.name, value.text) for value in view.settings]


def test_settings_are_read_as_the_era_does(folder: Path) -> None:
    (folder / "three.xml").write_text(
        site(("yarn.resourcemanager.scheduler.class", FAIR), ("yarn.resource-types.vcores.increment-allocation", "x"))
    )

    read_files([folder / "three.xml"])

    with pytest.raises(ConfigError, match="'x' is not a number with a unit"):
        read_files([folder / "three.xml"], "3.4")


ALLOCATION_KEY = "yarn.scheduler.fair.allocation.file"


def followed(folder: Path, *properties: tuple[str, str]) -> tuple[str, list[str]]:
    """The allocation file that settings alone lead to, and what is said of it, without their folder."""
    (folder / "lead.xml").write_text(site(*properties))
    view = read_files([folder / "lead.xml"])
    said = [str(warning) for warning in view.warnings if warning.key == ALLOCATION_KEY]
    return view.allocation_file.replace(f"{folder}/", ""), [each.replace(str(folder), "DIR") for each in said]


def test_settings_lead_to_the_allocation_file(folder: Path) -> None:
    """By a relative name, beside them as on Hadoop's class path; or by an absolute one."""
    assert followed(folder, (ALLOCATION_KEY, "fair.xml")) == ("fair.xml", [])
    assert followed(folder, (ALLOCATION_KEY, str(folder / "fair.xml"))) == ("fair.xml", [])
    (folder / "fair-scheduler.xml").write_text("<allocations/>")
    assert followed(folder, ("yarn.resourcemanager.scheduler.class", FAIR)) == ("fair-scheduler.xml", [])


def test_an_allocation_file_that_is_not_there_is_said(folder: Path) -> None:
    """A server goes on without a relative one, and does not start without an absolute one."""
    place = "DIR/lead.xml:2: yarn.scheduler.fair.allocation.file: "
    none = "where it is on no class path, the scheduler has no allocation file"

    assert followed(folder, (ALLOCATION_KEY, "no.xml")) == ("", [f"{place}'no.xml' is not in DIR; {none}"])
    assert followed(folder, (ALLOCATION_KEY, " fair.xml")) == (
        "",
        [f"{place}' fair.xml' is not in DIR, blanks and all; {none}"],
    )
    assert followed(folder, (ALLOCATION_KEY, "/no/no.xml")) == (
        "",
        [f"{place}/no/no.xml is not here; where it is not, the scheduler does not start"],
    )
    assert followed(folder, (ALLOCATION_KEY, "hdfs://h/fair.xml")) == (
        "",
        [f"{place}hdfs://h/fair.xml is not on this machine and is not read"],
    )


def test_other_settings_lead_nowhere(folder: Path) -> None:
    """Another scheduler reads no allocation file; a named file goes before the settings' one."""
    assert followed(folder, ("yarn.resourcemanager.scheduler.class", "Capacity"), (ALLOCATION_KEY, "fair.xml")) == (
        "",
        [],
    )
    (folder / "lead.xml").write_text(site((ALLOCATION_KEY, "fair.xml")))
    assert read_files([folder / "lead.xml", folder / "more.xml"]).allocation_file == str(folder / "more.xml")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("fair.xml", "fair-scheduler.xml, 3 queues, 1 warning"),
        ("yarn.xml", "Hadoop configuration, 2 keys, 1 of the scheduler, 0 warnings"),
        ("racks.data", "topology table, 1 host, 1 warning"),
    ],
)
def test_one_line_says_what_a_file_is(folder: Path, name: str, line: str) -> None:
    assert summary(folder / name) == line
