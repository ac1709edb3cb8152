"""What the pictures of a session hold, and how the versions of their events differ."""

from engine.formats.scenario_toml import load
from engine.observe.spark_plans import PlanTables
from engine.run.player import Run
from engine.scenario.acts import DrainNode, KillApplication
from tests.tui.small_run import ByHand, by_hand, now, small_session
from tui.picture import QUEUE
from tui.session.event_log import EventLog
from tui.session.session import Session


def test_a_picture_is_of_now() -> None:
    """With events, graphs, presets and the way it has come."""
    session, run, _ = small_session(paused=True)
    run.advance(10_000)
    picture = session.picture()
    track, graphs = picture.run.track, picture.graphs

    assert picture.snapshot.header.time_ms == run.simulation.now_ms
    assert [event.sequence for event in picture.events] == list(range(len(picture.events)))
    assert (track.start_ms, track.first_ms, track.marks, track.acts) == (
        run.scenario.start_ms,
        run.scenario.start_ms,
        (),
        {},
    )
    assert graphs.start_ms == run.scenario.start_ms
    assert [preset.name for preset in picture.presets] == ["holder"]
    assert picture.run.present_ms is None


def test_acts_are_on_the_track_by_their_names() -> None:
    """And among its marks."""
    session, run, _ = small_session(paused=True)
    run.advance(10_000)
    session.do(KillApplication("holder"))
    track = session.picture().run.track

    assert track.acts == {run.simulation.now_ms: "KillApplication"}
    assert track.marks == (run.simulation.now_ms,)


def test_versions_of_events_differ_where_the_events_do() -> None:
    """In the present by count, in the past by what is shown there; the same again where they are the same."""
    session, run, _ = small_session(paused=True)
    versions = []
    for seconds in (1, 5, 6, 30):
        run.advance(seconds * 1000)
        versions.append((len(session.picture().events), session.picture().events_version))
    session.travel("+5")
    past = session.picture().events_version
    session.travel("+1")
    earlier = session.picture().events_version
    session.travel("+5")

    assert len({version for _, version in versions}) == len({count for count, _ in versions})
    assert len({past, earlier, *(version for _, version in versions)}) == len({v for _, v in versions}) + 2
    assert session.picture().events_version == past
    session.travel("live")
    assert session.picture().events_version == versions[-1][1]


def test_an_alert_makes_another_version() -> None:
    """Though no record came."""
    session = by_hand("pattern-user-limit", at="+60s", paused=True)
    before = session.picture()
    session.driver._find_alerts()
    after = session.picture()

    count = len(after.events) - len(before.events)
    assert after.events_version - before.events_version == count
    assert len(after.run.alerts) >= count


def test_a_node_that_drains_is_shown_as_such_in_the_present() -> None:
    """And a definition is that of the instant looked at."""
    session, run, _ = small_session(paused=True)
    run.advance(10_000)
    node = next(row for row in run.snapshot().nodes() if row.containers).id
    session.do(DrainNode(node))
    states = {row.id: row.state for row in session.picture().snapshot.nodes()}

    assert states[node] == "DECOMMISSIONING"
    assert session.definition(QUEUE, "root").name == "root"
    assert session.definition(QUEUE, "root.nowhere") is None


def test_plans_are_those_of_sparks_master() -> None:
    """YARN has none."""
    log = EventLog()
    run = Run(load("spark-packing"), [log])
    session = ByHand(Session(run, log, paused=True))
    run.advance(30_000)
    yarn, _, _ = small_session()

    assert all(isinstance(plan, PlanTables) for plan in session.plans())
    assert (len(session.plans()) > 0, yarn.plans()) == (True, ())


def test_a_question_is_asked_of_the_instant_looked_at() -> None:
    """With the records up to it."""
    session, run, _ = small_session(paused=True)
    run.advance(30_000)
    session.travel("+10")
    scene = session.session.scene()

    assert scene.simulation.now_ms == run.scenario.start_ms + 10_000
    assert (scene.scenario, scene.offset_ms) == (run.scenario, 28_800_000)
    assert max(event.time_ms for event in scene.events) <= scene.simulation.now_ms


def test_a_session_that_is_put_together_stands_as_it_is_told() -> None:
    """Running at ten where nothing is said."""
    log = EventLog()
    run = Run(load("fair-order"), [log])
    session = Session(run, log)

    assert (session.driver.state.speed, session.driver.state.paused) == (10.0, False)
    assert now(session.pictures.picture()).run.name == "fair-order"
