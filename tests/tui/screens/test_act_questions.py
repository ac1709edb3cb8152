"""What an act would do, in words, from rows and a picture; no screen."""

import pytest

from engine.scenario.acts import (
    RestartJobTracker,
    RestartResourceManager,
)
from tests.tui import fakes
from tui.actions import ACTIONS
from tui.acts.applications import (
    NAMED,
    kill_question,
)
from tui.acts.cluster import fault_question
from tui.acts.command import Names, parse
from tui.board.dialects import YARN
from tui.protocol.picture import RunState, SessionState

PICTURE = SessionState(fakes.frozen_cluster(), RunState("frozen"), (), 1)


def test_one_application_is_described_and_many_are_listed() -> None:
    rows = [fakes.application_row(n) for n in range(NAMED + 2)]
    questions = [kill_question(rows[:count], YARN.terms, PICTURE) for count in (1, NAMED + 1, NAMED + 2)]
    lines = [question.lines if question is not None else () for question in questions]

    assert [one.title for one in questions if one is not None] == ["Kill an application", *["Kill applications"] * 2]
    assert [any("more" in line for line in some) for some in lines] == [False, False, True]
    assert "  and 2 more" in lines[2]


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
