"""The session on a small real run: acts by id, what pictures show, and opening at a time."""

from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError
from engine.run import Run
from engine.scenario.acts import DrainNode, KillApplication, ReturnNode, SetPreemption, SetReservationRule
from tests.tui.small_run import SMALL, by_hand, small_session


def _row(run: Run, name: str) -> Any:
    return next(row for row in run.snapshot().applications() if row.name == name)


def test_kill_means_the_id() -> None:
    session, run, _ = small_session()
    run.advance(10_000)
    killed = _row(run, "holder").id
    answers = [session.do(KillApplication(killed)), session.do(KillApplication("application_1_9999"))]

    assert (answers, _row(run, "holder").state) == (["", "application_1_9999 is not there any more"], "KILLED")


def test_switches_change_what_the_header_shows() -> None:
    session, run, _ = small_session()
    before = run.snapshot().header
    answers = [session.do(SetPreemption(on=True)), session.do(SetReservationRule("limited"))]
    after = run.snapshot().header

    assert (answers, before.preemption, before.reservation_rule) == (["", ""], False, "strict")
    assert (after.preemption, after.reservation_rule) == (True, "limited")


def test_a_drained_node_is_shown_as_such_until_it_is_back() -> None:
    """The control plane does not know that a node drains; the operator's picture does."""
    session, run, _ = small_session()
    run.advance(10_000)
    node = next(row for row in run.snapshot().nodes() if row.containers).id
    seen = [session.do(DrainNode(node))]
    version = session.picture().snapshot.version("nodes")
    states = {row.id: row.state for row in session.picture().snapshot.nodes()}
    seen.append(session.do(ReturnNode(node)))
    after = {row.state for row in session.picture().snapshot.nodes()}

    assert (seen, states[node], after) == (["", ""], "DECOMMISSIONING", {"RUNNING"})
    assert version != session.picture().snapshot.version("nodes")


def test_the_rest_of_a_draining_picture_is_the_engines_own() -> None:
    session, run, _ = small_session()
    run.advance(10_000)
    session.do(DrainNode(run.snapshot().nodes()[0].id))
    ours, own = session.picture().snapshot, run.snapshot()

    assert (ours.queues(), ours.applications(), ours.reservations()) == (
        own.queues(),
        own.applications(),
        own.reservations(),
    )


def test_a_refusal_is_told_in_words() -> None:
    session, _, _ = small_session()

    assert "there is no node nowhere:1" in session.do(DrainNode("nowhere:1"))


def test_the_state_knows_the_place_of_thesmall_scenario() -> None:
    session, run, _ = small_session()

    assert msgspec.structs.asdict(session.state) == {
        "name": "small", "title": "", "seed": 4, "speed": 10.0, "paused": False, "frozen": "", "ended": False,
        "end_ms": run.scenario.start_ms + 600_000, "offset_ms": 28_800_000, "present_ms": None,
        "track": None, "reception": None, "standing": (), "alerts": (), "judged": (), "failure": "",
        "recorded": "",
    }  # fmt: skip


def test_a_session_opens_at_a_time(tmp_path: Any) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    session = by_hand(str(path), at="08:30:20", overrides=["seed=5"])
    picture = session.picture()

    assert (picture.snapshot.header.applications_running, picture.run.seed, bool(picture.events)) == (1, 5, True)


@pytest.mark.parametrize(("at", "words"), [("soon", "soon"), ("+2h", "after the end"), ("-5m", "before the start")])
def test_a_time_that_cannot_be_opened_is_refused(at: str, words: str, tmp_path: Any) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")

    with pytest.raises(ConfigError, match=words):
        by_hand(str(path), at=at)
