"""The figures as a table in Markdown, as the manual has it, and the figures that are stored for it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from tests.gates.fidelity.figures import Figures

STORED: Final = Path(__file__).parents[2] / "cases" / "recorded" / "fidelity" / "figures.json"
PAGE: Final = Path(__file__).parents[3] / "docs" / "explanation" / "fidelity.md"
HEAD: Final = (
    "| recording | s | memory within 2 % | mean error | reservations | applications | waits | completions |",
    "| --- | --: | --: | --: | --: | --: | --: | --: |",
)


def table(figures: Sequence[Figures]) -> str:
    return "\n".join([*HEAD, *(_row(each) for each in figures)])


def _row(each: Figures) -> str:
    cells = [
        each.name,
        str(each.seconds),
        f"{each.memory:.0%}",
        f"{each.memory_mean:.1%}",
        f"{each.reservations:.0%}",
        str(each.applications),
        f"{each.waits:.0%}",
        f"{each.completions:.0%}",
    ]
    return f"| {' | '.join(cells)} |"


def stored() -> list[Figures]:
    return msgspec.json.decode(STORED.read_bytes(), type=list[Figures])


def store(figures: Sequence[Figures]) -> None:
    """Keep figures, and put their table where the manual has the old one."""
    old = table(stored())
    STORED.write_bytes(msgspec.json.format(msgspec.json.encode(figures)) + b"\n")
    PAGE.write_text(PAGE.read_text(encoding="utf-8").replace(old, table(figures)), encoding="utf-8")
