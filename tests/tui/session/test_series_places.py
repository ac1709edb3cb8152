"""A place in a recorded past: where it goes, what is seen from there, and how polls become such a past."""

from math import inf

import pytest

from engine.recorded.log_series import LogSeries
from engine.recorded.series import SnapshotSeries
from tests.engine.recorded.logs import second, series
from tests.tui.session.test_series_clock import LOG
from tui.answers import CLUSTER, WhySubject
from tui.picture import Notice, PictureChanged, RunState, Track
from tui.session.destinations import FIRST
from tui.session.live_questions import NOT_PLAYED
from tui.session.series_clock import END, SeriesClock, SeriesConnection
from tui.session.series_place import SPEED, SeriesPlace


def place(at: int | None = None) -> SeriesPlace:
    """A place in a past of twelve seconds."""
    found = SeriesPlace(series(*LOG), END)
    if at is not None:
        assert found.travel(f"+{at}") == ""
    return found


def test_a_place_begins_at_the_end() -> None:
    """It stands, at the first speed."""
    found = place()

    assert (found.time_ms, found.speed, found.is_playing, SPEED) == (None, 10.0, False, 10.0)


@pytest.mark.parametrize(("real_ms", "to"), [(0, 2_000), (1, 2_010), (100.04, 3_000), (999, 11_990), (1_000, None)])
def test_playing_goes_on_by_the_speed(real_ms: float, to: int | None) -> None:
    """Rounded to the millisecond; at the last instant it is at the end, and stands."""
    found = place(2)
    found.is_playing = True
    found.advance(real_ms)

    assert (found.time_ms, found.is_playing) == (None if to is None else second(0) + to, to is not None)


def test_flat_out_goes_to_the_end() -> None:
    """And stands there."""
    found = place(2)
    found.is_playing, found.speed = True, inf
    found.advance(1)

    assert (found.time_ms, found.is_playing) == (None, False)


def test_at_the_end_nothing_is_played() -> None:
    """It stands where it is."""
    found = place()
    found.is_playing = True
    found.advance(1_000)

    assert (found.time_ms, found.is_playing) == (None, False)


@pytest.mark.parametrize(("where", "refusal"), [("+5", ""), ("+99", "+99 has not come yet."), ("on", "")])
def test_to_travel_is_to_stand(where: str, refusal: str) -> None:
    """Also where it is refused; then the place is as before."""
    found = place(2)
    found.is_playing = True

    assert (found.travel(where), found.is_playing) == (refusal, False)
    assert (found.time_ms == second(2)) is bool(refusal)


def test_the_last_instant_is_the_end() -> None:
    """However one comes to it."""
    found = place(11)
    assert found.travel("second") == ""

    assert found.time_ms is None


def test_a_snapshot_is_made_once_for_an_instant() -> None:
    """Another instant has another."""
    found = place(2)
    first, again = found.snapshot(), found.snapshot()
    assert found.travel("+3") == ""

    assert first is again
    assert (first.header.time_ms, found.snapshot().header.time_ms) == (second(2), second(3))


def test_the_state_of_a_picture_tells_where_one_looks() -> None:
    """Of the past where the present is, and nothing that stands; of the end what stands there."""
    found = SeriesPlace(series(*LOG[:-1]), END)
    state = RunState("x", recorded="log")
    end = found.picture(state).run
    assert found.travel("+9") == ""
    found.is_playing, found.speed = True, 3.0
    past = found.picture(state).run
    made: SnapshotSeries = found.series

    assert (end.paused, end.speed, end.present_ms, end.offset_ms) == (True, 10.0, None, made.offset_ms)
    assert [alert.kind for alert in end.standing] == [alert.kind for alert in reversed(past.alerts)] != []
    assert (past.paused, past.speed, past.present_ms, past.standing) == (False, 3.0, second(11), ())
    assert past.track == end.track == Track(second(0), second(0), tuple(made.marks()))


def test_events_are_those_up_to_the_instant_and_have_a_version_of_their_own() -> None:
    """The same instant, the same version."""
    found, state = place(), RunState("x")
    versions = []
    for where, last in (("+1", 1), ("+2", 2), ("+1", 1)):
        assert found.travel(where) == ""
        picture = found.picture(state)
        versions.append(picture.events_version)
        assert max(event.time_ms for event in picture.events) == second(last)

    assert versions[0] == versions[2] != versions[1]


def test_graphs_read_the_instant() -> None:
    """In memory used, nothing at first and two containers at the end."""
    found, state = place(), RunState("x")
    end = found.picture(state).graphs
    assert found.travel("+0") == ""
    begin = found.picture(state).graphs

    assert end is not None
    assert begin is not None
    assert (begin.reading[2], end.reading[2], begin.start_ms) == (0, 2_048, second(0))


async def test_a_recording_is_opened_with_what_was_inferred() -> None:
    """First the picture, then a sentence each."""
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
    """Of what to do there is no answer."""
    connection = SeriesConnection(series(*LOG))
    opened = await connection.questions.ask(WhySubject(CLUSTER, ""))

    assert (opened.answer.note, opened.answer.doing) == (NOT_PLAYED, "")


async def test_keys_of_a_clock_draw_at_once() -> None:
    """Each of them; a refused step says why, a refused travel is answered."""
    found = place(2)
    clock, posted = SeriesClock(found), list[PictureChanged | Notice]()
    clock.start(posted.append)
    drawn = []
    for key in (clock.set_speed(5), clock.change_speed(1), clock.step("second"), clock.step("event")):
        await key
        drawn.append(len(posted))
    refused = await clock.travel("+99")

    assert drawn == [1, 2, 3, 4]
    assert found.speed == 10.0
    assert (refused.refusal, len(posted)) == ("+99 has not come yet.", 5)
    assert (await clock.travel("+0")).refusal == ""
    assert (await clock.travel("back")).refusal == FIRST
    await clock.close()
    await clock.set_speed(5)
    assert posted[-1] == PictureChanged()
    assert len(posted) == 7
