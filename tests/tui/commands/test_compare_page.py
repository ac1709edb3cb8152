"""The report of a comparison, by the texts of its parts."""

import pytest

from engine.compare import ComparedRun, Comparison, Parting
from engine.compare.comparison import Series
from engine.formats.scenario_toml import load
from engine.measures import Quantiles
from engine.observe.journal import program_version
from engine.run.player import Mishap
from tests.tui.commands.report_parts import classes, rows, tree, words
from tests.tui.render.compared import FREEZE, PARTINGS, comparison, figures, run, waits
from tui.commands import compare_page
from tui.commands.compare_page import MODELLED, comparison_page
from tui.report import Html, ReportPage, ReportSection, element

FLAT = Series((0.5,) * 240, (1,) * 240, (0,) * 240, {})
SLOW = figures(
    waits=Quantiles(40, 500, 600_000, 1_100_000),
    waits_of_queues={"root.etl": Quantiles(3, 500, 30_000, 119_000)},
    waits_of_users={"ann": Quantiles(3, 500, 30_000, 119_000)},
    starved=5,
    refused=2,
    finished=19,
)
FAST = figures(waits_of_queues={"root.report": Quantiles(2, 0, 99, 61_000)}, lost_s=0)
RUNS = (run("A", series=FLAT, measures=SLOW, frozen=(FREEZE,)), run("B", series=FLAT, measures=FAST))


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are words here, as matplotlib takes long."""

    def over_time(found: Comparison, parting: Parting | None) -> Html:
        return element("p", f"{found.scenario} over time, parted at {parting and parting.time_ms}")

    monkeypatch.setattr(compare_page, "over_time", over_time)
    monkeypatch.setattr(compare_page, "waits_of_queues", lambda found: element("p", f"waits of {found.scenario}"))


def page(found: Comparison | None = None, partings: tuple[Parting, ...] = PARTINGS, *arguments: str) -> ReportPage:
    """The report of two runs."""
    return comparison_page(found or comparison(*RUNS), partings, load("delay-scheduling"), arguments)


def section(number: int, found: Comparison | None = None, partings: tuple[Parting, ...] = PARTINGS) -> ReportSection:
    """A section by its number, from 1."""
    return page(found, partings).sections[number - 1]


def texts(contents: tuple[Html, ...], name: str) -> list[str]:
    """Texts of all elements of a name."""
    return [words(each) for each in tree(*contents).iter(name)]


def test_the_frame_says_what_was_compared() -> None:
    """Runs, seed and span in the cluster's zone; the headline; what it is not."""
    found = page()

    assert found.crumbs == ("schedlab", "compare", "morning")
    assert found.beside == "2 runs, one workload, seed 7, 09:01 to 09:31"
    assert found.headline.startswith(
        "run a freezes at 09:11:00 (reservation deadlock) and allocates nothing for 15m00s"
    )
    assert found.headline.endswith("under run b 39 of 40 applications end.")
    assert found.foot == (f"schedlab {program_version()} · compare", "A simulation; no cluster was asked.")


def test_sections_have_their_titles_and_what_stands_beside() -> None:
    """Those with tables may break over pages."""
    assert [(each.title, each.beside, each.is_long) for each in page().sections] == [
        ("Where they part", "09:02:35.000", False),
        ("Measures", "bars grow towards the worse", True),
        ("Over time", "one axis, share of the cluster's memory", False),
        ("Queue by queue", "waits for the first container asked for", True),
        ("Application by application", "largest difference first", True),
        ("How it was run", "", False),
        ("What is modelled", "", False),
    ]
    assert texts(page().sections[6].contents, "li") == list(MODELLED)


@pytest.mark.parametrize(
    ("differences", "lead"),
    [
        (0, ""),
        (1, ""),
        (2, "2 differences of what an application has or has reserved last 1m00s or longer."),
    ],
)
def test_the_lead_counts_differences(differences: int, lead: str) -> None:
    """One difference is shown anyway."""
    few = comparison(*RUNS).divergences[:differences]

    assert page(comparison(*RUNS, divergences=few)).lead == lead


@pytest.mark.parametrize(
    ("one", "sign", "look"),
    [
        (RUNS[0], "■ FROZEN 15m00s", "badge alarm"),
        (run("A", series=FLAT, measures=SLOW), "■ REFUSED 2", "badge alarm"),
        (run("A", series=FLAT), "● OK", "good"),
    ],
)
def test_the_head_has_what_each_run_came_to(one: ComparedRun, sign: str, look: str) -> None:
    """With a sign that is known without colour, and who waited."""
    head = tree(page(comparison(one, RUNS[1])).head)
    first = head[0][0]
    state = first[1][0]

    assert (head[0].get("class"), len(head[0])) == ("columns runs", 2)
    assert (words(first[0]).strip(), words(state), state.get("class")) == ("A run a", sign, look)
    assert "wait" in words(first[2])


def test_where_they_part_each_has_its_reason() -> None:
    """The first parting stands beside the title, later ones have their instant."""
    contents = section(1).contents

    assert texts(contents[:1], "p") == [
        "The runs are alike for 1m35s except nodes and exact times: containers are on other nodes from 09:01:20.000."
    ]
    assert tree(contents[0])[0].get("class") == "note"
    assert [words(tree(each)) for each in (contents[1], contents[3])] == [
        "183354 weekly-pyspark (mining, report) asks for 2 × 62.5G/4c, node n7",
        "09:06:00.000 0007 (etl)",
    ]
    assert texts(contents[1:2], "b") == ["183354 weekly-pyspark"]
    assert [[words(each) for each in side] for side in tree(contents[2])[0]] == [
        [
            " A run a",
            "reserves n7 for 62.5G/4c",
            "a node without room is reserved (schedlab.reservation.rule = strict)",
            "has 2 containers by then, 0 nodes reserved",
        ],
        [" B run b", "passes it by", "no node is reserved", "has 2 containers by then, 0 nodes reserved"],
    ]
    assert [len(side) for side in tree(contents[4])[0]] == [3, 3]


def test_runs_that_never_part_are_said_to_be_alike() -> None:
    """Nothing stands beside the title."""
    found = section(1, comparison(*RUNS, divergences=()), ())

    assert (found.beside, [words(tree(each)) for each in found.contents]) == (
        "",
        ["no lasting difference: every application soon has the same again"],
    )


def measured(name: str) -> tuple[list[str], list[str]]:
    """Texts and classes of the row of a measure."""
    contents = section(2).contents
    found = [row[0] for row in rows(*contents)].index(name)
    return rows(*contents)[found], classes(found, *contents)


def test_measures_are_in_groups_under_the_letters() -> None:
    """The caption names the runs."""
    contents = section(2).contents
    listed = rows(*contents)

    assert (listed[0], texts(contents, "caption")) == (["measure", "A", "B", "worse →"], [" A run a B run b"])
    assert [row[0].strip() for row in listed if len(row) == 1] == [
        "Waits for the first container asked for",
        "Work done",
        "Fairness",
        "Reservations",
        "Starving, deadlocked, lost",
    ]
    assert classes(0, *contents) == ["", "n", "n", ""]


@pytest.mark.parametrize(
    ("name", "cells", "looks"),
    [
        ("95 %", ["10m00s", "59.9s", ""], ["", "n strong", "n", ""]),
        ("applications FINISHED", ["19", "38", ""], ["", "n strong", "n", ""]),
        ("containers allocated", ["1,200", "1,200", "alike"], ["", "n", "n", "faint"]),
        ("makespan", ["29m00s", "29m00s", "alike"], ["", "n", "n", "faint"]),
        ("work lost in all", ["1h30m", "0s", ""], ["", "n strong", "n", ""]),
    ],
)
def test_the_worst_value_of_a_measure_is_set_off(name: str, cells: list[str], looks: list[str]) -> None:
    """Unless all are alike."""
    assert measured(name) == ([name, *cells], looks)


def test_bars_grow_with_what_is_worse() -> None:
    """In the fill of each run; a value of nothing has none."""
    written = section(2).contents[0]

    assert '<i class="bA" style="width:100.0%"></i><i class="bB" style="width:10.0%"></i>' in written  # of 95 %
    assert '<i class="bA" style="width:50.0%"></i><i class="bB" style="width:0"></i>' in written  # of FINISHED


def test_what_is_neither_better_nor_worse_has_no_bar() -> None:
    """Nor is a value set off."""
    more = run("B", series=FLAT, measures=figures(containers=1300))
    contents = section(2, comparison(RUNS[0], more)).contents
    found = [row[0] for row in rows(*contents)].index("containers allocated")
    (line,) = [each for each in tree(*contents).iter("tr") if words(each[0]) == "containers allocated"]

    assert (rows(*contents)[found][1:], classes(found, *contents)) == (["1,200", "1,300", ""], ["", "n", "n", ""])
    assert len(line[3]) == 0


def test_figures_are_of_the_comparison_and_its_first_parting() -> None:
    """None is marked where there is none."""
    assert texts(section(3).contents, "p") == [f"morning over time, parted at {PARTINGS[0].time_ms}"]
    assert texts(section(3, partings=()).contents, "p") == ["morning over time, parted at None"]
    assert texts(section(4).contents[:1], "p") == ["waits of morning"]


def test_waits_of_queues_and_users_are_in_a_table_each() -> None:
    """A run that knows none of a name has a stroke in each place."""
    contents = section(4).contents

    assert words(tree(contents[1])) == (
        "Dot: median. Upright stroke: 95 %. Line: to the worst. The scale is logarithmic."
    )
    heads = ["A median", "A 95 %", "A worst", "B median", "B 95 %", "B worst"]
    assert rows(contents[2]) == [
        ["queue", *heads],
        ["etl", "0.5s", "30.0s", "1m59s", "–", "–", "–"],
        ["report", "–", "–", "–", "0s", "0.1s", "1m01s"],
    ]
    assert rows(contents[3]) == [["user", *heads], ["ann", "0.5s", "30.0s", "1m59s", "–", "–", "–"]]


def test_applications_have_their_wait_in_each_run() -> None:
    """A stroke where there is none; user and queue in brackets."""
    assert rows(*section(5).contents) == [
        ["application", "A", "B"],
        ["0007 etl-7 (etl, etl)", "1m30s", "0.4s"],
        ["0012 etl-12 (etl, etl)", "–", "45.0s"],
        ["183354 etl-183354 (etl, etl)", "30.0s", "30.0s"],
        ["0009 etl-9 (etl, etl)", "–", "0s"],
    ]


@pytest.mark.parametrize(("count", "listed"), [(19, 19), (20, 20), (21, 20)])
def test_at_most_twenty_applications_are_listed(count: int, listed: int) -> None:
    """Beside the head."""
    found = comparison(*RUNS, applications=tuple(waits(number, A=number, B=0) for number in range(count)))

    assert len(rows(*section(5, found).contents)) == listed + 1


def test_how_it_was_run_is_what_is_needed_to_run_it_again() -> None:
    """The command as a shell takes it, policies, what was mapped and came to nothing, and the digests."""
    first = run(
        "A",
        series=FLAT,
        mapped=("a became b", "c became d"),
        dropped=("e",),
        mishaps=(Mishap(1_000, "kill", "there is no 2"),),
        journal="0123456789abcdef",
    )
    found = page(comparison(first, RUNS[1]), PARTINGS, "compare", "my file").sections[5]
    scenario = load("delay-scheduling")
    nodes = scenario.cluster.all_nodes()

    assert texts(found.contents, "pre") == ["schedlab compare 'my file'"]
    assert rows(found.contents[1]) == [
        ["setting", "A run a", "B run b"],
        ["decides as", "fair-2.7", "fair-2.7"],
        ["mapped", "a became bc became d", ""],
        ["dropped", "e", ""],
        ["script", "kill came to nothing: there is no 2", ""],
        ["journal, SHA-256", "0123456789ab", ""],
    ]
    assert classes(0, found.contents[1]) == ["", "", ""]
    facts = dict(zip(texts(found.contents[2:], "dt"), texts(found.contents[2:], "dd"), strict=True))
    assert facts["program"] == f"schedlab {program_version()}"
    assert facts["scenario"] == (
        f"delay-scheduling, seed {scenario.seed}, {scenario.digest()[:12]}: the same command gives the same journals"
    )
    assert facts["cluster"] == f"{len(nodes)} nodes, {sum(node.memory_mb for node in nodes) // 1024}G in all"
    assert facts["workload"] == "40 applications"
