"""`schedlab snapshot`."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.tui.test_cli import SMALL
from tui import cli


def run(*arguments: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(cli.app, ["snapshot", *arguments])


@pytest.fixture
def small(tmp_path: Path) -> str:
    """A small scenario file."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return str(path)


def test_a_picture_at_an_instant_is_json(small: str) -> None:
    """With the instant in words and in ms, and sizes by name."""
    told = json.loads(run(small, "--at", "09:00:10", "--json").stdout)

    assert (told["scenario"], told["at"], told["cluster"]["containers"]) == (
        "small",
        "2024-03-04T09:00:10.000+00:00",
        2,
    )
    assert told["nodes"][0]["used"] == {"memory_mb": 2048, "vcores": 2}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mr1-slots-of-the-wrong-kind", ("jobs 1 running, 1 waiting   trackers 12   attempts 48,", "Trackers 12")),
        ("spark-no-worker-large-enough", ("applications 0 running, 1 waiting   workers 3, 1 down", "Workers 4")),
    ],
)
def test_its_counts_are_in_the_nouns_of_the_system(name: str, words: tuple[str, ...]) -> None:
    """Who runs and has an unmet ask waits too."""
    said = run(name, "--at", "+5m", "--section", "nodes").stdout

    assert [each in said for each in words] == [True, True]


def test_what_is_wrong_stands_above_the_tables() -> None:
    """As a sentence, in JSON with the applications."""
    frozen = run("reservation-deadlock", "--at", "09:10", "--section", "users")
    found = json.loads(run("reservation-deadlock", "--at", "09:10", "--section", "users", "--json").stdout)["alerts"]

    assert " ! reservation deadlock: nothing will be allocated any more" in frozen.stdout
    assert [(each["kind"], each["pattern"]) for each in found] == [("frozen", "reservation deadlock")]
    assert set(found[0]) == {"kind", "sentence", "verdict", "pattern", "applications"}


def test_the_instant_has_happened_in_full(small: str) -> None:
    """What the operator does at 09:00:30 is seen at 09:00:30, and not a millisecond before."""
    states = [
        json.loads(run(small, "--at", at, "--json").stdout)["applications"][0]["state"]
        for at in ("09:00:29.999", "09:00:30")
    ]

    assert states == ["RUNNING", "KILLED"]


def test_without_an_instant_it_is_the_end(small: str) -> None:
    """The scenario lasts a minute."""
    assert json.loads(run(small, "--json").stdout)["at"] == "2024-03-04T09:01:00.000+00:00"


def test_one_section_is_only_that_section(small: str) -> None:
    """The cluster as a whole stays."""
    told = json.loads(run(small, "--section", "nodes", "--json").stdout)

    assert list(told) == ["schema", "scenario", "at", "alerts", "cluster", "nodes"]


def test_a_section_is_csv_with_a_header(small: str) -> None:
    """As a spreadsheet reads it."""
    lines = list(csv.DictReader(io.StringIO(run(small, "--at", "+10s", "--section", "nodes", "--csv").stdout)))

    assert [(line["host"], line["used_memory_mb"], line["state"]) for line in lines] == [("n1", "2048", "RUNNING")]


def test_text_is_plain_and_whole() -> None:
    """Every row and every reason, in ASCII, for people and screen readers."""
    text = run("reservation-deadlock", "--at", "09:30").stdout

    assert (text.isascii(), text.startswith("2017-11-11 Sat 09:30:00\n")) == (True, True)
    assert text.count("183354 62.5G/4c") == 11
    assert "~" not in "".join(line for line in text.splitlines() if "of 12 nodes reserved by 183354" in line)


def test_a_spark_cluster_has_executors() -> None:
    """They are one more table."""
    text = run("spark-packing", "--at", "+60s").stdout

    assert ("Executors " in text, "CORES" in text) == (True, True)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere"], "no scenario and no kept run called nowhere"),
        (["{small}", "--at", "noon"], "--at: 'noon' is not"),
        (["{small}", "--at", "-5"], "--at: -5 is before the start"),
        (["{small}", "--section", "node"], "--section: no section node (did you mean nodes?)"),
        (["{small}", "--csv"], "--csv: one section is one table"),
        (["{small}", "--csv", "--json"], "--csv: choose one of"),
        (["{small}", "--set", "sede=1"], "did you mean seed?"),
    ],
)
def test_refused_input_exits_with_2_and_one_line(arguments: list[str], complaint: str, small: str) -> None:
    """On stderr; nothing is on stdout."""
    result = run(*(argument.format(small=small) for argument in arguments))

    assert (result.exit_code, result.stdout, complaint in result.stderr) == (2, "", True)


def test_data_is_all_there_is_in_a_pipe(small: str) -> None:
    """No bar and no talk on stderr when it is no terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "tui.cli", "snapshot", small, "--json"], capture_output=True, text=True, check=True
    )

    assert (done.stderr, json.loads(done.stdout)["schema"]) == ("", 1)


def test_executors_say_what_is_busy() -> None:
    """As on screen: their drivers know."""
    lines = csv.DictReader(io.StringIO(run("spark-locality", "--at", "+3s", "--section", "executors", "--csv").stdout))

    assert {line["unknown"] for line in lines} == {""}


def test_a_node_that_drains_says_so(small: str) -> None:
    """As on screen: the operator knows, though the ResourceManager does not."""
    drain = 'script=[{do="drain", at="09:00:05", node="n1"}]'
    told = json.loads(run(small, "--at", "09:00:10", "--set", drain, "--section", "nodes", "--json").stdout)

    assert told["nodes"][0]["state"] == "DECOMMISSIONING"


def test_a_signal_ends_it_without_half_a_document() -> None:
    """The exit code says which; nothing is on stdout."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tui.cli", "snapshot", "reservation-deadlock", "--json", "--set", "duration=4000h"],
        stdout=subprocess.PIPE,
        text=True,
    )
    while not _takes_signals(process.pid):
        os.sched_yield()
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=60)

    assert (process.returncode, output) == (143, "")


def _takes_signals(pid: int) -> bool:
    """Whether the process has taken SIGTERM into its own hands, as Linux tells."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    caught = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")), "0")
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def test_a_kept_run_is_shown_as_its_scenario(small: str, tmp_path: Path) -> None:
    """At an instant, and at its end where none is named."""
    place = ("--runs", str(tmp_path / "runs"))
    assert CliRunner().invoke(cli.app, ["play", "-q", small, "--keep-as", "monday", *place]).exit_code == 0

    of_run = [run("monday", *at, "--json", *place).stdout for at in ((), ("--at", "09:00:10"))]
    of_scenario = [run(small, *at, "--json").stdout for at in ((), ("--at", "09:00:10"))]

    assert of_run == of_scenario
    assert of_run[0] != of_run[1]


def test_the_counts_are_below_the_meters(small: str) -> None:
    """Applications, nodes, containers and reservations, in words."""
    third = run(small, "--at", "09:00:10").stdout.splitlines()[2]

    assert third == " applications 1 running, 0 waiting   nodes 1   containers 2, 0 asked for   reserved 0 of 1 nodes"
