"""A session's run beside the same under other policies."""

import asyncio

from engine.scenario.acts import KillApplication
from tui.session.opening import open_session


def test_what_was_done_is_done_under_every_policy() -> None:
    """The acts so far come at their times, and the run of the session is not touched."""
    session = open_session("three-schedulers-capacity", at="+10", paused=True, overrides=["duration=40"])
    assert not asyncio.run(session.acts.do(KillApplication(1))).refusal
    found = asyncio.run(session.comparing.compare("fifo fair-2.7"))
    assert [run.name for run in found.comparison.runs] == ["capacity-2.7", "fifo", "fair-2.7"]
    assert [run.measures.failed for run in found.comparison.runs] == [1, 1, 1]
    assert session.driver.run.now_ms == 10_000
    snapshots = found.opened(found.comparison.start_ms + 5_000)
    assert [each.header.scheduler for each in snapshots] == ["capacity-2.7", "fifo", "fair-2.7"]
