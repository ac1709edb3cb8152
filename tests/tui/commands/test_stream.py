"""The closing summary of `schedlab play`."""

import pytest
from typer.testing import CliRunner

from tui import cli


@pytest.mark.parametrize(("scenario", "is_counted"), [("fair-two-users", True), ("spark-packing", False)])
def test_reservations_are_counted_only_where_there_are_any(scenario: str, is_counted: bool) -> None:
    """Spark's Master reserves nothing, so its summary has no line about it, and what it gives are executors."""
    shown = CliRunner().invoke(cli.app, ["play", "-q", scenario]).stdout

    given = "\ncontainers  " if is_counted else "\nexecutors  "
    assert ("\nreservations  " in shown, given in shown) == (is_counted, True)
