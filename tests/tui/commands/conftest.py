"""Sources of every kind, for the tests of the command line."""

from pathlib import Path
from shutil import copytree
from typing import Final

import httpx
import pytest

from tests.engine.live.recorded import FakeServer, connected
from tests.engine.recorded.polls import keep, polled
from tests.invoke import said
from tests.tui.test_cli import SMALL

SCHEDULER: Final = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"
CONF: Final = """<allocations><queue name="a"><weight>3</weight></queue></allocations>"""


SCENE = """
duration = "5m"
[cluster]
groups = [{ prefix = "n", count = 2, memory = "10g", vcores = 16 }]
[settings]
"yarn.scheduler.maximum-allocation-mb" = 16384
"""
HALF = """
[[workload]]
type = "scripted"
name = "{name}"
user = "ann"
queue = "root.a"
at = 1
am = "unmanaged"
waits = true
asks = [
  {{ memory = "6g", duration = "1m" }},
  {{ at = 20, priority = 2, memory = "6g", duration = "1m" }},
]
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    """The only server that can be reached, rm1:8088; every node of it is reserved."""
    found = FakeServer("2.7.2-fair-kill")
    monkeypatch.setattr("tui.cli.live.connector", lambda authority, *, insecure, kerberos=False: connected(found))
    return found


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of `sources`, made once."""
    folder = tmp_path_factory.mktemp("sources")
    small = SMALL.replace("count = 2", "count = 2, duration = '5s'").partition("[[script]]")[0]
    small = small.replace('nodes = [{host = "n1", ', 'groups = [{prefix = "n", count = 1, ').replace(
        ", phase = 0.5}", "}"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SCHEDLAB_RUNS_FOLDER", str(folder / "runs"))
        Path("small.toml").write_text(small, encoding="utf-8")
        assert said("play small.toml -q --keep kept -o rm-log:rm.log").exit_code == 0
        assert said("get small.toml workload -o sls:trace.json").exit_code == 0
        assert said("tune small.toml --vary nodes=1,2 --workers 1 -o small.sweep").exit_code == 0
    (folder / "conf").mkdir()
    (folder / "conf/fair-scheduler.xml").write_text(CONF, encoding="utf-8")
    return folder


@pytest.fixture
def sources(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: FakeServer) -> FakeServer:
    """In the working directory: small.toml, trace.json, the run `kept`, rm.log, rm1:8088, conf and small.sweep."""
    copytree(written, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("SCHEDLAB_RUNS_FOLDER", str(tmp_path / "runs"))
    keys = {"yarn.resourcemanager.scheduler.class": SCHEDULER, "yarn.scheduler.maximum-allocation-mb": "64000"}
    stated = {"properties": [{"key": key, "value": value} for key, value in keys.items()]}
    server.fails = lambda request: httpx.Response(200, json=stated) if request.url.path == "/conf" else None
    return server


@pytest.fixture
def polls(sources: FakeServer, tmp_path: Path) -> Path:
    """Kept polls of a deadlock and its end, kept to their end, called rm1-8088-1; the file of their part."""
    found = keep(tmp_path / "runs", polled())
    found.writer.finish()
    return found.path / "part-000001.jsonl"


@pytest.fixture
def stuck(tmp_path: Path) -> str:
    """A scenario in which two applications wait for each other."""
    path = tmp_path / "stuck.toml"
    path.write_text(SCENE + HALF.format(name="first") + HALF.format(name="second"))
    return str(path)
