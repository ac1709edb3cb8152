"""A MapReduce job: maps asked for up front near their blocks, reduces after slow-start, lost tasks again.

Tasks are numbered: maps from 0, reduces after them. A reduce that is given a container before the last map has ended
shuffles: its own duration counts from then.

Source: RMContainerAllocator, MRAppMaster, Hadoop 2.7.2: priorities 20 (map), 10 (reduce), 5 (a map tried again, asked
for anywhere), four attempts per task, completed tasks survive the master (job recovery); the release of a reduce when
a map has waited for five minutes is mapreduce.job.reducer.unconditional-preempt.delay.sec of 2.8 and later.
Differs: reduces ramp up by completed maps alone (at most half of them while maps wait), not by headroom.
"""

from collections.abc import Sequence
from math import ceil
from random import Random
from typing import Final

from engine.control_plane.protocol import Ask, Grant
from engine.model.decision import ContainerId
from engine.scenario import MapReduceSpec
from engine.state import Shared
from engine.workload.master import HELD, ApplicationMaster, End, Topology, drawn, stream

MAP: Final = 20
REDUCE: Final = 10
MAP_AGAIN: Final = 5
MAX_ATTEMPTS: Final = 4  # Source: mapreduce.map.maxattempts, mapreduce.reduce.maxattempts
ANYWHERE: Final = "*"
RAMP_UP_LIMIT: Final = 0.5  # Source: yarn.app.mapreduce.am.job.reduce.rampup.limit
STARVED_MS: Final = 300_000

Drawn = tuple[tuple[int, ...], dict[int, int], dict[int, int], tuple[tuple[int | str, ...], ...]]
"""Durations, failures, attempts that hang, and the hosts of each map, by their places in the topology, if any."""

Lists = dict[str, list[int]]  # Maps with input on each host, or in each rack


def _durations(random: Random, tasks: int, given: tuple[int, ...], span: tuple[int, int] | None) -> tuple[int, ...]:
    """Duration of each of so many tasks [ms]: those given in turn, else drawn from the span; `HELD` for ever."""
    if given:
        return tuple(given[task % len(given)] for task in range(tasks))
    return tuple(drawn(random, span or (HELD, HELD)) for _ in range(tasks))


class Tasks:
    """The values drawn for a job's tasks before it begins; never changes and is shared by forks."""

    __slots__ = ("__weakref__", "_by_place", "duration_ms", "failing", "hanging", "hosts_of", "topology")

    def __init__(self, number: int, spec: MapReduceSpec, topology: Topology, seed: int) -> None:
        random = stream(seed, "application", number)
        maps = _durations(random, spec.maps, spec.map_durations_ms, spec.map_duration_ms)
        self.duration_ms = maps + _durations(random, spec.reduces, spec.reduce_durations_ms, spec.reduce_duration_ms)
        """Duration of each task [ms]; `HELD` for ever."""
        self.hanging = self._draw(spec, spec.hangs, stream(seed, "application", number, "hangs"))
        """How many attempts of a task hang, the first ones; tasks without any are left out."""
        self.failing = self._draw(spec, spec.failures, stream(seed, "application", number, "failures"))
        """How many attempts of a task fail after those, before one succeeds; tasks without failure are left out."""
        self.hosts_of = self._place_blocks(number, spec, topology, seed)
        """Hosts of each map's input; empty for no preference."""
        self.topology = topology
        self._by_place: tuple[Lists, Lists] | None = None

    @classmethod
    def of(cls, drawn: Drawn, topology: Topology) -> "Tasks":
        """Tasks like those that `drawn` was called on."""
        self = cls.__new__(cls)
        self.duration_ms, self.failing, self.hanging, places = drawn
        hosts = tuple(topology.rack_of)
        self.hosts_of = tuple(
            tuple(hosts[host] if type(host) is int else str(host) for host in those) for those in places
        )
        self.topology = topology
        self._by_place = None
        return self

    def drawn(self) -> Drawn:
        """All that `of` needs to make them again, in little room."""
        number_of = {host: number for number, host in enumerate(self.topology.rack_of)}
        places = tuple(tuple(number_of.get(host, host) for host in those) for those in self.hosts_of)
        return self.duration_ms, self.failing, self.hanging, places

    def near(self, host: str) -> tuple[tuple[str, Sequence[int]], tuple[str, Sequence[int]]]:
        """(host, maps whose input is there), (its rack, maps whose input is in it)."""
        by_host, by_rack = self._by_place or self._list_places()
        rack = self.topology.rack_of.get(host, "")
        return (host, by_host.get(host, ())), (rack, by_rack.get(rack, ()))

    def _list_places(self) -> tuple[Lists, Lists]:
        by_host: Lists = {}
        by_rack: Lists = {}
        for task, hosts in enumerate(self.hosts_of):
            for host in hosts:
                by_host.setdefault(host, []).append(task)
            for rack in racks_of(hosts, self.topology):
                by_rack.setdefault(rack, []).append(task)
        self._by_place = by_host, by_rack
        return self._by_place

    def hangs(self, task: int, attempt: int) -> bool:
        return attempt < self.hanging.get(task, 0)

    def fails(self, task: int, attempt: int) -> bool:
        return attempt < self.hanging.get(task, 0) + self.failing.get(task, 0)

    @staticmethod
    def _draw(spec: MapReduceSpec, share: float, random: Random) -> dict[int, int]:
        if not share:
            return {}
        spoilt: dict[int, int] = {}
        for task in range(spec.maps + spec.reduces):
            while spoilt.get(task, 0) < MAX_ATTEMPTS and random.random() < share:
                spoilt[task] = spoilt.get(task, 0) + 1
        return spoilt

    @staticmethod
    def _place_blocks(number: int, spec: MapReduceSpec, topology: Topology, seed: int) -> tuple[tuple[str, ...], ...]:
        if spec.blocks:
            return tuple(spec.blocks[task % len(spec.blocks)] for task in range(spec.maps))
        random = stream(seed, "application", number, "blocks")
        hosts = tuple(topology.rack_of)
        replicas = min(spec.replication, len(hosts))
        places = []
        for _ in range(spec.maps):
            chosen: dict[str, None] = {}
            while len(chosen) < replicas:
                chosen[hosts[int(random.random() * len(hosts))]] = None
            places.append(tuple(chosen))
        return tuple(places)


def racks_of(hosts: tuple[str, ...], topology: Topology) -> tuple[str, ...]:
    """The racks of some hosts, each once; hosts the cluster does not have are left out."""
    return tuple(dict.fromkeys(topology.rack_of[host] for host in hosts if host in topology.rack_of))


class MapReduceMaster(ApplicationMaster):
    """Runs maps, then reduces; ends when all are done, fails when one task failed too often."""

    tasks: Shared[Tasks]
    done: dict[int, None] = {}  # Tasks that succeeded
    failures: dict[int, int] = {}
    again: list[int]
    maps_left: int
    place: dict[str, int]
    reduces: list[int]
    reduces_asked: int
    running: dict[ContainerId, tuple[int, str]]
    unassigned: dict[int, None]
    waiting_since_ms: int

    spec: MapReduceSpec

    def __init__(self, number: int, phase_ms: int, topology: Topology, spec: MapReduceSpec, seed: int) -> None:
        super().__init__(number, phase_ms, topology)
        self.spec = spec
        self.tasks = Tasks(number, spec, topology, seed)
        self.restart()

    def restart(self) -> None:
        maps, tasks = self.spec.maps, range(self.spec.maps + self.spec.reduces)
        self.unassigned = {task: None for task in tasks[:maps] if task not in self.done}
        """Maps without a container, asked for near their blocks."""
        self.again = []  # maps to be tried again, asked for anywhere
        self.reduces = [task for task in tasks[maps:] if task not in self.done]  # reduces without a container
        self.reduces_asked = 0
        self.running = {}  # (task, node) of each container
        self.maps_left = len(self.unassigned)
        self.place = {}  # how far the list of maps of a host or rack has been used up; of `ANYWHERE`, the list of all
        self.waiting_since_ms = 0  # when the last map got a container [epoch ms]

    def registered(self, now_ms: int) -> None:
        self.waiting_since_ms = now_ms
        for task in self.unassigned:
            self._want_map(task, 1)
        # A job with nothing to do, or whose work was all recovered, has to come back to say so.
        self.wake_ms = 0 if self.unassigned else max(1, now_ms)
        self._ramp_up()

    def use(self, grant: Grant, host: str, now_ms: int) -> int | None:
        task = self._task_for(grant.priority, host)
        if task is None:
            return None
        self.running[grant.container] = (task, grant.node)
        if task < self.spec.maps:
            self.waiting_since_ms = now_ms
        elif self.maps_left:
            return HELD
        return self._runs(task)

    def _task_for(self, priority: int, host: str) -> int | None:
        if priority == MAP and self.unassigned:
            task = self._map_near(host)
            del self.unassigned[task]
            self._want_map(task, -1)
            return task
        if priority == MAP_AGAIN and self.again:
            self.want(MAP_AGAIN, "*", -1)
            return self.again.pop(0)
        if priority == REDUCE and self.reduces_asked:
            self.reduces_asked -= 1
            self.want(REDUCE, "*", -1)
            return self.reduces.pop(0)
        return None

    def lost(self, container: ContainerId, cause: str, now_ms: int) -> None:
        task, _ = self.running.pop(container, (-1, ""))
        if task < 0:
            return
        if cause == "COMPLETED":
            self._complete(task, now_ms)
            return
        if cause == "FAILED":
            self.failures[task] = self.failures.get(task, 0) + 1
            if self.failures[task] >= MAX_ATTEMPTS:
                self.outcome, self.detail = "FAILED", f"task {task} failed {MAX_ATTEMPTS} times"
                return
        if task < self.spec.maps:
            self.again.append(task)
            self.want(MAP_AGAIN, "*", 1)
        else:
            self.reduces.append(task)

    def _complete(self, task: int, now_ms: int) -> None:
        self.done[task] = None
        if task >= self.spec.maps:
            return
        self.maps_left -= 1
        if self.maps_left:
            return
        for container, (reduce, node) in self.running.items():
            duration_ms = self._runs(reduce)
            if duration_ms != HELD:
                self.ends.append(End(container, node, now_ms + duration_ms, int(self.fails(reduce))))

    def act(self, now_ms: int) -> None:
        if self.outcome:
            return
        if len(self.done) == self.spec.maps + self.spec.reduces:
            self.outcome = "FINISHED"
            return
        self._ramp_up()
        maps_wait = bool(self.unassigned or self.again)
        if maps_wait and now_ms >= self.waiting_since_ms + STARVED_MS:
            self._release_a_reduce(now_ms)
        reduces_run = len(self.running) > self.maps_left - len(self.unassigned) - len(self.again)
        self.wake_ms = self.waiting_since_ms + STARVED_MS if maps_wait and reduces_run else 0

    def early_reduces(self) -> list[ContainerId]:
        return [each for each, (task, _) in self.running.items() if task >= self.spec.maps] if self.maps_left else []

    def hold_reduces(self) -> list[ContainerId]:
        """Ask for no reduce before the last map has its container; those of reduces that run, to be given back."""
        self.spec = self.spec.model_copy(update={"slow_start": 1.0})
        if self.maps_left and self.reduces_asked:
            self.want(REDUCE, "*", -self.reduces_asked)
            self.reduces_asked = 0
        return self.early_reduces()

    def _ramp_up(self) -> None:
        spec = self.spec
        completed = spec.maps - self.maps_left
        if completed < ceil(spec.slow_start * spec.maps):
            return
        due = spec.reduces
        if self.unassigned or self.again:
            due = int(spec.reduces * min(completed / spec.maps, RAMP_UP_LIMIT))
        started = spec.reduces - len(self.reduces)
        more = due - started - self.reduces_asked
        if more > 0:
            self.reduces_asked += more
            self.want(REDUCE, "*", more)

    def _release_a_reduce(self, now_ms: int) -> None:
        for container in reversed(self.running):
            task = self.running[container][0]
            if task >= self.spec.maps:
                del self.running[container]
                self.reduces.append(task)
                self.releases.append(container)
                self.waiting_since_ms = now_ms
                return

    def _runs(self, task: int) -> int:
        """Return how long this attempt of a task runs [ms]; one that fails ends half-way, or hangs for too long."""
        duration_ms = self.tasks.duration_ms[task]
        if duration_ms == HELD or not self.fails(task):
            return duration_ms
        if not self.tasks.hangs(task, self.failures.get(task, 0)):
            return duration_ms // 2
        return duration_ms // 2 + self.spec.task_timeout_ms if self.spec.task_timeout_ms else HELD

    def fails(self, task: int) -> bool:
        return self.tasks.fails(task, self.failures.get(task, 0))

    def exit_status(self, container: ContainerId) -> int:
        task, _ = self.running.get(container, (-1, ""))
        return int(self.fails(task))

    def _map_near(self, host: str) -> int:
        for name, maps in self.tasks.near(host):
            index = self.place.get(name, 0)
            while index < len(maps) and maps[index] not in self.unassigned:
                index += 1
            self.place[name] = index
            if index < len(maps):
                return maps[index]
        first = self.place.get(ANYWHERE, 0)  # maps are assigned but never unassigned: the first one only moves on
        while first not in self.unassigned:
            first += 1
        self.place[ANYWHERE] = first
        return first

    def _want_map(self, task: int, more: int) -> None:
        hosts = self.tasks.hosts_of[task]
        if hosts:
            for name in (*hosts, *racks_of(hosts, self.topology)):
                self.want(MAP, name, more)
        self.want(MAP, "*", more)

    def form(self, priority: int, name: str, count: int) -> Ask:
        size = self.spec.reduce if priority == REDUCE else self.spec.map
        return Ask(priority, name, size.memory_mb, size.vcores, count)
