"""Configuration files as text of 80 columns."""

from pathlib import Path

import pytest

from tests.engine.formats.capacity_files import read
from tui.cli.config import WIDTH, described


def text_of(folder: Path, *properties: tuple[str, str], era: str = "2.7") -> str:
    return "\n".join(described(read(folder, *properties, era=era)))


def test_no_line_is_wider_than_80_columns(tmp_path: Path) -> None:
    people = ",".join(f"somebody{number}" for number in range(20))
    text = text_of(
        tmp_path,
        ("root.a.acl_submit_applications", people),
        ("root.a.acl_submit_jobs", "*"),
        ("resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"),
        ("per-node-heartbeat.maximum-offswitch-assignments", "1"),
    )
    legend, *lines = text.splitlines()
    assert legend.startswith("cs.xml is ")
    assert max(map(len, lines)) <= WIDTH
    assert "DominantResourceCalculator  cs.xml:7" in text


@pytest.mark.parametrize(("era", "line"), [("2.7", "4 instead of 32"), ("3.4", "32 instead of 4")])
def test_values_of_the_other_release_are_shown_once(tmp_path: Path, era: str, line: str) -> None:
    text = text_of(tmp_path, ("node-locality-delay", "40"), era=era)
    other = {"2.7": "3.4", "3.4": "2.7"}[era]
    assert f"Otherwise in Hadoop {other}\n  maximum-allocation-vcores {line} (every queue)\n\n" in text
