"""Every trace is recognised by its content; anything else is refused by the name of what it is."""

import gzip
import io
import json
import re
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ConfigError, Problem
from engine.formats.traces.application import MappingRules, TraceNode, TraceTasks
from engine.formats.traces.formats import BY_NAME, read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.source import TraceSource
from tests.engine.formats.traces.samples import ALL, JHIST, SWIM, imported, packed, source


@pytest.mark.parametrize("name", ALL)
def test_a_trace_is_recognised(name: str) -> None:
    for data in (ALL[name].encode(), packed(ALL[name])):
        report = imported(data)[1]
        assert (report.files[0].format, report.faults) == (name, 0)


def _tar() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a"))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"", "an empty file"),
        (b"PAR1xxxx", "a Parquet file"),
        (b"<!DOCTYPE html><p>", "HTML"),
        (b'<?xml version="1.0"?>\n<configuration>', "a Hadoop configuration"),
        (b"<app/>", "XML"),
        (b'{"cluster": {"id": 1}}', "JSON with the keys cluster, id"),
        (b'{"clusterMetrics": {"appsPending": 3}}', "the metrics of a ResourceManager"),
        (b"17/07/14 04:05:06 INFO Master: I have been elected\n", "a log of a Spark Master or Worker"),
        (b"YARN top - 10:11:12, up 0d, 0:44\n", "the screen of yarn top"),
        (b"[2024-01-01 00:00:00,123] {taskinstance.py:85} INFO - ready\n", "a log of Airflow"),
        (b'<workflow-app name="etl"><start to="a"/></workflow-app>', "a workflow of Oozie (XML)"),
        (b"2024-01-01 00:00:00,123 INFO [main] a.b.MRAppMaster: began\n", "a log of an application master"),
        (b"[1]", "JSON"),
        (b"a,b,c\n1,2,3\n", "a table with the columns a,b,c"),
        (b"a = 1\n", "a TOML file"),
        (b"ins_1,M1,j_7,1,Terminated,5,9,m_1,1,1,90,95,0.1,0.2\n", "a batch_instance table of Alibaba"),
        (b"0,,3418309,0,70s3v5qRyCO=,3,IHgtoxEBuUT=,wJRNnGQ4Sag=\n", "a job_events table of Google"),
        (b"one\0two", "a binary file"),
        (b"Dear all,\n", "a text that begins 'Dear all,'"),
        (_tar(), "a tar archive"),
    ],
)
def test_anything_else_is_refused_by_its_name(data: bytes, name: str) -> None:
    for words, given_data in ((name, data), (f"{name} packed with gzip", gzip.compress(data))):
        with pytest.raises(ConfigError) as error:
            imported(given_data)
        assert error.value.problems[0].message == f"is {words}, no trace"


@pytest.mark.parametrize(
    ("data", "message", "hint"),
    [
        (b"", "is an empty file, no trace", f"read are: {', '.join(BY_NAME)}"),
        (b"PK\x03\x04", "is a ZIP archive, no trace", "unpack it first"),
        (
            b" JobID  State \n7 RUNNING\n",
            "is a table of Slurm's sacct in columns, no trace",
            "ask sacct -P, which writes bars between them",
        ),
        (b"a,b" + b"c" * 57, f"is a text that begins 'a,b{'c' * 29}...{'c' * 5}', no trace", None),
        (b"a,b," + b"c" * 56, f"is a table with the columns a,b,{'c' * 56}, no trace", None),
        (b"a,b," + b"c" * 57, f"is a table with the columns a,b,{'c' * 45}...{'c' * 8}, no trace", None),
        (b"c" * 40, f"is a text that begins {'c' * 40!r}, no trace", None),
        (b'{"a":1,"b":1,"c":1,"a":1,"d":1,"e":1}', "is JSON with the keys a, b, c, d, no trace", None),
    ],
)
def test_what_is_no_trace_has_a_way_out(data: bytes, message: str, hint: str | None) -> None:
    with pytest.raises(ConfigError) as error:
        imported(data)

    assert error.value.problems == (Problem(message, "trace", hint=hint or f"read are: {', '.join(BY_NAME)}"),)


@given(st.sampled_from(sorted(ALL)), st.binary(max_size=300))
def test_random_bytes_crash_no_reader(name: str, data: bytes) -> None:
    for each in (data, b"\x1f\x8b" + data, packed(ALL[name])[: len(data)]):
        assert imported(each, name)[1].files


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.long
@given(st.sampled_from(["sls", "synth", "rumen", "apps", "spark", "sls-nodes", "jhist", "ats"]), st.data())
def test_no_values_crash_a_reader(name: str, data: st.DataObject) -> None:
    pieces = re.split(r'(?<=: )("[^"]*"|-?\d+|\[|\{)', ALL[name])
    place = data.draw(st.integers(0, len(pieces) - 1))
    pieces[place] = json.dumps(data.draw(JSON))
    report = imported("".join(pieces), name)[1]

    assert report.files


# A file is read in lines and objects, packed or not, as far as it can be read.


def test_a_gzip_of_several_members_is_read_as_one() -> None:
    """As rotated logs that were put together; what follows that is no gzip is reported."""
    report = ImportReport()
    data = packed("a\n") + packed("") + b"\0\0" + packed("b\n" * 50_000)

    assert [line for _, line in source(data).lines()] == ["a"] + ["b"] * 50_000
    assert [line for _, line in source(data + b"more", report).lines()][-1] == "b"
    assert report.faults == 1


def test_a_line_that_is_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.formats.traces.source.LONGEST_LINE", 10)
    report = ImportReport()

    assert list(source("short\n" + "x" * 25 + "\nlast\n", report).lines()) == [(1, "short"), (3, "last")]
    assert (report.problems[0].line, report.faults) == (2, 1)


def test_several_files_are_read_in_order_and_progress_counts_their_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    for path in paths:
        path.write_text(SWIM)
    report, seen = ImportReport(), list[int]()
    found = [each.id for each in read_traces(paths, report, progressed=seen.append)]

    assert found == ["job0", "job1"] * 2
    assert seen[-1] == 2 * len(SWIM)
    assert [each.applications for each in report.files] == [2, 2]


def test_a_file_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(ConfigError):
            TraceSource.of_file(path, ImportReport())


# Job history in Avro's binary encoding, as Hadoop 3 writes it.


def avro(*numbers: int) -> bytes:
    return bytes(2 * number for number in numbers)


def binary_history(events: bytes) -> bytes:
    """A history of Hadoop 3, with a queue that may be missing."""
    schema = (
        '{"type":"record","name":"Event","namespace":"o.a.h","fields":['
        '{"name":"type","type":{"type":"enum","name":"EventType","symbols":["JOB_SUBMITTED","JOB_FINISHED"]}},'
        '{"name":"event","type":[{"type":"record","name":"JobSubmitted","fields":[{"name":"jobid","type":"string"},'
        '{"name":"submitTime","type":"long"},{"name":"jobQueueName","type":["null","string"]},'
        '{"name":"acls","type":{"type":"map","values":"string"}}]},'
        '{"type":"record","name":"JobFinished","fields":[{"name":"finishTime","type":"long"}]}]}]}'
    )
    return b"Avro-Binary\n" + schema.encode() + b"\n" + events


SUBMITTED = avro(0, 0, 2) + b"j1" + avro(7, 1, 1) + b"q" + avro(1, 1) + b"k" + avro(1) + b"v" + avro(0)


def test_a_binary_history_of_hadoop_3_is_read_as_one_in_json() -> None:
    found, report = imported(binary_history(SUBMITTED + avro(1, 1, 9)))

    assert [(each.id, each.submitted_ms, each.finished_ms, each.queue, each.state) for each in found] == [
        ("j1", 7, 9, "q", "SUCCEEDED")
    ]
    assert report.faults == 0


@pytest.mark.parametrize("rest", [SUBMITTED[:-1], avro(1, 1), avro(9), avro(0, 2), b"\xff" * 12])
def test_a_binary_history_that_is_cut_off_or_damaged_is_read_up_to_there(rest: bytes) -> None:
    found, report = imported(binary_history(SUBMITTED + rest))

    assert [each.id for each in found] == ["j1"]
    assert report.faults == 1


# Values in Avro's binary encoding, type by type.


# Numbers of tables of machines and jobs at their limits: Alibaba's, Google's, openb's, SWIM's.

RULES = MappingRules(machine_mb=1000, machine_vcores=10, container_mb=77, container_vcores=3)


def event(at_us: object, kind: object, task: int = 0, size: str = "0.25,0.1") -> str:
    return f"{at_us},,1,{task},,{kind},ann,2,9,{size},0.1,0"


@pytest.mark.parametrize(
    ("size", "found"),
    [
        ("1,1", (1000, 10)),
        ("0.11,0.0011", (2, 2)),
        ("0.1,0.001", (1, 1)),
        ("0.0001,0.0001", (1, 1)),
        ("1.1,1.1", (77, 3)),
        ("0,0", (77, 3)),
    ],
)
def test_a_task_of_google_has_parts_of_a_machine_rounded_up(size: str, found: tuple[int, int]) -> None:
    lines = [event(10**6, 0, size=size), event(2 * 10**6, 1), event(3 * 10**6, 4)]
    ((job,), _) = imported("\n".join(lines), "google", RULES)

    assert job.tasks == (TraceTasks("container", 1, (1000,), *found),)


@pytest.mark.parametrize(
    ("row", "node"),
    [
        ("5,0,plat,1,1", TraceNode("5", None, 1000, 10)),
        ("5,0,plat,0.29,0.0019", TraceNode("5", None, 1, 2)),
        ("5,0,plat,0.01,0.0001", TraceNode("5", None, 1, 1)),
        ("5,0,plat,1.1,1", None),
        ("5,0,plat,1,1.1", None),
        ("5,1,plat,1,1", None),
        ("5,2,plat,1,1", None),
    ],
)
def test_a_machine_of_google_is_added_once_with_a_size(row: str, node: TraceNode | None) -> None:
    text = f"time,machine id,event type,platform id,cpus,memory\n0,{row}\n"
    _, report = imported(text, "google-nodes", RULES)

    assert list(report.nodes.values()) == ([node] if node else [])
    assert report.faults == 0


# What is copied from a terminal is read as what a program wrote, and files are known by their structure.

CASES = Path(__file__).parents[3] / "cases" / "import"
LIST = (CASES / "list-with-blanks" / "list.txt").read_text()
LOG = "18/03/12 10:00:00 INFO client.RMProxy: Connecting to ResourceManager at resourcemanager/10.0.0.1:8032\n"


def folded(text: str, width: int = 80) -> str:
    lines = text.splitlines()
    return "\n".join(line[at : at + width] for line in lines for at in range(0, max(1, len(line)), width))


@pytest.mark.parametrize(
    "text",
    [
        LIST,
        (CASES / "list-with-blanks" / "with-prompt.txt").read_text(),
        f"{LOG}SLF4J: Class path contains multiple bindings.\n{LOG * 3}{LIST}[ann@host ~]$ ",
        folded(LIST),
        "\n".join(line.strip() for line in folded(f"{LOG}{LIST}").splitlines()),
        "\n".join(LIST.splitlines()[2:]),
        "".join(f"> {line}\n" for line in LIST.splitlines()),
    ],
)
def test_a_list_of_applications_is_read_from_its_right_end(text: str) -> None:
    found, report = imported(text)

    assert [(each.name, each.type, each.user, each.queue, each.state) for each in found] == [
        ("word count", "MAPREDUCE", "ann", "root.users.ann", "RUNNING"),
        ("distcp", "MAPREDUCE", "ann", "root.users.ann", "ACCEPTED"),
    ]
    assert report.faults == 0


@pytest.mark.parametrize("text", ["[ann@host ~]$ ls\nhello\n", "JAVA_HOME=/usr/lib/jvm\n", "A=1\n", "[hello\n"])
def test_what_only_looks_like_a_form_is_not_called_so(text: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(ConfigError) as raised:
        list(read_traces([tmp_path / "x"], ImportReport()))

    assert "a text that begins" in str(raised.value)


@pytest.mark.parametrize(("name", "part"), [("conf.xml", 0), ("job_1_1_conf.xml.gz", 1)])
def test_a_history_takes_the_configuration_named_with_it(name: str, part: float, tmp_path: Path) -> None:
    history, configuration = tmp_path / "a" / "job.jhist", tmp_path / "b" / name
    for each in (history, configuration):
        each.parent.mkdir()
    history.write_text(JHIST)
    values = {"mapreduce.map.memory.mb": "3000", "mapreduce.job.reduce.slowstart.completedmaps": str(part)}
    rows = "".join(f"<property><name>{key}</name><value>{value}</value></property>" for key, value in values.items())
    data = f"<configuration>{rows}</configuration>".encode()
    configuration.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    (job,) = read_traces([history, configuration], ImportReport())

    assert (job.tasks[0].memory_mb, job.slow_start) == (3000, part)
