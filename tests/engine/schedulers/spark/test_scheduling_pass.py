"""The order in which a pass looks at workers for drivers."""

import random

import pytest

from engine.model.spark.worker import Worker
from engine.schedulers.spark.scheduling_pass import shuffled


class _Stream(random.Random):
    """Draws one number again and again."""

    def __init__(self, drawn: float) -> None:
        super().__init__(0)
        self._drawn = drawn

    def random(self) -> float:
        """The number."""
        return self._drawn


@pytest.mark.parametrize(("drawn", "order"), [(0.999, "abcd"), (0.0, "bcda"), (0.5, "adbc")])
def test_workers_are_exchanged_from_the_end(drawn: float, order: str) -> None:
    """Each with one before it or itself; the list that was given stays."""
    workers = [Worker(name, f"{name}:1", "", 1, 1, number, 0) for number, name in enumerate("abcd")]
    found = shuffled(workers, _Stream(drawn))

    assert "".join(worker.id for worker in found) == order
    assert "".join(worker.id for worker in workers) == "abcd"
