"""An incident becomes a page: its numbers are those of `why`, `fix` and `get`; what a source lacks is said."""

import json
from pathlib import Path

import pytest

from tests.engine.formats.traces.samples import RM_LOG
from tests.invoke import said


def test_the_page_of_a_log_says_what_its_lines_prove_and_what_they_cannot(tmp_path: Path) -> None:
    log = tmp_path / "rm.log"
    log.write_text(RM_LOG)
    result = said("get", [str(log), "report", "-o", "json", "-o", f"md:{tmp_path / 'a.md'}"])
    assert result.exit_code == 0, result.stderr
    page, text = json.loads(result.stdout), (tmp_path / "a.md").read_text()

    assert (page["schema"], page["unknown"]) == ("report/1", ["verdict", "remedies", "settings"])
    assert "Nothing is played: the record does not say what waits asks for" in text


RESERVATION = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSAppAttempt: Making reservation:"
RESERVED = "\n".join(
    f"2017-11-11 09:00:{second},000 INFO {RESERVATION} node=n{node} app_id=application_17_{number:04d}"
    for second, node, number in ((30, 1, 4), (30, 2, 4), (31, 3, 4), (34, 4, 8), (58, 4, 9))
)
KILLED = (
    "2017-11-11 09:05:00,000 INFO org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppImpl: application_17_0004"
)


def test_a_few_lines_of_a_log_name_the_cause_as_far_as_they_prove_it(tmp_path: Path) -> None:
    """Reservations alone: who has the nodes, since when, and that all of them are; what is assumed is said."""
    log = tmp_path / "rm.log"
    log.write_text(RESERVED)
    text = said("get", [str(log), "report", "-o", "md"]).stdout

    assert "0004 has 3 of the 4 nodes that the record names reserved, since 09:00:30; 0009 the rest." in text
    assert "| application | 0004 |" in text
    assert "Assumed: a node stays reserved until a line says otherwise" in text
    assert "Inferred: size of nodes that no line gives: the most that was in use there." in text
    assert "0004: what it asks for is unknown, since 09:00:30" in said("why", [str(log)]).stdout


def test_what_is_over_at_the_end_of_a_record_is_judged_while_it_stood(tmp_path: Path) -> None:
    log = tmp_path / "rm.log"
    log.write_text(f"{RESERVED}\n{KILLED} State change from RUNNING to KILLED\n")
    text = said("get", [str(log), "report", "-o", "md"]).stdout

    assert "It ended at 09:05:00." in text
    assert "| application | 0004 |" in text


@pytest.mark.slow
def test_the_numbers_of_the_page_are_those_of_the_commands(tmp_path: Path) -> None:
    at, name = "+5m", "pattern-queue-limit"
    page = json.loads(said("get", [name, "report", "--at", at, "--budget", "20", "-o", "json"]).stdout)
    asked = [name, page["why"]["application"]["id"], "--at", at, "--budget", "20", "-o", "json"]
    why = json.loads(said("why", asked).stdout)

    assert page["why"]["verdict"] == why["verdict"]
    assert page["why"]["reasons"] == why["reasons"]
    html, markdown = tmp_path / "a.html", tmp_path / "a.md"
    written = said("get", [name, "report", "--at", at, "--budget", "5", "-o", str(html), "-o", str(markdown)])
    assert written.exit_code == 0, written.stderr
    assert 'src="http' not in html.read_text()
    assert all(part in markdown.read_text() for part in ("What happened", "Timeline", "First cause", "Proof"))
