"""What is copied from a terminal is read as what a program wrote, and files are known by their structure."""

import gzip
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.formats.traces.formats import read_traces
from engine.formats.traces.report import ImportReport
from tests.engine.formats.traces.samples import JHIST, imported

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


@pytest.mark.parametrize("name", ["conf.xml", "job_1_1_conf.xml.gz"])
def test_a_history_takes_the_configuration_named_with_it(name: str, tmp_path: Path) -> None:
    history, configuration = tmp_path / "a" / "job.jhist", tmp_path / "b" / name
    for each in (history, configuration):
        each.parent.mkdir()
    history.write_text(JHIST)
    values = {"mapreduce.map.memory.mb": "3000", "mapreduce.job.reduce.slowstart.completedmaps": "0.25"}
    rows = "".join(f"<property><name>{key}</name><value>{value}</value></property>" for key, value in values.items())
    data = f"<configuration>{rows}</configuration>".encode()
    configuration.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    (job,) = read_traces([history, configuration], ImportReport())

    assert (job.tasks[0].memory_mb, job.slow_start) == (3000, 0.25)
