"""Questions to real runs, worked on by hand: nothing sleeps, and looking leaves no trace."""

import json
import re
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from engine.explain.answer import PlaceReport, WhyReport
from engine.explain.remedy import remedy_sentence
from engine.formats.scenario_toml import load, loads
from engine.observe.journal import JournalWriter
from engine.run import Run
from engine.scenario.acts import KillApplication
from tests.engine.explain.stuck import HALVES, scene
from tests.invoke import said
from tests.tui.small_run import ByHand, Wall, by_hand
from tui.pages.why_parts import remedies_of
from tui.protocol.picture import ACT, WhyAnswer, WhySubject
from tui.session.alert_monitor import EventLog
from tui.session.session import QuestionWork, Session

TURNS = """
name = "turns"
duration = "5m"
[cluster]
heartbeat_ms = 200
am_heartbeat_ms = 200
groups = [{ count = 1, prefix = "n", memory_mb = 4096, vcores = 4 }]
[[workload]]
type = "scripted"
name = "first"
user = "eve"
number = 1
at = "5s"
am = "unmanaged"
asks = [{ memory_mb = 3072, duration = "60s" }]
[[workload]]
type = "scripted"
name = "second"
user = "eve"
number = 2
at = "10s"
am = "unmanaged"
asks = [{ memory_mb = 3072, duration = "60s" }]
"""
BIG = WhySubject("application", "183354")


def why_of(answer: WhyAnswer) -> WhyReport:
    assert answer.why is not None
    return answer.why


def place_of(answer: WhyAnswer) -> PlaceReport:
    assert answer.place is not None
    return answer.place


def finished(asking: QuestionWork) -> WhyAnswer:
    while not asking.done:
        asking.slice()
    return asking.answer


@pytest.fixture(scope="module")
def incident() -> ByHand:
    """Played once: who asks changes nothing."""
    return by_hand("reservation-deadlock", at="09:10", paused=True)


def test_the_incident_is_deadlocked_with_the_cycle(incident: ByHand) -> None:
    """Reasons at once; later who waits for whom, and back to where it began."""
    asking = incident.why(BIG)
    first = asking.answer
    answer = finished(asking)

    assert [row.code for row in why_of(first).reasons] == ["DOES_NOT_FIT", "NODE_RESERVED", "BELOW_SHARE"]
    assert (why_of(first).verdict, first.doing) == ("", "simulating ahead")
    assert (why_of(answer).verdict, why_of(answer).pattern, answer.doing) == (
        "deadlocked", "reservation deadlock", "",
    )  # fmt: skip
    proof = why_of(answer).proof
    assert proof is not None
    steps = proof.cycle
    assert [step.application[-6:] for step in steps] == ["183354", "183314"]
    assert steps[-1].waits_for == steps[0].application
    assert set(answer.names.values()) == {"pyspark weekly model", "search index"}


def halves(seconds: int = 60) -> ByHand:
    """Two applications that hold half of every node and want another half."""
    log = EventLog()
    run = Run(scene(HALVES), [log])
    session = ByHand(Session(run, log, paused=True, wall=Wall()))
    run.advance(seconds * 1000)
    return session


def test_what_helps_a_deadlock_is_tried_and_looked_for_in_the_past() -> None:
    """To kill the other one starts it at once, and still ends the deadlock that formed when both wanted more."""
    asking = halves().why(WhySubject("application", "1"))
    assert asking.try_remedies() == ""
    document = why_of(finished(asking))

    assert "kill application 2 (second)" in [remedy_sentence(one.remedy) for one in remedies_of(document.would_help)]
    turning = document.point_of_no_return
    assert turning is not None
    assert {remedy_sentence(one.remedy) for one in turning.remedies if one.still_helps} >= {
        "kill application 2 (second)"
    }
    assert asking.try_remedies() == ""
    assert asking.answer.why is document


@pytest.mark.parametrize(
    ("name", "at", "number"),
    [
        ("reservation-deadlock", "09:00:31", 183354),
        ("spark-cores-hoarded", "09:10", 2),
        ("pattern-queue-limit", "+5m", 1),
    ],
)
def test_the_answer_is_the_one_of_the_command(name: str, at: str, number: int) -> None:
    """The same document as `schedlab why --json` writes of the same instant, facts included."""
    answer = finished(by_hand(name, at=at, paused=True).why(WhySubject("application", str(number))))
    unhurried = ["--budget", "0", "--json"]
    written = json.loads(said("why", [name, "--app", str(number), "--at", at, *unhurried]).stdout)
    written["reasons"] = [each for each in written["reasons"] if each["code"] != "DECIDES"]  # here only when asked for

    zone = timezone(timedelta(milliseconds=answer.offset_ms))
    own = {key: value for key, value in why_of(answer).written(zone).items() if key != "schema"}
    assert own.items() <= written.items()


def test_values_that_decide_are_found_with_what_would_help() -> None:
    """As far as there is time, and further when asked again; the reasons are then those of the command."""
    name, at = "pattern-am-only", "+2m"
    asking = by_hand(name, at=at, paused=True).why(WhySubject("application", "1"))
    asking.reasoning.answer_s = 1e-9
    assert asking.try_remedies() == ""
    assert why_of(finished(asking)).deciding is not None
    asking.reasoning.answer_s = 0
    assert asking.try_remedies() == ""
    reasons = why_of(finished(asking)).reasons
    assert why_of(asking.answer).deciding is None
    written = json.loads(said("why", [name, "--app", "1", "--at", at, "--budget", "0", "--json"]).stdout)

    assert reasons[-1].code == "DECIDES"
    assert [(each.code, each.sentence) for each in reasons] == [
        (each["code"], each["sentence"]) for each in written["reasons"]
    ]


@pytest.mark.long
def test_asking_leaves_the_journal_as_it_is(tmp_path: Path) -> None:
    """Byte for byte: asked in the present, in the past, about places and remedies, then played on."""
    journals = []
    for name in ("plain", "asked"):
        scenario = load("reservation-deadlock")
        with JournalWriter.to_file(tmp_path / name, scenario) as journal:
            log = EventLog()
            run = Run(scenario, [log, journal])
            session = ByHand(Session(run, log, paused=True))
            run.advance(1_830_000)
            for seconds in (1840, 1870, 1900):
                if name == "asked":
                    ask_all(session)
                run.advance(seconds * 1000)
        journals.append((tmp_path / name).read_bytes())

    assert journals[0] == journals[1]
    assert len(journals[0]) > 1000


def ask_all(session: ByHand) -> None:
    """Ask about everything there is to ask about, now and earlier."""
    for subject in (BIG, WhySubject("queue", "root"), WhySubject("node", "10.120.117.84:8041")):
        asking = session.why(subject)
        _ = asking.try_remedies()
        _ = finished(asking)
    session.travel("08:50")
    _ = finished(session.why(WhySubject("application", "183312")))
    session.travel("live")


@pytest.mark.long
def test_the_past_is_asked_as_it_was() -> None:
    """While others were still given something the same application was not deadlocked; the last round tells more."""
    session = by_hand("reservation-deadlock", at="09:10", paused=True)
    session.travel("09:00:31")
    looked = session.picture().snapshot.header.time_ms
    answer = finished(session.why(BIG))

    assert (answer.time_ms, why_of(answer).verdict) == (looked, "starving")
    assert {fact.code for fact in why_of(answer).facts} == {"DOES_NOT_FIT"}


@pytest.mark.parametrize("asks", ["memory_mb = 3072", "memory_mb = 1024, count = 2"])
def test_an_application_that_is_over_is_asked_about_its_longest_wait(asks: str) -> None:
    """The second of two that want the same room waited for the first to end, with nothing or with a part."""
    log, asked = EventLog(), "memory_mb = 3072"
    run = Run(loads(asks.join(TURNS.rsplit(asked, 1)), "turns.toml"), [log])
    session = ByHand(Session(run, log, paused=True, wall=Wall()))
    run.advance(200_000)
    second, first = (finished(session.why(WhySubject("application", number))) for number in ("2", "1"))

    assert re.search("the middle of its longest wait: 5[45]s, from 00:00:10.* to 00:01:05", second.note)
    assert (why_of(second).verdict, why_of(second).application.state) == ("waiting", "RUNNING")
    assert [one.name for one in why_of(second).holders] == ["first"]
    assert (first.note, why_of(first).verdict) == ("It never waited for long.", "ended")


def test_a_queue_and_a_node_tell_who_waits_there(incident: ByHand) -> None:
    queue = place_of(finished(incident.why(WhySubject("queue", "root.reports"))))
    node = place_of(finished(incident.why(WhySubject("node", "10.120.117.84:8041"))))

    assert {waiter.queue for waiter in queue.waiting} == {"root.reports"}
    assert len(node.waiting) > len(queue.waiting) > 0
    assert all(reason.of == 1 for waiter in node.waiting for reason in waiter.reasons if reason.nodes)


def test_sparks_applications_and_workers_are_asked_alike() -> None:
    """Who waits in the list waits for each worker; no record is kept of whom the Master passed by."""
    session = by_hand("spark-cores-hoarded", at="09:10", paused=True)
    waiting = next(row for row in session.picture().snapshot.applications() if row.obstacle and row.finished_ms is None)
    answer = finished(session.why(WhySubject("application", str(waiting.number))))
    worker = session.picture().snapshot.nodes()[0].id
    place = place_of(finished(session.why(WhySubject("node", worker))))

    assert (why_of(answer).verdict != "", answer.failure, "Spark" in answer.facts) == (True, "", True)
    assert waiting.name in [one.name for one in place.waiting]


def test_what_would_follow_an_act_is_tried_on_a_copy() -> None:
    """The holder of the nodes is killed there: all who wait begin, and here it goes on."""
    session = halves()
    before = session.run.simulation.control_plane.view().applications()
    answer = finished(session.why(WhySubject(ACT, "", (KillApplication("2"),))))
    assert answer.failure == ""
    after = answer.aftermath

    assert after is not None
    assert after.memory.most is not None
    assert ([each.ran for each in after.begun], after.killed, after.refused) == ([True], 1, "")
    assert after.memory.most.used_mb > 0
    assert session.run.simulation.control_plane.view().applications() == before


def test_what_to_do_now_is_looked_for_of_the_whole_cluster() -> None:
    """All that wait for ever are to start; the best remedy is followed by itself, and another one can be."""
    session = halves()
    asking = session.why(WhySubject("cluster", ""))
    answer = finished(asking)
    plan, after = answer.plan, answer.aftermath
    assert plan is not None
    assert after is not None

    assert (after.remedy, after.number) == (plan.remedies[0].remedy, plan.remedies[0].number)
    assert (len(plan.targets), plan.never, plan.tried) == (2, True, plan.of)
    kill = next(each for each in plan.remedies if remedy_sentence(each.remedy) == "kill application 2 (second)")
    assert asking.try_remedy(kill.number) == ""
    after = finished(asking).aftermath
    assert after is not None
    assert (after.remedy, after.number) == (kill.remedy, kill.number)
    assert asking.try_remedies() == ""
    assert asking.try_remedy(len(plan.remedies) + 1) == f"There is no remedy {len(plan.remedies) + 1}."
