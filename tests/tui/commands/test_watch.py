"""`schedlab watch` without a screen: lines, alarms, exit codes, refused input."""

import json
import signal
import sys
from pathlib import Path

import httpx
import pytest

from engine.live.alarms import Alarm
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from tests import PATIENCE_S
from tests.engine.live.recorded import FakeServer, connected
from tests.engine.live.test_spark import FakeMaster
from tests.engine.live.test_yarn_source import LINES
from tests.invoke import Result, said
from tui.cli.live import acts_of
from tui.cli.watch import ALARMED, AlarmCommand
from tui.session.live_acts import LiveActs


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    """The only server that can be reached; every node of it is reserved."""
    found = FakeServer("2.7.2-fair-kill")
    monkeypatch.setattr("tui.cli.live.connector", lambda authority, *, insecure, kerberos: connected(found))
    return found


def run(*arguments: str) -> Result:
    return said("watch", [*arguments, "-o", "jsonl", "--rounds", "1"])


def test_a_round_is_a_line(server: FakeServer) -> None:
    result = run("rm1:8088", "--alarm", "nodes < 3")
    line = json.loads(result.stdout)

    assert (result.exit_code, line["nodes"], line["nodes_reserved"]) == (0, 12, 12)
    assert sorted(name[-4:] for name in line["holders"]) == ["0010", "0016"]
    assert line["alarms"] == []


def test_an_alarm_that_stands_is_the_exit_code(server: FakeServer) -> None:
    result = run("http://rm1:8088/", "--alarm", "all nodes reserved")

    assert (result.exit_code, [each["rule"] for each in json.loads(result.stdout)["alarms"]]) == (
        ALARMED,
        ["all nodes reserved"],
    )


@pytest.mark.parametrize("page", ["/cluster", "/cluster/apps/RUNNING", "/ws/v1/cluster/info?x=1", ""])
def test_the_interface_is_found_by_the_address_of_any_page(server: FakeServer, page: str) -> None:
    assert run(f"http://rm1:8088{page}", "--alarm", "nodes < 3").exit_code == 0


@pytest.mark.parametrize(
    ("text", "words"), [(None, "none.pem"), ("", "holds no certificates"), ("no key\xe9", "holds no certificates")]
)
def test_certificates_that_cannot_be_read_are_a_problem(tmp_path: Path, text: str | None, words: str) -> None:
    file = tmp_path / "none.pem"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    result = run("https://rm1", "--ca", str(file))

    assert (result.exit_code, words in result.stderr) == (2, True)


def test_a_command_reads_the_alarm(server: FakeServer, tmp_path: Path) -> None:
    target = tmp_path / "a file; rm"
    program = f"import sys, pathlib; pathlib.Path({str(target)!r}).write_text(sys.stdin.read())"
    begun = AlarmCommand([sys.executable, "-c", program])(Alarm("all nodes reserved", 0, 1, False, "all are"))

    assert begun is not None
    assert begun.wait() == 0
    assert json.loads(target.read_text(encoding="utf-8"))["rule"] == "all nodes reserved"


def test_rules_of_the_settings_file_hold_where_no_option_names_any(server: FakeServer, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('alarm = ["nodes < 13", "all nodes reserved"]', encoding="utf-8")
    by_file = said("watch", ["rm1:8088", "--rounds", "1"], environment={"SCHEDLAB_SETTINGS": str(file)})
    by_option = said(
        "watch", ["rm1:8088", "--rounds", "1", "--alarm", "nodes > 13"], environment={"SCHEDLAB_SETTINGS": str(file)}
    )

    assert [each["rule"] for each in json.loads(by_file.stdout)["alarms"]] == ["nodes < 13", "all nodes reserved"]
    assert (by_option.exit_code, json.loads(by_option.stdout)["alarms"]) == (0, [])


@pytest.mark.parametrize("written", ['["nodes <"]', '"all nodes"', "[]", "[1]"])
def test_rules_of_the_settings_file_that_are_none_are_a_problem_of_the_file(tmp_path: Path, written: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'theme = "dark"\nalarm = {written}', encoding="utf-8")
    result = said("watch", ["rm1:8088", "--rounds", "1"], environment={"SCHEDLAB_SETTINGS": str(file)})

    assert (result.exit_code, f"{file}:2: alarm" in result.stderr) == (2, True)


def test_metrics_are_answered_on_loopback(server: FakeServer) -> None:
    result = run("rm1:8088", "--listen", "0", "--alarm", "nodes < 3")
    address = result.stderr.split()[-1]
    page = httpx.get(address, trust_env=False, timeout=PATIENCE_S)

    assert (page.status_code, "schedlab_watch_nodes 12.0" in page.text) == (200, True)
    assert address.startswith("http://127.0.0.1:")


def test_kerberos_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx_gssapi", None)
    result = run("rm1:8088", "--kerberos")

    assert (result.exit_code, "schedlab[kerberos]" in result.stderr) == (2, True)


def test_the_log_says_which_node_is_held_for_whom(server: FakeServer, tmp_path: Path) -> None:
    log = tmp_path / "rm.log"
    log.write_bytes(b"".join(LINES[: next(n for n, line in enumerate(LINES) if line[11:19] >= b"00:22:52")]))
    line = json.loads(run("rm1:8088", "--rm-log", str(log)).stdout)

    assert len(line["held"]) == line["nodes_reserved"] == 12
    assert sorted({name[-4:] for name in line["held"].values()}) == ["0010", "0016"]


@pytest.mark.parametrize("log", ["no-such.log", "http://rm1:8088/logs/"])
def test_a_log_that_cannot_be_read_is_said_and_the_rest_is_shown(server: FakeServer, log: str) -> None:
    result = run("rm1:8088", "--rm-log", log)

    assert (result.exit_code, "the log cannot be read" in result.stderr) == (0, True)
    line = json.loads(result.stdout)
    held = len(line["held"]) + sum(line["held_somewhere"].values())
    assert (held, "reservations" in line["inferred"]) == (12, True)


def test_acts_are_refused_of_a_master_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    spark, yarn = FakeMaster().source, YarnSource(RestClient(["http://rm1:8088"], FakeMaster().connect), PollPace())

    assert (acts_of(spark, ""), type(acts_of(yarn, "mina"))) == (None, LiveActs)
    assert "only looked at" in capsys.readouterr().err


def test_a_command_that_does_not_read_is_not_waited_for_and_ends_after_its_time() -> None:
    command = AlarmCommand([sys.executable, "-c", "import time; time.sleep(600)"], longest_s=0.1)

    begun = command(Alarm("all nodes reserved", 0, 1, False, "x" * 1_000_000))

    assert begun is not None
    assert begun.wait(timeout=PATIENCE_S) == -signal.SIGKILL
