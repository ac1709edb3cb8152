"""`schedlab get SOURCE workload`."""

from pathlib import Path

import pytest

from tests.engine.formats.traces.samples import SWIM
from tests.invoke import said


def run(*arguments: object) -> tuple[int, str, str]:
    source, *options = map(str, arguments)
    result = said("get", [source, "workload", *options])
    return result.exit_code, result.stdout, result.stderr


def test_a_trace_is_described(tmp_path: Path) -> None:
    """Arrivals as a plot, a row for each queue and user, and what was inferred."""
    (tmp_path / "t.tsv").write_text(SWIM)
    code, out, err = run(tmp_path / "t.tsv")

    assert (code, err) == (0, "")
    assert out.startswith("2 applications within 52s: 2 mapreduce\n")
    assert "⠉" in out or "⡀" in out or "⣀" in out
    assert "by queue, 1 queue\n" in out
    assert "inferred  maps of 2 applications: one map for each 128 MB of input\n" in out
    assert max(map(len, out.splitlines()[:16])) <= 120


def test_a_scenario_is_described_in_ascii() -> None:
    code, out, _ = run("reservation-deadlock", "--ascii")

    assert code == 0
    assert out.isascii()
    assert "by queue, 4 queues\n  adhoc" in out


@pytest.mark.parametrize("kind", ["sls", "sls-nodes", "rest"])
def test_a_scenario_is_written_for_others(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    code, out, _ = run("reservation-deadlock", "-o", f"{kind}:{path}")

    assert (code, out) == (0, "")
    assert run(path)[0] == 0
    assert run("reservation-deadlock", "-o", kind)[1] == path.read_text()
    assert run("reservation-deadlock", "-o", f"{kind}:{path}")[0] == 2


def test_an_export_says_when_what_it_cannot_keep_changes_what_happens() -> None:
    """The packaged deadlock is none in SLS, whose jobs wait for no container of theirs."""
    told = run("reservation-deadlock", "-o", "sls")[2]

    assert "what is not kept changes what happens: half of the applications wait at most 5s, 2h10m" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reservation-deadlock", "-o", "sl"], "did you mean sls"),
        (["reservation-deadlock", "-o", "sls:/nowhere/x"], "cannot be written: no such file or directory"),
        (["/nowhere/x"], "no such file"),
    ],
)
def test_a_wrong_argument_is_refused(arguments: list[str], message: str) -> None:
    code, _, err = run(*arguments)

    assert code == 2
    assert message in err
