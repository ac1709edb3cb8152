"""One alert for all of a queue that are held up alike: when it begins, of whom it tells, and when it ends."""

from typing import NamedTuple

import msgspec

from engine.explain.alert import Alert
from engine.explain.outage_alerts import OutageAlerts
from engine.explain.starvation_alerts import StarvationAlerts
from engine.explain.verdict import Proof, Verdict
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.scenario.acts import KillApplication
from engine.simulation.records import AskChanged, Record
from tests.engine.explain.stuck import app, at, scene

THREE = (
    app("holder", '{ memory = "9g", count = 2 }')
    + app("one", '{ memory = "9g" }', at=5)
    + app("two", '{ memory = "8g" }', at=6)
    + app("three", '{ memory = "8g" }', at=7)
)
BLOCKED = Verdict("blocked", None, Proof(0, 10, 0, None, still=True, ends=(1,)), priority=1)
STARVING = msgspec.structs.replace(BLOCKED, verdict="starving", expected_start_ms=10**15)


class Told(NamedTuple):
    """What is known of an alert."""

    kind: str
    verdict: str
    applications: tuple[int, ...]
    since_ms: int


def short(alerts: list[Alert]) -> list[Told]:
    """Alerts without their sentences."""
    return [Told(each.kind, each.verdict, each.applications, each.since_ms) for each in alerts]


class Alerting:
    """The alerts at an instant at which three wait."""

    def __init__(self) -> None:
        self.here = at(scene(THREE), 60)
        self.alerts = StarvationAlerts(OutageAlerts())

    def judge(
        self, number: int, verdict: Verdict = BLOCKED, *, kind: str = "stuck", pattern: str = "", since_ms: int = 5
    ) -> list[Told]:
        """Find a verdict."""
        each = self.here.control_plane.view().application(number)
        assert each is not None
        return short(self.alerts.judge(self.here, each, (verdict, pattern), kind, (since_ms, self.here.now_ms)))

    def over(self, *records: Record) -> list[Alert]:
        """What ends by some records."""
        self.alerts.records(records)
        return self.alerts.over(self.here)

    def standing(self) -> list[Told]:
        """What stands."""
        return short(list(self.alerts.standing.values()))


def given(number: int, priority: int = 1) -> Allocated:
    """It is given something."""
    return Allocated((number, 1, 9), "n1:1", priority, 1024, 1)


def test_the_first_begins_the_alert_and_others_alike_only_join() -> None:
    """Another verdict, pattern or kind is another alert."""
    told = Alerting()

    assert told.judge(2) == [Told("stuck", "blocked", (2, 1), 5)]
    assert told.judge(3, since_ms=7) == []
    assert told.judge(4, STARVING, kind="held-up", since_ms=8) == [Told("held-up", "starving", (4, 1), 8)]
    assert told.standing() == [Told("stuck", "blocked", (2, 1), 5), Told("held-up", "starving", (4, 1), 8)]
    assert set(told.alerts.known) == {2, 3, 4}
    assert [told.alerts.judged_ms(number) for number in (2, 5)] == [told.here.now_ms, -1]


def test_who_is_judged_alike_again_is_told_as_at_first() -> None:
    """Nothing is new."""
    told = Alerting()
    told.judge(2)

    assert told.judge(2, since_ms=9) == []
    assert told.standing() == [Told("stuck", "blocked", (2, 1), 5)]


def test_another_verdict_ends_the_alert_and_begins_another_one() -> None:
    """One that is worth no alert only ends it; where there was none, nothing is said."""
    told = Alerting()
    told.judge(2)

    changed = told.judge(2, STARVING, kind="held-up", since_ms=8)
    assert [(each.kind, each.since_ms) for each in changed] == [("over", 5), ("held-up", 8)]
    assert [(each.kind, each.since_ms) for each in told.judge(2, kind="")] == [("over", 8)]
    assert (told.judge(2, kind=""), told.standing(), set(told.alerts.known)) == ([], [], set())
    told.judge(2)
    assert [each.kind for each in told.judge(2, pattern="queue limit")] == ["over", "stuck"]


def test_the_alert_ends_with_the_last_it_stands_for() -> None:
    """Before that it tells of the next one; the end names whom the beginning named, and the last one with its queue."""
    told = Alerting()
    told.judge(2)
    told.judge(3, since_ms=7)

    told.alerts.records([AskChanged(2, 1, 9216, 1, 4), ApplicationTransitioned(2, "RUNNING")])
    assert (told.alerts.is_served, told.over()) == (False, [])
    told.alerts.records([given(2)])
    assert told.alerts.is_served
    assert (told.over(), told.standing()) == ([], [Told("stuck", "blocked", (3, 1), 7)])
    (over,) = told.over(AskChanged(3, 1, 8192, 1, 0))
    assert (over.kind, over.since_ms, over.found_ms, over.applications) == ("over", 5, told.here.now_ms, (2, 1))
    assert over.sentence == "blocked: application 3 in root.a waits no longer"
    assert (told.standing(), set(told.alerts.known), told.alerts.is_served) == ([], set(), False)


def test_who_has_ended_waits_no_longer() -> None:
    """Also where no record said so; one that joined goes first without a word."""
    told = Alerting()
    told.judge(2)
    told.judge(3, since_ms=7)
    kill(told, 3)

    assert (told.over(), told.standing()) == ([], [Told("stuck", "blocked", (2, 1), 5)])
    kill(told, 2)
    assert [each.sentence for each in told.over()] == ["blocked: application 2 in root.a waits no longer"]
    told.judge(4)
    assert [each.kind for each in told.over(ApplicationTransitioned(4, "KILLED"))] == ["over"]


def test_only_what_is_about_its_ask_counts() -> None:
    """Where it asks at several priorities, what comes at another one is not looked at."""
    two = '{ memory = "9g" }, { memory = "9g", priority = 2 }'
    told = Alerting()
    told.here = at(scene(THREE.replace('asks = [{ memory = "9g" }]', f"asks = [{two}]")), 60)
    told.judge(2)
    told.alerts.records([given(2, 2), given(3), AskChanged(2, 2, 8192, 1, 0)])

    assert not told.alerts.is_served
    told.alerts.records([given(2)])
    assert told.alerts.is_served


def kill(told: Alerting, number: int) -> None:
    """Kill an application."""
    assert not told.here.act(KillApplication(number)).rejected
    told.here.run_until(told.here.now_ms)
