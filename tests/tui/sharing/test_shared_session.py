"""A session shared on a real socket: the run is the same with and without somebody who looks on."""

import asyncio
from pathlib import Path

from engine.observe.journal import JournalWriter
from engine.observe.spark_snapshot import PlanTables
from engine.run import Run
from engine.scenario.acts import KillApplication
from engine.schedulers.spark.assignment import RemainingDemand
from engine.schedulers.spark.scheduling_pass import PlanRecord
from tests.tui.fake_session import FakeSession
from tests.tui.sharing.visiting import forever, until, waited_for
from tests.tui.small_run import Wall, small_scenario
from tui.protocol.picture import Notice, SessionChanged
from tui.session.alert_monitor import EventLog
from tui.session.session import Session
from tui.sharing.link import READER, Link, greet
from tui.sharing.remote import RemoteSession
from tui.sharing.session_server import SharedSession
from tui.sharing.socket_directory import open_door


async def journal_of(folder: Path, *, is_shared: bool) -> bytes:
    """What a small run writes, driven by hand; on the way somebody looks on and breaks off."""
    wall, log, path = Wall(), EventLog(), folder / "journal"
    scenario = small_scenario()
    writer = JournalWriter.to_file(path, scenario)
    run = Run(scenario, [log, writer])
    session = Session(run, log, wall=wall, sleep=forever)
    opened = open_door(folder / "run", "small")
    shared = SharedSession(session, opened, "Small")
    connection = shared if is_shared else session
    await connection.pictures.start(lambda posted: None)
    for step in range(60):
        wall.now += 0.1
        session.driver.slice()
        if is_shared and step in {5, 30}:
            await _look_on(opened.address, session)
    assert (await session.acts.do(KillApplication("nothing"))).problems
    await connection.pictures.close()
    opened.close()
    writer.close()
    return path.read_bytes()


async def _look_on(address: object, session: Session) -> None:
    link = Link(address, READER)  # type: ignore[arg-type]  # an address
    remote = RemoteSession(link)
    picture = await remote.pictures.picture()
    definition = await remote.pictures.definition("node", picture.snapshot.nodes()[0].id)
    assert picture.snapshot.header.time_ms == session.driver.run.simulation.now_ms
    assert definition is not None
    assert await remote.pictures.definition("nothing", "n1") is None
    await remote.pictures.close()


async def test_the_journal_is_the_same_with_and_without_a_reader(tmp_path: Path) -> None:
    journals = []
    for name, is_shared in (("alone", False), ("shared", True)):
        (tmp_path / name).mkdir()
        journals.append(await journal_of(tmp_path / name, is_shared=is_shared))

    assert journals[0] == journals[1]
    assert journals[0].count(b"\n") > 10


async def test_what_the_session_posts_reaches_both_and_its_end_is_said(tmp_path: Path) -> None:
    wall, log = Wall(), EventLog()
    run = Run(small_scenario(), [log])
    session = Session(run, log, wall=wall, sleep=forever)
    opened = open_door(tmp_path / "run", "small")
    shared = SharedSession(session, opened, "Small")
    here: list[object] = []
    there: list[object] = []
    await shared.pictures.start(here.append)
    loop = asyncio.get_running_loop()
    reported: list[object] = []
    loop.set_exception_handler(lambda _, context: reported.append(context))
    assert (await loop.run_in_executor(None, greet, opened.address, READER)).title == "Small"
    link = Link(opened.address, READER, sleep=forever)
    link.start(there.append)
    await link.connected()
    await until(lambda: shared.door.guests)
    session.driver.notice("Nothing moves.", "error")
    session.driver.changed()
    await waited_for(lambda: Notice("Nothing moves.", "error") in there and there.count(SessionChanged()) > 1)
    shared.pictures.last_words = lambda: "The trainee has left."
    await shared.pictures.close()
    await waited_for(lambda: link.lost_words)

    assert Notice("Nothing moves.", "error") in here
    assert "The trainee has left." in link.lost_words
    assert reported == []
    assert (shared.clock, shared.acts, shared.questions) == (session.clock, session.acts, session.questions)
    await link.close()
    opened.close()


PLANS = (
    PlanTables(
        0,
        "Submitted",
        PlanRecord(1, 0, RemainingDemand(2, None, 1024), True, (), (), ()),
        {"w1": "w1"},
        "etl",
        ahead=True,
    ),
)


class SparkSession(FakeSession):
    """A session that has a plan."""

    async def plans(self) -> tuple[PlanTables, ...]:
        return PLANS


async def test_the_pictures_of_a_shared_session_are_its_own(tmp_path: Path) -> None:
    session = SparkSession()
    opened = open_door(tmp_path / "run", "small")
    shared = SharedSession(session, opened, "Small")
    await shared.pictures.start(lambda posted: None)
    link = Link(opened.address, READER, sleep=forever)
    remote = RemoteSession(link)
    seen = await remote.pictures.picture()

    assert (await shared.pictures.picture()).run == seen.run == session.run
    assert await shared.pictures.plans() == await remote.pictures.plans() == PLANS
    assert await shared.pictures.definition("queue", "a") == await remote.pictures.definition("queue", "a")
    await remote.pictures.close()
    await shared.pictures.close()
    assert session.closed
    opened.close()
