"""The events and the closing summary of `schedlab play`."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tui.cli import cli


@pytest.mark.parametrize(("scenario", "is_counted"), [("fair-two-users", True), ("spark-packing", False)])
def test_reservations_are_counted_only_where_there_are_any(scenario: str, is_counted: bool) -> None:
    """Spark's Master reserves nothing, so its summary has no line about it, and what it gives are executors."""
    shown = CliRunner().invoke(cli.app, ["play", "-q", scenario]).stdout

    given = "\ncontainers  " if is_counted else "\nexecutors  "
    assert ("\nreservations  " in shown, given in shown) == (is_counted, True)


SLOTS = """
duration = "1m"
scheduler = "mr1-fifo"
[cluster]
groups = [{ prefix = "n", count = 1, memory = "8g", vcores = 8 }]
[[workload]]
type = "mapreduce"
name = "scan"
user = "ann"
at = 1
maps = 2
"""
DRIVER = """
duration = "1m"
scheduler = "spark"
[cluster]
groups = [{ prefix = "w", count = 1, memory = "8g", vcores = 4 }]
[[workload]]
type = "spark-standalone"
name = "scan"
user = "ann"
at = 1
driver = { memory = "1g", vcores = 1 }
executor_memory = "1g"
stages = [{ tasks = 1 }]
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            SLOTS,
            ["  tracker n1 with 2 maps 2 reduces", "0001  map 0 on n1, 1 map\n", "\nattempts      "],
        ),
        (DRIVER, ["  driver 0 on w1, 1G/1c\n", "  executor 0 on w1", "\nexecutors     1 ", "\ndrivers       1 "]),
    ],
)
def test_each_system_is_told_in_its_own_words(tmp_path: Path, text: str, said: list[str]) -> None:
    """A JobTracker has trackers, slots and attempts; a driver of Spark is no executor. Neither has containers."""
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    shown = CliRunner().invoke(cli.app, ["play", str(path)]).stdout

    assert [words for words in said if words not in shown] == []
    assert "container" not in shown
