"""What header, groups and table say about the health of a cluster, and which of it is not so."""

from collections.abc import Iterator
from typing import NamedTuple

from engine.explain.alert import Alert
from engine.observe.service import ENDED, SERVED, WAITS, service_of
from engine.run.recorded_run import RecordedRun
from engine.scenario import Scenario
from tests.tui.small_run import now
from tui.picture import Picture
from tui.render.health import FINE, frozen_of, health_of
from tui.render.line import Look, flat
from tui.screens.dialects import dialect_of
from tui.session.alert_monitor import AlertMonitor
from tui.session.event_log import EventLog
from tui.session.session import Session
from tui.session.time_travel import TimeTravel

SERVED_WORDS = ("get what they ask for", "gets what it asks for", "with all it asked for", "with all they asked for")
_NOBODY = "nobody waits"


class Statement(NamedTuple):
    """One thing that is said."""

    words: str
    is_so: bool


def pictures(scenario: Scenario, instants: int, until_ms: int) -> Iterator[Picture]:
    """A run at so many instants, evenly up to one [ms after the start], with every alert there is to be found."""
    log, alerts = EventLog(), AlertMonitor()
    recorded = RecordedRun.begin(scenario, [log, alerts])
    for number in range(1, instants + 1):
        at_ms = until_ms * number // instants
        while recorded.run.now_ms < at_ms:
            recorded.advance(at_ms)
            _settle(alerts, recorded, pieces=1)
        _settle(alerts, recorded, pieces=10_000)
        session = Session(recorded.run, log, travel=TimeTravel(recorded), alerts=alerts, paused=True)
        yield now(session.pictures.picture())


def _settle(alerts: AlertMonitor, recorded: RecordedRun, pieces: int) -> list[Alert]:
    found: list[Alert] = []
    for _ in range(pieces):
        found += alerts.look(recorded.run.simulation)
        if alerts.idle(recorded.run.simulation):
            break
    return found


def statements(picture: Picture) -> Iterator[Statement]:
    """All that one picture says."""
    snapshot = picture.snapshot
    header, rows = snapshot.header, list(snapshot.applications())
    served = [service_of(row.state, row.pending_containers, row.waiting_since_ms, row.containers) for row in rows]
    waiting = served.count(WAITS)
    health = health_of(picture)
    freeze = frozen_of(picture)
    since_ms = header.time_ms if freeze is None else freeze.since_ms
    given = [event for event in picture.events if event.kind == "Allocated" and event.time_ms > since_ms]
    yield Statement(f"FROZEN although {len(given)} containers were given since", not given)
    at = f"{picture.run.name} at {header.time_ms - (picture.run.track.start_ms if picture.run.track else 0)} ms"
    words = f"{at}: {health.word} {health.headline}"
    yield Statement(f"{words}, {waiting} wait", (waiting == 0) if _NOBODY in health.headline else True)
    yield Statement(f"{words}, level, {waiting} wait", waiting == 0 or health.level != FINE)
    if health.headline.count(" waiting"):
        yield Statement(f"{words}, {waiting} wait", f", {waiting} waiting" in health.headline)
    look = Look(header.time_ms, header.dimensions, header.total)
    make = dialect_of(snapshot).noun("applications").shape.grouping
    grouping = make(rows, picture, look) if make is not None else None
    for group in grouping.groups if grouping is not None else ():
        said, here = flat(group.words), [served[place] for place in group.places]
        if any(each in said for each in SERVED_WORDS):
            yield Statement(f"{at}: {said} over {here}", set(here) == {SERVED})
        yield Statement(f"{at}: {said} over {here}", len({each == ENDED for each in here}) == 1)
    for row, each in zip(rows, served, strict=True):
        if each == WAITS:
            yield Statement(f"{at}: {row.id} waits since nobody knows when", row.waiting_since_ms is not None)
        elif each != ENDED:
            yield Statement(f"{at}: {row.id} waits and asks for nothing", row.waiting_since_ms is None)
