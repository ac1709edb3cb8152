"""Parts of traces: objects of a stream, which applications are taken, what a report collects and a workload is like."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formats.traces.application import TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.json_objects import ObjectSplitter
from engine.formats.traces.report import ImportReport
from engine.formats.traces.selection import OUTSIDE, TracePart, hidden
from engine.formats.traces.statistics import Spread, spread


def split(text: bytes, size: int = 5, depth: int = 1) -> tuple[list[tuple[int, Any]], list[tuple[str, int]]]:
    """(line, object) of a stream that is read in pieces, and (message, line) of faults."""
    rest, faults = [text], list[tuple[str, int]]()

    def read(_: int) -> bytes:
        piece, rest[0] = rest[0][:size], rest[0][size:]
        return piece

    found = list(ObjectSplitter(read, lambda message, line: faults.append((message, line)), depth).objects())
    return found, faults


VALUES = st.recursive(
    st.integers() | st.text(max_size=8) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=3)


@settings(max_examples=80, deadline=None)
@given(st.lists(OBJECTS, max_size=4), st.integers(1, 40), st.booleans(), st.sampled_from(["\n", " ", ",\n"]))
def test_whatever_stands_in_a_stream_is_read_in_pieces_of_any_length(
    objects: list[Any], size: int, is_ascii: bool, between: str
) -> None:
    """Braces and quotation marks in strings are none; each object has the line it begins in."""
    texts = [json.dumps(each, ensure_ascii=is_ascii, indent=1) for each in objects]
    whole = between.join(texts)
    lines = [1 + between.join([*texts[:place], ""]).count("\n") for place in range(len(texts))]

    assert split(whole.encode(), size) == (list(zip(lines, objects, strict=True)), [])


@pytest.mark.parametrize(
    ("text", "depth", "found"),
    [
        (b'{"a": [{"b": 1}, {"b": {"c": 2}}]}', 2, [{"b": 1}, {"b": {"c": 2}}]),
        (b'{"a": {"x": {"b": 1}}}', 3, [{"b": 1}]),
        (b'}} {"a": 1}', 1, [{"a": 1}]),
        (b"", 1, []),
        (b"[1, 2]", 1, []),
    ],
)
def test_objects_may_stand_inside_others(text: bytes, depth: int, found: list[Any]) -> None:
    assert [each for _, each in split(text, depth=depth)[0]] == found


@pytest.mark.parametrize(
    ("text", "found", "faults"),
    [
        (b'{"a": 1}\n{x}\n{"b": 2}', [(1, {"a": 1}), (3, {"b": 2})], [("this is no JSON object", 2)]),
        (b'{"a": \n{"b": 2}', [(2, {"b": 2})], [("this object has no end", 1)]),
        (b'{"a": "x\n', [], [("this object has no end", 1)]),
        (b'{"a": 1}\n\n{"b": ', [(1, {"a": 1})], [("this object has no end", 3)]),
        (b'{x\n{y}\n{"a": 1}}', [(3, {"a": 1})], [("this is no JSON object", 1), ("this is no JSON object", 2)]),
    ],
)
def test_what_cannot_be_read_is_said_and_reading_goes_on(
    text: bytes, found: list[Any], faults: list[tuple[str, int]]
) -> None:
    objects, problems = split(text)

    assert objects == found
    assert [(message.partition(":")[0], line) for message, line in problems] == faults


def app(number: int, submitted_ms: int, **more: Any) -> TraceApplication:
    fields: dict[str, Any] = {"id": f"a{number}", "submitted_ms": submitted_ms, "queue": "q", "user": "ann", **more}
    return TraceApplication(**fields)


APPS = [app(1, 1_000), app(2, 3_000), app(3, 2_000)]


def taken(part: TracePart) -> tuple[list[str], dict[str, int]]:
    """Ids of those that are taken, and what is dropped."""
    report = ImportReport()
    return [each.id for each in part.of(APPS, report)], dict(report.dropped)


@pytest.mark.parametrize(
    ("part", "found", "dropped"),
    [
        (TracePart(), ["a1", "a2", "a3"], 0),
        (TracePart(first=2), ["a1", "a2"], 0),
        (TracePart(first=0), [], 0),
        (TracePart(between_ms=(0, 1_000)), ["a1"], 2),
        (TracePart(between_ms=(1_000, 2_001)), ["a2", "a3"], 1),
        (TracePart(between_ms=(1_001, 2_000)), [], 3),
        (TracePart(first=2, between_ms=(0, 1)), ["a1"], 1),
    ],
)
def test_applications_are_taken_by_number_and_by_time(part: TracePart, found: list[str], dropped: int) -> None:
    assert taken(part) == (found, {OUTSIDE: dropped} if dropped else {})


@pytest.mark.parametrize(("scale", "instants"), [(2.0, [1_000, 5_000, 3_000]), (0.25, [1_000, 1_500, 1_250])])
def test_arrivals_come_so_many_times_later(scale: float, instants: list[int]) -> None:
    found = TracePart(time_scale=scale).of(APPS, ImportReport())

    assert [each.submitted_ms for each in found] == instants


def test_names_are_hidden_the_same_for_the_same() -> None:
    tasks = (TraceTasks("map", 2, (1,), hosts=("n1", "")),)
    (found,) = TracePart(is_anonymous=True).of([app(1, 5, name="", tasks=tasks)], ImportReport())
    report = ImportReport()
    report.add_node(TraceNode("n1", "/r"))
    TracePart(is_anonymous=True).hide_nodes(report)
    kept = ImportReport()
    kept.add_node(TraceNode("n1", "/r"))
    TracePart().hide_nodes(kept)

    assert (found.user, found.queue, found.id, found.name) == (
        hidden("user", "ann"),
        hidden("queue", "q"),
        hidden("job", "a1"),
        "",
    )
    assert found.tasks[0].hosts == (hidden("host", "n1"), "")
    assert (list(report.nodes), list(kept.nodes)) == ([hidden("host", "n1")], ["n1"])
    assert (hidden("user", None), hidden("user", "")) == (None, "")
    assert str(hidden("user", "ann")).startswith("user-")
    assert len(str(hidden("user", "ann"))) == len("user-") + 8


@given(st.lists(st.integers(0, 99), min_size=1, max_size=40))
def test_values_are_spread_by_their_places(values: list[int]) -> None:
    """A tenth is not above the low one, a tenth not below the high one; the middle is the lower of two."""
    found, ordered = spread(values), sorted(values)
    last = len(values) - 1

    assert found == Spread(
        len(values), ordered[last // 10], ordered[last // 2], ordered[last - last // 10], ordered[-1]
    )
