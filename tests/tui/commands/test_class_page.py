"""The page of a class: its head, its tables row by row, and the times as they are drawn."""

import re
from functools import cache

from engine.training.acts_file import read_steps
from engine.training.class_report import ClassTry, replayed
from engine.training.curriculum import Recommendation
from engine.training.debrief import debrief_of
from engine.training.drill import DrillScenario
from engine.training.history import played_of
from engine.training.protocol import begins_at
from engine.training.recorded_steps import written_steps
from engine.training.score import Yardstick, played
from engine.training.stage import DrillStage
from tests.engine.training.small_drill import small_drill
from tests.engine.training.test_exam import exam
from tests.tui.commands.test_drill_report import CAUSE, FAULT, KILL, RAISE
from tui.commands.drill_report import class_page

SOLVED, KILLED = FAULT + CAUSE + RAISE, FAULT + KILL


@cache
def tried(trainee: str, acts: str, *, is_exam: bool = False) -> ClassTry:
    """One try at the small drill, which lasts five minutes."""
    drill: DrillScenario = exam() if is_exam else small_drill()
    steps = tuple(read_steps(acts.splitlines(), "", begins_at(drill)))
    stage = DrillStage(drill)
    debrief = debrief_of(played(stage, steps), Yardstick(stage))
    return replayed(trainee, played_of(debrief, "now", written_steps(steps), None), drill)


def class_of(*tries: ClassTry, following: dict[str, Recommendation | None] | None = None) -> str:
    """The body of the page."""
    drills = list(dict.fromkeys(one.drill.name for one in tries))
    return class_page(tries, drills, following or {}).html().partition("<body")[2]


def rows_of(page: str, title: str) -> list[list[str]]:
    """The cells of a section's first table, row by row, as text."""
    section = page[page.index(title) :]
    body = section[section.index("<tbody") : section.index("</tbody>")]
    return [
        [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.DOTALL)
    ]


def text_of(page: str) -> str:
    """Its words, with one blank between them."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


BOTH = (tried("ann", SOLVED), tried("bob", KILLED))


def test_the_head_says_how_many_were_solved() -> None:
    """And how long the repair takes; what nobody reached is not said."""
    page = text_of(class_of(*BOTH))

    assert "a class of 2, 1 drill 1 of 2 incidents were solved. Once it is explained, the repair takes 0m11s." in page
    assert "1 of 2 solved in time - of the time until named 48 median score of 100 1 forbidden act " in page
    assert "of the time passes before" not in page


def test_a_class_without_forbidden_acts_has_none() -> None:
    """In the plural."""
    assert "100 median score of 100 0 forbidden acts " in text_of(class_of(BOTH[0]))


def test_scores_stand_by_seat_and_drill() -> None:
    """With their mean, and the harm done; the last row has medians."""
    assert rows_of(class_of(*BOTH), "Scores and harm") == [
        ["ann", "100", "100", "0m00s", "0m00s", "0"],
        ["bob", "▲ -5", "-5", "11m16s", "4m30s", "0"],
        ["median", "48", "", "", "", ""],
    ]


def test_a_score_is_marked_where_it_was_not_solved() -> None:
    """Its ground is half as dark as the score is high."""
    page = class_of(tried("eve", FAULT), BOTH[0])
    [eve, ann, _] = rows_of(page, "Scores and harm")
    score = BOTH[0].score.total

    assert (eve[1][0], ann[1]) == ("×", "100")
    assert f"var(--data) {score // 2}%,transparent" in page
    assert f"var(--data) {max(0, tried('eve', FAULT).score.total // 2)}%,transparent" in page


def test_times_are_drawn_by_the_clock_of_the_drill() -> None:
    """270 pixels for five minutes, a line of 22 for each seat; par and the end are upright lines."""
    page = class_of(*BOTH)
    svg = page[page.index("<svg") : page.index("</svg>")]
    lines = re.findall(r'<line x1="(\d+)" x2="(\d+)" y1="(\d+)" y2="(\d+)" stroke="var\(--(\w+)\)"', svg)
    words = re.findall(r'<text x="(\d+)" y="(\d+)" fill="([^"]*)" [^>]*text-anchor="(\w+)">([^<]*)', svg)

    assert 'viewBox="0 0 410 88"' in svg
    assert lines == [
        ("346", "346", "22", "88", "line"),
        ("104", "104", "22", "88", "good"),
        ("76", "346", "37", "37", "line"),
        ("85", "94", "37", "37", "data"),
        ("94", "104", "37", "37", "good"),
        ("76", "346", "59", "59", "line"),
    ]
    assert words == [
        ("410", "14", "currentColor", "end", "time is up 5m00s"),
        ("104", "14", "currentColor", "start", "par 0m31s"),
        ("1", "41", "currentColor", "start", "ann"),
        ("85", "42", "var(--text)", "middle", "○"),
        ("94", "42", "var(--data)", "middle", "■"),
        ("104", "42", "var(--good)", "middle", "●"),
        ("354", "41", "currentColor", "start", "0m31s"),
        ("1", "63", "currentColor", "start", "bob"),
        ("85", "64", "var(--text)", "middle", "○"),
        ("346", "63", "var(--alarm)", "middle", "×"),
    ]
    assert rows_of(page, "The same as a table") == [
        ["ann", "0m10s", "-", "0m20s", "0m31s"],
        ["bob", "0m10s", "-", "-", "-"],
    ]


def test_points_are_lost_on_the_mean() -> None:
    """By their kind; other prices together, and what is left."""
    [row] = rows_of(class_of(*BOTH), "Where the class loses points")

    assert row == ["", "0.0", "0.0", "-5.0", "-30.0", "-2.9", "-4.5", "-10.0", "48"]
    page = class_of(*BOTH)
    assert "var(--watch) 15%,transparent" in page
    assert "var(--watch) 60%,transparent" in page


def test_what_cost_most_comes_first() -> None:
    """In minutes of what was lost; eight at most."""
    assert rows_of(class_of(*BOTH), "What cost most") == [
        ["bob", "0m40s", "1 is ended, which par leaves alone", "11 container-minutes"],
        ["bob", "0m40s", "forbidden: kill everything", "11 container-minutes"],
        ["bob", "5m00s", "not solved when time is up", "4 application-minutes"],
    ]
    many = [tried(f"seat {number}", KILLED) for number in range(4)]
    assert len(rows_of(class_of(*many), "What cost most")) == 8
    assert "Nobody lost or waited for more than the reference does." in text_of(class_of(BOTH[0]))


def test_what_to_take_next_is_told_by_seat() -> None:
    """With the reason; of who has taken all that is told."""
    following = {"ann": None, "bob": Recommendation("quiet-shift", "it comes next")}

    assert rows_of(class_of(*BOTH, following=following), "What to take next") == [
        ["ann", "-", "every drill is solved, and well"],
        ["bob", "quiet-shift", "it comes next"],
    ]


def test_the_page_says_how_it_was_made() -> None:
    """Exercises and how many of them were exams."""
    page = text_of(class_of(BOTH[0], tried("eve", SOLVED, is_exam=True)))

    assert "2 exercises, each played again; 1 of them exams" in page
    assert "schedlab drill report --drills" in page
