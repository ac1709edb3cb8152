"""What is away as a whole value: since when, in which words, for whom, and when it ends."""

import pytest

from engine.explain.outages import Outage, outages
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import app, at, scene

HELD = app("first", '{ memory = "1g", count = 2 }') + app("second", '{ memory = "9g" }', at=2)


def fault(do: str, at_s: int, **more: object) -> str:
    words = {key: str(value).lower() if isinstance(value, bool | int) else f'"{value}"' for key, value in more.items()}
    lines = "".join(f"{key} = {value}\n" for key, value in words.items())
    return f'[[faults]]\ndo = "{do}"\nat = {at_s}\n{lines}'


def of(text: str, seconds: float, *, nodes: int = 2) -> list[Outage]:
    return list(outages(standing(text, seconds, nodes=nodes)))


def standing(text: str, seconds: float, *, nodes: int = 2) -> Simulation:
    recovers = '"yarn.resourcemanager.recovery.enabled" = true\n'
    recovers += '"yarn.resourcemanager.work-preserving-recovery.enabled" = true'
    return at(scene(text, nodes=nodes, settings=recovers), seconds)


@pytest.mark.parametrize(
    ("faults", "what", "ends"),
    [
        (fault("lose", 20, node="n1"), None, None),
        (fault("lose", 20, node="n1") + fault("lose", 25, node="n2"), "none of 2 nodes reports", None),
        (
            fault("lose", 20, node="n1") + fault("lose", 25, node="n2") + fault("return", 90, node="n2"),
            "none of 2 nodes reports",
            90,
        ),
        (
            fault("lose", 20, node="n1") + fault("health", 25, node="n2", healthy=False),
            "none of 2 nodes is in service, 1 unhealthy",
            None,
        ),
    ],
)
def test_no_node_in_service_keeps_all_from_going_on(faults: str, what: str | None, ends: int | None) -> None:
    start_ms = standing(HELD, 0).now_ms
    found = [each for each in of(HELD + faults, 40) if each.key[0] == "nodes"]

    assert [each.what for each in found] == ([] if what is None else [what])
    for each in found:
        assert each.applications == (1, 2)
        assert 20_000 < each.since_ms - start_ms <= 27_000
        assert each.ends_ms == (None if ends is None else start_ms + ends * 1000)
        assert each.ends == ("no return is planned" if ends is None else "one is back")
        assert each.blocks.endswith(" 2 applications")
