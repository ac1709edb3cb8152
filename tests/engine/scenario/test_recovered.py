"""Applications that are there when a scenario starts: what they may hold."""

from typing import Any

import pytest
from pydantic import ValidationError

from engine.scenario import AskSpec, RecoveredContainers, RecoveredSpec, ScriptedSpec

MASTER = RecoveredContainers(node="n1", memory_mb=1024)
ANSWER = RecoveredContainers(node="n1", memory_mb=512, ask=0)


def application(**fields: Any) -> ScriptedSpec:
    """One with an ask for two containers and one for a container on each node."""
    asks = (AskSpec(memory_mb=512, count=2), AskSpec(memory_mb=512, count=1, each_node=True))
    return ScriptedSpec(type="scripted", user="u", asks=asks, **fields)


def recovered(*containers: RecoveredContainers, registered: bool = True, **fields: Any) -> RecoveredSpec:
    return RecoveredSpec(application=application(**fields), containers=containers, registered=registered)


def counted(container: RecoveredContainers, count: int, **fields: Any) -> RecoveredContainers:
    return container.model_copy(update={"count": count, **fields})


@pytest.mark.parametrize(
    "spec",
    [
        {"containers": (MASTER, counted(ANSWER, 2))},
        {"containers": (MASTER, ANSWER, ANSWER)},
        {"containers": (MASTER, counted(ANSWER, 5, ask=1))},
        {"containers": (MASTER,), "registered": False},
        {"containers": (ANSWER,), "am": None},
        {"at_ms": 0},
        {"at_ms": -1},
    ],
)
def test_what_fits_together_is_taken(spec: dict[str, Any]) -> None:
    """As many containers as an ask is for, or any number of one that is for each node."""
    containers = spec.pop("containers", ())
    assert recovered(*containers, **spec).containers == containers


@pytest.mark.parametrize(
    ("containers", "fields", "message"),
    [
        (
            (counted(MASTER, 2),),
            {},
            "has 2 containers without an ask; only a master's has none, so at most 1",
        ),
        (
            (MASTER, MASTER, MASTER),
            {},
            "has 3 containers without an ask; only a master's has none, so at most 1",
        ),
        ((MASTER,), {"am": None}, "has 1 containers without an ask; only a master's has none, so at most 0"),
        ((ANSWER,), {}, "holds containers that answer asks without a registered master"),
        ((MASTER, ANSWER), {"registered": False}, "holds containers that answer asks without a registered master"),
        ((ANSWER,), {"am": None, "registered": False}, "holds containers that answer asks without a registered master"),
        (
            (MASTER, counted(ANSWER, 1, ask=2)),
            {},
            "a container answers ask 2; there are 2, counted from 0",
        ),
        ((MASTER, ANSWER, counted(ANSWER, 2)), {}, "3 containers answer ask 0, which is for 2"),
        ((), {"at_ms": 1}, "its application is submitted after the start"),
        (
            (),
            {"repeat": {"times": 2, "every_ms": 1}},
            "its application has repeat or waits, which mean nothing of what runs already",
        ),
        ((), {"waits": True}, "its application has repeat or waits, which mean nothing of what runs already"),
    ],
)
def test_what_contradicts_itself_is_refused(
    containers: tuple[RecoveredContainers, ...], fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        recovered(*containers, **fields)
    assert [error["msg"] for error in refused.value.errors()] == [f"Value error, {message}"]
