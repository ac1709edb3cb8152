"""A drill shared with an instructor: where it is read from, what is kept when the terminal goes, what visitors read."""

from functools import partial
from pathlib import Path

import pytest

from engine.training.records import read_history
from engine.training.unfinished import BegunExercise, UnfinishedFile
from tests.engine.training.small_drill import TEXT, small_drill
from tui.cli.attach import drill_of
from tui.cli.drill_play import _source
from tui.cli.drill_screen import _keep, keep_unfinished
from tui.session.drill import DrillPlay
from tui.sharing.link import VERSION, SharedDrill, Welcome


@pytest.mark.parametrize("seed", [None, 7])
def test_the_instructor_plays_the_same_drill(tmp_path: Path, seed: int | None) -> None:
    file = tmp_path / "small.toml"
    file.write_text(TEXT)
    drill = drill_of(Welcome(VERSION, "small", "Notebooks", SharedDrill(_source(str(file)), seed)))

    assert drill.title == "Notebooks"
    assert (drill.scenario.seed == small_drill().scenario.seed) == (seed is None)


def test_what_was_begun_is_kept_when_the_terminal_goes(tmp_path: Path) -> None:
    """Once, as if it had ended there; a brief that was only read is nothing to keep."""
    play = DrillPlay(small_drill())
    file = UnfinishedFile(tmp_path, BegunExercise("ann", "small", ""), "small")
    play.on_end = partial(_keep, play, file, tmp_path, "ann", None, [])
    keep_unfinished(play)
    before = read_history(tmp_path, "ann").played
    play.has_begun = True
    play.answer("fault", ("yes",))
    keep_unfinished(play)
    keep_unfinished(play)
    after = read_history(tmp_path, "ann").played

    assert before == ()
    assert len(after) == 1
    assert '"do": "answer"' in after[0].steps[0]
