"""Drills played on screen one after the other: which comes next, and what is kept of each; nothing is drawn."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.errors import OutputError
from engine.training.curriculum import curriculum
from engine.training.drill import DrillScenario
from engine.training.drill_file import load_drill
from engine.training.history import read_history
from tests.engine.training.small_drill import small_drill
from tests.engine.training.test_exam import exam
from tui.commands import drill_screen
from tui.commands.drill_screen import _following, play_on_screen
from tui.drill_app import DrillApp
from tui.session.drill_play import DrillPlay
from tui.settings import resolve

OWN = small_drill().name
NAMES = [one.name for one in curriculum().drills]


class Trainee:
    """Plays drills as a test says; the app is never drawn."""

    def __init__(self, patch: pytest.MonkeyPatch, *does: Callable[[DrillApp, DrillPlay], object]) -> None:
        self.apps: list[DrillApp] = []
        self.plays: list[DrillPlay] = []
        left = list(does)
        begun = drill_screen._begun

        def begin(*arguments: Any) -> DrillPlay:
            self.plays.append(begun(*arguments))
            return self.plays[-1]

        def run(app: DrillApp) -> None:
            self.apps.append(app)
            _ = left.pop(0)(app, self.plays[-1])

        patch.setattr(drill_screen, "_begun", begin)
        patch.setattr(DrillApp, "run", run)


def done(choice: str = "") -> Callable[[DrillApp, DrillPlay], object]:
    """Play to the end, and choose what comes next."""

    def does(app: DrillApp, play: DrillPlay) -> None:
        play.has_begun = True
        play.answer("fault", ("yes",))
        _ = play.finish()
        app.chosen = choice

    return does


def test_what_was_played_is_kept_in_the_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its trainee, with its seed; the next time the best score is known."""
    trainee = Trainee(monkeypatch, done("again"), done())
    play_on_screen(small_drill(), tmp_path, "ann", resolve({"ascii": True}), seed=7)
    played = read_history(tmp_path, "ann").played

    assert [(one.drill, one.seed) for one in played] == [(OWN, 7)] * 2
    assert [play.best for play in trainee.plays] == [None, played[0].score]
    assert [play.place for play in trainee.plays] == [(1, len(NAMES))] * 2
    assert [app.options.ascii_only for app in trainee.apps] == [True, True]
    assert read_history(tmp_path, "bob").played == ()


def test_a_brief_that_was_only_read_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor a drill that was left in the middle."""
    _ = Trainee(monkeypatch, lambda app, play: None)
    play_on_screen(small_drill(), tmp_path, "ann", resolve({}))

    assert read_history(tmp_path, "ann").played == ()


@pytest.mark.parametrize(("drill", "kept"), [(small_drill(), 0), (exam(), 1)])
def test_an_exam_that_was_left_counts(
    drill: DrillScenario, kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if it had ended there."""

    def begin(app: DrillApp, play: DrillPlay) -> None:
        play.has_begun = True

    _ = Trainee(monkeypatch, begin)
    play_on_screen(drill, tmp_path, "ann", resolve({}))

    assert len(read_history(tmp_path, "ann").played) == kept


def test_a_history_that_takes_no_more_is_told_after_the_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else is begun."""
    trainee = Trainee(monkeypatch, done("again"))

    def keep(*_: object) -> None:
        raise OutputError("the history", OSError(28, "No space left on device"))

    monkeypatch.setattr(drill_screen, "keep_played", keep)
    with pytest.raises(OutputError, match="the history: cannot be written: no space left on device"):
        play_on_screen(small_drill(), tmp_path, "ann", resolve({}))
    assert len(trainee.apps) == 1


@pytest.mark.parametrize(
    ("name", "answer", "following"),
    [
        (NAMES[0], "again", NAMES[0]),
        (NAMES[0], "next", NAMES[1]),
        (NAMES[-2], "next", NAMES[-1]),
        (NAMES[-1], "next", None),
        (NAMES[0], "", None),
        (OWN, "next", NAMES[0]),
        (OWN, "again", OWN),
    ],
)
def test_drills_follow_in_the_order_of_the_curriculum(name: str, answer: str, following: str | None) -> None:
    """After one of the trainee's own comes the first; after the last none."""
    drill = small_drill() if name == OWN else load_drill(name)
    found = _following(drill, answer, NAMES)

    assert (None if found is None else found.name) == following


def test_after_an_exam_comes_an_exam() -> None:
    """After a practice a practice."""
    practice, taken = load_drill(NAMES[0]), load_drill(NAMES[0]).as_exam()
    following = [_following(one, "next", NAMES) for one in (practice, taken)]

    assert [one.is_exam for one in following if one is not None] == [False, True]


def test_a_drill_knows_its_place(tmp_path: Path) -> None:
    """Among those of the curriculum."""
    play = drill_screen._begun(load_drill(NAMES[2]), tmp_path, "ann", NAMES, None)

    assert play.place == (3, len(NAMES))
