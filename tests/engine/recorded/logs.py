"""Logs as recorded pasts: the one a real ResourceManager wrote while it was polled, and small ones made by hand."""

from typing import Final

from engine.formats.traces.report import ImportReport
from engine.formats.traces.rm_log import timeline_of
from engine.formats.traces.source import TraceSource
from engine.recorded.log_series import LogSeries
from tests.engine.formats.traces.samples import source
from tests.engine.live.recorded import FOLDER

POLLED_FROM_MS: Final = 1_795_220_504_310
"""Second 0 of the polls that were made of the ResourceManager while it wrote the log [epoch ms]."""
BEGIN_MS: Final = 1_510_390_800_000
"""09:00 of the small logs, as if it were UTC."""
CLASS: Final = "INFO org.apache.hadoop.yarn.server.resourcemanager"

STATE: Final = "rmapp.RMAppImpl: application_17_{} State change from {} to {}"
ACCEPTED: Final = "scheduler.fair.FairScheduler: Accepted application application_17_{} from user: ann, in queue: {}, n"
ASSIGNED: Final = (
    "scheduler.SchedulerNode: Assigned container container_17_{}_01_{:06d}"
    " of capacity <memory:{}, vCores:1> on host n1:1,"
)
RESERVED: Final = "scheduler.fair.FSAppAttempt: Making reservation: node={} app_id=application_17_{}"


def incident() -> LogSeries:
    """The log of the recorded reservation deadlock of 2.7.2."""
    report = ImportReport()
    with TraceSource.of_file(FOLDER / "2.7.2-fair-rm-info.log.gz", report) as opened:
        return LogSeries("rm.log", timeline_of([opened]))


def lines(*messages: str) -> str:
    return "\n".join(f"2017-11-11 09:00:{n:02d},000 {CLASS}.{words}" for n, words in enumerate(messages))


def series(*messages: str) -> LogSeries:
    """A log of lines a second apart."""
    return LogSeries("small.log", timeline_of([source(lines(*messages))]))


def second(number: int) -> int:
    """The instant of a line [epoch ms]."""
    return BEGIN_MS + number * 1000
