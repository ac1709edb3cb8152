"""Capacities whose resources have a kind each, as the flexible queue mode reads and shares them out."""

from collections.abc import Mapping

import pytest

from engine.schedulers.capacity.properties import Properties, Refusals
from engine.schedulers.capacity.space import Amount
from engine.schedulers.capacity34.capacity_text import Vector, parse_vector
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from engine.settings.capacity import CAPACITY_34
from tests.build import resource_manager

CAPACITY = "yarn.scheduler.capacity."


def _parsed(text: str) -> Vector | None:
    return parse_vector(text, Properties({}, Refusals(), CAPACITY_34), "key")


@pytest.mark.parametrize(
    ("text", "memory", "vcores"),
    [
        ("40", (40.0, "%"), (40.0, "%")),
        ("3w", (3.0, "w"), (3.0, "w")),
        ("[memory=4Gi,vcores=25%]", (4096.0, ""), (25.0, "%")),
        ("[ memory = 2w , vcores = 5 ]", (2.0, "w"), (5.0, "")),
        ("[memory=2048]", (2048.0, ""), (0.0, "")),
    ],
)
def test_each_resource_of_a_capacity_has_its_own_kind(
    text: str, memory: tuple[float, str], vcores: tuple[float, str]
) -> None:
    """A suffix says percentage or weight; nothing, or a unit, means an absolute amount."""
    assert _parsed(text) == (memory, vcores)


@pytest.mark.parametrize("text", ["40%", "[vcores=4]", "half", "[memory=0,vcores=4]"])
def test_a_text_of_no_known_form_is_no_capacity(text: str) -> None:
    """A percentage has no sign outside brackets, and inside them memory has to be named."""
    assert _parsed(text) is None


def test_something_that_is_no_number_is_refused() -> None:
    refusals = Refusals()

    parse_vector("[memory=lots]", Properties({}, refusals, CAPACITY_34), "key")

    assert refusals.kinds == ["NumberFormatException"]


def _guarantees(capacities: Mapping[str, str], maximums: Mapping[str, str] | None = None) -> dict[str, Amount]:
    settings = {
        f"{CAPACITY}legacy-queue-mode.enabled": "false",
        f"{CAPACITY}root.queues": ",".join(capacities),
        **{f"{CAPACITY}root.{name}.capacity": text for name, text in capacities.items()},
        **{f"{CAPACITY}root.{name}.maximum-capacity": text for name, text in (maximums or {}).items()},
    }
    scheduler = resource_manager("capacity-3.4", nodes=2, settings=settings).scheduler.policy
    assert isinstance(scheduler, CapacityScheduler34), "of this release"
    return {queue.name: queue.share("").effective_minimum for queue in scheduler.tree.root.children}


def test_absolute_amounts_come_first_then_percentages_of_the_rest_then_weights() -> None:
    """Of 16 GB, 4 GB are fixed, half of the other 12 is 6, and two weights share what is left."""
    found = _guarantees({"a": "[memory=4096,vcores=4]", "b": "50", "c": "1w", "d": "2w"})

    assert found == {"a": (4096, 4), "b": (6144, 6), "c": (2048, 2), "d": (4096, 4)}


def test_absolute_amounts_shrink_where_the_parent_has_less() -> None:
    found = _guarantees({"a": "[memory=16384,vcores=8]", "b": "[memory=8192,vcores=4]"})

    assert found == {"a": (10922, 8), "b": (5461, 4)}


def test_a_guarantee_is_no_more_than_the_maximum() -> None:
    found = _guarantees({"a": "75", "b": "25"}, {"a": "[memory=4096,vcores=16]"})

    assert found["a"] == (4096, 12)


def test_percentages_need_not_add_up() -> None:
    """The last queue gets what the others have left, and not what it says."""
    found = _guarantees({"a": "75", "b": "50"})

    assert found == {"a": (12288, 12), "b": (4096, 4)}
