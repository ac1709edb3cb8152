"""The report of a sweep, by the texts of its parts and the data of its figures."""

from typing import Any

import msgspec
import pytest

from engine.observe.journal import program_version
from engine.sweep import Axis, SettingFigures, Summary, SweepSpec
from tests.tui.commands.report_parts import KeptCanvas, classes, keep_axes, points, rows, tree, words
from tests.tui.render.swept import AXES, EMPTY, PREEMPTION, SETTINGS, SPEC, SUMMARY, setting
from tui.commands import sweep_page as module
from tui.commands.sweep_page import LABELLED, LISTED, MODELLED, sweep_page
from tui.report import Html, ReportPage, raw
from tui.report.drawing import tone

FREE: SweepSpec = msgspec.structs.replace(SPEC, limit_texts=())


class Undrawn(KeptCanvas):
    """A canvas that is not written, as that takes long."""

    def html(self, label: str) -> Html:
        """Its label alone."""
        return raw(f"<figure>{label}</figure>")


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> type[KeptCanvas]:
    """The canvas that is drawn on."""
    keep_axes(monkeypatch, module)
    monkeypatch.setattr(module, "FigureCanvas", Undrawn)
    return Undrawn


def page(summary: Summary = SUMMARY, spec: SweepSpec = SPEC) -> ReportPage:
    """The report."""
    return sweep_page(spec, summary, "2 machines", ["sweep", "my file"])


def of(*settings: SettingFigures, **changes: Any) -> Summary:
    """What came of settings."""
    return msgspec.structs.replace(SUMMARY, settings=settings, **changes)


def contents(title: str, summary: Summary = SUMMARY, spec: SweepSpec = SPEC) -> tuple[Html, ...]:
    """What a section has."""
    return next(each.contents for each in page(summary, spec).sections if each.title == title)


def test_the_frame_says_what_was_swept() -> None:
    """The best setting is the headline."""
    found = page()

    assert (found.crumbs, found.beside) == (("schedlab", "sweep", "morning"), "14 points, 2 seeds")
    assert found.headline == "nodes 80, scheduler.fair.preemption true: 1.5s."
    assert found.lead == "The best 95 % wait for the first container asked for of 6 settings."
    assert found.foot == (f"schedlab {program_version()} · sweep", "A simulation; no cluster was asked.")
    assert found.head == "<div></div>"


def test_without_a_point_the_frame_says_so() -> None:
    """No lead, and no part about what was not played."""
    found = page(EMPTY)

    assert (found.beside, found.headline, found.lead) == ("0 points, 2 seeds", "No point was played.", "")
    assert "Not played" not in [each.title for each in found.sections]
    assert contents("All settings", EMPTY) == ()
    assert words(tree(*contents("The front", EMPTY))).endswith("On the front: none")


def test_sections_have_their_titles_and_what_stands_beside() -> None:
    """Long tables may break over pages."""
    assert [(each.title, each.beside, each.is_long) for each in page().sections] == [
        ("Settings", "95 % wait for the first container asked for, best first", True),
        ("All settings", "a line is a setting; the dark ones are on the front", False),
        ("The front", "who is beaten by nobody", False),
        ("What matters", "2 seeds", False),
        ("Not played", "in the words of the class", True),
        ("How it was run", "", False),
        ("What is modelled", "", False),
    ]
    assert [words(each) for each in tree(*contents("What is modelled")).iter("li")] == list(MODELLED)


def test_a_setting_is_a_row() -> None:
    """Its place, its values, the goal and its spread, what is held, seeds, whether on the front, what it breaks."""
    parts = contents("Settings")

    assert rows(*parts)[:2] == [
        [
            "#",
            "nodes",
            "scheduler.fair.preemption",
            "p95_wait",
            "over seeds",
            "freezes",
            "not done",
            "used",
            "seeds",
            "front",
            "breaks",
        ],
        ["1", "80", "true", "1.5s", "0.8s to 2.2s", "–", "0", "80.0%", "2", "●", ""],
    ]
    assert rows(*parts)[3][1:] == ["80", "false", "1m01s", "–", "–", "0", "80.0%", "1", "", ""]
    assert rows(*parts)[6][-1] == "p95_wait < 5m; starved < 1"
    assert classes(0, *parts) == ["", "", "", "n", "n", "n", "n", "n", "n", "n", ""]
    assert [classes(row, *parts)[3] for row in (1, 6)] == ["n strong", "n watch"]


def test_without_limits_nothing_is_said_to_break_one() -> None:
    """The column is left out."""
    assert [row[-1] for row in rows(*contents("Settings", of(*SETTINGS[:3]), FREE))] == ["front", "●", "●", ""]


@pytest.mark.parametrize(
    ("count", "listed", "more"), [(100, 100, ""), (101, 100, "and 1 more"), (102, 100, "and 2 more")]
)
def test_so_many_settings_are_listed(count: int, listed: int, more: str) -> None:
    """The rest is counted."""
    found = rows(*contents("Settings", of(*[SETTINGS[0]] * count)))

    assert (LISTED, [row[0] for row in found[1 : listed + 1]]) == (100, [str(each) for each in range(1, listed + 1)])
    assert [row[0].strip() for row in found[listed + 1 :]] == ([more] if more else [])


def test_what_was_not_played_is_counted() -> None:
    """In the words of the class."""
    parts = contents("Not played")

    assert rows(*parts) == [
        ["points", "state", "words"],
        ["2", "failed", "ValueError: no such node"],
        ["1", "refused", "nodes 99999999 cannot be\nat most 100000"],
    ]
    assert classes(0, *parts) == ["", "", ""]


def test_what_matters_is_a_row_for_each_key() -> None:
    """Its share in whole percent, and what it changes."""
    parts = contents("What matters")

    assert rows(*parts)[:3] == [
        ["key", "share", "from worst to best"],
        ["nodes", "76%", "2m58s to 8m59s; 80 is best"],
        [PREEMPTION, "20%", "0s to 6m00s; no claim: no difference with some seed"],
    ]
    assert classes(0, *parts) == ["", "n", ""]


def test_what_was_run_can_be_run_again() -> None:
    """The command as a shell takes it."""
    listed = [words(each) for each in tree(*contents("How it was run"))[0]]

    assert dict(zip(listed[::2], listed[1::2], strict=True)) == {
        "command": "schedlab sweep 'my file'",
        "varied": f"nodes: 40, 60, 80; {PREEMPTION}: true, false",
        "seeds": "1, 2",
        "limits": "p95_wait < 5m; starved < 1",
        "points": "11 done, 2 failed, 1 refused",
        "played on": "2 machines",
    }
    assert "none" in [words(each) for each in tree(*contents("How it was run", spec=FREE))[0]]


def test_the_front_has_each_setting_over_its_cost(kept: type[KeptCanvas]) -> None:
    """An upright over its seeds, a mark at the goal, in minutes: filled on the front, in another hue beyond a limit."""
    parts = contents("The front")
    axes, lines = kept.all_axes[1], kept.all_axes[1].lines

    assert (kept.made[1], kept.places[1]) == (("front", 300), (110, 16, 680, 230))
    assert points(lines[0]) == ([80, 80], pytest.approx([0.0125, 0.0375]))
    assert points(lines[1]) == ([80], pytest.approx([0.025]))
    assert points(lines[11]) == ([40], [10])
    assert [(line.get_marker(), line.get_color()) for line in lines[1::2]] == [
        ("o", tone("accent")), ("o", tone("accent")), (".", tone("data")),
        (".", tone("data")), ("o", tone("accent")), (".", tone("watch")),
    ]  # fmt: skip
    assert {line.get_linewidth() for line in lines[::2]} == {1}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("nodes", "p95_wait, minutes")
    assert axes.yaxis.get_tick_params()["gridOn"] is True
    assert not axes.xaxis.get_tick_params().get("gridOn", False)
    best = "; ".join(f"nodes {count}, scheduler.fair.preemption true" for count in (80, 60, 40))
    assert words(tree(*parts)) == (
        "95 % wait for the first container asked for of each setting over its cost; those on the front are filled"
        f"On the front: {best}"
    )


def test_without_nodes_the_cost_is_what_is_held(kept: type[KeptCanvas]) -> None:
    """In percent; a goal that is no time is drawn as it is."""
    spec = msgspec.structs.replace(SPEC, axes=AXES[1:], goal_name="p95_slowdown")
    page(of(setting("40", "true", 3.0)), spec)
    axes = kept.all_axes[1]

    assert (points(axes.lines[1]), points(axes.lines[0])[1]) == (([40], [3]), [1.5, 4.5])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("memory held, % of the cluster", "p95_slowdown")


def test_a_setting_is_a_line_through_its_values(kept: type[KeptCanvas]) -> None:
    """By their places, then the goal and what is held from the least to the most; the best is drawn last, over all."""
    contents("All settings")
    lines = kept.all_axes[0].lines
    drawn, uprights = lines[:6], lines[6:]

    assert (kept.made[0], kept.places[0]) == (("lines", 300), (70, 34, 700, 240))
    assert points(drawn[0])[1] == pytest.approx([1, 1, 59_500 / 598_500, 1])  # 80 nodes, without preemption
    assert points(drawn[2])[1] == pytest.approx([0, 1, 1, 0])
    assert points(drawn[3])[1] == pytest.approx([0.5, 0, 43_500 / 598_500, 0.5])
    assert points(drawn[5]) == ([0, 1, 2, 3], pytest.approx([1, 0, 0, 1]))
    assert [(line.get_color(), line.get_linewidth()) for line in drawn] == [
        *[(tone("line"), 1)] * 3,
        *[(tone("data"), 1)] * 2,
        (tone("accent"), 2.4),
    ]
    assert [points(line)[0] for line in uprights] == [[0, 0], [1, 1], [2, 2], [3, 3]]
    assert {(line.get_color(), line.get_linewidth()) for line in uprights} == {(tone("faint"), 1)}
    assert not kept.all_axes[0].axison


def test_uprights_have_titles_above_and_values_beside(kept: type[KeptCanvas]) -> None:
    """Of the goal and what is held the ends."""
    contents("All settings")
    said = [(*each.get_position(), each.get_text()) for each in kept.all_axes[0].texts]

    assert said[:4] == [
        (0, 1.09, "nodes"), (1, 1.09, "scheduler.fair.preemption"), (2, 1.09, "p95_wait"), (3, 1.09, "used"),
    ]  # fmt: skip
    assert said[4:] == [
        (0.03, 0, "40"), (0.03, 0.5, "60"), (0.03, 1, "80"), (1.03, 0, "true"), (1.03, 1, "false"),
        (2.03, 0, "1.5s"), (2.03, 1, "10m00s"), (3.03, 0, "40.0%"), (3.03, 1, "80.0%"),
    ]  # fmt: skip
    assert {each.get_fontsize() for each in kept.all_axes[0].texts} == {9}
    assert {(each.get_ha(), each.get_color()) for each in kept.all_axes[0].texts[:4]} == {("center", tone("text"))}


@pytest.mark.parametrize(
    ("count", "labels"), [(1, [0.5]), (2, [0, 1]), (8, [each / 7 for each in range(8)]), (9, [0, 1])]
)
def test_of_many_values_the_ends_are_written(kept: type[KeptCanvas], count: int, labels: list[float]) -> None:
    """All of eight; one stands in the middle, as does what is alike everywhere."""
    values = tuple(str(each) for each in range(10, 10 + count))
    spec = msgspec.structs.replace(SPEC, axes=(Axis("nodes", values),))
    page(of(setting("10", "true", 500)), spec)
    axes = kept.all_axes[0]
    written = [each for each in axes.texts if each.get_position()[0] == 0.03]

    assert LABELLED == 8
    assert [each.get_position()[1] for each in written] == pytest.approx(labels)
    assert [written[0].get_text(), written[-1].get_text()] == [values[0], values[-1]]
    assert points(axes.lines[0])[1] == [0 if count > 1 else 0.5, 0.5, 0.5]
