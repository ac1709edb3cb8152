"""Which kinds of applications of a workload are offered, in which order, and what they are called."""

from typing import Any

import pytest

from engine.formats.scenario_toml import loads
from engine.scenario import Scenario
from tui.session.templates import Presets

HEAD = """
duration = "10m"
[cluster]
groups = [{ count = 4, prefix = "n", memory = "16g", vcores = 16 }]
"""


def workload(*applications: dict[str, Any], more: str = "") -> Scenario:
    """A scenario that submits services; each has a name, or what else is given."""
    text = HEAD + more
    for one in applications:
        fields = {"user": '"ann"', "instances": "1", **{key: repr(value) for key, value in one.items()}}
        rows = "\n".join(f"{key} = {value}" for key, value in fields.items())
        text += f'[[workload]]\ntype = "service"\ninstance = {{ memory = "1g" }}\n{rows}\n'
    return loads(text.replace("'", '"'), "x.toml")


def names(scenario: Scenario) -> list[str]:
    return [preset.name for preset in Presets(scenario).offered()]


@pytest.mark.parametrize(
    ("other", "kinds"),
    [
        ({"name": "web"}, ["web"]),
        ({"name": "web", "user": "bob"}, ["web", "web-2"]),
        ({"name": "web", "queue": "root.a"}, ["web", "web-2"]),
        ({"name": "web 2 x"}, ["web", "web-2-x"]),
        ({"name": "last"}, ["web", "last-2"]),
        ({"name": "7"}, ["web", "service"]),
    ],
)
def test_name_user_and_queue_make_a_kind(other: dict[str, Any], kinds: list[str]) -> None:
    """Each is one word of its own, and none is called as what was submitted last."""
    assert names(workload({"name": "web"}, other)) == kinds


def test_the_kind_that_is_submitted_most_often_comes_first() -> None:
    """Repeats count, what runs at the start and what the script submits too; of as many the first in the file."""
    running = """
[[running]]
application = { type = "service", name = "old", user = "ann", instances = 1, instance = { memory = "1g" } }
[[script]]
at = 1
do = "submit"
application = { type = "service", name = "old", user = "ann", instances = 1, instance = { memory = "1g" } }
"""
    scenario = workload(
        {"name": "once"}, {"name": "twice 1"}, {"name": "twice 2"}, {"name": "thrice"}, {"name": "again"}, more=running
    )
    thrice = scenario.workload[3]
    repeated = thrice.model_copy(update={"repeat": _repeat(3)})
    scenario = scenario.model_copy(update={"workload": (*scenario.workload[:3], repeated, *scenario.workload[4:])})

    assert names(scenario) == ["thrice", "old", "twice", "once", "again"]


def _repeat(times: int) -> Any:
    text = (
        HEAD
        + f"""
[[workload]]
type = "service"
user = "ann"
instances = 1
instance = {{ memory = "1g" }}
repeat = {{ times = {times}, every = "1m" }}
"""
    )
    return loads(text, "x.toml").workload[0].repeat
