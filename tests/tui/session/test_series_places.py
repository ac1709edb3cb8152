"""A place in a recorded past: where it goes, what is seen from there, and how polls become such a past."""

from engine.recorded.log_series import LogSeries
from tests.engine.recorded.logs import series
from tests.tui.session.test_series_clock import LOG
from tui.protocol.picture import Notice, SessionChanged
from tui.session.series import SeriesConnection


async def test_a_recording_is_opened_with_what_was_inferred() -> None:
    connection, posted = SeriesConnection(series(*LOG)), list[SessionChanged | Notice]()
    await connection.pictures.start(posted.append)
    notes = [Notice(note) for note in connection.place.series.notes]

    assert posted == [SessionChanged(), *notes]
    assert notes
    assert isinstance(connection.place.series, LogSeries)
    picture = await connection.pictures.picture()
    assert (picture.run.name, picture.run.recorded) == ("small.log", "log")
    assert (connection.acts, connection.twin) == (None, None)
