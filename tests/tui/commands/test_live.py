"""`schedlab watch` without a screen: lines, alarms, exit codes, refused input."""

import json
import os
import signal
import sys
from pathlib import Path

import httpx
import pytest

from engine.formats.scenario_toml import load
from engine.live.alarms import Alarm
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from engine.run import Run, play
from engine.scenario.acts import KillApplication
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import RELEASE_27
from tests import PATIENCE_S
from tests.engine.live.recorded import FakeServer
from tests.engine.live.test_spark import FakeMaster
from tests.engine.live.test_yarn_source import LINES
from tests.invoke import Result, said
from tui.cli.listening import VARIABLE, token_given
from tui.cli.live import acts_of
from tui.cli.watch import ALARMED, AlarmCommand
from tui.serving.serve_app import ServedApp
from tui.session.live_pictures import LiveActs


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


def test_certificates_that_cannot_be_read_are_a_problem(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").touch()
    for name, words in (("none.pem", "none.pem"), ("empty.pem", "holds no certificates")):
        result = run("https://rm1", "--ca", str(tmp_path / name))
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


# The token of acts: where it is read from, and `watch` that acts on `serve` with it, both in one process.

TOKEN = "secret-of-the-test"


class ServedIncident:
    """A simulation whose acts need the token, and every request that reached it."""

    def __init__(self) -> None:
        past = ApplicationPast()
        self.run = Run(load("reservation-deadlock-recorded"), [past], is_judged=False)
        self.run.advance(60_000)
        pace = ServedPace(self.run, paused=True)
        served = ServedCluster(lambda: self.run.simulation, pace.act, past, RELEASE_27, "rm1:8088")
        self._transport = httpx.ASGITransport(ServedApp(served, pace, TOKEN).app())
        self.asked: list[httpx.Request] = []

    @property
    def source(self) -> YarnSource:
        return YarnSource(RestClient(["http://rm1:8088"], self._connect), PollPace())

    def _connect(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=self._transport, event_hooks={"request": [self._note]})

    async def _note(self, request: httpx.Request) -> None:
        self.asked.append(request)

    def acts(self, token: str) -> LiveActs:
        found = acts_of(self.source, "", token)
        assert found is not None, "a ResourceManager offers acts"
        return found

    async def states(self) -> dict[str, str]:
        return {row.id: row.state for row in (await self.source.poll()).applications()}


async def test_watch_kills_an_application_of_serve_with_the_token() -> None:
    """It ends in the simulation, and the token goes along with the act alone, not with what is only read."""
    server = ServedIncident()
    first = next(iter(await server.states()))
    result = await server.acts(TOKEN).do(KillApplication(first))
    server.run.advance(server.run.now_ms + 10_000)

    assert (result.refusal, (await server.states()).get(first, "KILLED")) == ("", "KILLED")
    assert {each.method for each in server.asked if TOKEN in str(each.headers.raw)} == {"PUT"}


@pytest.mark.parametrize("token", ["", "another"])
async def test_an_act_without_the_right_token_is_refused_and_names_the_option(token: str) -> None:
    server = ServedIncident()
    before = await server.states()
    result = await server.acts(token).do(KillApplication(next(iter(before))))

    assert "--token-file" in result.refusal
    assert token not in result.refusal or not token
    assert await server.states() == before


def test_the_token_of_a_file_is_its_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "another")
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n", encoding="utf-8")

    assert token_given(file) == TOKEN


def test_the_token_of_the_environment_is_not_left_to_commands_that_are_started_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, TOKEN)

    assert (token_given(None), VARIABLE in os.environ) == (TOKEN, False)


# `schedlab get SOURCE -o toml`: the twin of a server, a twin_of and a log; files that are there.


def twin_of(*arguments: str) -> Result:
    return said("get", list(arguments))


def test_the_twin_of_a_server_can_be_played(server: FakeServer, tmp_path: Path) -> None:
    """It is written to a file, and what was assumed to stderr, with who is taken for the holder of each node."""
    result = twin_of("rm1:8088", "-o", str(tmp_path / "t.toml"))

    assert (result.exit_code, result.stdout) == (0, "")
    assert "assumed: which application reserves which node is inferred from sums (11 for application_" in result.stderr
    scenario = load(tmp_path / "t.toml")
    assert len(scenario.cluster.all_nodes()) == 12
    assert sum(len(each.reserved) for each in scenario.recovered) == 12
    play(scenario, until_ms=5_000)


def test_the_twin_of_a_scenario_stands_at_an_instant(tmp_path: Path) -> None:
    result = twin_of(
        "reservation-deadlock-recorded", "scenario", "--at", "60", "-o", "json", "-o", str(tmp_path / "t.toml")
    )

    answer = json.loads(result.stdout)
    assert answer["schema"] == "scenario/1"
    assert {"arrivals", "rhythm"} <= {each["what"] for each in answer["assumed"]}
    original = load("reservation-deadlock-recorded")
    assert load(tmp_path / "t.toml").start_ms == original.start_ms + 60_000


def test_the_twin_of_a_log_is_that_of_its_end_or_of_an_instant(tmp_path: Path) -> None:
    """Its containers are those the log names; a policy may be named that it does not say."""
    log = tmp_path / "rm.log"
    played = said("play", ["reservation-deadlock-recorded", "--until", "60", "-o", f"rm-log:{log}", "--quiet"])
    assert played.exit_code == 0

    result = twin_of(str(log), "-o", str(tmp_path / "t.toml"), "--set", "scheduler=fair-2.7")

    assert result.exit_code == 0, result.stderr
    scenario = load(tmp_path / "t.toml")
    assert scenario.scheduler == "fair-2.7"
    assert sum(len(each.reserved) for each in scenario.recovered) == 12


def test_configuration_files_are_taken_over(server: FakeServer, tmp_path: Path) -> None:
    """Settings of yarn-site.xml, queues of fair-scheduler.xml; a fault in one is a problem with its line."""
    site, fair = tmp_path / "yarn-site.xml", tmp_path / "fair.xml"
    site.write_text(
        "<configuration><property><name>yarn.scheduler.maximum-allocation-mb</name><value>70000</value>"
        "</property></configuration>"
    )
    fair.write_text('<allocations><queue name="etl"><weight>7</weight></queue></allocations>')
    arguments = ("rm1:8088", "--config", str(site), "--config", str(fair), "-o", str(tmp_path / "t.toml"))

    result = twin_of(*arguments)

    scenario = load(tmp_path / "t.toml")
    assert (result.exit_code, scenario.settings) == (0, {"yarn.scheduler.maximum-allocation-mb": "70000"})
    assert scenario.allocations == fair.read_text()
    fair.write_text('<allocations><queue name="etl"><weight>x</weight></queue></allocations>')
    faulty = twin_of(*arguments, "--force")
    assert (faulty.exit_code, "fair.xml:1" in faulty.stderr) == (2, True)
