"""Keys set on top of a scenario, one at a time: where the value goes, what is replaced, what is refused."""

from copy import deepcopy
from typing import Any

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.scenario_overrides import Layers, Origin, lay_over, override, parse

DATA: dict[str, Any] = {
    "title": "x",
    "settings": {"yarn.a": "1"},
    "cluster": {"groups": [{"count": 2}, {"count": 3}]},
    "queues": [{"name": "prod", "weight": 1}, {"name": "a.b", "user": "ann"}, {"host": "n1"}, {"number": 7}],
    "list": ["p", "q"],
}


def after(assignment: str) -> tuple[dict[str, Any], list[str]]:
    """What the tables are after it, and what it was refused for: key, message and hint."""
    layers = Layers(deepcopy(DATA), {(): Origin("a.toml", 0)})
    found = override(layers, [assignment])
    assert all(one.file == f"--set {assignment}" and one.line == 0 for one in found)
    return layers.data, [f"{one.key}: {one.message} ({one.hint})" for one in found]


SET = [
    ("title=2", ("title",), 2),
    ("title=two", ("title",), "two"),
    (" title = [1, 2] ", ("title",), [1, 2]),
    ("title=a=b", ("title",), "a=b"),
    ("title=", ("title",), ""),
    (f"title='{'a' * 99_998}'", ("title",), "a" * 99_998),
    (f"title='{'a' * 99_999}'", ("title",), f"'{'a' * 99_999}'"),
    ("new.deep=true", ("new", "deep"), True),
    ("settings.yarn.b=2", ("settings", "yarn.b"), 2),
    ("yarn.c=3", ("settings", "yarn.c"), 3),
    ("spark.yarn.c=3", ("settings", "spark.yarn.c"), 3),
    ("mapred.c=3", ("settings", "mapred.c"), 3),
    ("schedlab.c=3", ("settings", "schedlab.c"), 3),
    ("reservation.c=3", ("settings", "schedlab.reservation.c"), 3),
    ("queue_defaults.max.x=1", ("queue_defaults", "max.x"), 1),
    ("cluster.groups.1.count=9", ("cluster", "groups", 1, "count"), 9),
    ("queues.prod.weight=3", ("queues", 0, "weight"), 3),
    ("queues.a.b.weight=3", ("queues", 1, "weight"), 3),
    ("queues.ann.weight=3", ("queues", 1, "weight"), 3),
    ("queues.n1.weight=3", ("queues", 2, "weight"), 3),
    ("queues.7.weight=3", ("queues", 3, "weight"), 3),
    ("queues.3.weight=3", ("queues", 3, "weight"), 3),
    ("queues.prod=5", ("queues", 0), 5),
    ("list.1=r", ("list", 1), "r"),
]


@pytest.mark.parametrize(("assignment", "path", "value"), SET)
def test_a_key_is_set_where_it_leads(assignment: str, path: tuple[str | int, ...], value: object) -> None:
    expected = deepcopy(DATA)
    target: Any = expected
    for key in path[:-1]:
        target = target.setdefault(key, {}) if isinstance(target, dict) else target[int(key)]
    target[path[-1]] = value

    assert after(assignment) == (expected, [])


REFUSED = [
    ("title", ": is not key=value ()"),
    (" =3", ": is not key=value ()"),
    ("title.x=1", "title: is not a table ()"),
    ("list.0.x=1", "list.0: is not a table ()"),
    ("queues.prud.weight=1", "queues: has no item prud (did you mean prod?)"),
    ("queues.xyz.weight=1", "queues: has no item xyz (there is prod, a.b, ann, n1, 7)"),
    ("queues.4.weight=1", "queues: has no item 4 (there is prod, a.b, ann, n1, 7)"),
    ("list.x=1", "list: has no item x ()"),
    ("list.2=1", "list: has no item 2 ()"),
    ("cluster.groups.1000000000.count=9", "cluster.groups: has no item 1000000000 ()"),
    ("cluster.groups.²=9", "cluster.groups: has no item ² ()"),
]


@pytest.mark.parametrize(("assignment", "message"), REFUSED)
def test_a_key_that_leads_nowhere_is_refused(assignment: str, message: str) -> None:
    assert after(assignment) == (DATA, [message])


def test_one_layer_over_another_keeps_where_each_key_came_from() -> None:
    below = parse("# first\na = 1\n[t]\nb = 1\nc = [1, 2]\n[settings.x]\ny = 1\n", "below.toml")
    above = parse("t.c = [3]\n[settings]\n'x.z' = 2\n", "above.toml")
    above.name = "above"
    found = lay_over(below, above)

    assert (found.about, found.name) == ("first", "above")
    assert found.data == {"a": 1, "t": {"b": 1, "c": [3]}, "settings": {"x.y": "1", "x.z": "2"}}
    places = {path: found.origin(path) for path in (("a",), ("t", "b"), ("t", "c"), ("settings", "x.y"))}
    assert list(places.values()) == [
        Origin("below.toml", 2),
        Origin("below.toml", 4),
        Origin("above.toml", 1),
        Origin("below.toml", 7),
    ]
    assert found.origin(("settings", "x.z")) == Origin("above.toml", 3)
    assert found.origin(()) == Origin("above.toml", 0)


PARSED = [
    ("\na = \n", "is not TOML: Invalid value", 2),
    ("a = ", "is not TOML: Invalid value", 0),
    ("x = 1\na = " + "1" * 5000, "a number has too many digits", 2),
    ("\n\n" + ".".join(["a"] * 102) + " = 1", "a dotted key has more than 100 parts", 3),
    ("a = " + "[" * 5000, "is nested too deeply", 0),
]


@pytest.mark.parametrize(("text", "message", "line"), PARSED)
def test_a_text_that_cannot_be_read_is_refused_at_its_line(text: str, message: str, line: int) -> None:
    with pytest.raises(ConfigError) as refused:
        parse(text, "a.toml")
    assert refused.value.problems == (Problem(message, "a.toml", line),)
