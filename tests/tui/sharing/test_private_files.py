"""What carries a token: a folder of the user's alone, files that no planted link leads elsewhere."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from tests.invoke import said
from tui.cli.yarn import PLACE
from tui.sharing.meeting_place import make_private, read_private, write_private


def test_a_private_file_is_new_and_its_owners(tmp_path: Path) -> None:
    """Neither a file nor a link that is there is written through; others can do nothing with it."""
    victim, link = tmp_path / "victim", tmp_path / "link"
    victim.write_text("mine")
    link.symlink_to(victim)

    for taken in (victim, link):
        with pytest.raises(FileExistsError):
            write_private(taken, "token")
    write_private(tmp_path / "new", "token")

    assert (victim.read_text(), (tmp_path / "new").stat().st_mode & 0o777) == ("mine", 0o600)
    assert read_private(tmp_path / "new") == "token"


def test_what_others_made_is_not_read(tmp_path: Path) -> None:
    """A link, and a file that others can write."""
    write_private(tmp_path / "kept", "token")
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "open").write_text("token")
    (tmp_path / "open").chmod(0o666)

    for name in ("link", "open"):
        with pytest.raises(OSError, match=r"link|alone"):
            read_private(tmp_path / name)


def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    """One that others can enter, or a link to one."""
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(shared)

    for folder in (shared, tmp_path / "link"):
        with pytest.raises(ConfigError, match="not a folder of yours alone"):
            make_private(folder)


@pytest.mark.parametrize("text", ["{}", "[]", '{"url": 5, "token": "x"}', "", "\xff"])
def test_a_place_of_another_shape_is_refused(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`schedlab yarn` says which file, and ends with 2."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    make_private(tmp_path / "schedlab")
    write_private(tmp_path / "schedlab" / f"x-1{PLACE}", text)

    done = said("", ["yarn", "node", "-list"])

    assert (done.exit_code, "does not say where a drill is served" in done.stderr) == (2, True)
