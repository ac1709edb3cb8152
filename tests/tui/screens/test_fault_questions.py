"""What the questions before faults say."""

import pytest

from engine.scenario.acts import LoseMaster, RestartJobTracker, RestartNodeManager, RestartResourceManager
from tests.tui import fakes
from tui.actions import ACTIONS
from tui.acts.cluster import fault_question
from tui.acts.command import CommandError, Names, parse


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
