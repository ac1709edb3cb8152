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
