"""Hints of an answer, and things found by name: no screen."""

import msgspec
import pytest

from tests.tui import answered, fakes
from tests.tui.render.helped import ENTRIES, remedies
from tui.answers import CLUSTER, WhyAnswer, WhySubject
from tui.picture import Picture, RunState
from tui.render.why_remedies import FREES, ORDERS, REMEDY
from tui.screens.lookup import application_named, node_named, subject_named
from tui.screens.why_hints import LEAVING, acting, fitted, kill_subject, listed, looking

BIG = WhySubject("application", "183354")
PICTURE = Picture(fakes.frozen_cluster(), RunState("x"), (), 0)


# Hints


def answer(kind: str = "application", **changes: object) -> WhyAnswer:
    """The incident; of the cluster with what would help."""
    if kind == CLUSTER:
        return WhyAnswer(WhySubject(CLUSTER, ""), fakes.NOW, plan=remedies())
    document = {**answered.deadlocked(), **changes}
    return answered.answer_of(WhySubject(kind, "183354"), document)


def helped() -> WhyAnswer:
    """The incident with four remedies, and one that frees the cluster."""
    told = answer()
    assert told.why is not None
    why = msgspec.structs.replace(told.why, would_help=remedies(*ENTRIES))
    return msgspec.structs.replace(told, why=why, freeing=remedies(ENTRIES[0]))


LINKS = [WhySubject(REMEDY, "", (entry.remedy.act,)) for entry in ENTRIES]
END = WhySubject(FREES, "", (ENTRIES[0].remedy.act,))
APP, QUEUE = WhySubject("application", "7"), WhySubject("queue", "root.a")


@pytest.mark.parametrize(
    ("told", "link", "stops", "keys"),
    [
        (answer(), APP, 2, ["enter ask why", "1-3 part", "W what to do", "h remedies", "/", "x", "c", "j k choose"]),
        (answer(), None, 1, ["1-3 part", "W what to do", "h remedies", "/", "x", "c"]),
        (answer(proof=None), APP, 1, ["enter ask why", "1-3 part", "W what to do", "/", "x", "c"]),
        (
            helped(), LINKS[0], 2,
            ["enter try on a copy", "1-3 part", "W what to do", "o sort", "/", "x", "c", "j k choose"],
        ),
        (helped(), END, 2, ["1-3 part", "W what to do", "o sort", "/", "x", "c", "j k choose"]),
        (answer(would_help=answered.helped()), None, 1, ["1-3 part", "W what to do", "/", "x", "c"]),
        (answer(CLUSTER), LINKS[1], 1, ["enter try on a copy", "/", "x", "c"]),
        (
            answered.answer_of(QUEUE, answered.place("queue", "root.a")), APP, 1,
            ["enter ask why", "W what to do", "/", "x", "c"],
        ),
    ],
)  # fmt: skip
def test_keys_that_look_are_those_that_do_something(
    told: WhyAnswer, link: WhySubject | None, stops: int, keys: list[str]
) -> None:
    """By what is known and what the cursor is on."""
    said = [f"{key} {words}" for key, words, _ in looking(told, link, stops)]

    assert [one if key.count(" ") else one.split()[0] for one, key in zip(said, keys, strict=True)] == keys


@pytest.mark.parametrize(
    ("told", "link", "hints"),
    [
        (answer(), None, [("K", "kill 183354", "kill")]),
        (answer(), APP, [("K", "kill 7", "kill")]),
        (answer(), QUEUE, []),
        (helped(), LINKS[0], [("A", "apply remedy 1", "apply"), ("K", "kill 183342", "kill")]),
        (helped(), LINKS[2], [("A", "apply remedy 3", "apply"), ("K", "kill 183354", "kill")]),
        (helped(), END, [("A", "apply it", "apply"), ("K", "kill 183342", "kill")]),
        (answer(CLUSTER), LINKS[3], [("A", "apply remedy 4", "apply")]),
    ],
)
def test_keys_that_act_are_about_what_the_cursor_is_on(
    told: WhyAnswer, link: WhySubject | None, hints: list[tuple[str, str, str]]
) -> None:
    """Else about what was asked; a remedy that kills names whom."""
    assert acting(told, link, ORDERS[0], is_led=True) == hints
    assert kill_subject(told, link, is_led=True).kind in {"application", "queue", CLUSTER}


def test_remedies_are_numbered_as_they_are_listed() -> None:
    """In the order of the page; those of the cluster in their own."""
    turned = remedies(*ENTRIES[::-1])
    told = helped()
    assert told.why is not None
    told = msgspec.structs.replace(told, why=msgspec.structs.replace(told.why, would_help=turned))

    assert [entry.number for entry in listed(told, ORDERS[0])] == [1, 2, 3, 4]
    cluster = msgspec.structs.replace(answer(CLUSTER), plan=turned)
    assert [entry.number for entry in listed(cluster, ORDERS[0])] == [4, 3, 2, 1]


LOOK_KEYS = [("a", "first", "one"), ("b", "second", "two"), ("c", "third", "three")]
ACT_KEYS = [("K", "kill it", "kill")]


@pytest.mark.parametrize(
    ("width", "acts", "keys"),
    [
        (74, ACT_KEYS, ["a", "b", "c", "│", "K", "│", "esc", "?"]),
        (65, ACT_KEYS, ["a", "b", "c", "│", "K", "│", "esc", "?"]),
        (64, ACT_KEYS, ["a", "b", "│", "K", "│", "esc", "?"]),
        (56, ACT_KEYS, ["a", "b", "│", "K", "│", "esc", "?"]),
        (55, ACT_KEYS, ["a", "│", "K", "│", "esc", "?"]),
        (1, ACT_KEYS, ["a", "│", "K", "│", "esc", "?"]),
        (50, [], ["a", "b", "c", "│", "esc", "?"]),
    ],
)
def test_of_keys_that_look_the_last_go_where_there_is_little_room(
    width: int, acts: list[tuple[str, str, str]], keys: list[str]
) -> None:
    """One stays, and all others do."""
    found = fitted(LOOK_KEYS, acts, width)

    assert [key for key, _, _ in found] == keys
    assert found[-2:] == LEAVING


# Things by name


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("183354", BIG),
        (fakes.BIG, BIG),
        ("root.etl", WhySubject("queue", "root.etl")),
        ("etl", WhySubject("queue", "root.etl")),
        (fakes.HOSTS[0], WhySubject("node", fakes.node_id(fakes.HOSTS[0]))),
        (fakes.node_id(fakes.HOSTS[1]), WhySubject("node", fakes.node_id(fakes.HOSTS[1]))),
        ("zzzzzzzzzzzz", "There is no application, queue or node zzzzzzzzzzzz."),
        ("²", "There is no application, queue or node ²."),
    ],
)
def test_a_name_is_that_of_an_application_a_queue_or_a_node(name: str, found: WhySubject | str) -> None:
    """By number or id, path, host or id; else there is a sentence."""
    assert subject_named(name, PICTURE) == found


def test_a_name_that_is_nearly_right_is_answered_by_what_is_near() -> None:
    """After a semicolon."""
    assert str(subject_named("root.adhok", PICTURE)).startswith("There is no application, queue or node root.adhok; ")
    row, none = application_named("183354", PICTURE), application_named("1", PICTURE)
    node = node_named(fakes.HOSTS[0], PICTURE)
    assert (row.id if row else "", none, node.host if node else "", node_named("n", PICTURE)) == (
        fakes.BIG, None, fakes.HOSTS[0], None,
    )  # fmt: skip
