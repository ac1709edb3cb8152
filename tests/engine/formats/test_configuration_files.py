"""Configuration files of one cluster, read together."""

import io
import os
from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.configuration_files import read_files
from engine.formats.hadoop_configuration import parse_configuration, read_configurations
from engine.formats.regular_files import (
    MAX_BYTES,
    STANDARD_INPUT,
    is_a_file,
    open_file,
    read_file_bytes,
    read_file_text,
    resolved,
)
from engine.formats.scenario_toml import find

DISKS = "yarn.nodemanager.disk-health-checker"
FAIR = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "fair.xml": '<allocations><queue name="a"/><foo/></allocations>',
        "more.xml": "<allocations/>",
        "yarn.xml": site(("yarn.scheduler.fair.user-as-default-queue", "false"), ("other", "1")),
        "fairsite.xml": site(("yarn.resourcemanager.scheduler.class", FAIR), ("yarn.scheduler.fair.max.assign", "x")),
        "misspelt.xml": site(("yarn.scheduler.fair.preemtion", "true"), ("yarn.scheduler.fair.am.preemption", "0")),
        "disks.xml": site((f"{DISKS}.max-disk-utilization-percentage", "100")),
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
    assert view.topology.racks["n1"] == "/r1"
    assert len(view.warnings) == 2


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
    (of_disks,) = read_files([folder / "disks.xml"]).warnings
    assert of_disks.hint == f"did you mean {DISKS}.max-disk-utilization-per-disk-percentage?"


STREAMS = "spark.streaming.dynamicAllocation."


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("spark.dynamicAllocation.maxExecutor", "spark.dynamicAllocation.maxExecutors"),
        ("spark.dynamicAllocation.maxExecutors", ""),
        ("spark.dynamicAllocation.preserve", ""),
        (f"{STREAMS}initialExecutors", f"{STREAMS}minExecutors"),
        ("spark.dynamicAllocaton.enabled", "spark.dynamicAllocation.enabled"),
        ("spark.core.max", "spark.cores.max"),
        ("spark.executor.memmmory", ""),
        ("spark.executor.extraJavaOptions", ""),
        ("executor.cores", "spark.executor.cores"),
        ("executor.heartbeat", ""),
    ],
)
def test_a_misspelt_key_of_spark_is_said(key: str, meant: str, tmp_path: Path) -> None:
    """Of dynamic allocation every name is known; of all else Spark has many more keys, so one letter may differ."""
    path = tmp_path / "spark-defaults.conf"
    path.write_text(f"# ours\n{key} 1\n")
    warnings = [each for each in read_files([path]).warnings if each.message == "unknown key: Spark ignores it"]

    assert [(each.line, each.hint) for each in warnings] == [(2, f"did you mean {meant}?")][: bool(meant)]


@pytest.mark.parametrize(("name", "lines"), [("spark-defaults.conf", [1, 2]), ("spark-env.sh", [])])
def test_variables_of_a_shell_are_none_of_a_file_of_properties(tmp_path: Path, name: str, lines: list[int]) -> None:
    (tmp_path / name).write_text("export spark.master=yarn\nexport SPARK_WORKER_CORES=2\n")
    assert [each.line for each in read_files([tmp_path / name]).warnings if "unknown key" in each.message] == lines


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("spark.executor.memory 4 gigs", "'4 gigs' is not an amount of memory, e.g. 4g"),
        ("spark.executor.memory 1.5g", "'1.5g' is not an amount of memory, e.g. 4g"),
        ("spark.executor.memory 4096MB", ""),
        ("spark.executor.memory ${env:MEMORY}", ""),
        ("spark.dynamicAllocation.minExecutors two", "'two' is not a whole number"),
        ("spark.dynamicAllocation.executorIdleTimeout 1 hour", "'1 hour' is not a time, e.g. 60s"),
        ("spark.dynamicAllocation.executorIdleTimeout 1min", ""),
        ("spark.dynamicAllocation.executorAllocationRatio half", "'half' is not a number"),
        ("spark.dynamicAllocation.enabled yes", "'yes' is not true or false"),
        ("spark.worker.timeout 1m", "'1m' is not a number of seconds"),
    ],
)
def test_a_value_that_spark_refuses_is_said(line: str, refused: str, tmp_path: Path) -> None:
    """Also of the keys of applications, which no Master reads."""
    path = tmp_path / "spark-defaults.conf"
    path.write_text(f"{line}\n")

    try:
        said = ""
        _ = read_files([path])
    except ConfigError as error:
        said = error.problems[0].message

    assert said == refused


ALLOCATION_KEY = "yarn.scheduler.fair.allocation.file"


def followed(folder: Path, *properties: tuple[str, str]) -> tuple[str, list[str]]:
    """The allocation file that settings alone lead to, and what is said of it, without their folder."""
    (folder / "lead.xml").write_text(site(*properties))
    view = read_files([folder / "lead.xml"])
    said = [str(warning) for warning in view.warnings if warning.key == ALLOCATION_KEY]
    return view.allocation_file.replace(f"{folder}/", ""), [each.replace(str(folder), "DIR") for each in said]


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


# Files as they are named on a command line or by another file: which one is meant, and what it is.


@pytest.mark.parametrize(
    ("name", "beside", "file", "folder"),
    [
        ("x/a.toml", None, "x/a.toml", "x"),
        ("a.toml", None, "a.toml", "."),
        ("a.toml", "b", "b/a.toml", "b"),
        ("/x/a.toml", "b", "/x/a.toml", "/x"),
        ("/x/a.toml", None, "/x/a.toml", "/x"),
        ("-", None, "-", "."),
    ],
)
def test_a_path_is_taken_from_the_folder_beside(name: str, beside: str | None, file: str, folder: str) -> None:
    found = find(name, None if beside is None else Path(beside))

    assert (found.name, found.file, found.folder) == (name, Path(file), Path(folder))


# yarn-site.xml and its like.


def prop(name: str, value: str, extra: str = "") -> str:
    return f"<property><name>{name}</name><value>{value}</value>{extra}</property>\n"


def document(*parts: str) -> str:
    return '<configuration xmlns:xi="http://www.w3.org/2001/XInclude">\n' + "".join(parts) + "</configuration>"


def messages(text: str) -> list[str]:
    return [str(warning) for warning in parse_configuration(text, "y.xml").warnings]


def test_a_property_without_a_value_or_a_name_is_not_set() -> None:
    text = document(prop("a", ""), "<property><value>5</value></property>\n", prop("b", "1</value><value>2"))

    configuration = parse_configuration(text, "y.xml")

    assert configuration.values == {"b": "2"}
    assert [str(warning) for warning in configuration.warnings] == [
        "y.xml:2: a: has no value and is not set",
        "y.xml:3: property: a property without a name is ignored",
    ]


def test_the_last_of_equal_names_counts() -> None:
    configuration = parse_configuration(document(prop("a", "1"), prop("a", "2")), "y.xml")
    thrice = document(prop("a", "1"), prop("a", "2"), prop("b", ""), prop("a", "3"))

    assert configuration.values == {"a": "2"}
    assert configuration.places == {"a": ("y.xml", 3)}
    assert [str(warning) for warning in configuration.warnings] == ["y.xml:3: a: given again; line 2 has no effect"]
    assert messages(thrice) == [
        "y.xml:5: a: given again; 2 lines from 2 on have no effect",
        "y.xml:4: b: has no value and is not set",
    ]


def test_final_is_one_exact_word() -> None:
    text = document(prop("a", "1", "<final> true </final>"), prop("b", "1", "<final>false</final>"))

    assert parse_configuration(text).final == frozenset()
    assert messages(text) == ["y.xml:2: a: final counts only as the word true without blanks"]


def test_variables_that_cannot_be_replaced_are_said() -> None:
    text = document(prop("a", "${a}"), prop("b", "${user.name}"))

    assert parse_configuration(text).values == {"a": "${a}", "b": "${user.name}"}
    assert messages(text) == [
        "y.xml:2: a: '${a}' refers to itself or to too many variables; Hadoop fails when it reads it",
        "y.xml:3: b: ${user.name} is a property of the server's Java, not known here, and stays as it is"
        " (-D user.name=VALUE gives it one)",
    ]


def test_old_names_are_read_as_the_new_ones(tmp_path: Path) -> None:
    """In the order of the file, `final` included; variables may use either name, and it is said."""
    path = tmp_path / "y.xml"
    old, new = "topology.script.file.name", "net.topology.script.file.name"
    path.write_text(
        document(prop(new, "1"), prop(old, "2", "<final>true</final>"), prop(new, "3"), prop("a", f"${{{old}}}"))
    )

    configuration = read_configurations([path])

    assert configuration.values == {new: "2", "a": "2"}
    assert [str(warning) for warning in configuration.warnings] == [
        f"{path}:3: {old}: an old name that Hadoop still reads ({new})",
        f"{path}:3: {new}: given again; line 2 has no effect",
        f"{path}:4: {new}: has no effect: it is final at {path}:3",
    ]


def test_each_release_has_its_old_names(tmp_path: Path) -> None:
    """What 3.4 renamed is itself for 2.7; its increments are read under both names."""
    path = tmp_path / "y.xml"
    zk, mb, vcores = "yarn.resourcemanager.zk-acl", "yarn.scheduler.increment-allocation-mb", "vcores"
    new_mb = "yarn.resource-types.memory-mb.increment-allocation"
    path.write_text(document(prop(zk, "x"), prop(mb, "512"), prop(vcores, "2")))

    assert read_configurations([path]).warnings == ()
    later = read_configurations([path], era="3.4")
    assert sorted(later.values) == sorted(["hadoop.zk.acl", mb, vcores])
    assert [warning.hint for warning in later.warnings] == ["hadoop.zk.acl", new_mb]

    path.write_text(document(prop(mb, "512"), prop(new_mb, "1Gi")))
    [warning] = read_configurations([path], era="3.4").warnings
    assert warning.message == "has no effect: its new name is given too"


def test_all_refusals_of_all_files_come_at_once(tmp_path: Path) -> None:
    wrong, bad, missing = tmp_path / "wrong.xml", tmp_path / "bad.xml", tmp_path / "none.xml"
    wrong.write_text("<allocations/>")
    bad.write_text(document("<property><name>a</name><value><b/>5</value></property>"))

    with pytest.raises(ConfigError) as caught:
        read_configurations([wrong, bad, missing])

    assert sorted(str(problem) for problem in caught.value.problems) == sorted(
        [
            f"{wrong}:1: allocations: the top element is <allocations>, not <configuration>"
            " (this looks like a fair-scheduler.xml)",
            f"{bad}:2: value: does not begin with text",
            f"{missing}: no such file",
        ]
    )


# Files that a user named, and what is none.


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A directory, a missing file, a bad name and a huge file are problems, not tracebacks."""
    huge = tmp_path / "huge.xml"
    with huge.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    messages = []
    for path in (tmp_path, tmp_path / "none.xml", tmp_path / "a\0b", huge, huge / "below"):
        with pytest.raises(ConfigError) as caught:
            read_file_bytes(path, "shown")
        messages.append(str(caught.value))

    assert messages == [
        "shown: is a directory, not a file",
        "shown: no such file",
        "shown: not a file name",
        "shown: is larger than 10 MB",
        "shown: cannot be read: Not a directory",
    ]


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    """A device without an end, a pipe without a writer, a circle of links, a name of any length."""
    pipe, circle = tmp_path / "pipe", tmp_path / "circle"
    os.mkfifo(pipe)
    circle.symlink_to(circle)
    messages = []
    for path in (Path("/dev/zero"), pipe, circle, Path("x" * 5_000)):
        with pytest.raises(ConfigError) as caught:
            read_file_bytes(path, "f")
        messages.append(str(caught.value))

    assert messages[:2] == ["f: is not a regular file"] * 2
    assert all(message.startswith("f: cannot be read: ") for message in messages[2:])


def test_the_null_device_is_an_empty_file() -> None:
    assert read_file_bytes(Path(os.devnull)) == b""


def test_text_is_utf_8(tmp_path: Path) -> None:
    """A mark at the beginning is left out; the line of the first wrong byte is named."""
    path = tmp_path / "f"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb")
    assert read_file_text(path) == "a\nb"

    path.write_bytes(b"a\nb\xff")
    with pytest.raises(ConfigError, match=":2: is not UTF-8 text"):
        read_file_text(path)


def test_the_standard_input_is_read_as_a_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for size, is_read in ((MAX_BYTES, True), (MAX_BYTES + 1, False)):
        stream = io.TextIOWrapper(io.BytesIO(b"x" * size))
        monkeypatch.setattr("sys.stdin", stream)
        if is_read:
            assert len(read_file_bytes(STANDARD_INPUT)) == size
        else:
            with pytest.raises(ConfigError, match="-: is larger than 10 MB"):
                read_file_bytes(STANDARD_INPUT)
        assert open_file(STANDARD_INPUT) is stream.buffer


def test_a_file_is_opened_for_reading_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"abc")
    with open_file(path) as stream:
        assert (stream.read(2), stream.read()) == (b"ab", b"c")
    with pytest.raises(ConfigError) as refused:
        open_file(tmp_path)

    assert refused.value.problems == (Problem("is a directory, not a file", str(tmp_path)),)
    assert [is_a_file(each) for each in (path, tmp_path, Path("x" * 5_000))] == [True, False, False]
    assert resolved(tmp_path / "a" / ".." / "f") == path.resolve()
