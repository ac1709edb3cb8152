"""What is copied from a terminal is read as what a program wrote, and files are known by their structure."""

import gzip
import json
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.formats.traces.formats import read_traces
from engine.formats.traces.report import OTHERS, ImportReport
from engine.formats.traces.source import HEAD, NOTE
from tests.engine.formats.traces.samples import JHIST, imported

CASES = Path(__file__).parents[3] / "cases" / "import"
LIST = (CASES / "list-with-blanks" / "list.txt").read_text()
LOG = "18/03/12 10:00:00 INFO client.RMProxy: Connecting to ResourceManager at resourcemanager/10.0.0.1:8032\n"
METER = "  % Total    % Received % Xferd  Average Speed\n  0     0    0     0    0     0      0      0 --:--:--\n"
APPS = (CASES / "rest-sums" / "apps.json").read_text()
SLURM = (CASES / "batch-machine-size" / "sacct.txt").read_text()


def folded(text: str, width: int = 80) -> str:
    """The text as a terminal of this width breaks it."""
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
    """With a prompt or a log above, broken by the terminal, its blanks lost where it was, or without its names."""
    found, report = imported(text)

    assert [(each.name, each.type, each.user, each.queue, each.state) for each in found] == [
        ("word count", "MAPREDUCE", "ann", "root.users.ann", "RUNNING"),
        ("distcp", "MAPREDUCE", "ann", "root.users.ann", "ACCEPTED"),
    ]
    assert report.faults == 0


@pytest.mark.parametrize(
    "prompt", ["[ann@host ~]$", "ann@host:~/logs$", "(base) ann@host ~ %", "sh-4.2$", "$", "C:\\>"]
)
@pytest.mark.parametrize(("text", "count"), [(METER + APPS, 1), (SLURM, 4)])
def test_a_prompt_is_passed_over(prompt: str, text: str, count: int) -> None:
    """Before and behind what a program wrote; the report says so."""
    found, report = imported(f"{prompt} curl -s http://rm:8088/x\n{text}\n{prompt} \n")

    assert (len(found), report.faults, NOTE in report.notes) == (count, 0, True)


@pytest.mark.parametrize("text", ["[ann@host ~]$ ls\nhello\n", "JAVA_HOME=/usr/lib/jvm\n", "A=1\n", "[hello\n"])
def test_what_only_looks_like_a_form_is_not_called_so(text: str, tmp_path: Path) -> None:
    """Neither JSON nor TOML."""
    (tmp_path / "x").write_text(text)
    with pytest.raises(ConfigError) as raised:
        list(read_traces([tmp_path / "x"], ImportReport()))

    assert "a text that begins" in str(raised.value)


def test_keys_are_found_wherever_they_stand() -> None:
    """Behind more tasks than the beginning of a file holds, the first of them, or the last."""
    (job,), _ = imported((CASES / "rumen-key-order" / "rumen.json").read_text())
    assert job.task_count == 70
    text = {"jobProperties": {f"k{number}": "v" * 90 for number in range(HEAD // 80)}, "jobID": "j", "submitTime": 5}
    (job,), _ = imported(json.dumps({**text, "mapTasks": []}))
    assert (job.id, job.submitted_ms) == ("j", 5)
    events = [{"timestamp": 1, "eventtype": "E", "eventinfo": {"x": "y" * 80}} for _ in range(HEAD // 80)]
    entity = {"events": events, "entity": "tez_application_1_1", "entitytype": "TEZ_APPLICATION"}
    assert imported(json.dumps(entity))[1].files[0].format == "ats"


def test_of_a_rumen_task_the_attempt_counts_that_succeeded() -> None:
    """Not the killed one that stands last; the report counts it."""
    (job,), report = imported((CASES / "rumen-killed-attempt" / "rumen.json").read_text())

    assert (job.tasks[0].durations_ms, job.tasks[0].hosts) == ((54_000,), ("h1",))
    assert report.dropped == {OTHERS: 1}


@pytest.mark.parametrize("name", ["conf.xml", "job_1_1_conf.xml.gz"])
def test_a_history_takes_the_configuration_named_with_it(name: str, tmp_path: Path) -> None:
    """Packed or not, in another folder: sizes, and when reduces are asked for."""
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
