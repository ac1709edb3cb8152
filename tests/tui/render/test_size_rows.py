"""What a sizing says beside its curve: each step, and what else it would take."""

from typing import Any

import pytest

from engine.observe.snapshot import UNKNOWN
from engine.sweep import GOALS, SizeStep, Sizing
from tests.tui import fakes
from tui.picture import Picture, RunState
from tui.render import node, queue
from tui.render.line import Look, flat
from tui.render.noun import Lead
from tui.render.size_page import OTHERS, STEPS, SizeView, size_page, size_text

GOAL = GOALS["p95_wait"]
LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384))


def view(
    *steps: SizeStep, answer: int | None = 70, others: dict[str, SizeStep] | None = None, key: str = "nodes"
) -> SizeView:
    """Steps of a sizing with three seeds."""
    return SizeView("x", GOAL, "p95_wait < 5m", 300_000, Sizing(key, steps, answer, 3), others or {}, "x.sweep")


def rows(shown: SizeView, part: str) -> list[str]:
    """The lines of a part, without its title."""
    return [flat(line).strip() for line in size_page(shown, (90, 30), part).lines][1:]


@pytest.mark.parametrize(("kept", "style"), [(2, "watch"), (3, "good"), (0, "watch")])
def test_a_step_is_good_where_every_seed_keeps_the_goal(kept: int, style: str) -> None:
    """Two of three are not enough."""
    lines = size_page(view(SizeStep(70, (1000.0, 1000.0, 1000.0), kept)), (90, 30), STEPS).lines

    assert [one for line in lines for words, one in line if f"{kept} of 3" in words] == [style]


def test_a_step_has_its_median_and_its_spread() -> None:
    """Equal seeds have none; one that was not played says why in one line."""
    steps = (
        SizeStep(40, (60_000.0, 180_000.0, 120_000.0), 3),
        SizeStep(50, (60_000.0, 60_000.0, 60_000.0), 3),
        SizeStep(60, (), 0, "refused: no\nsuch size"),
        SizeStep(70, (), 0),
    )
    found = [line.split() for line in rows(view(*steps), STEPS)]

    assert found[1:5] == [
        ["1", "40", "2m00s", "1m00s", "to", "3m00s", "3", "of", "3"],
        ["2", "50", "1m00s", "3", "of", "3"],
        ["60:", "refused:", "no"],
        ["70:", "not", "played"],
    ]


@pytest.mark.parametrize(
    ("step", "key", "lines"),
    [
        (SizeStep(75, (1.0,), 3), "nodes", ["as fifo                 75 nodes  +5"]),
        (SizeStep(70, (1.0,), 3), "nodes", ["as fifo                 70 nodes  +0"]),
        (SizeStep(71, (1.0,), 3), "a.b", ["as fifo                 a.b = 71  +1"]),
        (SizeStep(1, (), 2, "refused:\nno queue"), "nodes", ["as fifo                 not with 1 node", "no queue"]),
    ],
)
def test_what_else_it_would_take_is_how_many_more(step: SizeStep, key: str, lines: list[str]) -> None:
    """Where not every seed keeps the goal with the largest, it is said why not."""
    assert rows(view(others={"as fifo": step}, key=key), OTHERS)[: len(lines)] == lines


def test_without_a_step_there_is_no_curve() -> None:
    """And nothing else was asked."""
    assert "no size is played" in list(size_text(view()))
    assert rows(view(), OTHERS)[0] == "not asked"
    assert rows(view()._replace(is_running=True), OTHERS)[0] == "not asked yet"


@pytest.mark.parametrize(
    ("owners", "lead"),
    [
        ([], "Nothing is on n1:45454."),
        (["a"], Lead("applications", "a")),
        (["a", "b", "b"], Lead("applications", "b")),
        (["b", "a", "a", "b"], Lead("applications", "b")),
    ],
)
def test_a_node_belongs_to_who_owns_most_of_what_is_on_it(owners: list[str], lead: Lead | str) -> None:
    """Of as many to the first."""
    picture = Picture(fakes.FakeSnapshot(fakes.header()), RunState("x"), (), 1)
    row = fakes.node_row("n1", reserved_by=None, reserved=None)

    assert node.owner_among(owners, row, picture) == lead


@pytest.mark.parametrize(
    ("share", "words"), [((1024, 1), "1G/1c"), ((1024, 0), "1G"), ((0, 1), "0/1c"), (UNKNOWN, "?"), (None, "-")]
)
def test_a_share_without_vcores_is_memory_alone(share: Any, words: str) -> None:
    """A policy that looks at memory only gives none."""
    assert queue.amounts(share, LOOK) == words
