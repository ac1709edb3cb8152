"""A drill shared with an instructor: where it is read from, what is kept when the terminal goes, what visitors read."""

from functools import partial
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.training.records import read_history
from tests.engine.training.small_drill import TEXT, small_drill
from tui.cli.drill_play import _source
from tui.cli.drill_screen import _keep, keep_unfinished, last_words, shared_play
from tui.cli.instruct import drill_of
from tui.session.drill import DrillPlay
from tui.sharing.link import VERSION, SharedDrill, Welcome
from tui.sharing.meeting_place import open_door


@pytest.mark.parametrize("seed", [None, 7])
def test_the_instructor_plays_the_same_drill(tmp_path: Path, seed: int | None) -> None:
    file = tmp_path / "small.toml"
    file.write_text(TEXT)
    drill = drill_of(Welcome(VERSION, "small", "Notebooks", SharedDrill(_source(str(file)), seed)))

    assert drill.title == "Notebooks"
    assert (drill.scenario.seed == small_drill().scenario.seed) == (seed is None)


def test_where_no_drill_is_played_there_is_no_seat() -> None:
    with pytest.raises(ConfigError, match=r"no drill is played there .*schedlab attach"):
        _ = drill_of(Welcome(VERSION, "small", "Small"))


def test_a_packaged_drill_is_found_by_its_name() -> None:
    assert _source("quiet-shift") == ""
    assert Path(_source("small.toml")).is_absolute()


def test_what_was_begun_is_kept_when_the_terminal_goes(tmp_path: Path) -> None:
    """Once, as if it had ended there; a brief that was only read is nothing to keep."""
    play = DrillPlay(small_drill())
    play.on_end = partial(_keep, play, tmp_path, "ann", None, [])
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


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (None, "The trainee has left the drill."),
        (0, "The trainee has left the drill."),
        (129, "The trainee's terminal went away; what was done is kept."),
    ],
)
def test_visitors_read_how_it_ended(code: int | None, words: str) -> None:
    assert last_words(code) == words


def test_a_shared_drill_has_a_seat(tmp_path: Path) -> None:
    opened = open_door(tmp_path / "run", "small")
    shared = shared_play(DrillPlay(small_drill()), opened, SharedDrill("quiet-shift", 3))
    opened.close()

    assert shared.door.welcome == Welcome(VERSION, "small", "Notebooks", SharedDrill("quiet-shift", 3))
