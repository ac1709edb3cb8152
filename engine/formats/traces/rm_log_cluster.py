"""The cluster of a ResourceManager's log: its scheduler, the settings it prints, and its restarts."""

from collections.abc import Iterator
from typing import Final

import msgspec

from engine.formats.traces.application import whole
from engine.formats.traces.rm_timeline import ResourceManagerTimeline
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.fair import FAIR_27, FAIR_34, USER_QUEUE
from engine.settings.site import PRESERVES_WORK, RECOVERY, YARN_27, YARN_34

SCHEDULERS: Final = {
    "FairScheduler": (FAIR_27.name, FAIR_34.name),
    "CapacityScheduler": (CAPACITY_27.name, CAPACITY_34.name),
    "FifoScheduler": (YARN_27.name, YARN_34.name),
}
"""Class → the scheduler of 2.7, and that of 3.4."""
VERSION: Final = "STARTUP_MSG:   version = "
DOWN_MS: Final = 5_000
"""How long a ResourceManager is away of which the log does not say when it stopped."""


class LoggedRestart(msgspec.Struct, frozen=True):
    """The ResourceManager went and came back."""

    stopped_ms: int
    """Epoch ms."""
    down_ms: int


class LoggedCluster(msgspec.Struct, frozen=True):
    """What a log says of its cluster; what it does not say is empty."""

    policy: str = ""
    named: str = ""
    """The scheduler and its release as the log has them."""
    settings: dict[str, str] = {}
    restarts: tuple[LoggedRestart, ...] = ()


def logged_cluster(timeline: ResourceManagerTimeline) -> LoggedCluster:
    """The cluster of a log; a release between 2.7 and 3.4 is played as 2.7 where it is 2.x, else as 3.4."""
    policies = SCHEDULERS.get(timeline.scheduler)
    settings, restarts = dict(timeline.settings), tuple(_restarts(timeline))
    if timeline.scheduler == "FairScheduler" and any(
        each.queue == "root.default" for each in timeline.applications.values()
    ):
        settings[USER_QUEUE.name] = "false"
    if restarts:
        settings[RECOVERY.name] = str(timeline.recovers).lower()
        settings[PRESERVES_WORK.name] = str(timeline.keeps_containers).lower()
    return LoggedCluster(
        policy=policies[(whole(timeline.version.partition(".")[0]) or 0) >= 3] if policies else "",
        named=f"{timeline.scheduler} {timeline.version}".strip(),
        settings=settings,
        restarts=restarts,
    )


def _restarts(timeline: ResourceManagerTimeline) -> Iterator[LoggedRestart]:
    """Starts that some application lived to see, submitted before; others change nothing."""
    first_ms = min((each.submitted_ms or each.first_ms for each in timeline.applications.values()), default=0)
    for before_ms, started_ms in zip(timeline.starts_ms, timeline.starts_ms[1:], strict=False):
        stopped_ms = max((each for each in timeline.stops_ms if before_ms < each < started_ms), default=None)
        if stopped_ms is None:
            stopped_ms = max(before_ms, started_ms - DOWN_MS)
        if stopped_ms > first_ms:
            yield LoggedRestart(stopped_ms, started_ms - stopped_ms)
