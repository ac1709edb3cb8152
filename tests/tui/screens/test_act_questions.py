"""What an act would do, in words, from rows and a picture; no screen."""

import pytest

from engine.scenario.acts import DrainNode, MoveApplication
from tests.tui import fakes
from tui.acts.applications import (
    NAMED,
    drain_question,
    kill_question,
    move_problem,
    move_question,
    next_rule,
    return_question,
)
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
