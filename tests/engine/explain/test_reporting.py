"""Reports of what was found: every figure of it, with real ids for numbers."""

import pytest

from engine.explain.remedy import AGAIN_MS, Remedy
from engine.explain.remedy_report import RefusedReport
from engine.explain.remedy_search import Remedies
from engine.explain.remedy_trial import ACT_MS, Baseline, Delay, Start, Trial
from engine.explain.report import ENDS_LATER, NEVER_ENDS, TurningReport
from engine.explain.reporting import CONTAINERS, Reporter, place_report
from engine.explain.waits import Hold, Waiter
from engine.explain.why import Holder, Why, WhyQuestion
from engine.observe.snapshot import ApplicationRow
from engine.observe.snapshots import snapshot_of
from engine.scenario.acts import KillApplication, SetPreemption, SubmitApplication
from engine.schedulers.activity import Reason
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, at, scene


@pytest.fixture(name="simulation")
def _simulation() -> Simulation:
    """Two that wait for each other, forty seconds after they began to."""
    return at(scene(HALVES), 60)


def row_of(simulation: Simulation, number: int) -> ApplicationRow:
    """An application as a snapshot has it."""
    return next(row for row in snapshot_of(simulation).applications() if row.number == number)


def app_id(simulation: Simulation, number: int) -> str:
    """Its id."""
    return simulation.control_plane.view().application_id(number)


def test_an_answer_is_reported_whole(simulation: Simulation) -> None:
    """With the asks of the application, its holders and the proof."""
    why = WhyQuestion(simulation, 1).answer()
    report = Reporter(simulation.control_plane).why(why)
    row = row_of(simulation, 1)

    assert (report.at_ms, report.verdict, report.pattern) == (simulation.now_ms, "deadlocked", why.pattern)
    assert (report.reasons, report.facts, report.not_counted) == (why.obstacles, why.facts, why.not_counted)
    assert (report.request, report.point_of_no_return, report.would_help, report.schema) == (None, None, None, 1)
    known = report.application
    assert (known.id, known.number, known.name, known.user) == (row.id, 1, row.name, row.user)
    assert (known.queue, known.state, known.waiting_since_ms) == (row.queue, row.state, row.waiting_since_ms)
    assert [(each.priority, each.count, each.size, each.verdict) for each in known.listed_asks] == [
        (ask.priority, ask.count, ask.size, "deadlocked") for ask in row.listed_asks
    ]
    proof = report.proof
    assert proof is not None
    assert [(step.application, step.waits_for, step.node) for step in proof.cycle] == [
        (app_id(simulation, step.application), app_id(simulation, step.holder), step.node)
        for step in (why.found.proof.cycle if why.found is not None else ())
    ]
    assert len(proof.cycle) == 2
    assert (proof.still, proof.allocations, proof.from_ms) == (True, 0, simulation.now_ms)


def test_a_request_and_a_way_back_are_reported_where_they_were_asked_for(simulation: Simulation) -> None:
    """As they are."""
    why = WhyQuestion(simulation, 1).answer()
    turning = TurningReport(formed_ms=1, inevitable_ms=2, latest_ms=None, remedies=())
    report = Reporter(simulation.control_plane).why(why, turning, (7, why.obstacles))

    assert report.point_of_no_return is turning
    assert report.request is not None
    assert (report.request.priority, report.request.reasons) == (7, why.obstacles)


def test_an_application_that_is_not_known_has_an_id(simulation: Simulation) -> None:
    """And nothing else."""
    report = Reporter(simulation.control_plane).why(WhyQuestion(simulation, 77).answer())

    assert (report.application.id, report.application.is_known) == (app_id(simulation, 77), False)
    assert (report.proof, report.holders, report.verdict) == (None, (), "unknown")


@pytest.mark.parametrize(
    ("never", "until_ms", "said"),
    [(True, 5, NEVER_ENDS), (True, None, NEVER_ENDS), (False, None, ENDS_LATER), (False, 0, 0)],
)
def test_a_holder_ends_never_later_or_then(
    simulation: Simulation, never: bool, until_ms: int | None, said: int | str
) -> None:
    """The first of its containers are named, all are counted."""
    containers = tuple((2, 1, number) for number in range(1, CONTAINERS + 3))
    hold = Hold(2, Reason.DOES_NOT_FIT, containers, 640, 12, ("n1:1",), ("n2:1", "n3:1"))
    holder = Holder(hold=hold, name="big", user="eve", queue="root.q", waits=True, until_ms=until_ms, never=never)
    base = WhyQuestion(simulation, 1).answer()
    why = Why(**{name: getattr(base, name) for name in base.__struct_fields__} | {"holders": (holder,)})
    (found,) = Reporter(simulation.control_plane).why(why).holders
    view = simulation.control_plane.view()

    assert (found.application, found.name, found.queue, found.because) == (
        app_id(simulation, 2),
        "big",
        "root.q",
        "DOES_NOT_FIT",
    )
    assert found.containers == tuple(map(view.container_id, containers[:CONTAINERS]))
    assert (found.container_count, found.memory_mb, found.vcores) == (CONTAINERS + 2, 640, 12)
    assert (found.nodes, found.reservations, found.waits, found.until_ms) == (
        ("n2:1", "n3:1"),
        ("n1:1",),
        True,
        said,
    )


def test_who_waits_at_a_place_is_reported_and_judged(simulation: Simulation) -> None:
    """A verdict is added to what is known without one."""
    reporter = Reporter(simulation.control_plane)
    waiter = Waiter(2, "second", "root.a", 5, 3, ())
    place = reporter.place(9, "queue", "root.a", [waiter])
    (known,) = place.waiting

    assert (place.at_ms, place.queue, place.node, place.is_live, place.schema) == (9, "root.a", None, False, 1)
    assert (known.application, known.name, known.queue) == (app_id(simulation, 2), "second", "root.a")
    assert (known.waiting_since_ms, known.pending, known.reasons, known.verdict) == (5, 3, (), None)
    why = WhyQuestion(simulation, 2).answer()
    judged = reporter.judged(known, why)
    assert (judged.verdict, judged.pattern, judged.expected_start_ms) == (why.verdict, why.pattern, None)
    assert judged.proof == reporter.proof(why)
    node = place_report(1, "node", "n1:1", (), is_live=True)
    assert (node.queue, node.node, node.is_live, node.waiting) == (None, "n1:1", True, ())


KILL, SWITCH = Remedy(KillApplication(2), name="second"), Remedy(SetPreemption(on=True))
TRIAL = Trial(
    KILL,
    starts=(Start(1, 5000, None), Start(3, 7000, 9000)),
    also_start=4,
    frees_mb=640,
    frees_vcores=5,
    drops=6,
    delays=(Delay(7, 8999, is_least=True), Delay(8, 2000, is_least=False)),
    lost_containers=9,
    lost_drivers=10,
    lost_ms=11_999,
    until_ms=12,
    is_whole=True,
    is_least=False,
    alike=(SWITCH, SWITCH),
    then=(SubmitApplication({"type": "scripted"}),),
)


def remedies(*, ends: bool = True, starts: dict[tuple[int, int | None], int] | None = None) -> Remedies:
    """One that helps, two that do not, one that is refused."""
    base = Baseline(61_000, 900, ends, starts or {}, {}, {}, 0, 0)
    return Remedies(
        start_ms=1000,
        from_ms=61_000,
        targets=((1, 4), (3, None)),
        base=base,
        ranked=(TRIAL,),
        useless=(Trial(SWITCH), Trial(KILL)),
        refused=(Trial(SWITCH, refused="not so"),),
        open=3,
    )


def test_remedies_are_reported_with_their_trials(simulation: Simulation) -> None:
    """Those of a family that do the same count as tried; seconds are whole ones."""
    report = Reporter(simulation.control_plane).remedies(remedies(starts={(3, None): 77}))
    (one,) = report.remedies

    assert (report.at_ms, report.looked_until_ms, report.schema) == (61_000, 900, 1)
    assert report.targets == (app_id(simulation, 1), app_id(simulation, 3))
    assert [(each.application, each.priority, each.starts_ms) for each in report.expected] == [
        (app_id(simulation, 1), 4, None),
        (app_id(simulation, 3), None, 77),
    ]
    assert (report.tried, report.of, report.never) == (6, 9, False)
    assert report.useless == (SWITCH, KILL)
    assert report.refused == (RefusedReport(remedy=SWITCH, why="not so"),)

    assert (one.number, one.kind, one.group, one.remedy) == (1, "kill", "now", KILL)
    assert (one.application, one.step.act) == (
        app_id(simulation, 2),
        KillApplication(app_id(simulation, 2)),
    )
    assert one.step.at_s == (60_000 + ACT_MS) / 1000
    assert [(each.act, each.at_s) for each in one.then] == [(TRIAL.then[0], (60_000 + ACT_MS + AGAIN_MS) / 1000)]
    assert [(each.application, each.at_ms, each.expected_ms) for each in one.starts] == [
        (app_id(simulation, 1), 5000, None),
        (app_id(simulation, 3), 7000, 9000),
    ]
    assert (one.first_ms, one.last_ms, one.also_start) == (5000, 7000, 4)
    assert (one.frees.memory_mb, one.frees.vcores, one.frees.reservations) == (640, 5, 6)
    assert (one.loses.containers, one.loses.drivers, one.loses.seconds) == (9, 10, 11)
    assert [(each.application, each.seconds, each.is_least) for each in one.delays] == [
        (app_id(simulation, 7), 8, True),
        (app_id(simulation, 8), 2, False),
    ]
    assert (one.harm_s, one.is_least, one.is_whole, one.alike, one.until_ms) == (22, False, True, (SWITCH, SWITCH), 12)


@pytest.mark.parametrize(
    ("ends", "starts", "never"),
    [(True, {}, True), (False, {}, False), (True, {(1, 4): 5}, False)],
)
def test_nobody_ever_starts_where_the_closed_world_ends_without_a_start(
    simulation: Simulation, ends: bool, starts: dict[tuple[int, int | None], int], never: bool
) -> None:
    """Else it may still come."""
    assert Reporter(simulation.control_plane).remedies(remedies(ends=ends, starts=starts)).never is never


def test_a_remedy_of_nobody_names_none(simulation: Simulation) -> None:
    """Its step is the act itself."""
    reporter = Reporter(simulation.control_plane)

    assert reporter.step(SetPreemption(on=True)) == SetPreemption(on=True)
    assert reporter.step(KillApplication("application_x")) == KillApplication("application_x")
    assert (TRIAL.helps, Trial(KILL).helps, TRIAL.start_ms, TRIAL.harm_s) == (True, False, 5000, 22)
