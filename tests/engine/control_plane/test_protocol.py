"""The events and answers at the front door are plain values."""

import msgspec
import pytest

from engine.control_plane.protocol import (
    NOTHING,
    Answer,
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    ApplicationMasterRegistered,
    ApplicationMovedToQueue,
    ApplicationSubmitted,
    Ask,
    ContainerKilled,
    Event,
    NodeHeartbeat,
    NodeJoined,
    NodeLost,
    NodeResized,
    SettingsChanged,
)
from engine.model.resource import Resource

EVENTS: list[Event] = [
    NodeJoined("a:1", "/r", 4096, 4),
    NodeLost("a:1"),
    NodeResized("a:1", 8192, 8),
    NodeHeartbeat("a:1", started=((1, 1, 1),), completed=(((1, 1, 2), 0),)),
    ApplicationSubmitted("u", "root.a", Resource(1024, 1)),
    ApplicationMasterRegistered(1),
    ApplicationMasterHeartbeat(1, asks=(Ask(1, "*", 1024, 1, 3),), releases=((1, 1, 2),)),
    ApplicationFinished(1),
    ContainerKilled((1, 1, 2)),
    ApplicationMovedToQueue(1, "root.b"),
    SettingsChanged({"preemption": "true"}),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_from_json_as_it_went(event: Event) -> None:
    assert msgspec.json.decode(msgspec.json.encode(event), type=type(event)) == event


def test_an_answer_without_effect_is_empty() -> None:
    assert Answer() == NOTHING
    assert (NOTHING.decisions, NOTHING.granted, NOTHING.cleanups, NOTHING.rejected) == ((), (), (), "")
