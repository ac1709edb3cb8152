"""Where the keys of marks lead: to alerts, and to just before acts."""

from engine.scenario.acts import KillApplication, SetPreemption
from tests.tui.session.test_time_travel import header, ran, seconds
from tui.session.time_travel import FIRST, PRESENT


def test_acts_are_marks() -> None:
    session, run = ran()
    run.simulation.act(SetPreemption(on=True))
    run.advance(70_000)

    assert session.travel("mark.on") == PRESENT
    assert [(session.travel("mark.back"), seconds(session, run)) for _ in range(2)] == [("", 59.999), ("", 29.999)]
    assert session.travel("mark.back") == FIRST
    assert (session.travel("mark.on"), seconds(session, run)) == ("", 59.999)


def test_a_branch_at_the_mark_of_a_kill_undoes_it() -> None:
    session, run = ran(20)
    number = next(iter(session.picture().snapshot.applications(why=False))).number
    run.simulation.act(KillApplication(number))
    killed = header(session).containers
    session.travel("mark.back")

    assert (header(session).containers > killed, session.branch()) == (True, "")
    assert session.driver.run.simulation.acts == []
