"""Obstacles in words: their numbers by name, the dimensions that bind, and the sentence of each reason."""

import pytest

from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.obstacle_texts import (
    OBSTACLE_TEXTS,
    amount_of,
    answer_of,
    binding_units,
    counted,
    noun_of,
    numbers_of,
    part_of,
    sentence_of,
    short_id,
    shortage_of,
)


def fit(wanted_mb: int, free_mb: int, *vcores: int) -> Obstacle:
    """What is wanted and free of a node, in one or both dimensions."""
    return Obstacle(Reason.DOES_NOT_FIT, (wanted_mb, free_mb, *vcores))


def over(*numbers: int) -> Obstacle:
    """A queue at its maximum."""
    return Obstacle(Reason.QUEUE_OVER_MAXIMUM, numbers, "root.a")


@pytest.mark.parametrize(
    ("obstacle", "numbers"),
    [
        (fit(4, 3), {"wanted_mb": 4, "free_mb": 3}),
        (fit(4, 0, 2, 1), {"wanted_mb": 4, "free_mb": 0, "wanted_vcores": 2, "free_vcores": 1}),
        (fit(0, 3, 2, 0), {"free_mb": 3, "wanted_vcores": 2, "free_vcores": 0}),
        (over(5, 6, 0), {"used_mb": 5, "maximum_mb": 6}),
        (Obstacle(Reason.NOTHING_ASKED), {}),
    ],
)
def test_numbers_have_names(obstacle: Obstacle, numbers: dict[str, int]) -> None:
    """Of what is wanted only where something is."""
    assert numbers_of(obstacle) == numbers


@pytest.mark.parametrize(
    ("obstacle", "units", "shortage"),
    [
        (fit(4, 3), ("mb",), 0.25),
        (fit(4, 4), ("mb",), 0.0),
        (fit(4, 3, 2, 2), ("mb",), 0.25),
        (fit(4, 4, 2, 1), ("vcores",), 0.5),
        (fit(4, 3, 2, 1), ("mb", "vcores"), 0.5),
        (fit(4, 1, 4, 3), ("mb", "vcores"), 0.75),
        (fit(4, 4, 2, 2), ("mb",), 0.0),
        (over(5, 6, 2), ("mb",), 0.5),
        (over(5, 6, 1), ("mb",), 0.0),
        (over(5, 6, 1, 3, 3, 1), ("vcores",), 1.0),
        (over(7, 6, 0), ("mb",), 1.0),
        (Obstacle(Reason.NODE_RESERVED, (4, 1), "x"), ("mb",), 0.75),
        (Obstacle(Reason.NODE_TOO_SMALL, (8, 6)), ("mb",), 0.25),
        (Obstacle(Reason.AM_SHARE_EXHAUSTED, (4, 5, 2)), ("mb",), 0.5),
        (Obstacle(Reason.BLACKLISTED), (), 0),
        (Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (3, 3), "queue root.a"), (), 0),
    ],
)
def test_those_dimensions_bind_in_which_something_is_short(
    obstacle: Obstacle, units: tuple[str, ...], shortage: float
) -> None:
    """Where nothing is, the first; the shortage is that of the dimension that lacks most."""
    assert (binding_units(obstacle), shortage_of(obstacle)) == (units, shortage)


@pytest.mark.parametrize(
    ("numbers", "units", "words"),
    [
        ({"free_mb": 512}, ("mb",), "512 MB"),
        ({"free_vcores": 1}, ("vcores",), "1 vcore"),
        ({"free_vcores": 0}, ("vcores",), "0 vcores"),
        ({"free_mb": 0, "free_vcores": 2}, ("mb", "vcores"), "0 MB and 2 vcores"),
        ({}, ("mb", "vcores"), "? MB and ? vcores"),
        ({"free_mb": 1}, (), ""),
    ],
)
def test_an_amount_is_told_in_its_units(numbers: dict[str, int], units: tuple[str, ...], words: str) -> None:
    """A number that is not there is a question mark."""
    assert amount_of(numbers, "free", units) == words


@pytest.mark.parametrize(
    ("obstacle", "answer"),
    [
        (fit(4, 3, 2, 2), "too full, 4 MB wanted and the freest has 3 MB"),
        (fit(4, 4, 2, 1), "too full, 2 vcores wanted and the freest has 1 vcore"),
        (over(5, 6, 2), "queue root.a uses 5 MB of its maximum 6 MB, this one needs 2 MB"),
        (over(5, 6, 0), "queue root.a uses 5 MB of its maximum 6 MB"),
        (
            Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (3, 5), "queue root.a"),
            "queue root.a already runs 3 of 5 applications",
        ),
        (Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (), "user ann"), "user ann already runs ? of ? applications"),
        (
            Obstacle(Reason.NODE_RESERVED, (4, 1), "application_7_0012"),
            "reserved by 0012 for 4 MB, nothing for others",
        ),
        (Obstacle(Reason.NO_NODE), "there is no node"),
        (Obstacle(Reason.NODE_SILENT, (5, 7)), "silent for 5 s, believed alive for 7 s more"),
        (
            Obstacle(Reason.USER_AM_SHARE_EXHAUSTED, (4, 5, 2), "ann"),
            "application masters of ann use 4 MB of 5 MB in the queue, this one needs 2 MB",
        ),
        (Obstacle(Reason.USER_OVER_LIMIT, (9, 8), "ann"), "user ann uses 9 MB of a limit of 8 MB in the queue"),
    ],
)
def test_an_obstacle_in_words(obstacle: Obstacle, answer: str) -> None:
    """With its numbers in the dimensions that bind."""
    assert answer_of(obstacle) == answer


def test_a_sentence_says_on_how_many_nodes_it_holds() -> None:
    """Where it is about nodes."""
    full = fit(4, 3)
    assert sentence_of(full, 3, 4) == f"3 of 4 nodes: {answer_of(full)}"
    assert sentence_of(full, 1, 1) == f"the only node: {answer_of(full)}"
    assert sentence_of(Obstacle(Reason.NO_NODE), 3, 4) == "there is no node"
    assert (noun_of(full), noun_of(Obstacle(Reason.NO_NODE))) == ("node", "")
    assert counted("too small", 0, 1, "worker") == "0 of 1 workers: too small"
    assert [part_of(*each) for each in ((1, 1), (1, 2), (2, 2), (0, 0))] == [
        "the only node",
        "1 of 2 nodes",
        "2 of 2 nodes",
        "0 of 0 nodes",
    ]


@pytest.mark.parametrize(
    ("subject", "short"),
    [("application_7_0012", "0012"), ("root.a_b", "root.a_b"), ("user ann", "user ann"), ("", "")],
)
def test_an_application_is_named_by_its_number_alone(subject: str, short: str) -> None:
    """Anything else as it is."""
    assert short_id(subject) == short


def test_every_reason_has_words() -> None:
    """Of a level and a state; what is said after a count of nodes is there where nodes are counted."""
    assert OBSTACLE_TEXTS.keys() == set(Reason)
    for reason, text in OBSTACLE_TEXTS.items():
        assert text.level in ("QUEUE", "APP", "REQUEST", "NODE")
        assert text.state in ("REJECTED", "SKIPPED")
        assert answer_of(Obstacle(reason, tuple(range(len(text.numbers))), "it"))
        assert not text.on_nodes or text.is_counted
