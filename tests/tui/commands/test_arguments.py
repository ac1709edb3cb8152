"""Arguments of the command line: what the shell completes, and how the help names them."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.tui.test_cli import SMALL, schedlab
from tui.cli import cli


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a kept run called `res`, which the settings name."""
    scenario, root = tmp_path / "small.toml", tmp_path / "runs"
    scenario.write_text(SMALL, encoding="utf-8")
    monkeypatch.setenv("SCHEDLAB_RUNS", str(root))
    assert CliRunner().invoke(cli.app, ["play", "-q", str(scenario), "--keep-as", "res"]).exit_code == 0
    return root


def completed(*words: str) -> list[str]:
    answer = schedlab(
        _SCHEDLAB_COMPLETE="complete_bash",
        COMP_WORDS=" ".join(["schedlab", *words]),
        COMP_CWORD=str(len(words)),
    )
    return answer.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("pl",), ["play"]),
        (("play", "fair-order"), ["fair-order", "fair-order-3.4"]),
        (("scenario", "show", "fair-order"), ["fair-order", "fair-order-3.4"]),
        (("settings", "--theme", "li"), ["light"]),
        (("why", "reservation-deadlock", "--queue", "root.d"), ["root.default"]),
        (("why", "reservation-deadlock", "--app", "18335"), ["183351", "183354", "183358"]),
        (("why", "reservation-deadlock", "--node", "10.120.117.84"), ["10.120.117.84"]),
        (("twin", "--scheduler", "fair"), ["fair-2.7", "fair-3.4"]),
        (
            ("play", "fair-order", "--set", "yarn.scheduler.fair.preemptionI"),
            ["yarn.scheduler.fair.preemptionInterval="],
        ),
        (("snapshot", "fair-order", "--section", "qu"), ["queues"]),
        (("pla", "x"), []),
    ],
)
def test_a_shell_is_offered_words(words: tuple[str, ...], offered: list[str]) -> None:
    assert completed(*words) == offered


@pytest.mark.parametrize(
    ("verb", "line"),
    [
        (("config",), "Usage: schedlab config [OPTIONS] [FILE]..."),
        (("runs", "delete"), "Usage: schedlab runs delete [OPTIONS] {RUN}..."),
        (("scenario", "check"), "Usage: schedlab scenario check [OPTIONS] {NAME|FILE}..."),
    ],
)
def test_help_names_arguments_in_words_only(verb: tuple[str, ...], line: str) -> None:
    shown = CliRunner().invoke(cli.app, [*verb, "--help"], prog_name="schedlab").stdout

    assert (line in shown, "<" in shown) == (True, False)
