"""`schedlab open`: what flags and settings make of a session."""

import gzip
from math import inf
from pathlib import Path

import pytest

from tests.engine.live.recorded import FOLDER
from tests.engine.recorded.polls import ASSIGNED, STATE, lines
from tests.invoke import said
from tests.tui.screen_text import press, screen_text
from tui.app import SchedlabApp
from tui.cli.open import ABSENT
from tui.session.series import SeriesConnection
from tui.session.session import Session

HOUR = """
name = "small"
duration = "{duration}"
[cluster]
groups = [{{ count = 1, memory_mb = 4096, vcores = 4 }}]
"""


# `schedlab open LOG…`: files of a log are told from scenarios, and shown.

LOG = lines(STATE.format("0001", "SUBMITTED", "ACCEPTED"), ASSIGNED.format("0001", 1, 1024))


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[SchedlabApp]:
    found: list[SchedlabApp] = []
    monkeypatch.setattr("tui.cli.open.needs_terminal", lambda instead: None)

    def run(screen: SchedlabApp) -> None:
        found.append(screen)

    monkeypatch.setattr(SchedlabApp, "run", run)
    return found


@pytest.mark.parametrize(
    ("given", "duration", "speed"),
    [([], "30m", 10.0), ([], "6h", 60.0), (["--speed", "0"], "30m", inf), (["--speed", "2.5"], "30m", 2.5)],
    ids=["minutes", "hours", "flat out", "as said"],
)
def test_the_speed_fits_the_scenario_unless_it_is_said(
    given: list[str], duration: str, speed: float, shown: list[SchedlabApp], tmp_path: Path
) -> None:
    path = tmp_path / "small.toml"
    path.write_text(HOUR.format(duration=duration), encoding="utf-8")
    assert said("open", [str(path), *given], environment={"XDG_CONFIG_HOME": str(tmp_path)}).exit_code == 0
    session = shown[0]._shared.connection
    assert isinstance(session, Session)

    assert session.driver.state.speed == speed


async def test_what_the_log_says_is_on_the_screen(shown: list[SchedlabApp]) -> None:
    """With its name, its badge and its culprit; a key that would act is answered."""
    done = said("open", [str(FOLDER / "2.7.2-fair-rm-info.log.gz"), "--at", "00:22:45"])
    assert done.exit_code == 0, done.output
    screen = shown[0]
    async with screen.run_test(size=(160, 50)) as pilot:
        await pilot.pause()
        seen = screen_text(screen)
        await press(pilot, "K")
        footer = screen_text(screen).splitlines()[-1]
        await press(pilot, "w")
        why = screen_text(screen)

    assert all(words in seen for words in ("LOG", "rm-info.log.gz", "FROZEN", "0010 holds 11 of 12 nodes", "PAST of"))
    assert "Read-only" in footer
    assert all(
        words in why for words in ("pyspark weekly model", "62.5G wanted", "no forecast for a live or recorded cluster")
    )
    assert "recorded" in ABSENT.acts


async def test_the_twin_of_a_log_is_made_by_the_files_that_are_named(shown: list[SchedlabApp], tmp_path: Path) -> None:
    """A queue that no application was ever in is there, and the scheduler is the one named."""
    allocations = tmp_path / "fair.xml"
    allocations.write_text('<allocations><queue name="nights"><weight>3.0</weight></queue></allocations>')
    log = str(FOLDER / "2.7.2-fair-rm-info.log.gz")
    done = said("open", [log, "--fair-scheduler", str(allocations), "--scheduler", "fair-3.4"])
    assert done.exit_code == 0, done.output
    connection = shown[0]._shared.connection
    assert isinstance(connection, SeriesConnection)
    assert connection.twin is not None, "a log has one"
    opened = await connection.twin.open("")
    snapshot = (await opened.connection.pictures.picture()).snapshot

    assert "root.nights" in [row.path for row in snapshot.queues()]
    assert snapshot.header.scheduler == "fair-3.4"


@pytest.mark.parametrize(("source", "scheduler"), [("RMAppImpl", "fair-2.7"), ("RMAppLifetimeMonitor", "fair-3.4")])
async def test_the_twin_of_a_log_has_the_scheduler_of_its_release(
    source: str, scheduler: str, shown: list[SchedlabApp], tmp_path: Path
) -> None:
    text = gzip.decompress((FOLDER / "2.7.2-fair-rm-info.log.gz").read_bytes()).decode()
    (tmp_path / "rm.log").write_text(f"{text}{text.splitlines()[-1][:23]} INFO org.apache.hadoop.yarn.{source}: -\n")
    assert said("open", [str(tmp_path / "rm.log")]).exit_code == 0
    connection = shown[0]._shared.connection
    assert isinstance(connection, SeriesConnection)
    assert connection.twin is not None, "a log has one"
    opened = await connection.twin.open("")

    assert (await opened.connection.pictures.picture()).snapshot.header.scheduler == scheduler


@pytest.mark.parametrize(
    ("texts", "options", "words"),
    [
        ([LOG, "id,cpu,memory,gpu\n"], [], "is a table with the columns id,cpu,memory,gpu, no trace"),
        (
            [LOG, '{"apps": {"app": []}}'],
            [],
            "is applications of a ResourceManager (JSON), no log of a ResourceManager",
        ),
        ([LOG.splitlines()[0].replace("application_17_0001", "none")], [], "says nothing of applications or nodes"),
        ([LOG], ["--at", "10:00"], "--at: 10:00 has not come yet."),
        ([LOG], ["--scheduler", "fare"], "'fare' is none of YARN's schedulers"),
    ],
)
def test_what_is_no_log_is_refused_by_what_it_is(
    texts: list[str], options: list[str], words: str, shown: list[SchedlabApp], tmp_path: Path
) -> None:
    paths = [tmp_path / f"rm.log.{number}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    done = said("open", [*map(str, paths), *options])

    assert (done.exit_code, shown) == (2, [])
    assert words in " ".join(done.output.split())
