"""The health of a cluster: its state, since when, and the headline that names the culprit."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from engine.explain.alert import Alert, standing_of
from engine.explain.badge_rules import BADGES, IF_RUNS_ON, STANDING, word_of
from engine.observe.section import column, glimpses
from engine.observe.service import WAITS, services, waits_of
from engine.observe.snapshot import Header, ReservationRow, Snapshot
from engine.observe.system_words import words_of
from tui import format as text
from tui.glyphs import FROZEN, OK, WATCH
from tui.picture import LIVE, Picture, Reception, RunState
from tui.render.unsaid import watched_from

FINE, BUSY, HARMED, DEAD = range(4)
"""How bad a state is: every ask is met; some wait; somebody is harmed; nothing goes on."""


class Health(NamedTuple):
    """The state of a cluster."""

    level: int
    word: str
    headline: str
    since_ms: int | None = None
    more: int = 0
    """Alerts that stand besides."""
    is_at_least: bool = False
    """True where it may have begun before a live cluster was watched."""

    @property
    def sign(self) -> str:
        """The glyph of its level."""
        return (OK, OK, WATCH, FROZEN)[self.level]

    @property
    def style(self) -> str:
        """The token of its level."""
        return ("good", "data", "watch", "alarm")[self.level]


def standing(picture: Picture) -> list[Alert]:
    """The alerts that stand at the instant looked at, a freeze first."""
    run, now_ms = picture.run, picture.snapshot.header.time_ms
    found = run.standing
    if run.present_ms is not None:
        known = standing_of([alert for alert in run.alerts if alert.found_ms <= now_ms])
        found = tuple(alert for alert in known if alert.kind in STANDING)
    return sorted(found, key=lambda alert: alert.kind != "frozen")


def frozen_of(picture: Picture) -> Alert | None:
    """The freeze that stands; None while something can be allocated."""
    return next((alert for alert in standing(picture) if alert.kind == "frozen"), None)


def is_proved_by_twin(run: RunState) -> bool:
    """Tell whether a freeze is one of a live cluster, which holds under `IF_RUNS_ON`; a log says what came."""
    return run.is_watched and run.recorded != "log"


def is_stale(run: RunState) -> bool:
    """True where a live cluster does not answer, so that the picture is old."""
    return run.reception is not None and run.reception.state != LIVE and run.present_ms is None


def health_of(picture: Picture, muted: Collection[str] = ()) -> Health:
    """The worst that is known of the cluster at the instant looked at, without the badges that are `muted`."""
    header, run = picture.snapshot.header, picture.run
    if run.failure:
        return Health(DEAD, BADGES["stopped"].word, run.failure)
    heard = run.reception
    if heard is not None and is_stale(run):
        return Health(HARMED, heard.state.upper(), f"{heard.sentence}{again_words(heard)}", heard.since_ms)
    recovery = header.recovery
    if recovery is not None and (recovery.is_down or header.time_ms <= recovery.waits_until_ms):
        return _recovering(header, picture.snapshot)
    alerts = [alert for alert in standing(picture) if word_of(alert.kind, alert.pattern) not in muted]
    if alerts:
        first = alerts[0]
        is_earlier = heard is not None and run.track is not None and first.since_ms <= run.track.start_ms
        if first.kind == "frozen":
            culprit = _culprit(picture.snapshot) or first.words
            is_if, word = is_proved_by_twin(run), BADGES["frozen"].word
            culprit, word = (f"{culprit}, {IF_RUNS_ON}", f"{word} if") if is_if else (culprit, word)
            return Health(DEAD, word, culprit, first.since_ms, len(alerts) - 1, is_earlier)
        word = word_of(first.kind, first.pattern)
        return Health(HARMED, word, first.said, first.since_ms, len(alerts) - 1, is_earlier)
    if recovery is not None:
        return _recovering(header, picture.snapshot)
    if header.nodes_down:
        return _lost(picture)
    return _ordinary(picture)


def again_words(heard: Reception) -> str:
    """Say when the server is asked again; nothing where that is soon."""
    return "" if heard.next_ms is None else f", asked again in {text.duration(max(heard.next_ms - heard.now_ms, 0))}"


def symptoms_of(picture: Picture) -> str:
    """Return what anybody sees of a cluster: how much is used, and who waits for how long."""
    return _ordinary(picture).headline


def _recovering(header: Header, snapshot: Snapshot) -> Health:
    recovery = header.recovery
    assert recovery is not None, "it went"
    words = words_of(header.dimensions)
    waiting = _waiting(snapshot)
    more = f"; {waiting} wait{'s' if waiting == 1 else ''}" if waiting else ""
    if recovery.is_down:
        headline = f"no {words.master} answers, nothing is decided{more}"
        return Health(DEAD, BADGES["no-master"].word, headline, recovery.since_ms)
    nodes = f"{recovery.nodes_back} of {recovery.nodes_known} {words.node}s back"
    count = recovery.masters_missing
    masters = f", {text.plural(count, 'master')} missing" if count else ""
    return Health(HARMED, BADGES["recovering"].word, f"recovering, {nodes}{masters}{more}", recovery.since_ms)


def _culprit(snapshot: Snapshot) -> str:
    header = snapshot.header
    rows = snapshot.reservations() if isinstance(header.nodes_reserved, int) else ()
    behind = max(0, _waiting(snapshot) - 1)  # all but the one named
    rest = f"; {behind} wait{'s' if behind == 1 else ''} behind it" if behind else ""
    if rows:
        return _holder(rows, header) + rest
    if "cores" not in header.dimensions:
        return ""
    cores = header.dimensions.index("cores")
    holder = max(glimpses(snapshot.applications()), key=lambda row: row.used[cores], default=None)
    if holder is None or not holder.used[cores]:
        return ""
    return f"{holder.number:04d} holds {holder.used[cores]} of {header.total[cores]} cores{rest}"


def _holder(rows: Sequence[ReservationRow], header: Header) -> str:
    held = Counter(column(rows, "application"))
    name, count = min(held.items(), key=lambda item: (-item[1], item[0]))
    nodes = "node" if header.nodes == 1 else "nodes"
    inferred = ", inferred" if "reservations" in header.inferred else ""
    return f"{text.short_id(name)} holds {count} of {header.nodes} {nodes}{inferred}"


def _waiting(snapshot: Snapshot) -> int:
    return waits_of(snapshot.applications()).number


def _lost(picture: Picture) -> Health:
    header = picture.snapshot.header
    is_spark = "cores" in header.dimensions
    what, count = ("worker" if is_spark else "node"), header.nodes_down
    since = next((row.time_ms for row in reversed(picture.events) if row.kind in ("NodeLost", "WorkerLost")), None)
    waiting = _waiting(picture.snapshot)
    sick = sum(state == "UNHEALTHY" for state in column(picture.snapshot.nodes(), "state"))
    kind = "unhealthy" if sick == count else "lost"
    gone, others = (count, "") if sick in {0, count} else (count - sick, f", {sick} unhealthy")
    headline = f"{text.plural(gone, what)} {kind}{others}, {header.nodes} left"
    wanted = "more"
    if is_spark:
        headline = _took(picture.snapshot) or headline
        wanted = _wanted(picture.snapshot)
    more = f"; {waiting} want{'s' if waiting == 1 else ''} {wanted}" if waiting else ""
    return Health(HARMED, BADGES[kind].word.format(node=what.upper()), headline + more, since)


def _took(snapshot: Snapshot) -> str:
    gone = [row for row in snapshot.nodes() if row.state == "DEAD"]
    who = text.short_node(gone[0].host or gone[0].id) if len(gone) == 1 else text.plural(len(gone), "worker")
    cores = text.plural(sum(row.total[1] for row in gone), "core")
    return f"{who} took {cores} with {'it' if len(gone) == 1 else 'them'}" if gone else ""


def _wanted(snapshot: Snapshot) -> str:
    rows = snapshot.applications(why=False)
    wanted = zip(column(rows, "cores_wanted"), column(rows, "used"), services(rows), strict=True)
    missing = sum(most - used[1] for most, used, each in wanted if each == WAITS and isinstance(most, int))
    return f"{text.plural(missing, 'core')} more" if missing > 0 else "more"


def _ordinary(picture: Picture) -> Health:
    header, rows = picture.snapshot.header, picture.snapshot.applications()
    place = header.dimensions.index("cores") if "cores" in header.dimensions else 0
    if "map_slots" in header.dimensions:
        maps, reduces = (f"{used} of {total}" for used, total in zip(header.used, header.total, strict=True))
        used = f"{maps} map and {reduces} reduce slots used"
    elif header.nodes and not header.total[place]:
        used = "the nodes' sizes are not known"
    else:
        share = text.percent(header.used[place], header.total[place]) or "0%"
        used = f"{share} of {header.dimensions[place].removesuffix('_mb')} used"
    waits = waits_of(rows)
    if not waits.number:
        return Health(FINE, BADGES["ok"].word, f"{used}, nobody waits")
    longest = "" if waits.since_ms is None else f", longest {text.duration(header.time_ms - waits.since_ms)}"
    since = zip(column(rows, "state"), column(rows, "waiting_since_ms"), strict=True)
    if longest and picture.run.reception is not None and ("RUNNING", watched_from(picture.run)) in since:
        longest += " or more"  # it waited when the watch began
    return Health(BUSY, BADGES["busy"].word, f"{used}, {waits.number} waiting{longest}")
