"""`schedlab open`: what flags and settings make of a session."""

from math import inf
from pathlib import Path

import pytest

from tui.cli.open import Opener
from tui.settings import resolve

HOUR = """
name = "small"
duration = "{duration}"
[cluster]
groups = [{{ count = 1, memory_mb = 4096, vcores = 4 }}]
"""


@pytest.mark.parametrize(
    ("given", "duration", "speed"),
    [(None, "30m", 10.0), (None, "6h", 60.0), ("0", "30m", inf), ("2.5", "30m", 2.5)],
    ids=["minutes", "hours", "flat out", "as said"],
)
def test_the_speed_fits_the_scenario_unless_it_is_said(
    given: str | None, duration: str, speed: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "small.toml"
    path.write_text(HOUR.format(duration=duration), encoding="utf-8")
    settings = resolve({"speed": None if given is None else float(given)}, None)

    session = Opener(settings, None).open(str(path))

    assert session.driver.state.speed == speed
