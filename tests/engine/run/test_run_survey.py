"""What the lines of a run come to, as far as they are good, and what a repair says it did."""

import io
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from engine.run.run_file import FILE, RunBeginning, RunEnd
from engine.run.run_reader import Repair, Survey, repair
from engine.scenario.acts import SetPreemption
from engine.simulation.records import Acted, Draining, Record
from tests.engine.run.test_run_reader import sealed

BEGINNING = RunBeginning(2, "a", "b", "fifo", 1, "now", "1.0", 1000, 0, msgspec.Raw(b"{}"))
END = RunEnd(9000, 1, 2, "j", "f")


def journal(time_ms: int, record: Record) -> bytes:
    return b"[%d,%s]" % (time_ms, msgspec.json.encode(record))


DRAINS, FAULT = Draining("n"), Acted(SetPreemption(on=True))
ACT = Acted(SetPreemption(on=True), (5, 1))
LINES = [journal(3000, DRAINS), journal(3000, ACT), journal(2000, FAULT)]


def survey(*others: bytes | msgspec.Struct) -> Survey:
    bodies = [each if isinstance(each, bytes) else msgspec.json.encode(each) for each in (BEGINNING, *others)]
    return Survey(io.BytesIO(b"".join(sealed(bodies))))


@pytest.mark.parametrize(
    ("others", "number", "words", "last"),
    [
        ([*LINES, END, LINES[0]], 6, "it stands after the end", 4),
        ([END, END], 3, "it stands after the end", 1),
        ([LINES[0], BEGINNING, LINES[1]], 3, "it stands in the middle", 2),
        ([LINES[0], b"{}", LINES[1]], 3, "Object missing required field `kind`", 2),
    ],
)
def test_a_line_out_of_place_is_damage(
    others: list[bytes | msgspec.Struct], number: int, words: str, last: int
) -> None:
    found = survey(*others)
    assert found.damage is not None
    assert (found.damage.number, found.last.number) == (number, last)
    assert str(found.damage) == f"line {number} is damaged: {words}"
    assert found.sums().records == sum(each in LINES for each in others[: number - 2])


def test_a_repair_says_what_it_did(tmp_path: Path) -> None:
    """The number of the damaged line, how much is kept, and how much is gone; nothing where nothing was damaged."""
    (tmp_path / "one").mkdir()
    path = tmp_path / "one" / FILE
    good = sealed([msgspec.json.encode(BEGINNING), *LINES])
    path.write_bytes(b"".join(good))
    assert repair(tmp_path, "one") == Repair(0, 3, 0)

    path.write_bytes(b"".join(good[:3]) + b"damage\n" + good[3])
    assert repair(tmp_path, "one") == Repair(4, 2, len(b"damage\n" + good[3]))

    before = b"".join(good[:3])
    hashed = sha256(b"".join(each + b"\n" for each in LINES[:2])).hexdigest()
    end = RunEnd(3000, 1, 2, hashed, sha256(before).hexdigest(), "line 4 was damaged")
    assert path.read_bytes() == b"".join(sealed([*(each[:-18] for each in good[:3]), msgspec.json.encode(end)]))
    assert repair(tmp_path, "one") == Repair(0, 2, 0)
