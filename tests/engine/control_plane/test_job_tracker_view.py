"""What observers are told of a JobTracker's cluster."""

from engine.control_plane.cluster_view import ClusterFigures
from engine.model.mr1.attempt import MAP, REDUCE
from tests.engine.control_plane.trackers import Site, said

FIRST = (1, MAP, 0, 0)


def test_figures_count_slots_jobs_and_attempts() -> None:
    """Those of a sick tracker are down; free slots that are kept for a job are reserved."""
    site = Site("a", "b", "c")
    site.running(3, 1)
    site.beat("a")
    site.beat("a", said(FIRST), asks=False)
    site.beat("c", is_healthy=False)
    site.tracker("a").reserve(MAP, site.job(), 2)
    site.tracker("b").reserve(MAP, site.job(), 2)
    site.tracker("b").reserve(REDUCE, site.job(), 2)
    site.submit()

    assert site.jt.view().figures() == ClusterFigures(
        total=(4, 4),
        used=(1, 0),
        reserved=(3, 2),
        nodes=2,
        nodes_down=1,
        nodes_reserved=3,
        applications=2,
        containers=1,
        containers_pending=3,
    )


def test_a_job_waits_for_its_setup_then_for_maps_then_for_reduces() -> None:
    site = Site("a")
    site.submit(2, 3)
    view, job = site.jt.view(), site.job()
    assert view.pending(job) == 1

    site.beat("a")
    assert view.pending(job) == 0
    site.beat("a", said((1, MAP, 3, 0), "SUCCEEDED"), asks=False)
    assert view.pending(job) == 2

    site.beat("a")
    site.beat("a", said(FIRST, "SUCCEEDED"), asks=False)
    assert view.pending(job) == 1 + 3
    job.cleanup_waiting[MAP] = [FIRST]
    assert view.pending(job) == 1 + 1 + 3
    job.running[MAP] = 9
    assert view.pending(job) == 1 + 3
    job.running[REDUCE] = 9
    assert view.pending(job) == 1
