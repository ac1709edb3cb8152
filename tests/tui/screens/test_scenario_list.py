"""The list of the chooser without its screen: which rows, and where the cursor goes."""

from tests.tui.screens.test_picker import DRILL, ENTRIES
from tui.pages.choice import IN_NAMES, IN_TEXTS, ChooserRow, ScenarioEntry
from tui.screens.picker import ScenarioList


def listed(words: str = "") -> ScenarioList:
    """The list of some scenarios and a drill, as a high screen has it."""
    some = ScenarioList((*ENTRIES, DRILL))
    some.list_anew(words, 40)
    return some


def test_the_cursor_stops_at_both_ends() -> None:
    some = listed()
    first = some.cursor
    last = some.moved(len(some.names) - 1)

    assert some.moved(-1) == first
    assert last is not None
    assert some.moved(len(some.names)) == last
    assert some.moved(len(some.names) - 2) != last


def test_the_cursor_stays_on_its_scenario_when_variants_are_listed() -> None:
    some = listed()
    some.cursor = some.moved(1) or 0
    before = some.names
    some.unfolded.add("fair-two-users")
    some.list_anew("", 40)

    assert some.selected is not None
    assert some.selected.name == before[1]
    assert len(some.names) == len(before) + 1


def test_a_search_lists_names_before_texts() -> None:
    """Under a heading each; what has the words in both is listed once, a drill by its title."""
    some = listed("four")
    named = listed("twelve")
    both = ScenarioList((ENTRIES[2], ScenarioEntry("freeze-of-a-node", "Other", "No word.")))
    both.list_anew("freeze", 40)

    assert [row.heading for row in some.rows if row.heading] == [IN_NAMES]
    assert [row.heading for row in named.rows if row.heading] == [IN_TEXTS]
    assert [row.heading or (row.entry.name if row.entry else "") for row in both.rows if row != ChooserRow()] == [
        IN_NAMES,
        "freeze-of-a-node",
        IN_TEXTS,
        "reservation-deadlock",
    ]


def test_a_variant_that_is_found_stands_below_what_it_varies() -> None:
    """The cursor goes to the variant; what it varies is there to be seen."""
    some = listed("the same")

    assert some.names == ["fair-two-users", "fair-two-users-3.4"]
    assert [row.is_context for row in some.rows if row.entry is not None] == [True, False]
    assert some.selected is not None
    assert some.selected.name == "fair-two-users-3.4"


def test_what_finds_nothing_has_no_cursor() -> None:
    some = listed("xyzzy")

    assert (some.selected, some.names, some.moved(1), some.first_drill(), some.at_line(0)) == (
        None,
        [],
        None,
        None,
        None,
    )


def test_the_first_drill_is_the_first_of_its_kind() -> None:
    some = listed()
    place = some.first_drill()

    assert place is not None
    assert some.rows[place].entry is DRILL
    assert some.at_line(place) == place
    assert some.at_line(len(some.rows)) is None


def test_the_list_goes_to_its_top() -> None:
    some = listed()
    last = some.moved(1000)
    assert last is not None
    some.cursor = last
    before = some.lines(80, 3)
    some.to_top()

    assert some.cursor == 0
    assert some.lines(80, 3) != before
    assert some.at_line(0) in {0, None}
