"""Configuration files that a user names for a cluster: which settings hold, and what is refused."""

from pathlib import Path

import pytest

from engine.errors import ConfigError
from tests.tui.session.test_live_questions import FAIR
from tui.commands.twin_options import ClusterFiles

MEMORY, CORES = "yarn.scheduler.minimum-allocation-mb", "yarn.scheduler.minimum-allocation-vcores"
SERVER = {MEMORY: "1", CORES: "2"}


def file(folder: Path, name: str, **values: str) -> Path:
    """A file of Hadoop's."""
    path = folder / name
    rows = "".join(f"<property><name>{key}</name><value>{value}</value></property>" for key, value in values.items())
    path.write_text(f"<configuration>{rows}</configuration>")
    return path


def test_without_files_the_server_says_them() -> None:
    """Or nobody."""
    assert ClusterFiles().settings(None) is None
    assert ClusterFiles().settings(SERVER) == SERVER


def test_a_site_file_takes_the_place_of_the_server(tmp_path: Path) -> None:
    """That of queues stands beside what the server says."""
    site, queues = file(tmp_path, "site.xml", **{MEMORY: "5"}), file(tmp_path, "q.xml", **{MEMORY: "7"})

    assert ClusterFiles(site=site).settings(SERVER) == {MEMORY: "5"}
    assert ClusterFiles(site=site).settings(None) == {MEMORY: "5"}
    assert ClusterFiles(capacity=queues).settings(SERVER) == {MEMORY: "7", CORES: "2"}
    assert ClusterFiles(capacity=queues).settings(None) == {MEMORY: "7"}
    assert ClusterFiles(site=site, capacity=queues).settings(None) == {MEMORY: "7"}


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    """As if none were named."""
    assert ClusterFiles(capacity=file(tmp_path, "q.xml")).settings(None) is None


def test_the_text_of_allocations_is_read(tmp_path: Path) -> None:
    """Where it is named."""
    path = tmp_path / "fair.xml"
    path.write_text("<allocations/>")

    assert (ClusterFiles().allocations(), ClusterFiles(fair=path).allocations()) == (None, "<allocations/>")
    assert ClusterFiles(fair=path).configuration(FAIR, None).scheduler == "fair-2.7"


def test_what_cannot_be_read_is_refused_before_anybody_needs_it(tmp_path: Path) -> None:
    """A file that is not there, an allocation file that is none, a scheduler nobody knows."""
    none, wrong = tmp_path / "none.xml", tmp_path / "wrong.xml"
    wrong.write_text("no allocations")
    for files in (ClusterFiles(fair=none), ClusterFiles(site=none), ClusterFiles(scheduler="toy")):
        with pytest.raises(ConfigError):
            _ = files.checked()
    with pytest.raises(ConfigError):
        _ = ClusterFiles(fair=wrong).configuration(FAIR, None)

    good = ClusterFiles(site=file(tmp_path, "site.xml"), scheduler="capacity-3.4")
    assert good.checked() is good


@pytest.mark.parametrize("field", ["fair", "capacity", "site", "scheduler"])
def test_a_simulation_takes_no_files(field: str, tmp_path: Path) -> None:
    """It says what they are for."""
    ClusterFiles().refuse_beside("a log")
    with pytest.raises(ConfigError, match="configuration files of a cluster are for a log alone"):
        ClusterFiles(**{field: "x" if field == "scheduler" else tmp_path}).refuse_beside("a log")  # type: ignore[arg-type]  # by name
