"""What is away as a whole value: since when, in which words, for whom, and when it ends."""

import pytest

from engine.explain.outages import Outage, outages, returns_to_come, stranded, waits_of
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import app, at, scene

HELD = app("first", '{ memory = "1g", count = 2 }') + app("second", '{ memory = "9g" }', at=2)


def fault(do: str, at_s: int, **more: object) -> str:
    """A fault of a scenario."""
    words = {key: str(value).lower() if isinstance(value, bool | int) else f'"{value}"' for key, value in more.items()}
    lines = "".join(f"{key} = {value}\n" for key, value in words.items())
    return f'[[faults]]\ndo = "{do}"\nat = {at_s}\n{lines}'


def of(text: str, seconds: float, *, nodes: int = 2) -> list[Outage]:
    """All that is away."""
    return list(outages(standing(text, seconds, nodes=nodes)))


def standing(text: str, seconds: float, *, nodes: int = 2) -> Simulation:
    """A run at an instant."""
    recovers = '"yarn.resourcemanager.recovery.enabled" = true\n'
    recovers += '"yarn.resourcemanager.work-preserving-recovery.enabled" = true'
    return at(scene(text, nodes=nodes, settings=recovers), seconds)


def test_returns_that_are_to_come_are_known_the_soonest_first() -> None:
    """From the instant on after which they have not happened; nodes that fall sick do not return."""
    text = fault("lose", 10, node="n1") + fault("return", 50, node="n1") + fault("health", 60, node="n2", healthy=False)
    text += fault("health", 70, node="n2", healthy=True) + fault("lose", 80, node="n1")
    start_ms = standing(HELD, 0).now_ms
    for second, expected in ((5, [50, 70]), (49, [50, 70]), (50, [70]), (69, [70]), (70, []), (90, [])):
        found = returns_to_come(standing(HELD + text, second))
        assert [(each.returns_ms - start_ms) // 1000 for each in found] == expected
        assert [each.node.partition(":")[0] for each in found] == [{50: "n1", 70: "n2"}[each] for each in expected]


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
    """Since the last of them was heard of, until the first comes back."""
    start_ms = standing(HELD, 0).now_ms
    found = [each for each in of(HELD + faults, 40) if each.key[0] == "nodes"]

    assert [each.what for each in found] == ([] if what is None else [what])
    for each in found:
        assert each.applications == (1, 2)
        assert 20_000 < each.since_ms - start_ms <= 27_000
        assert each.ends_ms == (None if ends is None else start_ms + ends * 1000)
        assert each.ends == ("no return is planned" if ends is None else "one is back")
        assert each.blocks.endswith(" 2 applications")


def test_a_single_node_is_named_as_such() -> None:
    """And nothing is away where there is nobody to miss it."""
    (found,) = [each for each in of(HELD + fault("lose", 20, node="n1"), 40, nodes=1) if each.key[0] == "nodes"]

    assert found.what == "no node reports"
    assert found.blocks == "nothing runs for 2 applications"
    assert of(fault("lose", 20, node="n1"), 40, nodes=1) == []


def test_a_control_plane_that_is_away_is_told_with_its_start() -> None:
    """Since it stopped; for new applications where there are none."""
    away = fault("rm_restart", 20, down=60)
    start_ms = standing(HELD, 0).now_ms
    (found,) = of(HELD + away, 40)
    (alone,) = of(away, 40)

    assert (found.since_ms, found.ends_ms) == (start_ms + 20_000, start_ms + 80_000)
    assert (found.what, found.blocks) == ("no ResourceManager answers", "nothing is given to 2 applications")
    assert (found.ends, found.applications) == ("it starts again", (1, 2))
    assert (alone.blocks, alone.applications, alone.key) == ("nothing is given to new applications", (), found.key)
    assert [each.what for each in of(HELD + away, 79)] == [found.what]
    assert [each.what for each in of(HELD + away, 80) if each.key == found.key] == []


@pytest.mark.parametrize(
    ("again", "words"), [(0, ""), (1, ", 1 submission is tried again"), (2, ", 2 submissions are")]
)
def test_submissions_that_get_no_answer_are_counted(again: int, words: str) -> None:
    """From when they are made."""
    late = "".join(app(f"late {turn}", '{ memory = "1g" }', at=30 + turn) for turn in range(again))
    (found,) = of(HELD + fault("rm_restart", 20, down=60) + late, 40)

    assert found.blocks.startswith(f"nothing is given to 2 applications{words}")
    assert ("tried again" in found.blocks) == bool(again)


def test_what_runs_on_a_silent_node_is_waited_for() -> None:
    """With where it is, since when, and when it counts as lost; who has nothing there waits for nothing."""
    both = app("both", '{ memory = "8g", count = 2 }') + app("second", '{ memory = "1g" }', at=3)
    silent = standing(both + fault("lose", 20, node="n1") + fault("lose", 22, node="n2"), 50)
    (row,) = waits_of(silent, 1)

    assert (row.code, row.level, row.state) == ("NODE_SILENT", "APP", "SKIPPED")
    assert row.answer.startswith("2 containers on n1 and 1 other node, silent for ")
    assert ": counted as lost in " in row.answer
    assert stranded(silent) == {1, 2}
    one = standing(both + fault("lose", 20, node="n1"), 50)
    (row,) = waits_of(one, 1)
    assert row.answer.startswith("1 container on n1, silent for ")
    assert stranded(one) >= {1}
    assert (waits_of(standing(both, 50), 1), stranded(standing(both, 50))) == ((), set())
