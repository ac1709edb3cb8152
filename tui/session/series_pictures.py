"""Shows a recorded past on the screens: a log, or the kept polls of a cluster, without a simulation."""

from typing import Final

from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.spark_plans import PlanTables
from engine.recorded.series import SnapshotSeries, start_of
from tui.picture import Definition, Notice, Picture, PictureChanged, RunState
from tui.session.live_questions import LiveQuestions
from tui.session.series_clock import SeriesClock
from tui.session.series_place import SeriesPlace
from tui.session_protocol import Post, TwinProtocol

END: Final = "Nothing was recorded after this; [ and { go into the past."


class SeriesPictures:
    """Implements `session_protocol.PicturesProtocol`."""

    def __init__(self, place: SeriesPlace, clock: SeriesClock) -> None:
        """Look at a place of a series, which a clock moves."""
        self._place, self._clock = place, clock
        self._state = RunState(place.series.name, recorded=place.series.what)

    async def start(self, post: Post) -> None:
        """Begin to post; what was inferred is said first."""
        self._clock.start(post)
        post(PictureChanged())
        for note in self._place.series.notes:
            post(Notice(note))

    async def close(self) -> None:
        """Stop playing."""
        await self._clock.close()

    async def picture(self) -> Picture:
        """Return the picture of the instant looked at."""
        return self._place.picture(self._state)

    def snapshot_at(self, time_ms: int | None = None) -> FixedSnapshot:
        """Return the cluster at an instant [epoch ms], to build a simulation from; None is the one looked at."""
        return self._place.snapshot() if time_ms is None else self._place.series.snapshot_at(time_ms)

    async def drawn(self, took_s: float) -> None:
        """Do nothing."""

    async def definition(self, kind: str, name: str) -> Definition | None:
        """Return None: how something was configured was not recorded."""
        return None

    async def plans(self) -> tuple[PlanTables, ...]:
        """Return none: plans are not recorded."""
        return ()


class SeriesConnection:
    """A recorded past as screens see it; implements `session_protocol.Connection`. It cannot be changed."""

    acts = None
    twin: TwinProtocol | None = None
    """Makes a simulation that goes on from the instant looked at."""

    def __init__(self, series: SnapshotSeries) -> None:
        """Stand at its end."""
        self.place = SeriesPlace(series, END)
        self.clock = SeriesClock(self.place)
        self.pictures = SeriesPictures(self.place, self.clock)
        self.questions = LiveQuestions(None, self.place.snapshot, zone=start_of(series).tzinfo)
