"""Tests of how long masters take to start, as seen now and then."""

from engine.live.watch_metrics import LEAST, MasterStartMeter
from engine.live.yarn_answers import ApplicationInfo


def app(number: int, state: str, containers: int = 1) -> ApplicationInfo:
    return ApplicationInfo(
        id=f"application_1_{number}",
        user="ann",
        name="report",
        queue="root.q",
        state=state,
        application_type="MAPREDUCE",
        started_time=0,
        finished_time=0,
        running_containers=containers,
    )


def test_the_mean_is_how_many_are_seen_starting_for_how_long_by_how_many_began() -> None:
    """Two of three are seen at one look, 5 s each: 10 s by three. Who ran at first, or has no container, starts not."""
    starts = MasterStartMeter()
    starts.look([app(0, "RUNNING"), app(1, "ACCEPTED", 0)], 1_000)
    starts.look([app(0, "RUNNING"), app(1, "ACCEPTED"), app(2, "ACCEPTED"), app(4, "ACCEPTED", 0)], 6_000)
    assert starts.mean_ms is None
    starts.look([app(0, "RUNNING"), app(1, "RUNNING"), app(2, "RUNNING")], 11_000)
    assert (LEAST, starts.mean_ms) == (3, None)
    starts.look([app(1, "RUNNING"), app(2, "RUNNING"), app(3, "RUNNING")], 16_000)
    assert starts.mean_ms == 3_333


def test_the_mean_is_in_whole_milliseconds() -> None:
    starts = MasterStartMeter()
    starts.look([], 500)
    starts.look([app(1, "ACCEPTED"), app(2, "ACCEPTED", 0)], 3_502)
    starts.look([app(1, "RUNNING"), app(2, "RUNNING"), app(3, "RUNNING")], 9_000)

    assert starts.mean_ms == 1_000
