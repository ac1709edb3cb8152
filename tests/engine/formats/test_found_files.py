"""Files as they are named on a command line or by another file: which one is meant, and what it is."""

from pathlib import Path

import pytest

from engine.formats.scenario_toml import find


@pytest.mark.parametrize(
    ("name", "beside", "file", "folder"),
    [
        ("x/a.toml", None, "x/a.toml", "x"),
        ("a.toml", None, "a.toml", "."),
        ("a.toml", "b", "b/a.toml", "b"),
        ("/x/a.toml", "b", "/x/a.toml", "/x"),
        ("/x/a.toml", None, "/x/a.toml", "/x"),
        ("-", None, "-", "."),
    ],
)
def test_a_path_is_taken_from_the_folder_beside(name: str, beside: str | None, file: str, folder: str) -> None:
    found = find(name, None if beside is None else Path(beside))

    assert (found.name, found.file, found.folder) == (name, Path(file), Path(folder))
