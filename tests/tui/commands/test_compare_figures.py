"""The figures of a comparison's report, by their data."""

from typing import Any

import msgspec
import pytest

from engine.compare import ComparedRun
from engine.compare.comparison import Series
from engine.measures import Quantiles
from tests.tui.commands.report_parts import KeptCanvas, keep_axes, points
from tests.tui.render.compared import FREEZE, PARTINGS, START_MS, comparison, figures, run
from tui.commands import compare_figures
from tui.commands.compare_figures import over_time, waits_of_queues
from tui.report.drawing import tone


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> type[KeptCanvas]:
    """The canvas that is drawn on."""
    return keep_axes(monkeypatch, compare_figures)


def held(letter: str, share: float, waiting: int, **changes: Any) -> ComparedRun:
    """A run that holds nothing in its first half and a share in its second."""
    series = Series((0.0,) * 120 + (share,) * 120, (0,) * 120 + (waiting,) * 120, (0,) * 240, {})
    return run(letter, series=series, **changes)


def label(axes: Any) -> Any:
    """The words at the left of axes."""
    return axes.texts[0]


def test_runs_are_drawn_below_one_another_and_those_that_wait_below_all(kept: type[KeptCanvas]) -> None:
    """All as wide; the figure is as high as its runs need, and its label names them."""
    drawn = over_time(comparison(held("A", 0.8, 4), held("B", 0.4, 2)), None)

    assert kept.made == [("time", 2 * 62 + 150)]
    assert kept.places == [(96, 14, 694, 46), (96, 76, 694, 46), (96, 154, 694, 92)]
    assert 'aria-label="Share of memory held and applications waiting over time, by run: A run a, B run b"' in drawn


@pytest.mark.parametrize(("place", "hue", "share"), [(0, "q1", 0.8), (1, "q4", 0.4)])
def test_a_run_is_a_line_of_steps_over_its_hours(kept: type[KeptCanvas], place: int, hue: str, share: float) -> None:
    """With the space below it filled thinly, on the scale of the run that holds most."""
    over_time(comparison(held("A", 0.8, 4), held("B", 0.4, 2)), None)
    axes = kept.all_axes[place]
    across, upwards = points(axes.lines[0])

    assert (across, upwards) == (pytest.approx([0.5 * step / 239 for step in range(240)]), [0] * 120 + [share] * 120)
    assert (axes.lines[0].get_color(), axes.lines[0].get_drawstyle()) == (tone(hue), "steps-post")
    assert (axes.collections[0].get_alpha(), axes.collections[0].get_linewidth()) == (0.16, 0)
    assert len(axes.lines) == 1
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, pytest.approx(0.5)), (0, pytest.approx(0.832)))
    assert [each.get_text() for each in axes.get_yticklabels()] == ["0", "80%"]
    assert (list(axes.get_yticks()), list(axes.get_xticks())) == ([0, 0.8], [])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_scales_stand_at_the_right_with_lines_across_and_no_strokes(kept: type[KeptCanvas], place: int) -> None:
    """The edge at the left is not drawn."""
    over_time(comparison(held("A", 0.8, 4), held("B", 0.4, 2)), None)
    axes = kept.all_axes[place]
    upwards = axes.yaxis.get_tick_params()

    assert axes.yaxis.get_ticks_position() == "right"
    assert (upwards["gridOn"], upwards["length"], axes.xaxis.get_tick_params().get("gridOn", False)) == (True, 0, False)
    assert not axes.spines["left"].get_visible()
    assert axes.xaxis.get_tick_params()["length"] == 0


def test_names_stand_left_of_the_scale_at_its_upper_edge(kept: type[KeptCanvas]) -> None:
    """A name is cut to eleven cells."""
    over_time(comparison(held("A", 0.8, 4, name="a-name-of-16-let"), held("B", 0.4, 2, name="eleven-cell")), None)

    assert [label(axes).get_text() for axes in kept.all_axes] == [
        "A a-name-of-~",
        "B eleven-cell",
        "applications\nwaiting",
    ]
    for axes in kept.all_axes:
        assert (label(axes).xy, label(axes).xyann, label(axes).get_color()) == ((0, 1), (-96, 0), tone("text"))
        assert (label(axes).get_ha(), label(axes).get_va()) == ("left", "top")
        assert (label(axes).xycoords, label(axes).anncoords) == ("axes fraction", "offset points")


def test_those_that_wait_are_a_line_for_each_run_on_one_scale(kept: type[KeptCanvas]) -> None:
    """The scale ends at the most; a line of its own kind for each."""
    over_time(comparison(held("A", 0.8, 4), held("B", 0.4, 2)), None)
    axes = kept.all_axes[2]

    assert [points(line)[1][-1] for line in axes.lines] == [4, 2]
    assert [line.get_linestyle() for line in axes.lines] == ["-", "--"]
    assert (list(axes.get_yticks()), axes.get_ylim()) == ([0, 4], (0, pytest.approx(4.16)))


def test_each_run_has_a_stroke_of_its_own() -> None:
    """So that it is known without colour."""
    strokes = compare_figures.DASHES

    assert list(strokes) == list("ABCDEF")
    assert len(set(strokes.values())) == 6


@pytest.mark.parametrize(
    ("lasts_ms", "clocks"),
    [
        (1_800_000, ["09:01", "09:06", "09:11", "09:16", "09:21", "09:26", "09:31"]),
        (1_799_994, ["09:01:00", "09:05:59", "09:10:59", "09:15:59", "09:20:59", "09:25:59", "09:30:59"]),
        (60_000, ["09:01:00", "09:01:10", "09:01:20", "09:01:30", "09:01:40", "09:01:50", "09:02:00"]),
    ],
)
def test_seven_clocks_stand_below(kept: type[KeptCanvas], lasts_ms: int, clocks: list[str]) -> None:
    """In the zone of the cluster, with seconds where it is less than half an hour."""
    over_time(comparison(held("A", 0.8, 4), held("B", 0.4, 2), until_ms=START_MS + lasts_ms), None)
    axes = kept.all_axes[2]

    assert [each.get_text() for each in axes.get_xticklabels()] == clocks
    assert list(axes.get_xticks()) == pytest.approx([lasts_ms / 3_600_000 * step / 6 for step in range(7)])


def test_a_scale_of_nothing_ends_at_one(kept: type[KeptCanvas]) -> None:
    """Memory at all of it, those that wait at one."""
    over_time(comparison(held("A", 0.0, 0), held("B", 0.0, 0)), None)

    assert [list(axes.get_yticks()) for axes in kept.all_axes] == [[0, 1], [0, 1], [0, 1]]
    assert [each.get_text() for each in kept.all_axes[0].get_yticklabels()] == ["0", "100%"]


def test_where_runs_part_a_thin_upright_stands_in_each(kept: type[KeptCanvas]) -> None:
    """At its hour, dotted."""
    over_time(comparison(held("A", 0.8, 4), held("B", 0.4, 2)), PARTINGS[0])

    for axes in kept.all_axes[:2]:
        mark = axes.lines[1]
        assert points(mark)[0] == pytest.approx([95 / 3600] * 2)
        assert (mark.get_color(), mark.get_linestyle(), mark.get_linewidth()) == (tone("faint"), ":", 1)
    assert len(kept.all_axes[2].lines) == 2


def test_a_freeze_is_a_stroke_at_half_height_with_its_words_below(kept: type[KeptCanvas]) -> None:
    """As long as nothing is allocated; only in the run that has it."""
    later = msgspec.structs.replace(FREEZE, since_ms=START_MS + 27 * 60_000, until_ms=START_MS + 28 * 60_000)
    over_time(comparison(held("A", 0.8, 4, frozen=(FREEZE, later)), held("B", 0.4, 2)), None)
    axes = kept.all_axes[0]
    stroke, said = axes.lines[1], axes.texts[1]

    assert points(stroke) == (pytest.approx([10 / 60, 25 / 60]), pytest.approx([0.4, 0.4]))
    assert (stroke.get_color(), stroke.get_linewidth()) == (tone("alarm"), 2.4)
    assert said.get_text() == "nothing allocated for 15m00s"
    assert said.get_position() == (pytest.approx(17.5 / 60), pytest.approx(0.36))
    assert (said.get_color(), said.get_ha(), said.get_va()) == (tone("alarm"), "center", "top")
    assert points(axes.lines[2])[0] == pytest.approx([27 / 60, 28 / 60])
    assert (len(axes.lines), len(kept.all_axes[1].lines)) == (3, 1)


def waited(letter: str, worst_ms: int, **queues: Quantiles) -> ComparedRun:
    """A run by the waits of its queues."""
    found = figures(
        waits=Quantiles(1, 0, 0, worst_ms), waits_of_queues={f"root.{name}": each for name, each in queues.items()}
    )
    return run(letter, measures=found)


ETL, REPORT = Quantiles(3, 2_000, 30_000, 119_000), Quantiles(2, 0, 99, 101)


def test_a_queue_has_a_range_for_each_run_that_knows_it(kept: type[KeptCanvas]) -> None:
    """From median to worst, a dot at the median, a stroke at 95 %; waits below a tenth of a second stand there."""
    runs = waited("A", 119_000, etl=ETL, report=REPORT), waited("B", 5_000, etl=REPORT)
    drawn = waits_of_queues(comparison(*runs))
    (axes,) = kept.all_axes

    assert [points(line) for line in axes.lines] == [
        ([2, 119], [0, 0]), ([2], [0]), ([30], [0]),
        ([0.1, 0.101], [1, 1]), ([0.1], [1]), ([0.1], [1]),
        ([0.1, 0.101], [2.75, 2.75]), ([0.1], [2.75]), ([0.1], [2.75]),
    ]  # fmt: skip
    assert [line.get_color() for line in axes.lines[::3]] == [tone("q1"), tone("q4"), tone("q1")]
    assert [(line.get_marker(), line.get_markersize()) for line in axes.lines[1:3]] == [("o", 6), ("|", 9)]
    assert (axes.lines[0].get_linewidth(), axes.lines[2].get_markeredgewidth()) == (2, 2)
    assert 'aria-label="Waits for the first container by queue and run: median, 95 % and worst"' in drawn


def test_queues_are_named_in_the_middle_of_their_ranges(kept: type[KeptCanvas]) -> None:
    """The first above; the figure is as high as there are ranges."""
    runs = waited("A", 119_000, etl=ETL, report=REPORT), waited("B", 5_000, etl=REPORT)
    waits_of_queues(comparison(*runs))
    (axes,) = kept.all_axes

    assert (kept.made, kept.places) == ([("queues", 128)], [(150, 4, 656, 88)])
    assert [each.get_text() for each in axes.get_yticklabels()] == ["etl", "report"]
    assert (list(axes.get_yticks()), axes.get_ylim()) == ([0.5, 3.25], (pytest.approx(4.9), -0.8))
    assert axes.yaxis.get_tick_params()["labelcolor"] == tone("text")
    assert (axes.yaxis.get_tick_params()["length"], axes.xaxis.get_tick_params()["length"]) == (0, 0)
    assert (axes.xaxis.get_tick_params()["gridOn"], axes.spines["left"].get_visible()) == (True, False)


@pytest.mark.parametrize(
    ("worst_ms", "ends_s", "clocks"),
    [
        (0, 1.3, ["0.1s", "1.0s"]),
        (1_000, 1.3, ["0.1s", "1.0s"]),
        (2_000, 2.6, ["0.1s", "1.0s"]),
        (8_000, 10.4, ["0.1s", "1.0s", "10.0s"]),
        (119_000, 154.7, ["0.1s", "1.0s", "10.0s", "1m00s"]),
        (500_000, 650, ["0.1s", "1.0s", "10.0s", "1m00s", "10m00s"]),
        (3_600_000, 4680, ["0.1s", "1.0s", "10.0s", "1m00s", "10m00s", "1h00m"]),
        (36_000_000, 46_800, ["0.1s", "1.0s", "10.0s", "1m00s", "10m00s", "1h00m", "10h00m"]),
        (360_000_000, 468_000, ["0.1s", "1.0s", "10.0s", "1m00s", "10m00s", "1h00m", "10h00m", "4d04h"]),
    ],
)
def test_waits_have_a_logarithmic_scale_up_to_a_third_beyond_the_worst(
    kept: type[KeptCanvas], worst_ms: int, ends_s: float, clocks: list[str]
) -> None:
    """And to more than a second at least."""
    waits_of_queues(comparison(waited("A", 0, etl=ETL), waited("B", worst_ms, etl=ETL)))
    (axes,) = kept.all_axes

    assert (axes.get_xscale(), axes.get_xlim()) == ("log", (pytest.approx(0.08), pytest.approx(ends_s)))
    assert [each.get_text() for each in axes.get_xticklabels()] == clocks
    assert list(axes.xaxis.get_minorticklocs()) == []
