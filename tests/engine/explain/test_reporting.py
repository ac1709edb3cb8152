"""Reports of what was found: every figure of it, with real ids for numbers."""

import pytest

from engine.explain.answer import RefusedReport
from engine.explain.remedy import AGAIN_MS, Remedy
from engine.explain.remedy_report import remedies_report
from engine.explain.remedy_search import Remedies
from engine.explain.remedy_trial import ACT_MS, Baseline, Delay, Start, Trial
from engine.explain.why_question import WhyQuestion
from engine.scenario.acts import KillApplication, SetPreemption, SubmitApplication
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, at, scene


@pytest.fixture(name="simulation")
def _simulation() -> Simulation:
    """Two that wait for each other, forty seconds after they began to."""
    return at(scene(HALVES), 60)


def app_id(simulation: Simulation, number: int) -> str:
    return simulation.control_plane.view().application_id(number)


def test_the_proof_has_ids_for_numbers(simulation: Simulation) -> None:
    question = WhyQuestion(simulation, 1)
    proof, found = question.answer().proof, question.found

    assert proof is not None
    assert found is not None
    assert [(step.application, step.waits_for, step.node) for step in proof.cycle] == [
        (app_id(simulation, step.application), app_id(simulation, step.holder), step.node) for step in found.proof.cycle
    ]
    assert len(proof.cycle) == 2
    assert (proof.still, proof.allocations, proof.from_ms) == (True, 0, simulation.now_ms)


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
        running=frozenset(),
        base=base,
        ranked=(TRIAL,),
        useless=(Trial(SWITCH), Trial(KILL)),
        refused=(Trial(SWITCH, refused="not so"),),
        open=3,
    )


def test_remedies_are_reported_with_their_trials(simulation: Simulation) -> None:
    """Those of a family that do the same count as tried; seconds are whole ones."""
    report = remedies_report(simulation.control_plane, remedies(starts={(3, None): 77}))
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
    assert (one.application, one.step.act) == (app_id(simulation, 2), KillApplication(app_id(simulation, 2)))
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
