"""What another release makes of files, in lines of 80 columns; and how warnings stand."""

from pathlib import Path

import msgspec
import pytest

from engine.errors import Problem
from engine.formats.capacity_listing import EraDifference, OtherEra
from tests.engine.formats.capacity_files import read
from tui.commands.config_text import described


def told(folder: Path, other: OtherEra) -> list[str]:
    """The lines about the other release."""
    lines = described(msgspec.structs.replace(read(folder), other_era=other, warnings=()))
    begin = next((at for at, line in enumerate(lines) if "3.4" in line), len(lines))
    return lines[begin:]


def difference(*queues: str, here: str = "1", there: str = "2") -> OtherEra:
    """One value that differs in some queues."""
    blank = OtherEra("3.4", refused=(), is_compared=True, values=())
    return msgspec.structs.replace(blank, values=(EraDifference("capacity", here, there, queues),))


NAMES = [f"root.q{number}" for number in range(1, 9)]


@pytest.mark.parametrize(
    ("count", "where"),
    [
        (0, ""),
        (1, " (root.q1)"),
        (6, f" ({', '.join(NAMES[:6])})"),
        (7, f" ({', '.join(NAMES[:6])}, 1 more)"),
        (8, f" ({', '.join(NAMES[:6])}, 2 more)"),
    ],
)
def test_a_difference_names_its_queues(count: int, where: str, tmp_path: Path) -> None:
    """Six of them; the rest is counted."""
    lines = told(tmp_path, difference(*NAMES[:count]))

    assert lines[0] == "Otherwise in Hadoop 3.4"
    assert " ".join(" ".join(lines[1 : lines.index("")]).split()) == f"capacity 2 instead of 1{where}"


def test_what_differs_everywhere_says_so(tmp_path: Path) -> None:
    """In place of all names; what is not there is nothing, and a class goes without its package."""
    queues = [queue.path for queue in (read(tmp_path).capacity or pytest.fail("no queues")).queues]
    prefix = "org.apache.hadoop.yarn.util.resource."
    lines = told(tmp_path, difference(*queues, here="", there=f"{prefix}DominantResourceCalculator"))

    assert lines[1:3] == ["  capacity DominantResourceCalculator instead of nothing (every queue)", ""]


def test_files_that_are_not_compared_say_why(tmp_path: Path) -> None:
    """Too many queues, or refused; where nothing differs nothing is said."""
    same = msgspec.structs.replace(difference(), values=())
    many = msgspec.structs.replace(same, is_compared=False)
    refused = msgspec.structs.replace(same, refused=(Problem("no such queue", "cs.xml", 7, "root.x"),))

    assert told(tmp_path, many)[0] == ("Not compared with Hadoop 3.4: too many queues; --era 3.4 reads them as it does")
    assert told(tmp_path, refused)[:3] == [
        "Hadoop 3.4 refuses these files",
        "  cs.xml:7  root.x",
        "      no such queue",
    ]
    assert told(tmp_path, same) == []
