"""The SQLite file of a sweep: what was asked, what came of each point, and what they sum up to.

One process writes; others may read meanwhile (WAL). A point is there with its outcome or not at all.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from math import inf
from pathlib import Path
from statistics import mean, median
from typing import Any, Final, Self

import msgspec

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import check_file
from engine.grouping import grouped
from engine.measures import RunMeasures
from engine.observe.snapshots import SystemTerms, terms_for, translate_terms
from engine.sweep.runner import DONE, FAILED, PointOutcome
from engine.sweep.spec import GOALS, HELD, NODES, Axis, Goal, GoalLimit, Point

SCHEMA: Final = 1  # Version of the file

_TABLES: Final = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE point (
    number INTEGER PRIMARY KEY, settings TEXT NOT NULL, seed INTEGER NOT NULL,
    status TEXT NOT NULL, words TEXT NOT NULL, measures TEXT, seconds REAL NOT NULL
);
"""


class StoredPoint(msgspec.Struct, frozen=True):
    number: int
    settings: Mapping[str, str]
    seed: int
    status: str
    words: str
    measures: RunMeasures | None
    seconds: float


def stored(point: Point, outcome: PointOutcome) -> StoredPoint:
    figures = (outcome.status, outcome.words, outcome.measures, outcome.seconds)
    return StoredPoint(point.number, point.settings, point.seed, *figures)


class SweepStore:
    """An open file; a context that closes it."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    @classmethod
    def created(cls, path: Path, about: Mapping[str, str]) -> Self:
        """A new file, also in place of an empty one; `about` tells what is asked.

        Raises ConfigError if it is there already, is `-`, or cannot be written; then nothing of it is left.
        """
        check_file(path)
        if path.exists() and not (path.is_file() and path.stat().st_size == 0):
            raise ConfigError.of("is there already", str(path), hint="tune FILE goes on with it")
        with ExitStack() as unless_made:
            unless_made.callback(_removed, path)
            store = cls(_connected(path), path)
            unless_made.push(store)
            with store._guarded():
                store._connection.executescript(_TABLES)
                values = {"schema": str(SCHEMA), **about}
                store._connection.executemany("INSERT INTO about VALUES (?, ?)", sorted(values.items()))
                store._connection.commit()
            unless_made.pop_all()
        return store

    @classmethod
    def opened(cls, path: Path) -> Self:
        """A file that is there. Raises ConfigError if it is missing, no sweep, of another version, or damaged."""
        if not path.is_file():
            raise ConfigError.of("there is no such file", str(path))
        with ExitStack() as unless_read:
            store = cls(_connected(path), path)
            unless_read.push(store)
            try:
                about = store.about()
                if about.get("schema") != str(SCHEMA):
                    words = f"is a sweep of version {about.get('schema', 'unknown')}; this program reads {SCHEMA}"
                    raise ConfigError.of(words, str(path))
                store._check()
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                raise ConfigError.of(f"is not a sweep, or is damaged: {error}", str(path)) from None
            unless_read.pop_all()
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def about(self) -> dict[str, str]:
        return dict(self._connection.execute("SELECT name, value FROM about"))

    def tell(self, about: Mapping[str, str]) -> None:
        """Ask for something else from now on; what was kept stays. Raises ConfigError if the file cannot be written."""
        with self._guarded(), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", sorted(about.items()))

    def keep(self, point: Point, outcome: PointOutcome) -> None:
        """Keep a point's outcome, or replace it. Raises ConfigError if the file cannot be written; the rest stays."""
        settings = msgspec.json.encode(dict(sorted(point.settings.items()))).decode()
        measures = None if outcome.measures is None else _ENCODER.encode(outcome.measures).decode()
        row = (point.number, settings, point.seed, outcome.status, outcome.words, measures, outcome.seconds)
        with self._guarded(), self._connection:
            self._connection.execute("INSERT OR REPLACE INTO point VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def forget(self, status: str) -> None:
        with self._guarded(), self._connection:
            self._connection.execute("DELETE FROM point WHERE status = ?", (status,))

    def numbers(self) -> set[int]:
        return {number for (number,) in self._connection.execute("SELECT number FROM point")}

    def points(self) -> Iterator[StoredPoint]:
        for row in self._connection.execute("SELECT * FROM point ORDER BY number"):
            yield _point_of(row)

    def _check(self) -> None:
        (state,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if state != "ok":
            raise sqlite3.DatabaseError(state)
        readable, damaged = 0, []
        for row in self._connection.execute("SELECT * FROM point"):
            try:
                _ = _point_of(row)
                readable += 1
            except (ValueError, TypeError, msgspec.MsgspecError):
                damaged.append(row[0])
        if damaged:
            words = f"is damaged: {len(damaged)} of its {readable + len(damaged)} points cannot be read"
            hint = f"sqlite3 FILE 'DELETE FROM point WHERE number IN ({', '.join(map(str, damaged[:10]))})' drops them"
            raise ConfigError.of(words, str(self.path), hint=f"{hint}; tune FILE plays them again")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            problem = Problem(f"cannot be written: {error}", str(self.path), hint="tune FILE goes on")
            raise ConfigError([problem]) from error


_ENCODER: Final = msgspec.json.Encoder(order="deterministic")


def _point_of(row: tuple[Any, ...]) -> StoredPoint:
    """A row of the file as a point. Raises TypeError, ValueError if it is damaged."""
    number, settings, seed, status, words, measures, seconds = row
    fields = {
        "number": number,
        "settings": msgspec.json.decode(settings, type=dict[str, str]),
        "seed": seed,
        "status": status,
        "words": words,
        "measures": None if measures is None else msgspec.json.decode(measures, type=RunMeasures),
        "seconds": seconds,
    }
    return msgspec.convert(fields, StoredPoint)


def _removed(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _connected(path: Path) -> sqlite3.Connection:
    try:
        with ExitStack() as unless_opened:
            # One thread after another uses it.
            connection = unless_opened.enter_context(closing(sqlite3.connect(path, check_same_thread=False)))
            connection.execute("PRAGMA journal_mode = WAL")
            # No wait for the disk at each point; only a power cut loses any.
            connection.execute("PRAGMA synchronous = NORMAL")
            unless_opened.pop_all()
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged schema is quoted, and may be no text
        raise ConfigError.of(f"cannot be opened as a sweep: {error}", str(path)) from error
    return connection


# Sums up a sweep: each setting over its seeds, the front of the best ones, and what matters.

USED: Final = GOALS["used"]
MOST_FAILED: Final = 1000


HarmKey = tuple[bool, float, bool]  # A freeze, then applications lost, then a livelock; the less the better


class SettingFigures(msgspec.Struct, frozen=True):
    settings: Mapping[str, str]
    done: int  # Seeds that were played to the end
    goal: float | None  # The median of the goal over these seeds; None where none of them has such a figure
    low: float | None
    high: float | None
    used: float  # The mean part of the cluster held, see `HELD`
    breaks: tuple[str, ...] = ()  # Limits that some seed breaks
    is_front: bool = False
    """Whether no other is as good in the goal and better in what it costs, or the other way round."""
    frozen: int = 0  # Seeds in which, as was proved, nothing could be allocated any more
    lost: float = 0.0  # Applications refused, failed or not ended, the mean over the seeds
    master_wait_ms: float = 0.0
    """The median over the seeds of the wait for an application master that 95 % do not exceed [ms]."""

    livelocked: int = 0  # Seeds in which, as was proved, containers are preempted again and again

    @property
    def harm(self) -> HarmKey:
        return bool(self.frozen), self.lost, bool(self.livelocked)


class Effect(msgspec.Struct, frozen=True):
    key: str
    low: float
    high: float  # From worst to best value, others averaged: least and most over the seeds
    best: str  # The value that is best in every seed; empty, with no claim, where seeds disagree or there is only one
    share: float  # Its middle in relation to the sum over all axes, 0 to 1


class Summary(msgspec.Struct, frozen=True):
    goal: str
    settings: tuple[SettingFigures, ...]
    """The best first: by what is lost (`SettingFigures.harm`), then those that keep all limits, then by the goal; of
    equals the cheapest."""
    effects: tuple[Effect, ...]  # The largest first
    counts: Mapping[str, int]  # Status → points
    errors: tuple[tuple[str, str, int], ...]  # (status, words, points) of those that were refused or failed
    failed: tuple[StoredPoint, ...] = ()  # Points that failed, by number; at most `MOST_FAILED`
    dimensions: tuple[str, ...] = ()  # Of the cluster; empty where no point was played

    @property
    def terms(self) -> SystemTerms:
        return terms_for(self.dimensions)

    @property
    def title(self) -> str:
        return self.held if self.goal == USED.name else translate_terms(GOALS[self.goal].title, self.terms)

    @property
    def held(self) -> str:
        return next((words for name, words in HELD.items() if name in self.dimensions), "memory held")


def summarised(
    points: Iterable[StoredPoint], axes: Sequence[Axis], goal: Goal, limits: Sequence[GoalLimit] = ()
) -> Summary:
    there = list(points)
    groups = grouped((tuple(sorted(each.settings.items())), each) for each in there)
    counts = Counter(each.status for each in there)
    errors = Counter((each.status, each.words) for each in there if each.status != DONE)
    failed = [each for each in there if each.status == FAILED]
    found = (_figures(dict(settings), some, goal, limits) for settings, some in groups.items())
    played = sorted(
        (each for each in found if each is not None),
        key=lambda one: (one.harm, bool(one.breaks), _cost_and_goal(one, goal)[::-1], sorted(one.settings.items())),
    )
    return Summary(
        goal.name,
        tuple(_with_front(played, goal)),
        tuple(sorted(_effects(groups.values(), axes, goal), key=lambda each: -each.share)),
        dict(sorted(counts.items())),
        tuple((*key, count) for key, count in sorted(errors.items())),
        tuple(failed[:MOST_FAILED]),
        next((tuple(each.measures.used_share) for each in there if each.measures is not None), ()),
    )


def _figures(
    settings: Mapping[str, str], points: Sequence[StoredPoint], goal: Goal, limits: Sequence[GoalLimit]
) -> SettingFigures | None:
    """Return the figures of a setting; None where no seed was played to the end."""
    runs = [each.measures for each in points if each.measures is not None]
    if not runs:
        return None
    values = figures_of(runs, goal)
    broken = tuple(filter(None, (_broken(limit, runs) for limit in limits)))
    used = mean(USED.of(run) for run in runs)
    return SettingFigures(
        settings,
        len(runs),
        median(values) if values else None,
        min(values, default=None),
        max(values, default=None),
        used,
        broken,
        frozen=sum(run.frozen_ms > 0 for run in runs),
        lost=mean(run.lost_applications for run in runs),
        master_wait_ms=median(run.master_waits.p95 for run in runs),
        livelocked=sum(run.livelock_ms > 0 for run in runs),
    )


def _broken(limit: GoalLimit, runs: Sequence[RunMeasures]) -> str:
    """How a limit is not kept; empty where it is. A figure that no run has is not one that is too large."""
    if all(limit.holds(run) for run in runs):
        return ""
    return limit.text if figures_of(runs, limit.goal) else f"{limit.text}: there is none"


def figures_of(runs: Iterable[RunMeasures], goal: Goal) -> list[float]:
    return [figure for run in runs if (figure := goal.figure(run)) is not None]


def _with_front(played: Sequence[SettingFigures], goal: Goal) -> list[SettingFigures]:
    # Those that no other beats: fewest nodes where they vary, else the cluster used most, for the goal. Fewer nodes are
    # worth something even where more is lost; a fuller cluster is not, and a freeze nowhere
    kept = [each for each in played if not each.breaks and each.goal is not None]
    least_harm = min((each.harm for each in kept), default=(False, 0.0, False))
    places: set[tuple[float, tuple[float, float]]] = set()
    for each in kept:
        cost, value = _cost_and_goal(each, goal)
        if each.harm == least_harm or (NODES in each.settings and bool(each.frozen) == least_harm[0]):
            places.add((cost, (each.lost, value)))
    front, least = set[tuple[float, tuple[float, float]]](), (inf, inf)
    for cost, good in sorted(places):
        if good < least:
            front.add((cost, good))
            least = good
    marked = []
    for each in played:
        cost, value = _cost_and_goal(each, goal)
        is_known = not each.breaks and each.goal is not None
        is_in = is_known and bool(each.frozen) == least_harm[0] and (cost, (each.lost, value)) in front
        marked.append(msgspec.structs.replace(each, is_front=is_in))
    return marked


def _harm(runs: Sequence[RunMeasures]) -> HarmKey:
    lost = mean(run.lost_applications for run in runs)
    return any(run.frozen_ms for run in runs), lost, any(run.livelock_ms for run in runs)


def _sign(goal: Goal) -> int:
    return 1 if goal.is_less_better else -1


def _cost_and_goal(each: SettingFigures, goal: Goal) -> tuple[float, float]:
    cost = float(each.settings[NODES]) if NODES in each.settings else -each.used
    return cost, inf if each.goal is None else each.goal * _sign(goal)


def _effects(groups: Iterable[Sequence[StoredPoint]], axes: Sequence[Axis], goal: Goal) -> list[Effect]:
    points = [each for some in groups for each in some]
    found = [effect for axis in axes if (effect := _effect(axis, points, goal)) is not None]
    whole = sum(each.low + each.high for each in found)
    return [msgspec.structs.replace(each, share=(each.low + each.high) / whole if whole else 0.0) for each in found]


def _effect(axis: Axis, points: Sequence[StoredPoint], goal: Goal) -> Effect | None:
    by_seed: dict[int, dict[str, list[RunMeasures]]] = {}
    for each in points:
        if each.measures is not None and goal.is_known(each.measures) and axis.key in each.settings:
            values = by_seed.setdefault(each.seed, {})
            values.setdefault(each.settings[axis.key], []).append(each.measures)
    several = [each for each in by_seed.values() if len(each) > 1]
    if not several:
        return None
    means = [{value: mean(map(goal.of, some)) for value, some in each.items()} for each in several]
    spans = [max(each.values()) - min(each.values()) for each in means]
    best = {
        min(each, key=lambda value, each=each, of=of: (_harm(each[value]), of[value] * _sign(goal)))  # type: ignore[misc]  # the defaults bind the names
        for each, of in zip(several, means, strict=True)
        if max(of.values()) > min(of.values())
    }
    return Effect(
        axis.key,
        min(spans),
        max(spans),
        best.pop() if len(best) == 1 and len(spans) > 1 and min(spans) > 0 else "",
        0.0,
    )
