"""What runs on nodes, what stands below the strip, health and heat; help by keys and words."""

from typing import Any

import pytest

from engine.explain.alert import Alert
from engine.observe.snapshot import UNKNOWN
from tests.tui import fake_holders, fakes
from tests.tui.render import dialect_pictures
from tests.tui.render.helped import remedies
from tui.picture import Picture, RunState
from tui.render.health import health_of
from tui.render.heat import words_of
from tui.render.help import Entry, HelpSection, alive, found, of_badges, of_commands, of_pane, of_terms
from tui.render.line import Look
from tui.render.node import NOUN as NODES
from tui.render.node_bar import Block, common_prefix, containers_on, executors_on, letter_of
from tui.render.strip import with_circle, with_remedies

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
NODE = fakes.node_row("n1")


# What runs on nodes


def test_containers_on_a_node_are_read_once_without_reservations() -> None:
    """Each block has its queue, its application and its size."""
    snapshot = fake_holders.held_cluster()
    blocks = containers_on(snapshot, LOOK._replace(hues={"root.etl": "q3"}))
    first = blocks(fakes.node_id(fakes.HOSTS[1]))

    one = fake_holders.container_row(1, "")
    assert first[0] == Block("root.etl", one.application, one.id, 4096, "q3", "etl")
    assert blocks(fakes.node_id(fakes.HOSTS[1])) is first
    assert len(snapshot.asked) == 1
    assert all(one.queue != "root.report" for one in blocks(fakes.node_id(fakes.HOSTS[0])))


def test_an_attempt_takes_slots_of_one_kind() -> None:
    """The first of which it takes any."""
    rows = [fake_holders.container_row(number, "t1", size=size) for number, size in ((1, (1, 0)), (2, (0, 2)))]
    blocks = containers_on(fakes.FakeSnapshot(fakes.header(), containers=rows), LOOK)("t1:45454")

    assert [(one.size, one.dimension) for one in blocks] == [(1, 0), (2, 1)]


def test_executors_on_a_worker_have_the_hue_of_their_application() -> None:
    """All are read at once; on another worker is nothing."""
    blocks = executors_on(dialect_pictures.spark().snapshot, LOOK)

    assert [(one.application, one.size, one.style, one.name) for one in blocks("w1:7078")] == [
        ("app-20240304090000-0001", 2, "q1", "etl"),
        ("app-20240304090000-0002", 2, "q2", "etl"),
    ]
    assert blocks("none") == ()


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        (["10.1.2.3", "10.1.2.14"], "10.1.2"),
        (["10.1.2.3", "10.1.3.3"], "10.1"),
        (["a.b"], ""),
        (["n1", "n2"], ""),
        ([], ""),
    ],
)
def test_names_have_a_common_beginning_up_to_a_dot(names: list[str], prefix: str) -> None:
    """One alone has none."""
    assert common_prefix(names) == prefix


@pytest.mark.parametrize(("name", "letter"), [("reports", "r"), ("_Etl", "e"), ("9a", "9"), ("队", "o"), ("", "o")])
def test_a_queue_has_a_letter_where_there_is_no_colour(name: str, letter: str) -> None:
    """The first of its name."""
    assert letter_of(name) == letter


# The strip


@pytest.mark.parametrize(("height", "count"), [(2, 1), (3, 1), (4, 4), (5, 5), (9, 8)])
def test_what_would_help_stands_below_in_the_room_that_is_left(height: int, count: int) -> None:
    """A head and one remedy at least, after a blank line."""
    lines = with_remedies([[("a", "text")]], remedies(), 80, height)

    assert len(lines) == count
    assert with_remedies([[("a", "text")]], None, 80, 9) == [[("a", "text")]]


@pytest.mark.parametrize(("height", "count"), [(3, 1), (4, 4)])
def test_a_circle_stands_below_where_all_of_it_has_room(height: int, count: int) -> None:
    """After a blank line."""
    circle = [[("b", "text")], [("c", "text")]]

    assert len(with_circle([[("a", "text")]], circle, height)) == count
    assert len(with_circle([[("a", "text")]], [], 9)) == 1


# Health and heat


@pytest.mark.parametrize(
    ("reserved", "headline"),
    [
        (12, "183354 holds 11 of 12 nodes; 14 wait behind it"),
        (UNKNOWN, None),
    ],
)
def test_a_freeze_names_who_holds_the_nodes(reserved: Any, headline: str | None) -> None:
    """And how many wait behind; where reservations are not told, the words of the alert."""
    alert = Alert("frozen", fakes.NOW - 1000, fakes.NOW, "no", "deadlocked", "", (183354, 183342))
    picture = Picture(fakes.frozen_cluster(nodes_reserved=reserved), RunState("x", standing=(alert,)), (), 0)

    assert health_of(picture).headline == (headline or alert.words)


@pytest.mark.parametrize(
    ("metric", "dimensions", "words"),
    [
        ("containers", ("memory_mb", "vcores"), "containers"),
        ("vcores", ("memory_mb", "vcores"), "vcores"),
        ("vcores", ("memory_mb",), "memory"),
        ("memory", ("memory_mb", "cores"), "memory"),
    ],
)
def test_the_metric_of_a_map_is_called_as_the_cluster_does(
    metric: str, dimensions: tuple[str, ...], words: str
) -> None:
    """Its second dimension where there is one."""
    assert words_of(LOOK._replace(dimensions=dimensions), metric) == words


# Help


SECTIONS = [
    HelpSection("acts", (Entry(("K",), "kill it", "nothing runs", "act.kill", "kill"), Entry(("k",), "go up"))),
    HelpSection("moving", (Entry(("esc", "q"), "go back", more="leave"),)),
]


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("", ["K", "k", "esc"]),
        (" K ", ["K"]),
        ("k", ["k"]),
        ("q", ["esc"]),
        ("GO", ["k", "esc"]),
        ("go leave", ["esc"]),
        ("runs", ["K"]),
        ("act.kill", ["K"]),
        ("nothing here", []),
    ],
)
def test_help_is_found_by_a_key_else_by_words(query: str, keys: list[str]) -> None:
    """A key with its case; all words, whatever theirs."""
    assert [entry.keys[0] for section in found(SECTIONS, query) for entry in section.entries] == keys


def test_help_leaves_out_what_does_nothing_here_and_says_how_much() -> None:
    """Nothing is said where nothing is left out."""
    kept = alive(SECTIONS)

    assert [section.title for section in kept] == ["acts", "moving", "not here"]
    assert kept[-1].entries == (Entry(("/",), "1 keys do nothing here and are left out; finding one tells why."),)
    assert alive(SECTIONS[1:]) == SECTIONS[1:]


def test_the_help_of_a_pane_has_enter_filters_and_sort_keys() -> None:
    """With the user's keys; a pane that cannot be sorted or filtered says nothing of it."""
    section = of_pane(NODES, {"follow": "enter", "filter": "/", "sort": "o"})

    assert section.title == "here: Nodes"
    assert [entry.keys for entry in section.entries] == [("enter",), ("/",), ("o",)]
    assert section.entries[0].words == "Go to what is on the node."
    assert section.entries[1].words.startswith("Filter it by node: rack: state: label: ")
    assert section.entries[2].words.startswith("Sort it by n node, r rack, s state, l label")
    bare = of_pane(NODES._replace(criteria=type(NODES.criteria)()), {"follow": "enter", "filter": "/", "sort": "o"})
    assert [entry.keys for entry in bare.entries] == [("enter",)]


def test_commands_badges_and_words_have_their_sections() -> None:
    """A command as it is written, a badge in the words of the system, a word with its meaning."""
    badges = of_badges({"node": "worker", "container": "executor", "application": "application", "master": "Master"})

    assert of_commands([("kill APP", "kill an application")]).entries == (
        Entry((":kill APP",), "Kill an application."),
    )
    assert "WORKER LOST" in [entry.keys[0] for entry in badges.entries]
    assert of_terms().entries[0] == Entry(
        ("waits",), "It asks for more than it has been given.", more="header, Applications, w"
    )
