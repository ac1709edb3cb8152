"""A run that an operator plays with: submits, kills, moves, reloads, loses nodes, copies, goes back and branches off.

Whatever is done in whatever order, copies go on as the run does, the past is as it was, the ledgers add up, and the run
is played again from its acts, without skipping a heartbeat, byte for byte.
"""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.control_plane.resource_manager import ResourceManager
from engine.scenario import Scenario
from engine.scenario.acts import (
    Act,
    DrainNode,
    KillApplication,
    KillContainer,
    LoseNode,
    MoveApplication,
    Reload,
    ResizeNode,
    RestartResourceManager,
    ReturnNode,
    SetPreemption,
    SetReservationRule,
    SubmitApplication,
)
from engine.simulation.build import build_simulation
from engine.simulation.timeline import Timeline
from tests.engine.model.invariants import check
from tests.engine.simulation.scenes import BUSY, Log, scenario

CAPACITY = """
[settings]
"yarn.scheduler.capacity.root.queues" = "a,b"
"yarn.scheduler.capacity.root.a.capacity" = "40"
"yarn.scheduler.capacity.root.b.capacity" = "60"
"yarn.scheduler.capacity.root.b.maximum-capacity" = "80"
"yarn.resourcemanager.scheduler.monitor.enable" = "true"
"""
FAIR_ALONE = ('\n[[queues]]\nname = "a"', '[[workload]]\ntype = "mapreduce"')
ALLOCATIONS = (
    "<allocations><queue name='a'><weight>3</weight></queue><queue name='b'/></allocations>",
    "<allocations><queue name='a'><maxResources>9000 mb,9 vcores</maxResources></queue><queue name='b'/></allocations>",
)
SCHEDULERS = ("fair-2.7", "fair-3.4", "fifo", "fifo-3.4", "capacity-2.7", "capacity-3.4")
NODES = st.integers(1, 4).map(lambda number: f"n{number}:8041")
SECONDS = st.sampled_from([1, 7, 30, 90])
PICKS = st.integers(0, 30)


def scene(scheduler: str) -> Scenario:
    """Four nodes, two queues, jobs, services and scripted applications."""
    # FIFO cannot place an ask that names a host and not its rack.
    text = BUSY.replace('hosts = ["n2"], relax = false, ', "").replace("each_node = true\n", "")
    text = text.replace('node = "n5"', 'node = "n1"').replace('node = "n6"', 'node = "n2"')
    if scheduler.startswith("capacity"):
        text = CAPACITY + text[text.index(FAIR_ALONE[1]) :]
    return scenario(text, top=f'scheduler = "{scheduler}"')


class OperatedRun(RuleBasedStateMachine):
    """The run, its record, and what is done to it."""

    @initialize(scheduler=st.sampled_from(SCHEDULERS))
    def begin(self, scheduler: str) -> None:
        self.scene = scene(scheduler)
        self.log = Log()
        self.timeline = Timeline(build_simulation(self.scene, [self.log]))
        self.timeline.play(self.scene.start_ms + 60_000)

    def _act(self, act: Act) -> None:
        """Do it; what is refused is an answer, too."""
        self.timeline.live.act(act)

    def _application(self, pick: int) -> int:
        numbers = sorted(self.timeline.live.world.masters) or [1]
        return numbers[pick % len(numbers)]

    def _written(self, after_ms: int, until_ms: int, log: Log) -> bytes:
        """What a record has after one instant and up to another."""
        lines = log.journal.splitlines(keepends=True)
        return b"".join(line for line in lines if after_ms < int(line[1 : line.index(b",")]) <= until_ms)

    def _finish_instant(self) -> int:
        now_ms = self.timeline.now_ms
        self.timeline.play(now_ms)
        return now_ms

    @rule(seconds=SECONDS)
    def tick(self, seconds: int) -> None:
        self.timeline.play(self.timeline.now_ms + seconds * 1000)

    @rule(events=st.integers(1, 40))
    def step(self, events: int) -> None:
        live = self.timeline.live
        live.run_events(events, live.now_ms + 60_000)

    @rule(pick=PICKS)
    def submit(self, pick: int) -> None:
        self._act(SubmitApplication.of(self.scene.workload[pick % len(self.scene.workload)]))

    @rule(pick=PICKS)
    def kill(self, pick: int) -> None:
        self._act(KillApplication(self._application(pick)))

    @rule(pick=PICKS, container=st.integers(1, 5))
    def kill_container(self, pick: int, container: int) -> None:
        self._act(KillContainer((self._application(pick), 1, container)))

    @rule(pick=PICKS, queue=st.sampled_from(["a", "b", "nowhere"]))
    def move(self, pick: int, queue: str) -> None:
        self._act(MoveApplication(self._application(pick), queue))

    @rule(allocations=st.sampled_from(ALLOCATIONS))
    def reload(self, allocations: str) -> None:
        self._act(Reload(allocations))

    @rule(node=NODES, kind=st.sampled_from([LoseNode, ReturnNode, DrainNode]))
    def change_node(self, node: str, kind: type[LoseNode | ReturnNode | DrainNode]) -> None:
        self._act(kind(node))

    @rule(node=NODES, memory_mb=st.sampled_from([2048, 24_576]))
    def resize(self, node: str, memory_mb: int) -> None:
        self._act(ResizeNode(node, memory_mb, 8))

    @rule(act=st.sampled_from([SetPreemption(on=False), SetReservationRule("off"), RestartResourceManager(3000)]))
    def change_cluster(self, act: Act) -> None:
        self._act(act)

    @rule(seconds=SECONDS)
    def copy(self, seconds: int) -> None:
        """A copy that is played on ahead of the run records what the run records afterwards."""
        now_ms = self._finish_instant()
        ahead, until_ms = Log(), now_ms + seconds * 1000
        fork = self.timeline.live.fork()
        fork.listeners.append(ahead)
        fork.run_until(until_ms)
        self.timeline.play(until_ms)
        assert ahead.journal == self._written(now_ms, until_ms, self.log)

    @rule(part=st.integers(0, 8))
    def travel(self, part: int) -> None:
        """From any instant of the past everything comes again as it came."""
        now_ms = self._finish_instant()
        back_ms = self.timeline.first_ms + (now_ms - self.timeline.first_ms) * part // 8
        again, there = Log(), self.timeline.at(back_ms)
        there.listeners.append(again)
        for _ in self.timeline.replay(there, now_ms):
            pass
        assert again.journal == self._written(back_ms, now_ms, self.log)

    @precondition(lambda self: self.timeline.now_ms > self.scene.start_ms + 120_000)
    @rule(part=st.integers(4, 7))
    def branch(self, part: int) -> None:
        """What came after is forgotten."""
        now_ms = self._finish_instant()
        back_ms = self.timeline.first_ms + (now_ms - self.timeline.first_ms) * part // 8
        kept = [line for line in self.log.lines if int(line[1 : line.index(b",")]) <= back_ms]
        self.log = Log()
        self.log.lines += kept
        self.timeline.branch(back_ms).listeners.append(self.log)

    @invariant()
    def the_ledgers_add_up(self) -> None:
        plane = self.timeline.live.control_plane
        assert isinstance(plane, ResourceManager)
        check(plane.cluster)

    def teardown(self) -> None:
        """The acts alone give the whole record again, with every heartbeat played."""
        now_ms = self._finish_instant()
        again = Log()
        replay = build_simulation(self.scene, [again], naive=True)
        for position, act in self.timeline.live.acts:
            replay.run_to(position)
            replay.act(act)
        replay.run_until(now_ms)
        assert again.journal == self.log.journal


TestOperatedRun = OperatedRun.TestCase
TestOperatedRun.settings = settings(max_examples=12, stateful_step_count=15)
