"""What the lines of a run come to, as far as they are good, and what a repair says it did."""

import io
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from engine.errors import ConfigError, Problem
from engine.run.run_file import FILE, DamagedLineError, RunBeginning, RunEnd, Samples
from engine.run.run_survey import Repair, Survey, repair
from engine.scenario.acts import SetPreemption
from engine.simulation.records import Acted, Draining, Record
from tests.engine.run.test_run_reader import sealed

BEGINNING = RunBeginning(2, "a", "b", "fifo", 1, "now", "1.0", 1000, 0, msgspec.Raw(b"{}"))
END = RunEnd(9000, 1, 2, "j", "f")


def journal(time_ms: int, record: Record) -> bytes:
    """A line of the journal."""
    return b"[%d,%s]" % (time_ms, msgspec.json.encode(record))


DRAINS, FAULT = Draining("n"), Acted(SetPreemption(on=True))
ACT = Acted(SetPreemption(on=True), (5, 1))
LINES = [journal(3000, DRAINS), journal(3000, ACT), journal(2000, FAULT)]


def survey(*others: bytes | msgspec.Struct) -> Survey:
    """Of a beginning and further lines, with right seals."""
    bodies = [each if isinstance(each, bytes) else msgspec.json.encode(each) for each in (BEGINNING, *others)]
    return Survey(io.BytesIO(b"".join(sealed(bodies))))


def test_a_beginning_alone_comes_to_nothing() -> None:
    """It is known up to its start."""
    found = survey()
    assert (found.beginning, found.damage, found.end, found.until_ms) == (BEGINNING, None, None, 1000)
    assert found.sums() == RunEnd(1000, 0, 0, sha256(b"").hexdigest(), "", "")
    assert found.last.number == 1


def test_lines_are_counted_up_to_the_last_good_one() -> None:
    """Acts are those from outside; the run is known up to its latest instant."""
    found = survey(*LINES, Samples(4000, {"a": 1}))
    hashed = sha256(b"".join(each + b"\n" for each in LINES)).hexdigest()
    assert found.sums() == RunEnd(3000, 1, 3, hashed, "", "")
    assert found.sums("full", "f") == RunEnd(3000, 1, 3, hashed, "f", "full")
    assert (found.last.number, found.damage, found.end) == (5, None, None)


def test_the_end_is_not_the_last_line_to_be_kept() -> None:
    """But the run's own end."""
    found = survey(*LINES, END)
    assert (found.end, found.last.number, found.damage) == (END, 4, None)


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
    """Nothing after it counts."""
    found = survey(*others)
    assert found.damage is not None
    assert (found.damage.number, found.last.number) == (number, last)
    assert str(found.damage) == f"line {number} is damaged: {words}"
    assert found.sums().records == sum(each in LINES for each in others[: number - 2])


@pytest.mark.parametrize("first", [b"", msgspec.json.encode(Samples(0, {})), msgspec.json.encode(END)])
def test_a_file_begins_with_its_beginning(first: bytes) -> None:
    """Anything else is damage of the first line."""
    file = io.BytesIO(b"".join(sealed([first])) if first else b"")
    with pytest.raises(DamagedLineError) as damage:
        Survey(file)
    assert (damage.value.number, str(damage.value)) == (1, "line 1 is damaged")


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


def test_a_first_line_that_is_damaged_cannot_be_repaired(tmp_path: Path) -> None:
    """The run can only be deleted."""
    (tmp_path / "one").mkdir()
    path = tmp_path / "one" / FILE
    path.write_bytes(msgspec.json.encode(BEGINNING) + b"\n")
    with pytest.raises(ConfigError) as error:
        repair(tmp_path, "one")
    words = "line 1 is damaged; nothing of it can be kept"
    assert error.value.problems == (Problem(words, file=str(path), hint="`schedlab runs delete one`"),)
