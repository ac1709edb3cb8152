"""`schedlab get SOURCE workload`."""

from pathlib import Path

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


def test_an_export_says_when_what_it_cannot_keep_changes_what_happens() -> None:
    """The packaged deadlock is none in SLS, whose jobs wait for no container of theirs."""
    told = run("reservation-deadlock", "-o", "sls")[2]

    assert "what is not kept changes what happens: half of the applications wait at most 5s, 2h10m" in told
