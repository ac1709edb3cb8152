"""What an act would do, in words, from rows and a picture; no screen."""

import pytest

from engine.scenario.acts import (
    DrainNode,
    LoseMaster,
    MoveApplication,
    RestartJobTracker,
    RestartNodeManager,
    RestartResourceManager,
)
from tests.tui import fakes
from tui.actions import ACTIONS
from tui.acts.applications import (
    NAMED,
    drain_question,
    kill_question,
    move_problem,
    move_question,
    next_rule,
    return_question,
)
from tui.acts.cluster import fault_question
from tui.acts.command import CommandError, Names, parse
from tui.board.dialects import STANDALONE, YARN
from tui.protocol.picture import RunState, SessionState

PICTURE = SessionState(fakes.frozen_cluster(), RunState("frozen"), (), 1)


def test_one_application_is_described_and_many_are_listed() -> None:
    rows = [fakes.application_row(n) for n in range(NAMED + 2)]
    questions = [kill_question(rows[:count], YARN.terms, PICTURE) for count in (1, NAMED + 1, NAMED + 2)]
    lines = [question.lines if question is not None else () for question in questions]

    assert [one.title for one in questions if one is not None] == ["Kill an application", *["Kill applications"] * 2]
    assert [any("more" in line for line in some) for some in lines] == [False, False, True]
    assert "  and 2 more" in lines[2]


def test_who_has_ended_is_not_killed() -> None:
    ended = fakes.application_row(1, state="FINISHED", finished_ms=1)
    question = kill_question([ended, fakes.application_row(2)], YARN.terms, PICTURE)

    assert kill_question([ended], YARN.terms, PICTURE) is None
    assert question is not None
    assert ("not    1 other: ended already" in question.lines, question.yes) == (True, "Kill 1")


def test_spark_has_no_reservations_to_lift_and_frees_cores() -> None:
    rows = [fakes.application_row(1, containers=2, used=(4096, 8))]
    spark, yarn = (kill_question(rows, one.terms, PICTURE) for one in (STANDALONE, YARN))

    assert spark is not None
    assert yarn is not None
    assert spark.freed == (("8 vcores", "for the list from the top"),)
    assert yarn.freed[0] == ("4G", "of memory, 8 vcores")
    assert spark.lost[0][0] == "2 executors"


def test_the_holder_of_nodes_frees_them() -> None:
    rows = [row for row in PICTURE.snapshot.applications() if row.id == fakes.BIG]
    question = kill_question(rows, YARN.terms, PICTURE)

    assert question is not None
    assert question.freed[0] == ("11 nodes", "440G free on them")
    assert question.yes == "Kill 183354"


@pytest.mark.parametrize(("dialect", "begin"), [(YARN, "keeps  "), (STANDALONE, "loses  ")])
def test_draining_says_whether_work_is_lost(dialect: object, begin: str) -> None:
    terms = (YARN if dialect is YARN else STANDALONE).terms
    question = drain_question([fakes.node_row("n1")], terms, PICTURE)

    assert question is not None
    assert [line[:7] for line in question.lines if line[:7] in {"keeps  ", "loses  "}] == [begin]


def test_draining_and_moving_are_tried_on_a_copy() -> None:
    nodes = [fakes.node_row("n1"), fakes.node_row("n2", state="DECOMMISSIONED")]
    rows = [fakes.application_row(number, queue=queue) for number, queue in ((1, "root.etl"), (2, "root.report"))]
    drain = drain_question(nodes, YARN.terms, PICTURE)

    assert drain is not None
    assert tuple(drain.acts.values()) == (DrainNode(nodes[0].id),)
    assert tuple(move_question(rows, "root.etl", PICTURE).acts.values()) == (MoveApplication(rows[1].id, "root.etl"),)


def test_nodes_that_are_all_out_are_not_drained() -> None:
    out = [fakes.node_row(name, state="DECOMMISSIONED") for name in ("n1", "n2")]

    assert drain_question(out, YARN.terms, PICTURE) is None
    assert return_question([row.id for row in out]).lines[0] == "Bring 2 nodes back into service?"


def test_a_queue_that_is_not_there_is_named_with_the_nearest() -> None:
    row = fakes.application_row(1, queue="root.etl")
    problems = [move_problem([row], queue, PICTURE) for queue in ("root.etl", "root.repord", "root.report")]

    assert problems == [
        f"{row.id} is in root.etl already.",
        "There is no leaf queue root.repord; did you mean root.report?",
        "",
    ]


def test_the_rule_goes_round() -> None:
    assert [next_rule(rule) for rule in ("strict", "limited", "off", "", None)] == [
        "limited", "off", "strict", None, None,
    ]  # fmt: skip


# What the questions before faults say.


@pytest.mark.parametrize(
    ("keeps", "words"),
    [
        ("containers", "keeps  {}; nothing new starts for the wait after its start"),
        ("applications", "loses  {}; each application has another attempt, which does not count as failed"),
        ("nothing", "loses  3 applications with {}: yarn.resourcemanager.recovery.enabled is not true"),
    ],
)
def test_a_restart_says_what_is_lost(keeps: str, words: str) -> None:
    header = fakes.header(
        restart_keeps=keeps, containers=7, nodes_reserved=2, applications_running=1, applications_pending=2
    )

    question = fault_question("rm_restart", "", header)

    assert words.format("7 containers") in question.lines
    assert "loses  2 reservations, locality waits and the clocks of preemption" in question.lines
    assert tuple(question.acts.values()) == (RestartResourceManager(),)


@pytest.mark.parametrize(
    ("keeps", "words"),
    [
        ("applications", "loses  7 attempts; each job runs again from its beginning, none of its tasks is kept"),
        ("nothing", "loses  3 jobs with 7 attempts: mapred.jobtracker.restart.recover is not true"),
    ],
)
def test_a_restart_of_the_job_tracker_speaks_of_jobs(keeps: str, words: str) -> None:
    header = fakes.header(restart_keeps=keeps, containers=7, applications_running=1, applications_pending=2)

    question = fault_question("job_tracker_restart", "", header)

    assert words in question.lines
    assert tuple(question.acts.values()) == (RestartJobTracker(),)


@pytest.mark.parametrize("kind", [RestartNodeManager, LoseMaster])
def test_a_fault_of_one_thing_names_it(kind: type[LoseMaster | RestartNodeManager]) -> None:
    question = fault_question(kind.do, "x7", fakes.header())

    assert "x7" in question.lines[0]
    assert tuple(question.acts.values()) == (kind("x7"),)


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("fault rm_lost", "cluster_acts.fault('rm_lost', '')"),
        ("fault node_manager_restart n1", "cluster_acts.fault('node_manager_restart', 'n1')"),
        ("fault master_lost weekly model", "cluster_acts.fault('master_lost', 'weekly model')"),
    ],
)
def test_a_command_names_a_fault_as_a_script_does(line: str, call: str) -> None:
    assert parse(line, ACTIONS, Names()) == call


@pytest.mark.parametrize("line", ["fault", "fault rm_gone", "fault rm_restart n1", "fault master_lost"])
def test_a_fault_that_is_not_named_well_is_refused(line: str) -> None:
    with pytest.raises(CommandError, match=r"rm_restart|application"):
        parse(line, ACTIONS, Names())
