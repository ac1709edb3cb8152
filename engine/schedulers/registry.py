"""The YARN policies there are, by the names scenarios use."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.schedulers.capacity27.scheduler import capacity_scheduler_27
from engine.schedulers.capacity34.scheduler import capacity_scheduler_34
from engine.schedulers.fair27.scheduler import fair_scheduler_27
from engine.schedulers.fair34.scheduler import fair_scheduler_34
from engine.schedulers.fifo import fifo_27, fifo_34
from engine.schedulers.interface import SchedulerStart
from engine.schedulers.yarn_scheduler import YarnScheduler

SCHEDULERS: Final[Mapping[str, Callable[[SchedulerStart], YarnScheduler]]] = {
    "fifo": fifo_27,
    "fifo-3.4": fifo_34,
    "capacity-2.7": capacity_scheduler_27,
    "fair-2.7": fair_scheduler_27,
    "fair-3.4": fair_scheduler_34,
    "capacity-3.4": capacity_scheduler_34,
}
