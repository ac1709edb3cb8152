"""Hints of an answer, and things found by name: no screen."""

import msgspec
import pytest

from tests.tui import answered, fakes
from tests.tui.render.helped import ENTRIES, remedies
from tui.pages.remedy_table import REMEDY
from tui.protocol.picture import CLUSTER, WhyAnswer, WhySubject
from tui.screens.why_hints import looking

# Hints


def answer(kind: str = "application", **changes: object) -> WhyAnswer:
    if kind == CLUSTER:
        return WhyAnswer(WhySubject(CLUSTER, ""), fakes.NOW, plan=remedies())
    document = {**answered.deadlocked(), **changes}
    return answered.answer_of(WhySubject(kind, "183354"), document)


def helped() -> WhyAnswer:
    told = answer()
    assert told.why is not None
    why = msgspec.structs.replace(told.why, would_help=remedies(*ENTRIES))
    return msgspec.structs.replace(told, why=why)


LINKS = [WhySubject(REMEDY, "", (entry.remedy.act,)) for entry in ENTRIES]
APP, QUEUE = WhySubject("application", "7"), WhySubject("queue", "root.a")


@pytest.mark.parametrize(
    ("told", "link", "stops", "keys"),
    [
        (answer(), APP, 2, ["enter ask why", "j k choose", "1-3 part", "W all", "h remedies", "/", "x", "c"]),
        (answer(), None, 1, ["1-3 part", "W all", "h remedies", "/", "x", "c"]),
        (answer(proof=None), APP, 1, ["enter ask why", "1-3 part", "W all", "/", "x", "c"]),
        (
            helped(), LINKS[0], 2,
            ["enter its run", "j k choose", "1-3 part", "W all", "/", "x", "c"],
        ),
        (answer(would_help=answered.helped()), None, 1, ["1-3 part", "W all", "/", "x", "c"]),
        (answer(CLUSTER), LINKS[1], 1, ["enter its run", "/", "x", "c"]),
        (
            answered.answer_of(QUEUE, answered.place("queue", "root.a")), APP, 1,
            ["enter ask why", "W all", "/", "x", "c"],
        ),
    ],
)  # fmt: skip
def test_keys_that_look_are_those_that_do_something(
    told: WhyAnswer, link: WhySubject | None, stops: int, keys: list[str]
) -> None:
    said = [f"{key} {words}" for key, words, _ in looking(told, link, stops, 3)]

    assert [one if key.count(" ") else one.split()[0] for one, key in zip(said, keys, strict=True)] == keys


# Things by name
