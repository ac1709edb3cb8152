"""A place in a recorded past: where it goes, what is seen from there, and how polls become such a past."""

import pytest

from engine.recorded.log_series import LogSeries
from tests.engine.recorded.logs import second, series
from tests.tui.session.test_series_clock import LOG
from tui.answers import CLUSTER, WhySubject
from tui.picture import Notice, PictureChanged, RunState
from tui.session.live_questions import NOT_PLAYED
from tui.session.series_clock import END, SeriesConnection
from tui.session.series_place import SeriesPlace


def place(at: int | None = None) -> SeriesPlace:
    found = SeriesPlace(series(*LOG), END)
    if at is not None:
        assert found.travel(f"+{at}") == ""
    return found


@pytest.mark.parametrize(("real_ms", "to"), [(0, 2_000), (1, 2_010), (100.04, 3_000), (999, 11_990), (1_000, None)])
def test_playing_goes_on_by_the_speed(real_ms: float, to: int | None) -> None:
    """Rounded to the millisecond; at the last instant it is at the end, and stands."""
    found = place(2)
    found.is_playing = True
    found.advance(real_ms)

    assert (found.time_ms, found.is_playing) == (None if to is None else second(0) + to, to is not None)


@pytest.mark.parametrize(("where", "refusal"), [("+5", ""), ("+99", "+99 has not come yet."), ("on", "")])
def test_to_travel_is_to_stand(where: str, refusal: str) -> None:
    found = place(2)
    found.is_playing = True

    assert (found.travel(where), found.is_playing) == (refusal, False)
    assert (found.time_ms == second(2)) is bool(refusal)


def test_events_are_those_up_to_the_instant_and_have_a_version_of_their_own() -> None:
    found, state = place(), RunState("x")
    versions = []
    for where, last in (("+1", 1), ("+2", 2), ("+1", 1)):
        assert found.travel(where) == ""
        picture = found.picture(state)
        versions.append(picture.events_version)
        assert max(event.time_ms for event in picture.events) == second(last)

    assert versions[0] == versions[2] != versions[1]


async def test_a_recording_is_opened_with_what_was_inferred() -> None:
    connection, posted = SeriesConnection(series(*LOG)), list[PictureChanged | Notice]()
    await connection.pictures.start(posted.append)
    notes = [Notice(note) for note in connection.place.series.notes]

    assert posted == [PictureChanged(), *notes]
    assert notes
    assert isinstance(connection.place.series, LogSeries)
    picture = await connection.pictures.picture()
    assert (picture.run.name, picture.run.recorded) == ("small.log", "log")
    assert (connection.acts, connection.twin) == (None, None)


async def test_a_recording_answers_questions_and_plays_nothing() -> None:
    connection = SeriesConnection(series(*LOG))
    opened = await connection.questions.ask(WhySubject(CLUSTER, ""))

    assert (opened.answer.note, opened.answer.doing) == (NOT_PLAYED, "")
