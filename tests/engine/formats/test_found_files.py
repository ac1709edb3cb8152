"""Files as they are named on a command line or by another file: which one is meant, and what it is."""

from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.configuration_files import Kind, read_file, read_files
from engine.formats.scenario_files import find
from tests.engine.formats.capacity_files import TWO_QUEUES, write


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
    """From the working directory where there is none; a whole path from nowhere."""
    found = find(name, None if beside is None else Path(beside))

    assert (found.name, found.file, found.folder) == (name, Path(file), Path(folder))


@pytest.mark.parametrize(
    ("text", "is_table"), [("n1 /r1\n", True), ("n1 r1\nn2 /r2\n", True), ("n1 r1\n", False), ("n1\n", False)]
)
def test_a_table_has_a_rack_with_a_slash(tmp_path: Path, text: str, *, is_table: bool) -> None:
    """One of them is enough."""
    path = tmp_path / "table"
    path.write_text(text)
    if is_table:
        assert read_file(path).kind is Kind.TOPOLOGY
        return
    with pytest.raises(ConfigError) as refused:
        read_file(path)

    hint = "a line of a table is: HOST /RACK"
    message = "is neither XML nor a table of hosts and racks"
    assert refused.value.problems == (Problem(message, str(path), hint=hint),)


def test_nodes_without_a_number_for_their_memory_are_none(tmp_path: Path) -> None:
    """As those without any memory."""

    def rules(memory: str) -> list[str]:
        node = ("yarn.nodemanager.resource.memory-mb", memory), ("yarn.nodemanager.resource.cpu-vcores", "4")
        return [each.rule for each in read_files([write(tmp_path, *TWO_QUEUES, *node)], "2.7").findings]

    assert rules("x") == rules("0") != rules("8192")
