"""The settings of MapReduce 1's CapacityTaskScheduler: what is refused."""

import pytest

from engine.errors import ConfigError
from engine.schedulers.mr1.capacity_settings import capacity_task_settings

OWN = "mapred.capacity-scheduler.queue.a."
ALONE = {f"{OWN}capacity": "100"}


def test_an_empty_whole_number_is_unset_and_an_empty_number_is_refused() -> None:
    settings = capacity_task_settings({**ALONE, "mapred.capacity-scheduler.maximum-tasks-per-heartbeat": ""})
    assert settings.tasks_per_heartbeat == 2**15 - 1
    with pytest.raises(ConfigError, match="user-limit-factor"):
        capacity_task_settings({**ALONE, f"{OWN}user-limit-factor": ""})


@pytest.mark.parametrize(
    ("key", "inside", "outside", "bounds"),
    [
        (f"{OWN}minimum-user-limit-percent", ("1", "100"), ("0", "101"), "1 to 100"),
        (f"{OWN}init-accept-jobs-factor", ("1",), ("0",), "at least 1"),
        (f"{OWN}maximum-capacity", ("100",), ("100.5",), "at most 100"),
    ],
)
def test_a_value_out_of_bounds_is_refused(
    key: str, inside: tuple[str, ...], outside: tuple[str, ...], bounds: str
) -> None:
    for text in inside:
        capacity_task_settings({**ALONE, key: text})
    for text in outside:
        with pytest.raises(ConfigError, match=f"is out of bounds: {bounds}"):
            capacity_task_settings({**ALONE, key: text})
