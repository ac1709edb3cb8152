"""What is done on screen is kept: each act before it is answered, a branch as a run of its own."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import load
from engine.live.alarms import parse_rules
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from engine.observe.journal import Fingerprint
from engine.observe.snapshot import Snapshot
from engine.recorded.polls_writer import PollsWriter
from engine.run import play
from engine.run.run_reader import KeptRun, replayed
from engine.run.run_store import FILE, names
from engine.run.run_writer import RunWriter
from engine.scenario import Scenario
from engine.scenario.acts import SetPreemption
from tests.engine.live.recorded import FakeServer, connected
from tests.engine.run.test_run_reader import sealed
from tests.small_disk import small_disk
from tests.tui.small_run import ByHand, by_hand
from tests.tui.test_cli import SMALL
from tui.protocol.picture import ExpectationResult, Notice, SessionChanged
from tui.session.live_pictures import LiveConnection, LivePictures
from tui.session.opening import Keep, open_kept
from tui.session.series import PollKeeping


def keep_in(root: Path, name: str, parent: str = "", branched_ms: int = 0) -> Keep:
    def keep(scenario: Scenario) -> RunWriter:
        return RunWriter(root, name, scenario, created="", parent=parent, branched_ms=branched_ms)

    return keep


def opened(tmp_path: Path, at: str = "+20") -> ByHand:
    """A session on the small scenario that is kept as `one`."""
    (tmp_path / "small.toml").write_text(SMALL)
    return by_hand(str(tmp_path / "small.toml"), at=at, paused=True, keep=keep_in(tmp_path / "runs", "one"))


def checked(root: Path, name: str) -> tuple[int, bool, str, float]:
    """Acts of a kept run, whether it ended, its parent, when it branched [s]; it has to be what a replay gives."""
    with KeptRun(root, name) as run:
        hashed = Fingerprint()
        replayed(run, run.info.until_ms, [hashed])
        assert run.info.journal_hash == hashed.hexdigest()
        since_ms = run.info.branched_ms - run.info.start_ms if run.info.branched_ms else 0
        return run.info.acts, run.info.is_whole, run.info.parent, since_ms / 1000


async def test_a_run_on_screen_is_kept_with_its_acts(tmp_path: Path) -> None:
    """Each act is there when it is answered; the rest when the screen closes."""
    session = opened(tmp_path)
    session.do(SetPreemption(on=True))
    assert checked(tmp_path / "runs", "one") == (1, False, "", 0)
    session.step("second")
    await session.close()

    assert checked(tmp_path / "runs", "one") == (1, True, "", 0)
    assert session.keeping.names == ["one"]


async def test_a_branch_is_a_run_of_its_own(tmp_path: Path) -> None:
    """The former ends where it was; the new one has its past up to the branch, and goes on."""
    session = opened(tmp_path)
    session.do(SetPreemption(on=True))
    session.travel("+10")
    session.branch()
    session.do(SetPreemption(on=True))
    session.do(SetPreemption(on=False))
    await session.close()

    runs = tmp_path / "runs"
    assert session.keeping.names == ["one", "small-1"] == names(runs)
    assert checked(runs, "one") == (1, True, "", 0)
    assert checked(runs, "small-1") == (2, True, "one", 10)


def series(root: Path, name: str) -> dict[str, list[tuple[int, int]]]:
    with KeptRun(root, name) as run:
        return run.series()


async def test_a_branch_has_the_series_of_its_whole_past(tmp_path: Path) -> None:
    session = opened(tmp_path, at="+30")
    session.travel("+10")
    session.branch()
    for _ in range(20):
        session.step("second")
    await session.close()

    runs = tmp_path / "runs"
    first, branch = (series(runs, name) for name in ("one", "small-1"))
    assert max(value for _, value in first["containers"]) > 1
    assert first == branch


async def test_a_kept_run_goes_on_in_another(tmp_path: Path) -> None:
    """Which holds all of it, what is done on top, and where it went on from."""
    session = opened(tmp_path)
    session.do(SetPreemption(on=True))
    await session.close()
    runs = tmp_path / "runs"
    with KeptRun(runs, "one") as run:
        again = ByHand(open_kept(run, keep=keep_in(runs, "two", "one", run.info.until_ms)))
    again.do(SetPreemption(on=False))
    await again.close()

    assert checked(runs, "one") == (1, True, "", 0)
    assert checked(runs, "two") == (2, True, "one", 20)


def test_a_branch_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """In words; the past is still looked at, and the former run is kept on."""
    session = opened(tmp_path)
    session.travel("+10")
    (tmp_path / "runs" / "one").rename(tmp_path / "runs" / "gone")

    words = session.branch()

    assert "one" in words
    assert session.picture().run.present_ms is not None
    assert session.keeping.names == ["one"]


async def test_a_full_disk_is_told_once_and_the_run_goes_on(tmp_path: Path) -> None:
    """The act is done, nothing more is kept, and what was kept says why it ends."""
    session = opened(tmp_path)
    posted: list[object] = []
    session.start(posted.append)
    with small_disk((tmp_path / "runs" / "one" / FILE).stat().st_size):
        assert session.do(SetPreemption(on=True)) == ""
        session.step("second")
    session.do(SetPreemption(on=False))
    words = session.branch() if not session.travel("+10") else "it cannot be travelled"
    await session.close()

    trouble = "the run one is no longer kept: file too large"
    assert (words, session.keeping.troubles, session.keeping.names) == ("", [trouble], ["one"])
    assert [each.words for each in posted if isinstance(each, Notice)] == [f"{trouble}."]
    with KeptRun(tmp_path / "runs", "one") as run:
        assert (run.info.is_whole, run.info.failure, run.info.acts) == (False, "file too large", 0)


async def test_a_run_that_is_not_what_a_replay_gives_is_not_opened(tmp_path: Path) -> None:
    session = opened(tmp_path)
    await session.close()
    path = tmp_path / "runs" / "one" / FILE
    bodies = [line[:-18] for line in path.read_bytes().splitlines(keepends=True)]
    path.write_bytes(b"".join(sealed([*bodies[:3], *bodies[4:-1], bodies[-1]])))

    with KeptRun(tmp_path / "runs", "one") as run, pytest.raises(ConfigError, match="does not replay run one"):
        open_kept(run)


KILLED = """
import sys
from pathlib import Path
from engine.scenario.acts import SetPreemption
from tests.tui.session.test_run_saver import opened
session = opened(Path(sys.argv[1]))
for turn in range(10_000):
    if turn == 5:
        session.travel("+10")
        assert not session.branch()
    assert not session.do(SetPreemption(on=turn % 2 == 0))
    session.step("second")
    print(session.keeping.names[-1], turn + 1, flush=True)
"""


@pytest.mark.long
def test_nothing_acknowledged_is_lost_when_the_program_is_killed(tmp_path: Path) -> None:
    """After SIGKILL every answered act is there, those before the branch in its parent too."""
    acknowledged, name = 0, ""
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for _ in range(12):
            name, turns = process.stdout.readline().split()
            acknowledged = int(turns)
        process.send_signal(signal.SIGKILL)

    assert (process.returncode, name) == (-signal.SIGKILL, "small-1")
    with KeptRun(tmp_path / "runs", "one") as run:
        assert len(run.acts()) == 5
    with KeptRun(tmp_path / "runs", name) as run:
        assert len(run.acts()) >= acknowledged - 5
        assert run.info.parent == "one"
        hashed = Fingerprint()
        replayed(run, run.info.until_ms - 1, [hashed])
        assert hashed.hexdigest() == run.hash_until(run.info.until_ms - 1)


# A live cluster whose polls are kept: back to any of them while it is watched, and on to the present.


class KeptWatch:
    """A watch of a played server that keeps its polls; a round is made by hand."""

    def __init__(self, root: Path) -> None:
        self.server = FakeServer("2.7.2-fair-kill")
        self.posted: list[SessionChanged | Notice] = []

        def begin(first: Snapshot) -> PollsWriter:
            return PollsWriter(root, None, first, "rm1:8088", created="now", offset_ms=0, keep_for_ms=0)

        self.keeping = PollKeeping(begin)
        client = RestClient([f"http://{self.server.host}"], connected(self.server), wall=self.now)
        source = YarnSource(client, PollPace())
        self.pictures = LivePictures(
            source, parse_rules(["all nodes reserved"]), wall=self.now, sleep=self._sleep, keeping=self.keeping
        )

    def now(self) -> float:
        return self.server.now_s

    async def _sleep(self, seconds: float) -> None:
        await asyncio.Event().wait()

    async def rounds(self, count: int, step: int = 2) -> None:
        for _ in range(count):
            await self.pictures.round()
            self.server.place = min(self.server.place + step, len(self.server.rounds) - 1)


@asynccontextmanager
async def watching(root: Path, rounds: int = 5) -> AsyncIterator[KeptWatch]:
    watch = KeptWatch(root)
    await watch.rounds(rounds)
    await watch.pictures.start(watch.posted.append)
    try:
        yield watch
    finally:
        await watch.pictures.close()
        watch.keeping.finish()


async def test_one_may_go_back_and_on_to_the_present(tmp_path: Path) -> None:
    """The picture is that of the poll, and says how far the present is."""
    async with watching(tmp_path) as watch:
        connection = LiveConnection(watch.pictures)
        assert connection.clock is not None
        present = await watch.pictures.picture()
        await connection.clock.travel("back")
        await connection.clock.travel("back")
        past = await watch.pictures.picture()
        now_ms = present.snapshot.header.time_ms
        await connection.clock.travel("live")
        again = await watch.pictures.picture()

    assert (past.run.present_ms, (now_ms - past.snapshot.header.time_ms) // 100) == (now_ms, 39)
    assert (past.run.name, past.run.paused, past.run.reception is not None) == ("rm1:8088", True, True)
    assert (again.run.present_ms, again.snapshot) == (None, present.snapshot)


async def test_rounds_go_on_while_the_past_is_looked_at(tmp_path: Path) -> None:
    async with watching(tmp_path) as watch:
        assert watch.pictures.clock is not None
        await watch.pictures.clock.travel("back")
        before = await watch.pictures.picture()
        await watch.rounds(2)
        after = await watch.pictures.picture()

    assert after.snapshot.header == before.snapshot.header
    assert (after.run.present_ms or 0) > (before.run.present_ms or 0)


async def test_questions_are_asked_of_the_past_looked_at(tmp_path: Path) -> None:
    async with watching(tmp_path) as watch:
        assert watch.pictures.clock is not None
        first_ms = (await watch.pictures.picture()).snapshot.header.time_ms - 8_000
        await watch.pictures.clock.travel("back")

        assert not watch.pictures.is_present
        assert watch.pictures.looked_at().header.time_ms == first_ms + 6_000


async def test_a_full_disk_is_said_once_and_the_watch_goes_on(tmp_path: Path) -> None:
    async with watching(tmp_path, rounds=1) as watch:
        with small_disk(1_000):
            await watch.rounds(2)
        notices = [each.words for each in watch.posted if isinstance(each, Notice)]
        picture = await watch.pictures.picture()

    assert [words for words in notices if "kept" in words] == [
        "the polls rm1-8088-1 are no longer kept: file too large"
    ]
    assert picture.snapshot.header.nodes == 12


# Expectations are judged at the end of a run, as it went.

NAME = "spark-spread-out"


def _judged(session: ByHand) -> tuple[ExpectationResult, ...]:
    """How the expectations came out once the run has been played to its end."""
    session.driver.run.advance(session.driver.run.until_ms)
    for _ in range(2000):
        session.slice()
        if session.picture().run.judged:
            break
    judged: tuple[ExpectationResult, ...] = session.picture().run.judged
    return judged


@pytest.mark.parametrize("name", [NAME, "spark-no-worker-large-enough"])
def test_a_run_nobody_touched_is_judged_as_play_judges_it(name: str) -> None:
    """The same verdicts at the same instants, whether a script acts or nobody does."""
    session = by_hand(name, at="+1m")
    start_ms = session.driver.run.scenario.start_ms

    expected = [(one.verdict, one.time_ms) for one in play(load(name)).results]
    assert [(one.verdict, (one.time_ms or 0) - start_ms) for one in _judged(session)] == expected


def test_a_session_tells_how_the_expectations_came_out_when_it_has_ended() -> None:
    session = by_hand(NAME, at="+1m")
    before = session.picture().run.judged
    judged = _judged(session)
    session.travel("+90s")
    session.branch()

    assert before == ()
    assert {one.verdict for one in judged} == {"met"}
    assert session.picture().run.judged == ()
