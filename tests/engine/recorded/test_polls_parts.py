"""Parts of kept polls: their index, when a new one begins, what a line holds, and what is said of damage."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.recorded.polls_file import (
    part_path,
    repair_polls,
)
from engine.recorded.polls_writer import open_polls, polls_info
from tests.engine.recorded.polls import Kept, keep, polled

POLLS = polled()


def damaged(kept: Kept) -> Path:
    """The part of kept polls, in the middle of which something is damaged."""
    part = part_path(kept.path, 1)
    data = bytearray(part.read_bytes())
    data[data.index(b"\n") + 5] ^= 1
    part.write_bytes(data)
    return part


def test_damage_of_the_last_part_is_said_with_its_file(tmp_path: Path) -> None:
    kept = keep(tmp_path, POLLS[:4])
    part = damaged(kept)
    with pytest.raises(ConfigError) as caught:
        polls_info(tmp_path, kept.writer.name)
    assert [(each.file, each.message.startswith("line 2 is damaged")) for each in caught.value.problems] == [
        (str(part), True)
    ]
    with pytest.raises(ConfigError) as opened:
        open_polls(tmp_path, kept.writer.name)
    assert [each.hint for each in opened.value.problems] == [
        f"`schedlab runs repair {kept.writer.name}` keeps what is before and after it"
    ]


def test_a_repair_keeps_what_is_before_the_damage(tmp_path: Path) -> None:
    kept = keep(tmp_path, POLLS[:4])
    kept.writer.finish()
    part = damaged(kept)
    size = part.stat().st_size
    done = repair_polls(tmp_path, kept.writer.name)

    assert (done.damaged, done.polls) == (("part-000001.jsonl",), 1)
    assert done.cut_bytes == size - part.stat().st_size
    assert open_polls(tmp_path, kept.writer.name).polls == 1
