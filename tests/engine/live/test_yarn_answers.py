"""Answers of ResourceManagers as values."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.live.yarn_answers import (
    AnswerError,
    read_applications,
    read_info,
    read_metrics,
    read_nodes,
    read_scheduler,
)
from tests.engine.live.recorded import CLUSTER, RECORDINGS, answers_of

READERS = {
    f"{CLUSTER}/info": read_info,
    f"{CLUSTER}/metrics": read_metrics,
    f"{CLUSTER}/nodes": read_nodes,
    f"{CLUSTER}/apps": read_applications,
    f"{CLUSTER}/scheduler": read_scheduler,
}
ALL = [each for recording in RECORDINGS for each in answers_of(recording) if each.path in READERS]
SAMPLE = next(each.body for each in ALL if each.path.endswith("/apps"))


@pytest.mark.parametrize("recording", RECORDINGS)
def test_every_recorded_answer_is_read(recording: str) -> None:
    for each in answers_of(recording):
        if each.path not in READERS:
            continue
        if each.status == 200:
            assert READERS[each.path](each.body) is not None
        else:
            with pytest.raises(AnswerError):
                READERS[each.path](each.body)


def test_a_priority_and_vcores_are_read_as_both_releases_write_them() -> None:
    old = {"priority": {"priority": 20}, "capability": {"memory": 1, "virtualCores": 2}}
    new = {"priority": 20, "capability": {"memory": 1, "vCores": 2}}
    rest = {"resourceName": "*", "numContainers": 1}
    base = {**json.loads(SAMPLE)["apps"]["app"][0], "resourceRequests": [{**old, **rest}, {**new, **rest}]}
    found = read_applications(json.dumps({"apps": {"app": [base]}}).encode())[0].requests

    assert [(each.level, each.capability.pair) for each in found] == [(20, (1, 2)), (20, (1, 2))]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "an empty answer"),
        (b"<!DOCTYPE html><html>", "an HTML page instead of JSON, as of a login"),
        (b"<?xml version='1.0'?>", "XML instead of JSON"),
        (b"[1, 2", "something else than was asked for"),
    ],
)
def test_an_answer_that_is_none_is_called_what_it_is(body: bytes, words: str) -> None:
    with pytest.raises(AnswerError, match=words):
        read_metrics(body)


@given(st.binary(max_size=200), st.integers(0, len(SAMPLE)))
def test_damaged_answers_are_refused_without_another_error(noise: bytes, cut: int) -> None:
    body = SAMPLE[:cut] + noise
    try:
        found = read_applications(body)
    except AnswerError:
        return
    assert {type(each).__name__ for each in found} <= {"ApplicationInfo"}
