"""What the Makefile promises, and what every Python from 3.11.2 on can do."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.test_architecture import ROOT


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_start_finds_bytecode(tmp_path: Path) -> None:
    """What is installed and our own packages are compiled before the first start, not by it."""
    planned = subprocess.run(
        ["make", "--dry-run", "demo", f"VENV={tmp_path}/venv"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = planned.stdout.splitlines()
    compiled = next(number for number, line in enumerate(lines) if "-m compileall -q -j 0 engine tui scenarios" in line)

    assert "uv pip install --quiet --compile-bytecode" in planned.stdout
    assert all("schedlab open" not in line for line in lines[:compiled])


def test_no_pattern_repeats_possessively() -> None:
    possessive = re.compile(r"""re\.compile\(.*?(?:[\])\w.][*+?}]\+|\(\?>)""")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("engine", "tui", "scenarios")
        for path in (ROOT / folder).rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if possessive.search(line)
    ]

    assert found == []
