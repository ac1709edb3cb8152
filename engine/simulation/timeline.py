"""Finds any past instant of a run, steps forwards and backwards through it, and branches from it.

While a run goes on, `Timeline` keeps packed copies of it. They are spaced by the work of replaying what lies between,
so a busy minute has many and a quiet night few. An instant is found by playing the nearest copy before it on, with the
acts of the run. A look never touches the run itself.
"""

import gc
import time
from bisect import bisect_right, insort
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

from engine.incremental import Incremental, Task, run_to_end
from engine.scenario.acts import Act
from engine.simulation.checkpoint import Checkpoint, CheckpointPool, pack, packing, unpacking
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from engine.simulation.world import END_OF_INSTANT

# Collects the records of a fork that is played on, numbered as in the run itself.


class NumberedRecord(NamedTuple):
    number: int  # Number of records before it since the run began
    time_ms: int  # Epoch ms
    record: Record

    def __hash__(self) -> int:
        """Return the hash of its number: an act may hold values without a hash."""
        return hash(self.number)


class RecordLog:
    """Keeps all records after the instant in which it begins; a listener."""

    def __init__(self) -> None:
        self.rows: list[NumberedRecord] = []  # oldest first
        self.begin_ms = 0  # the instant in which it began [epoch ms]; a part of it may have been over
        self._number = 0

    def begin(self, simulation: Simulation) -> None:
        self._number = simulation.world.delivered
        self.begin_ms = simulation.now_ms
        simulation.listeners.append(self)

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        if time_ms > self.begin_ms:
            self.rows += [NumberedRecord(self._number + place, time_ms, each) for place, each in enumerate(records)]
        self._number += len(records)


SPACING_S: Final = 0.07  # Least work of replaying between two copies [s]
COST_RATIO: Final = 4  # Least work between two copies, in multiples of the cost of a copy
ROOM_BYTES: Final = 40 * 2**20  # Room for copies; when they need more, those that are needed least are dropped

LONGEST_S: Final = 0.8
"""Most work of replaying between two copies when one between them is dropped [s]; before that they take more room."""

MOST_BYTES: Final = 256 * 2**20  # Largest room for copies in any case
NEAR: Final = 16  # Further copies kept around the last instant looked at
NEAR_S: Final = 0.04  # Work of replaying between the further copies [s]
CHUNK: Final = 64  # Events between two looks at how much work was done

T = TypeVar("T")


def _free_young_copies() -> None:
    """Collect young garbage: copies that are no longer referenced are large cycles.

    It is not called while a copy is reached in pieces: that takes long, and objects in use would count as old after it.
    """
    _ = gc.collect(1)


class Timeline:
    """Reaches all instants of a run, from its state when this was made up to the present."""

    def __init__(
        self,
        simulation: Simulation,
        *,
        work: Callable[[], float] = time.thread_time,
    ) -> None:
        """Begin with a run. `work` [s] done so far says where checkpoints are made, never what is found."""
        self.live = simulation
        self._work = work
        self._done_s = 0.0
        self._kept: list[Checkpoint] = []
        self._gaps: list[float] = []  # work between each copy and the one before [s]
        self._bytes = 0
        self._spacing_s = SPACING_S
        self._near: dict[int, Checkpoint] = {}
        self._pool = CheckpointPool()
        self._making: tuple[tuple[object, ...], Task[Checkpoint]] | None = None
        """The state of the run while a copy is made of it, and the work that is left."""
        self._cost_s = self._before_s = 0.0
        self.in_pieces = False
        """True where `copy_on` makes a copy that is due, because a user sits at the keys; else it is made at once."""
        self._marks: list[int] = []
        self.first_ms = simulation.now_ms  # the earliest instant [epoch ms]
        self._keep(0.0)

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def now_ms(self) -> int:
        return self.live.now_ms

    @property
    def bytes(self) -> int:
        return self._bytes + self._pool.bytes

    # Growing

    def grow(self, done_s: float) -> None:
        """Note that the run went on, with the work of it [s]; keep a copy when one is due."""
        self._done_s += done_s
        if self._done_s >= self._spacing_s and self.live.now_ms > self._kept[-1].time_ms:
            if not self.in_pieces:
                self._keep(self._done_s)
            # Beside a person at the keys a copy in one piece would be felt.
            elif self._making is None:
                self._begin()

    @property
    def copying(self) -> bool:
        """True while a copy is made in pieces; the run should stand until it is done."""
        return self._making is not None

    def _begin(self) -> None:
        self._making = (self.live.state_key(), Task(packing(self.live, self._pool)))
        self._cost_s, self._before_s = 0.0, self._done_s

    def copy_on(self) -> bool:
        """Make a piece of the copy that is due; return True when none is left. It begins anew when the run went on."""
        if self._making is None:
            return True
        stood_at, task = self._making
        # The run went on, so what was copied is of no one instant.
        if stood_at != self.live.state_key():
            self._begin()
            return False
        begin = self._work()
        is_done = task.advance()
        self._cost_s += self._work() - begin
        if is_done:
            self._making = None
            self._take(task.result(), self._before_s, self._cost_s)
        return is_done

    def timed(self, play: Callable[[], T]) -> T:
        begin = self._work()
        answer = play()
        self.grow(self._work() - begin)
        return answer

    def _keep(self, done_s: float) -> None:
        begin = self._work()
        packed = pack(self.live, self._pool)
        self._take(packed, done_s, self._work() - begin)

    def _take(self, packed: Checkpoint, done_s: float, cost_s: float) -> None:
        self._kept.append(packed)
        self._bytes += len(packed.data)
        self._done_s = 0.0
        # A copy that takes long to make has to save more replaying.
        self._spacing_s = max(SPACING_S, COST_RATIO * cost_s)
        self._gaps.append(done_s)
        while self.bytes > ROOM_BYTES and len(self._kept) > 2 and self._let_go():
            pass

    def _let_go(self) -> bool:
        """Drop the copy with the least work between its neighbours; return False when none may be dropped."""
        gaps = self._gaps
        place = min(range(1, len(gaps) - 1), key=lambda each: gaps[each] + gaps[each + 1])
        # A long seek is worse than more memory, up to a bound.
        if gaps[place] + gaps[place + 1] > LONGEST_S and self.bytes <= MOST_BYTES:
            return False
        gap_s = gaps.pop(place)
        gaps[place] += gap_s
        self._bytes -= len(self._kept.pop(place).data)
        return True

    def play(self, until_ms: int) -> None:
        """Play the run itself on to the end of an instant [epoch ms], keeping copies on the way."""
        more = True
        while more:
            begin = self._work()
            more = self.live.run_events(CHUNK, until_ms)
            self.grow(self._work() - begin)
        self.live.run_until(until_ms)

    def follow(self, acts: Iterable[tuple[tuple[int, ...], Act]], until_ms: int) -> None:
        """Play the run itself on to the end of an instant [epoch ms] with acts as another run kept them."""
        for position, act in acts:
            if position[0] > until_ms:
                break
            self.play(position[0] - 1)
            self.live.run_to(position)
            _ = self.live.act(act)
        self.play(until_ms)

    # Any instant

    def at(self, time_ms: int, log: RecordLog | None = None) -> Simulation:
        """A copy of the run at the end of an instant within it; `log` gets the records on the way, if there are."""
        _free_young_copies()
        return run_to_end(self.reach(time_ms, log))

    def reach(self, time_ms: int, log: RecordLog | None = None) -> Generator[int, None, Simulation]:
        """Find an instant as `at` does, in pieces; each pause gives the instant the copy has reached [epoch ms]."""
        if time_ms >= self.live.now_ms:
            return self.live.fork()
        time_ms = max(time_ms, self.first_ms)
        making = Task(self._before(time_ms))
        while not making.advance():
            yield self.first_ms
        simulation = making.result()
        if log is not None:
            log.begin(simulation)
        if simulation.now_ms < time_ms or self._is_inside(simulation, time_ms):
            for _ in self._replayed(simulation, time_ms):
                yield simulation.now_ms
        # The caller owns it and plays it on.
        simulation.listeners.clear()
        return simulation

    def replay(self, simulation: Simulation, until_ms: int) -> Iterator[None]:
        """Play a copy that was reached on to the end of an instant as the run went, a few events at a time."""
        yield from self._replayed(simulation, min(until_ms, self.live.now_ms))

    @staticmethod
    def _is_inside(simulation: Simulation, time_ms: int) -> bool:
        return simulation.world.clock.position < (time_ms, END_OF_INSTANT)

    def _before(self, time_ms: int) -> Incremental[Simulation]:
        place = bisect_right(self._kept, time_ms, key=lambda each: each.time_ms) - 1
        packed = self._kept[max(place, 0)]
        near_ms = max((each for each in self._near if each <= time_ms), default=-1)
        if near_ms >= packed.time_ms:
            packed = self._near[near_ms]
        simulation = yield from unpacking(packed, self._pool)
        # Acts are kept once, by the run; a copy says only how many had been done.
        simulation.acts = self.live.acts[: packed.acts]
        return simulation

    def _replayed(self, simulation: Simulation, until_ms: int, *, keeps: bool = False) -> Iterator[None]:
        """Play a copy on to the end of an instant as the run went, with a pause after every few events."""
        begin = self._work()
        for position, act in self.live.acts[len(simulation.acts) :]:
            if position[0] > until_ms:
                break
            while simulation.run_events(CHUNK, position[0] - 1):
                yield
            simulation.run_to(position)
            simulation.act(act)
        while simulation.run_events(CHUNK, until_ms):
            yield
            if keeps and self._work() - begin > NEAR_S and simulation.now_ms < until_ms:
                self._keep_near(simulation.now_ms, simulation)
                begin = self._work()
        simulation.run_until(until_ms)
        yield

    def _keep_near(self, time_ms: int, simulation: Simulation) -> None:
        self._near.pop(time_ms, None)
        while len(self._near) >= NEAR:
            self._near.pop(next(iter(self._near)))
        self._near[time_ms] = pack(simulation, self._pool)

    # Steps

    def next_record(self, time_ms: int) -> int | None:
        """Return the first instant after this one with a record [epoch ms]; None when there is none yet."""
        simulation = self.at(time_ms)
        log = RecordLog()
        log.begin(simulation)
        for _ in self._replayed(simulation, self.live.now_ms):
            if log.rows:
                return log.rows[0].time_ms
        return None

    def previous_record(self, time_ms: int) -> int | None:
        """Return the last instant before this one with a record [epoch ms]; None when there is none."""
        for rows in self.records_before(min(time_ms, self.live.now_ms + 1) - 1, keeps=True):
            if rows:
                return rows[-1].time_ms
        return None

    def records_before(self, time_ms: int, *, keeps: bool = False) -> Generator[list[NumberedRecord], None, None]:
        """Yield the records up to the end of an instant, backwards, a stretch between two copies at a time.

        It pauses often, with an empty list. The records of the first instant of the past are left out.
        """
        end_ms = min(time_ms, self.live.now_ms)
        while end_ms > self.first_ms:
            _free_young_copies()
            simulation, log = run_to_end(self._before(end_ms - 1)), RecordLog()
            begin_ms = simulation.now_ms
            log.begin(simulation)
            for _ in self._replayed(simulation, end_ms, keeps=keeps):
                yield []
            yield log.rows
            end_ms = begin_ms

    def mark(self, time_ms: int) -> None:
        """Remember an instant worth going back to [epoch ms], e.g. of an alert."""
        if time_ms not in self._marks:
            insort(self._marks, time_ms)

    def marks(self) -> list[int]:
        """The instants of marks and of acts [epoch ms], sorted."""
        return sorted({*self._marks, *(position[0] for position, _ in self.live.acts)})

    def next_mark(self, time_ms: int) -> int | None:
        """Return the first instant after this one that a mark leads to [epoch ms]."""
        return next((each for each in self._stands() if each > time_ms), None)

    def previous_mark(self, time_ms: int) -> int | None:
        """Return the last instant before this one that a mark leads to [epoch ms]."""
        return next((each for each in reversed(self._stands()) if each < time_ms), None)

    def _stands(self) -> list[int]:
        """The instants that marks lead to [epoch ms], sorted; of an act the one before, so a branch undoes it."""
        before = (max(self.first_ms, position[0] - 1) for position, _ in self.live.acts)
        return sorted({*self._marks, *before})

    # Branches

    def branch(self, time_ms: int) -> Simulation:
        """Go on from an instant [epoch ms] in a new run, without listeners; forget what came after."""
        self.live = self.at(time_ms)
        self._making = None
        # Copies of the time that is forgotten must not lend their objects to the new one.
        self._pool.branch()
        now_ms = self.live.now_ms
        self._kept = [each for each in self._kept if each.time_ms < now_ms] or self._kept[:1]
        self._gaps = self._gaps[: len(self._kept)]
        self._bytes = sum(len(each.data) for each in self._kept)
        self._near = {each: copy for each, copy in self._near.items() if each < now_ms}
        self._marks = [each for each in self._marks if each <= now_ms]
        self._done_s = 0.0
        return self.live
