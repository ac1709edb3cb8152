"""The program in the guide on drills that plays a drill does what is said of it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def program() -> str:
    found = re.search(r"```python\n(.*?)```", (ROOT / "docs/guides/drill.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.long
def test_the_documented_program_solves_a_drill() -> None:
    """It is 40 lines at most, names the right application and reads that it solved the drill."""
    assert len(program().splitlines()) <= 40
    done = subprocess.run([sys.executable, "-c", program()], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "183354 reserves 11 nodes" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("solved ")
