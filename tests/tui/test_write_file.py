"""Files that a user names: new ones, and ones that are replaced."""

import os
from pathlib import Path

import pytest

from engine.errors import ConfigError, OutputError
from tests.small_disk import small_disk
from tui.terminal.saving import write_file


def test_a_file_that_is_there_stays_without_force(tmp_path: Path) -> None:
    target = tmp_path / "x.toml"
    target.write_bytes(b"old")

    with pytest.raises(ConfigError, match="is there already"):
        write_file(target, [b"new"])

    assert target.read_bytes() == b"old"


def test_a_forced_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    """Where the disk is full the old one stays, and nothing lies beside it."""
    target = tmp_path / "x.toml"
    target.write_bytes(b"old")
    with small_disk(10), pytest.raises(OutputError):
        write_file(target, [b"longer than the disk"], force=True)
    assert (target.read_bytes(), list(tmp_path.iterdir())) == (b"old", [target])

    write_file(target, [b"new"], force=True)

    assert (target.read_bytes(), list(tmp_path.iterdir())) == (b"new", [target])


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to("kept")

    write_file(link, [b"new"], force=True)

    assert (link.is_symlink(), (tmp_path / "kept").read_bytes()) == (True, b"new")


def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    """A private one does not become everybody's."""
    target = tmp_path / "x.toml"
    target.touch(mode=0o600)

    write_file(target, [b"new"], force=True)

    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"new", 0o600)


@pytest.mark.parametrize("name", [".", "pipe"])
def test_only_a_regular_file_is_replaced(tmp_path: Path, name: str) -> None:
    if name == "pipe":
        os.mkfifo(tmp_path / name)

    with pytest.raises(ConfigError, match=r"cannot be written: (is a directory|nobody reads this pipe)"):
        write_file(tmp_path / name, [b"new"], force=True)

    assert (tmp_path / name).exists()
