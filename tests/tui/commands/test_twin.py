"""`schedlab get SOURCE -o toml`: the twin of a server, a run and a log; files that are there."""

import json
from pathlib import Path

import pytest

from engine.formats.scenario_toml import load
from engine.run import play
from tests.engine.live.recorded import FakeServer, connected
from tests.invoke import Result, said


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    """The only server that can be reached; every node of it is reserved."""
    found = FakeServer("2.7.2-fair-kill")
    monkeypatch.setattr("tui.cli.live.connector", lambda authority, *, insecure, kerberos: connected(found))
    return found


def run(*arguments: str) -> Result:
    return said("get", list(arguments))


def test_the_twin_of_a_server_can_be_played(server: FakeServer, tmp_path: Path) -> None:
    """It is written to a file, and what was assumed to stderr, with who is taken for the holder of each node."""
    result = run("rm1:8088", "-o", str(tmp_path / "t.toml"))

    assert (result.exit_code, result.stdout) == (0, "")
    assert "assumed: which nodes are reserved for whom is inferred from sums (11 for application_" in result.stderr
    scenario = load(tmp_path / "t.toml")
    assert len(scenario.cluster.all_nodes()) == 12
    assert sum(len(each.reserved) for each in scenario.recovered) == 12
    play(scenario, until_ms=5_000)


def test_the_twin_of_a_scenario_stands_at_an_instant(tmp_path: Path) -> None:
    result = run(
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

    result = run(str(log), "-o", str(tmp_path / "t.toml"), "--set", "scheduler=fair-2.7")

    assert result.exit_code == 0, result.stderr
    scenario = load(tmp_path / "t.toml")
    assert scenario.scheduler == "fair-2.7"
    assert sum(len(each.reserved) for each in scenario.recovered) == 12
    late = run(str(log), "--at", "2100-01-01T00:00Z", "-o", str(tmp_path / "u.toml"))
    assert (late.exit_code, "--at" in late.stderr) == (2, True)


def test_configuration_files_are_taken_over(server: FakeServer, tmp_path: Path) -> None:
    """Settings of yarn-site.xml, queues of fair-scheduler.xml; a fault in one is a problem with its line."""
    site, fair = tmp_path / "yarn-site.xml", tmp_path / "fair.xml"
    site.write_text(
        "<configuration><property><name>yarn.scheduler.maximum-allocation-mb</name><value>70000</value>"
        "</property></configuration>"
    )
    fair.write_text('<allocations><queue name="etl"><weight>7</weight></queue></allocations>')
    arguments = ("rm1:8088", "--config", str(site), "--config", str(fair), "-o", str(tmp_path / "t.toml"))

    result = run(*arguments)

    scenario = load(tmp_path / "t.toml")
    assert (result.exit_code, scenario.settings) == (0, {"yarn.scheduler.maximum-allocation-mb": "70000"})
    assert scenario.allocations == fair.read_text()
    fair.write_text('<allocations><queue name="etl"><weight>x</weight></queue></allocations>')
    faulty = run(*arguments, "--force")
    assert (faulty.exit_code, "fair.xml:1" in faulty.stderr) == (2, True)
