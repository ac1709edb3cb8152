"""What a trainee or a class did at drills: a debrief as a page or as Markdown, a class as CSV or as a page."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from statistics import fmean
from typing import Final

from engine.observe.documents import csv_line
from engine.observe.journal import program_version
from engine.training.debrief import Debrief
from engine.training.records import ClassTry, Recommendation, middle, repair_ms, share_until_named, summary
from engine.training.score import CLOCKS, HEADS
from engine.units import span
from tui.report.page import (
    Cell,
    Html,
    ReportPage,
    ReportPart,
    ReportSection,
    Row,
    element,
    markdown_of,
    pairs,
    rows_table,
    sections_of,
)
from tui.terminal import format as text

COLUMNS: Final = (
    *("seat", "drill", "solved", "score", "detect_s", "localise_s", "explain_s", "solved_s", "lost_s"),
    *("waited_beyond_par_s", "hints", "unaccepted", "exam"),
)
MARKS: Final = {
    "detect": ("○", "noticed", "text"),
    "localise": ("◆", "named", "watch"),
    "explain": ("■", "explained", "data"),
    "solved": ("●", "all goals met", "good"),
}  # Clock → its glyph, its word, and the token it is drawn in
MOST_COSTS: Final = 8
WIDTH, LINE, LEFT, RIGHT = 410, 22, 76, 64  # Of a figure: width, height of a line, widths of names and times [px]
NOTES: Final = (
    "Noticed, named, explained: the instant of the last right answer. All goals met: with the answers demanded.",
    "Harm is counted beyond what the reference loses and lets wait. What the instructor does is not charged.",
    "The last try of each seat at each drill counts; differences of a few points between seats mean little.",
    "Seats instead of names, so that the report may be passed on; --names writes the names.",
)


def class_csv(tries: Sequence[ClassTry]) -> str:
    lines = [csv_line(COLUMNS)]
    for trial in tries:
        clocks = [trial.score.clocks.get(name) for name in (*CLOCKS, "solved")]
        times = ["" if at_ms is None else at_ms / 1000 for at_ms in clocks]
        harm = (
            round(trial.lost_s, 1),
            round(trial.waited_s, 1),
            trial.hints,
            len(trial.unaccepted),
            int(trial.drill.is_exam),
        )
        solved = int(trial.score.solved_ms is not None)
        lines.append(csv_line([trial.trainee, trial.drill.name, solved, trial.score.total, *times, *harm]))
    return "".join(lines)


def class_page(
    tries: Sequence[ClassTry], drills: Sequence[str], following: Mapping[str, Recommendation | None]
) -> ReportPage:
    solved = sum(one.score.solved_ms is not None for one in tries)
    seats = list(dict.fromkeys(one.trainee for one in tries))
    share, repair = share_until_named(tries), repair_ms(tries)
    head = f"{solved} of {text.plural(len(tries), 'incident')} {'was' if solved == 1 else 'were'} solved."
    head += f" {share:.0%} of the time passes before the fault is named." if share is not None else ""
    head += f" Once it is explained, the repair takes {span(int(repair))}." if repair is not None else ""
    unaccepted = sum(len(one.unaccepted) for one in tries)
    facts = {
        "solved in time": f"{solved} of {len(tries)}",
        "of the time until named": "-" if share is None else f"{share:.0%}",
        "median score of 100": f"{middle([one.score.total for one in tries]):.0f}",
        f"harm{'s' * (unaccepted != 1)} not accepted": str(unaccepted),
    }
    facts_row = element(
        "div",
        *(element("div", element("b", fact), element("p", name, class_="soft")) for name, fact in facts.items()),
        class_="facts",
    )
    sections = [
        ReportSection("Scores and harm", (_scores(tries, drills, seats),), "× not solved, ▲ harm not accepted"),
        ReportSection(
            "Time to notice, name, explain, repair",
            (_key(), element("div", *(_times(tries, name) for name in drills), class_="pair")),
            "by the clock of the drill",
        ),
        ReportSection(
            "Where the class loses points", (_losses(tries, drills),), "mean points lost of those there were"
        ),
        ReportSection("What cost most", (_costs(tries),)),
        ReportSection("What to take next", (_next(following),)),
        ReportSection(
            "How it was held", (_how(tries, drills), element("ol", *(element("li", each) for each in NOTES)))
        ),
    ]
    return ReportPage(
        ("schedlab", "drill", f"a class of {len(seats)}, {text.plural(len(drills), 'drill')}"),
        "",
        head,
        summary(tries),
        facts_row,
        sections,
        (f"schedlab {program_version()} · drill report", "A simulation; no cluster was asked."),
    )


def _scores(tries: Sequence[ClassTry], drills: Sequence[str], seats: Sequence[str]) -> Html:
    rows = []
    for seat in seats:
        own = {one.drill.name: one for one in tries if one.trainee == seat}
        scores = [_score(own.get(name)) for name in drills]
        mean = f"{fmean(one.score.total for one in own.values()):.0f}"
        lost, waited = (
            span(int(1000 * sum(getattr(one, name) for one in own.values()))) for name in ("lost_s", "waited_s")
        )
        rows.append(
            Row(seat, [*scores, Cell(mean, "strong"), lost, waited, str(sum(one.hints for one in own.values()))])
        )
    medians = [middle([one.score.total for one in tries if one.drill.name == name]) for name in drills]
    rows.append(Row("median", [*(f"{score:.0f}" for score in medians if score is not None), "", "", "", ""]))
    return rows_table(["seat", *drills, "mean", "work lost", "waited beyond par", "hints"], rows)


def _score(one: ClassTry | None) -> Html | str:
    if one is None:
        return "-"
    mark = "▲ " if one.unaccepted else "× " if one.score.solved_ms is None else ""
    return _shaded(f"{mark}{one.score.total}", "data", one.score.total // 2)


def _key() -> Html:
    marks = (
        element("span", element("b", f"{glyph} ", style=f"color:var(--{token})"), f"{word}  ")
        for glyph, word, token in MARKS.values()
    )
    return element("p", *marks, element("span", element("b", "× ", class_="alarm"), "not solved"), class_="note")


def _times(tries: Sequence[ClassTry], drill: str) -> Html:
    own = [one for one in tries if one.drill.name == drill]
    lasts_ms, par_ms = own[0].drill.drill.lasts_ms, own[0].par.solved_ms
    height = LINE * (len(own) + 2)

    def at(time_ms: int) -> int:
        return LEFT + (WIDTH - LEFT - RIGHT) * time_ms // lasts_ms

    def words(said: str, x: int, y: int, colour: str = "currentColor", anchor: str = "start") -> Html:
        return element("text", said, x=x, y=y, fill=colour, font_size=12, text_anchor=anchor)

    def line(x: tuple[int, int], y: tuple[int, int], colour: str, **how: str | int) -> Html:
        return element("line", x1=x[0], x2=x[1], y1=y[0], y2=y[1], stroke=f"var(--{colour})", **how)

    end = at(lasts_ms)
    parts = [line((end, end), (LINE, height), "line"), words(f"time is up {span(lasts_ms)}", WIDTH, 14, anchor="end")]
    if par_ms is not None:
        parts.append(line((at(par_ms),) * 2, (LINE, height), "good", stroke_dasharray="2 3"))
        parts.append(words(f"par {span(par_ms)}", min(at(par_ms), WIDTH // 2), 14))
    for place, trial in enumerate(own):
        y = LINE * (place + 2) - 7
        parts += [words(trial.trainee, 1, y + 4), line((at(0), end), (y, y), "line")]
        before_ms, solved = 0, trial.score.solved_ms
        reached = [(time_ms, name) for name in MARKS if (time_ms := trial.score.clocks.get(name)) is not None]
        for time_ms, name in sorted(reached, key=lambda each: each[0]):
            glyph, _, token = MARKS[name]
            if before_ms:
                parts.append(line((at(before_ms), at(time_ms)), (y, y), token, stroke_width=2))
            parts.append(words(glyph, at(time_ms), y + 5, f"var(--{token})", "middle"))
            before_ms = time_ms
        parts.append(
            words(span(solved), end + 8, y + 4)
            if solved is not None
            else words("×", end, y + 4, "var(--alarm)", "middle")
        )
    figure = element(
        "svg", *parts, viewBox=f"0 0 {WIDTH} {height}", width="100%", role="img", aria_label=f"times of {drill}"
    )
    heads = ["seat", *(word for _, word, _ in MARKS.values())]
    rows = [Row(one.trainee, [_time(one.score.clocks.get(name)) for name in MARKS]) for one in own]
    same = element("details", element("summary", "The same as a table"), rows_table(heads, rows), class_="note")
    return element("div", element("h3", element("code", drill), f"  {own[0].drill.title}"), figure, same)


def _time(at_ms: int | None) -> str:
    return "-" if at_ms is None else span(at_ms)


def _losses(tries: Sequence[ClassTry], drills: Sequence[str]) -> Html:
    kinds = [*CLOCKS, "solved", "work kept", "waiting"]
    rows = []
    for drill in drills:
        own = [one for one in tries if one.drill.name == drill]
        lost = [{line.what: line.points - line.most for line in one.score.lines} for one in own]
        means = [fmean(each.get(kind, 0.0) for each in lost) for kind in kinds]
        rest = fmean(sum(points for what, points in each.items() if what not in kinds) for each in lost)
        mean = fmean(one.score.total for one in own)
        rows.append(Row(drill, [*map(_lost, (*means, rest)), Cell(f"{mean:.0f}", "strong")]))
    return rows_table(["drill", *kinds, "hints and prices", "mean"], rows)


def _lost(points: float) -> Html:
    return _shaded(f"{points:.1f}", "watch", round(min(60, -3 * points)))


def _shaded(words: str, token: str, share: int) -> Html:
    ground = f"background:color-mix(in srgb,var(--{token}) {max(0, share)}%,transparent)"
    return element("span", words, style=f"{ground};display:block;padding:0 .4em")


def _costs(tries: Sequence[ClassTry]) -> Html:
    found = sorted((cost for one in tries for cost in one.costs), key=lambda cost: -cost.cost_s)[:MOST_COSTS]
    if not found:
        return element("p", "No seat lost or waited for more than the reference does.")
    rows = [
        Row(
            f"{cost.trainee} {cost.drill}",
            [
                span(cost.at_ms),
                cost.words,
                f"{cost.cost_s / 60:.0f} {cost.unit}-minutes" if cost.cost_s else "the drill",
            ],
        )
        for cost in found
    ]
    return rows_table(["seat, drill", "when", "what happened", "cost"], rows, ["what happened"])


def _next(following: Mapping[str, Recommendation | None]) -> Html:
    rows = [
        Row(seat, [one.drill, one.reason] if one else ["-", "every drill is solved, and well"])
        for seat, one in following.items()
    ]
    return rows_table(["seat", "drill", "because"], rows, ["drill", "because"])


def _how(tries: Sequence[ClassTry], drills: Sequence[str]) -> Html:
    exams = sum(one.drill.is_exam for one in tries)
    return pairs(
        {
            "command": f"schedlab drill report {' '.join(drills)} -o class.html",
            "program": f"schedlab {program_version()}",
            "record": f"{text.plural(len(tries), 'exercise')}, each played again; {exams} of them exams",
        }
    )


# The debrief of one exercise.

CURVE: Final = (800, 120)  # Width and height of the curve of those that wait
_MARKUP: Final = re.compile(r"[\[\]`]|:(?=//)|(?<=www)\.")


def debrief_page(debrief: Debrief) -> ReportPage:
    foot = (f"schedlab {program_version()} · debrief", "A simulation; no cluster was asked.")
    headline = f"{debrief.title}: {debrief.verdict}"
    sections = sections_of(_debrief_parts(debrief))
    return ReportPage(("schedlab", "drill", debrief.name), "", headline, "", _waiting(debrief), sections, foot)


def debrief_markdown(debrief: Debrief) -> str:
    """The debrief as Markdown; what a file or a person wrote in it makes no link, no picture and no HTML."""
    return _plain(markdown_of(_debrief_parts(debrief), f"{debrief.title}: {debrief.verdict}"))


def _plain(words: str) -> str:
    r"""A text that Markdown shows as it is.

    >>> _plain("<b> [a](http://b) c_d")
    '&lt;b&gt; \\[a\\](http\\://b) c_d'
    """
    return _MARKUP.sub(r"\\\g<0>", escape(words, quote=False))


def _debrief_parts(debrief: Debrief) -> list[ReportPart]:
    parts = [
        ReportPart("What was to be seen", sentences=tuple(clue.sentence for clue in debrief.clues)),
        ReportPart(
            "What happened, and what you did",
            columns=("at", "the cluster", "you", "visible, since when"),
            rows=tuple(
                (f"+{span(one.at_ms)}", one.cluster or one.effect, one.told, one.visible) for one in debrief.rows
            ),
        ),
        ReportPart(
            "Score",
            columns=("what", "measured", "points", "of"),
            rows=tuple(
                (line.what, line.measured, f"{line.points:g}", str(line.most or "")) for line in debrief.score.lines
            ),
        ),
        ReportPart(
            "Goals",
            columns=("goal", "met"),
            rows=tuple((about, "not met" if at_ms is None else f"+{span(at_ms)}") for about, at_ms in debrief.goals),
        ),
        ReportPart(
            "Beside par",
            columns=("what was done", *HEADS),
            rows=tuple((about, *score.cells) for about, score in debrief.compared()),
        ),
    ]
    if debrief.has_shorter_way:
        rows = tuple((f"+{span(one.at_ms)}", one.trainee or one.cluster, one.effect) for one in debrief.par_rows)
        parts.append(ReportPart("A shorter way", columns=("at", "the reference", "then"), rows=rows))
    return [*parts, ReportPart("What there is to learn", sentences=(debrief.text,))]


def _waiting(debrief: Debrief) -> Html:
    width, height = CURVE
    most = max((sample.waiting for sample in debrief.samples), default=0) or 1
    points = " ".join(
        f"{sample.at_ms / debrief.lasts_ms * width:.1f},{height - sample.waiting / most * (height - 10):.1f}"
        for sample in debrief.samples
    )
    label = f"applications that wait, at most {most}"
    curve = element("polyline", points=points, fill="none", stroke="currentColor", stroke_width=2)
    words = element("text", label, x=4, y=14, fill="currentColor", font_size=12)
    return element("svg", curve, words, viewBox=f"0 0 {width} {height}", role="img", aria_label=label)
