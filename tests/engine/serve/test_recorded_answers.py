"""What a recorded run answers, beside what the real ResourceManager answered at that instant of the same script."""

from typing import Any

import pytest

from tests.engine.serve.asked import asked, differences, exchanges, plain

RECORDED = {"2.7.2-fair": ("reservation-deadlock-recorded", 62_200)}
"""Recording → the scenario of the same script, and when its plain questions were asked."""
SAME = ("/info", "/metrics", "/scheduler", "/appstatistics")
"""What is the same to the last figure."""
INEXACT = {
    "lastHealthUpdate",
    "elapsedTime",
    "startedTime",
    "finishedTime",
    "memorySeconds",
    "vcoreSeconds",
    "progress",
}
"""What differs by the milliseconds that the real one took, and how far masters are, which is not simulated."""


@pytest.mark.parametrize("recording", RECORDED)
@pytest.mark.parametrize("path", SAME)
def test_every_figure_is_that_of_the_real_server(recording: str, path: str) -> None:
    name, at_ms = RECORDED[recording]
    assert asked(name, at_ms).json(path) == plain(recording, path).json


@pytest.mark.parametrize("recording", RECORDED)
def test_nodes_are_those_of_the_real_server(recording: str) -> None:
    name, at_ms = RECORDED[recording]
    ours, theirs = asked(name, at_ms).json("/nodes"), plain(recording, "/nodes").json
    assert _without(ours, INEXACT) == _without(theirs, INEXACT)


@pytest.mark.parametrize("recording", RECORDED)
def test_applications_are_those_of_the_real_server(recording: str) -> None:
    """In its order; but for instants, for names numbered by the script, and for asks spread over priorities."""
    name, at_ms = RECORDED[recording]
    ours, theirs = asked(name, at_ms).json("/apps"), plain(recording, "/apps").json
    skipped = {*INEXACT, "name", "resourceRequests"}
    assert _without(ours, skipped) == _without(theirs, skipped)


@pytest.mark.parametrize("recording", RECORDED)
def test_errors_are_those_of_the_real_server(recording: str) -> None:
    name, at_ms = RECORDED[recording]
    one = asked(name, at_ms)
    labelled = [each for each in exchanges(recording) if each.label.startswith(("bad-", "unknown-", "two-"))]
    refused = [each for each in labelled if each.method == "GET" and each.accept == "application/json"]
    for each in refused:
        said = one.ask(each.path)
        assert (said.status, said.content_type) == (each.status, each.type), each.path
        assert not each.text or said.body.decode() == each.text, each.path
    assert len(refused) > 10


@pytest.mark.parametrize("recording", RECORDED)
def test_filters_find_what_the_real_server_finds(recording: str) -> None:
    """Ids of applications and nodes, for every filter that was asked at that time."""
    name, at_ms = RECORDED[recording]
    one = asked(name, at_ms)
    for each in exchanges(recording):
        is_filter = each.method == "GET" and each.status == 200 and "?" in each.path and not each.label
        if is_filter and "/apps?" in each.path and each.t < 64:
            assert _ids(one.json(each.path)) == _ids(each.json), each.path


def test_shapes_differ_in_names_order_and_types() -> None:
    assert differences({"a": [{"b": 1}]}, {"a": [{"b": 1.0}]}) == [".a[].b: int for float"]
    assert differences({"a": 1, "b": 2}, {"b": 2, "a": 1}) == [": order"]
    assert differences({"a": 1}, {"c": 1}) == [".c: not there", ".a: only ours"]


def _ids(body: Any) -> list[str]:  # Any: JSON
    return [each["id"] for each in (body["apps"] or {}).get("app", ())]


def _without(value: Any, names: set[str]) -> Any:  # Any: JSON
    if isinstance(value, dict):
        return {name: _without(each, names) for name, each in value.items() if name not in names}
    return [_without(each, names) for each in value] if isinstance(value, list) else value
