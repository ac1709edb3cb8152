"""Everything that crosses the protocols of a session survives being written as bytes."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from engine.observe.documents import FixedSnapshot
from engine.observe.spark_snapshot import PlanTables
from engine.scenario.acts import Act, KillApplication, LoseResourceManager, SetQueueSetting, SubmitApplication
from tests.tui.small_run import by_hand, now
from tui.protocol.picture import (
    ActPreview,
    ActResult,
    Definition,
    Notice,
    OpenQuestion,
    SessionChanged,
    SessionState,
    WhyAnswer,
    WhySubject,
)
from tui.protocol.session import TraineeScreen, TraineeState, decode, encode
from tui.session.session import Session


def opened() -> Session:
    return by_hand("reservation-deadlock", at="09:10", paused=True).session


incident = cache(opened)


@cache
def spark() -> Session:
    return by_hand("spark-cores-hoarded", at="09:10", paused=True).session


def question(session: Session) -> OpenQuestion:
    return now(session.questions.ask(WhySubject("application", "183354")))


SEEN = TraineeState(
    at_ms=5,
    left_ms=7,
    has_begun=True,
    is_over=False,
    frozen=False,
    screen=TraineeScreen("cluster", "nodes", "n1:8041", "gpu", ("j", "enter")),
    answers={"cause": ("masters", "nodes")},
    hints=1,
    steps=('{"do": "hint"}',),
    unread=0,
)
SAMPLES: dict[Any, list[Callable[[], Any]]] = {
    type(None): [lambda: None],
    bool: [lambda: True],
    int: [lambda: 7],
    float: [lambda: 0.5],
    str: [lambda: "root.etl"],
    Mapping[str, str]: [lambda: {"name": "x"}],
    Act: [
        lambda: KillApplication("1"),
        lambda: SubmitApplication({"type": "scripted", "user": "u"}),
        LoseResourceManager,
    ],
    WhySubject: [lambda: WhySubject("queue", "root")],
    SessionState: [lambda: now(incident().pictures.picture()), lambda: now(spark().pictures.picture())],
    Definition | None: [lambda: now(incident().pictures.definition("queue", "root.etl"))],
    tuple[PlanTables, ...]: [lambda: now(spark().pictures.plans())],
    ActResult: [
        lambda: now(incident().acts.do(KillApplication("application_1_1"))),
        lambda: now(opened().clock.branch()),
    ],
    ActPreview: [
        lambda: now(incident().acts.try_(SetQueueSetting("root.etl", "weight", "3"))),
        lambda: now(incident().acts.try_(SetQueueSetting("root.nowhere", "weight", "3"))),
    ],
    OpenQuestion: [lambda: question(incident())],
    WhyAnswer: [lambda: question(incident()).answer],
    tuple[str, ...]: [lambda: ("a line", "")],
    TraineeState: [lambda: SEEN],
    SessionChanged | Notice: [SessionChanged, lambda: Notice("Nothing moves.", "error")],
}
"""Type → values of it."""


@pytest.mark.parametrize("kind", SAMPLES, ids=str)
def test_it_comes_back_as_it_was(kind: Any) -> None:
    """Written and read it is equal, and written again it is the same bytes."""
    for sample in SAMPLES[kind]:
        value = sample()
        data = encode(value)
        again = decode(data, kind)

        assert encode(again) == data
        assert again == value or isinstance(value, SessionState)


@pytest.mark.parametrize("session", [incident, spark])
def test_a_picture_comes_back_with_all_its_rows(session: Callable[[], Session]) -> None:
    """Every section has the same rows, and what a source cannot tell is not told afterwards either."""
    picture = now(session().pictures.picture())
    again = decode(encode(picture), SessionState)
    ours, theirs = picture.snapshot, again.snapshot

    assert isinstance(theirs, FixedSnapshot)
    assert (theirs.header, theirs.dialect) == (ours.header, ours.dialect)
    for section in ours.sections:
        assert list(getattr(theirs, section)()) == list(getattr(ours, section)())
        assert theirs.version(section) == ours.version(section)
    assert (again.run, list(again.events)) == (picture.run, list(picture.events))
    assert list(again.presets) == list(picture.presets)


def test_graphs_come_back() -> None:
    graphs = now(incident().pictures.picture()).graphs
    assert graphs is not None
    again = decode(encode(graphs), type(graphs))

    assert (again.reading, again.history.names) == (graphs.reading, graphs.history.names)
    assert (again.history.cluster.times, again.history.cluster.values) == (
        graphs.history.cluster.times,
        graphs.history.cluster.values,
    )
    assert {path: (steps.times, steps.values) for path, steps in again.history.queues.items()} == {
        path: (steps.times, steps.values) for path, steps in graphs.history.queues.items()
    }
