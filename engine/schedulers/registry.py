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
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.site import YARN_34

SCHEDULERS: Final[Mapping[str, Callable[[SchedulerStart], YarnScheduler]]] = {
    "fifo": fifo_27,
    YARN_34.name: fifo_34,
    CAPACITY_27.name: capacity_scheduler_27,
    FAIR_27.name: fair_scheduler_27,
    FAIR_34.name: fair_scheduler_34,
    CAPACITY_34.name: capacity_scheduler_34,
}
