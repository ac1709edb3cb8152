"""Which kinds of applications of a workload are offered, in which order, and what they are called."""

from typing import Any

import pytest

from engine.formats.scenario_toml import loads
from engine.scenario import Scenario
from tui.session.presets import LAST, MOST, Presets

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
    """Names of the presets."""
    return [preset.name for preset in Presets(scenario).offered()]


@pytest.mark.parametrize("name", ["web 1", "web#22", "web_3", "web.4", "web-5", "web6", "web"])
def test_a_number_at_the_end_of_a_name_makes_no_kind(name: str) -> None:
    """Whatever stands before it."""
    assert names(workload({"name": "web"}, {"name": name})) == ["web"]


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


def test_a_third_of_one_name_is_counted_on() -> None:
    """In the order of the file."""
    users = [{"name": "web", "user": user} for user in ("ann", "bob", "eve")]

    assert names(workload(*users)) == ["web", "web-2", "web-3"]


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
    """So many submissions."""
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


@pytest.mark.parametrize(
    ("sizes", "typical"), [([5], "5"), ([9, 1], "1"), ([9, 1, 5], "5"), ([9, 1, 5, 7], "5"), ([3, 3, 8], "3")]
)
def test_of_a_kind_the_one_of_middle_size_is_typical(sizes: list[int], typical: str) -> None:
    """Of two the smaller."""
    scenario = workload(*({"name": f"web {size}", "instances": size} for size in sizes))
    [preset] = Presets(scenario).offered()

    assert preset.fields["containers"] == typical


def test_of_alike_sizes_the_first_is_typical() -> None:
    """In the order of the file."""
    [preset] = Presets(workload({"name": "web 1"}, {"name": "web 2"})).offered()

    assert preset.fields["name"] == "web 1"


@pytest.mark.parametrize("more", [0, 1])
def test_so_many_kinds_are_offered_at_most(more: int) -> None:
    """Those submitted most often."""
    scenario = workload(*({"name": f"web {'x' * number} a"} for number in range(MOST + more)))

    assert (len(names(scenario)), MOST) == (30, 30)


def test_a_preset_that_is_not_there_is_answered_with_what_there_is() -> None:
    """With the nearest name, else with all of them, or that there is none."""
    some, none = Presets(workload({"name": "web"}, {"name": "shell"})), Presets(loads(HEAD, "x"))

    assert some.spec_of({"preset": "wbe"}) == (None, ["preset: there is no wbe (did you mean web?)"])
    assert some.spec_of({"preset": "zzzzzz"}) == (None, ["preset: there is no zzzzzz (there is web, shell)"])
    assert none.spec_of({"preset": "web"}) == (None, ["preset: there is no web (this workload has none)"])


def test_what_was_submitted_last_replaces_the_last_before() -> None:
    """It stands first, and the kinds stay as they are."""
    presets = Presets(workload({"name": "web"}, {"name": "shell"}))
    first, second = workload({"name": "one"}, {"name": "two", "instances": 4}).workload
    presets.remember(first)
    presets.remember(second)
    offered = presets.offered()

    assert [preset.name for preset in offered] == [LAST, "web", "shell"]
    assert (offered[0].fields["name"], offered[0].fields["containers"], offered[0].about) == ("two", "4", "service")
    made, problems = presets.spec_of({**offered[0].fields, "preset": LAST, "containers": "5"})
    assert (made, problems) == (second.model_copy(update={"instances": 5}), [])
