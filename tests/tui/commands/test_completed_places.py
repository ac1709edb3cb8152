"""Which words may stand in a place, from an index made by hand."""

from collections.abc import Callable

import pytest

from tui.commands import completion
from tui.commands.completion import CommandEntry, Index, Parameter, ScenarioWords, offered

NAME = Parameter(kind="names")
THEME = Parameter(("--theme", "-t"), "Colours.", kind="themes")
FORCE = Parameter(("--force",), "Replace it.", takes=False)
FILE = Parameter(("--file",), "A file.")
NODE = Parameter(("--node",), "One node.", kind="node_names")
INDEX = Index(
    verbs={
        "one": CommandEntry("One.", (NAME, Parameter(kind="themes"), THEME, FORCE, FILE, NODE)),
        "many": CommandEntry("Many.", (Parameter(kind="names", many=True),)),
        "none": CommandEntry("None.", (FORCE,)),
        "group": CommandEntry(
            "Group.", (), {"show": CommandEntry("Show.", (NAME,)), "set": CommandEntry("Set.", (Parameter(),))}
        ),
    },
    words={"names": ("alpha", "alto", "beta"), "themes": ("dark", "light")},
    places={
        "names": f"{__name__}:asked_names",
        "node_names": f"{__name__}:asked_nodes",
    },
    scenarios={"alpha": ScenarioWords("", {"node_names": ("n1", "n2"), "queue_names": (), "instants": ()})},
)


def asked_names(incomplete: str) -> list[str]:
    """What the function of names finds."""
    return [f"asked {incomplete}"]


def asked_nodes(context: completion.Named, incomplete: str) -> list[str]:
    """What the function of nodes finds."""
    return [f"node of {context.params['name']} {len(context.args)} {incomplete}"]


@pytest.fixture(autouse=True)
def _by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only this index."""
    found: Callable[[], Index] = lambda: INDEX  # noqa: E731 -- it stands for a function
    monkeypatch.setattr(completion, "index", found)


@pytest.mark.parametrize(
    ("verb", "typed", "found"),
    [
        ("one", ("",), ["alpha", "alto", "beta"]),
        ("one", ("al",), ["alpha", "alto"]),
        ("one", ("alpha", ""), ["dark", "light"]),
        ("one", ("alpha", "dark", ""), []),
        ("many", ("alpha", "b"), ["beta"]),
        ("many", ("alpha", "beta", "al"), ["alpha", "alto"]),
        ("none", ("",), []),
        ("one", ("--theme", ""), ["dark", "light"]),
        ("one", ("-t", "l"), ["light"]),
        ("one", ("--theme", "dark", "al"), ["alpha", "alto"]),
        ("one", ("--force", "al"), ["alpha", "alto"]),
        ("one", ("--unknown", "al"), ["alpha", "alto"]),
        ("one", ("--file", ""), []),
        ("one", ("--file", "x", "al"), ["alpha", "alto"]),
        ("one", ("--file", "-x", "al"), ["alpha", "alto"]),
        ("one", ("--theme", "--f"), []),
        ("one", ("x", "--node", ""), ["node of x 0 "]),
        ("one", ("--node", "n"), ["node of  0 n"]),
        ("one", ("alpha", "--node", "n"), ["n1", "n2"]),
        ("one", ("alpha", "--node", "n2"), ["n2"]),
        ("one", ("alpha", "--node", "x"), ["node of alpha 0 x"]),
        ("one", ("beta", "--node", "n"), ["node of beta 0 n"]),
        ("one", ("x",), ["asked x"]),
        ("one", ("alpha", "x"), []),
        ("group", ("show", "al"), ["alpha", "alto"]),
        ("group", ("set", "al"), []),
        ("group", ("lost", "al"), []),
    ],
)
def test_a_place_is_an_argument_or_the_value_of_an_option(verb: str, typed: tuple[str, ...], found: list[str]) -> None:
    """Words of the index; what it does not have is asked for."""
    assert offered(verb, typed[:-1], typed[-1]) == [(word, "") for word in found]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", [("show", "Show."), ("set", "Set.")]),
        ("s", [("show", "Show."), ("set", "Set.")]),
        ("sh", [("show", "Show.")]),
    ],
)
def test_a_group_offers_its_commands(typed: str, found: list[tuple[str, str]]) -> None:
    """With what each does."""
    assert offered("group", (), typed) == found


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("-", ["--theme", "-t", "--force", "--file", "--node"]),
        ("--f", ["--force", "--file"]),
        ("--fo", ["--force"]),
        ("--x", []),
    ],
)
def test_a_dash_offers_options(typed: str, found: list[str]) -> None:
    """With their help."""
    helps = {name: each.help for each in (THEME, FORCE, FILE, NODE) for name in each.names}

    assert offered("one", ("alpha",), typed) == [(name, helps[name]) for name in found]
