"""An application that asks for exactly what is written.

With `waits` containers begin to run out only when all asks are met; until then it keeps every one. Applications that
keep what they have while they wait for more are what reservation deadlocks are made of.
"""

from typing import Final, NamedTuple

from engine.control_plane.protocol import Ask, Grant
from engine.model.decision import ContainerId
from engine.scenario import AskSpec, ScriptedSpec
from engine.workload.master import HELD, ApplicationMaster, End, Topology, drawn, stream

SUCCEEDED: Final = "COMPLETED"


class Use(NamedTuple):
    ask: int  # Place of the ask among the asks
    duration_ms: int  # How long it runs, or `HELD`
    node: str  # `host:port`
    place: str  # The host it counts for


class ScriptedMaster(ApplicationMaster):
    """Asks at the instants written, counted from its registration; ends with its last container, or when due."""

    drawn_ms: tuple[tuple[int, ...], ...]  # Duration of each container of each ask [ms]
    due: list[int]
    granted: list[int]
    missing: list[int]
    registered_ms: int
    running: dict[ContainerId, Use]
    stays_until_ms: int

    spec: ScriptedSpec

    def __init__(self, number: int, phase_ms: int, topology: Topology, spec: ScriptedSpec, seed: int) -> None:
        super().__init__(number, phase_ms, topology)
        self.spec = spec
        random = stream(seed, "application", number)
        self.drawn_ms = tuple(
            tuple(HELD if ask.duration_ms is None else drawn(random, ask.duration_ms) for _ in range(self.total(ask)))
            for ask in spec.asks
        )
        self.restart()

    def total(self, ask: AskSpec) -> int:
        return ask.count * (len(self.topology.rack_of) if ask.each_node else 1)

    def restart(self) -> None:
        self.registered_ms = 0
        self.stays_until_ms = 0  # until when it does not end even with nothing to do [epoch ms]; `HELD` is for ever
        self.due = sorted(range(len(self.spec.asks)), key=lambda index: self.spec.asks[index].at_ms)
        """Asks still to be made, earliest first."""
        self.missing = [0] * len(self.spec.asks)  # containers each ask still wants
        self.granted = [0] * len(self.spec.asks)  # containers each ask has been given, lost ones included
        self.running = {}

    def registered(self, now_ms: int) -> None:
        self.registered_ms = now_ms
        self.wake_ms = max(1, now_ms)
        self._ask(now_ms)

    def _ask(self, now_ms: int) -> None:
        while self.due and self.registered_ms + self.spec.asks[self.due[0]].at_ms <= now_ms:
            index = self.due.pop(0)
            self.missing[index] = self.total(self.spec.asks[index])
            self._want(index, 1, "")

    def use(self, grant: Grant, host: str, now_ms: int) -> int | None:
        index = self._ask_for(grant.priority, host)
        if index is None:
            return None
        durations = self.drawn_ms[index]
        duration_ms = durations[self.granted[index] % len(durations)]
        self.begin(grant.container, index, grant.node, host, duration_ms)
        if not self.spec.waits:
            return duration_ms
        if self._is_met():
            ends = [(container, use) for container, use in self.running.items() if use.duration_ms != HELD]
            self.ends += [End(container, use.node, now_ms + use.duration_ms) for container, use in ends]
        return HELD

    def begin(self, container: ContainerId, index: int, node: str, host: str, duration_ms: int) -> None:
        """A container answers the ask at this place; it runs on a node (`host:port`) for so long."""
        place = self._place(index, host)
        self.missing[index] -= 1
        self._want(index, -1, place)
        self.granted[index] += 1
        self.running[container] = Use(index, duration_ms, node, place)

    def _ask_for(self, priority: int, host: str) -> int | None:
        """The ask a container answers: one that names its place before one that does not.

        A scheduler that ignores strict asks (FIFO) decides where they run; sent back, their containers would come
        again and again.
        """
        open_asks = [
            index for index, ask in enumerate(self.spec.asks) if ask.priority == priority and self.missing[index] > 0
        ]
        here = [index for index in open_asks if self._names(index, host)]
        loose = [index for index in open_asks if self.spec.asks[index].relax and not self.spec.asks[index].each_node]
        return next(iter(here or loose or open_asks), None)

    def _names(self, index: int, host: str) -> bool:
        ask = self.spec.asks[index]
        if ask.each_node:
            return self.wanted.get((ask.priority, host), 0) > 0
        return host in ask.hosts or (not ask.hosts and self.topology.rack_of.get(host) in ask.racks)

    def _place(self, index: int, host: str) -> str:
        ask = self.spec.asks[index]
        if not ask.each_node or self._names(index, host):
            return host
        return next(name for name in self.topology.rack_of if self.wanted.get((ask.priority, name), 0) > 0)

    def lost(self, container: ContainerId, cause: str, now_ms: int) -> None:
        use = self.running.pop(container, None)
        if use is None or cause == SUCCEEDED:
            return
        self.missing[use.ask] += 1
        self._want(use.ask, 1, use.place)

    def act(self, now_ms: int) -> None:
        self._ask(now_ms)
        self.wake_ms = self.registered_ms + self.spec.asks[self.due[0]].at_ms if self.due else 0
        if self.spec.ends_after_ms is not None:
            ends_ms = self.registered_ms + self.spec.ends_after_ms
            self.wake_ms = min(self.wake_ms or ends_ms, ends_ms)
            if ends_ms <= now_ms:
                self.outcome = self.spec.outcome
            return
        if not self._is_met() or self.running or self.stays_until_ms == HELD:
            return
        if now_ms < self.stays_until_ms:
            self.wake_ms = self.stays_until_ms
        else:
            self.outcome = self.spec.outcome

    def _is_met(self) -> bool:
        return not self.due and not any(self.missing)

    def _want(self, index: int, sign: int, host: str) -> None:
        """Want an ask's containers: all of them (no host), or one more or less, on a host where it matters."""
        ask = self.spec.asks[index]
        count = self.missing[index] if not host else 1
        rack_of = self.topology.rack_of
        if ask.each_node:
            for each in (host,) if host else tuple(rack_of):
                self.want(ask.priority, each, sign * (1 if host else ask.count))
                self.want(ask.priority, rack_of[each], sign * (1 if host else ask.count))
        else:
            racks = ask.racks + tuple(rack_of[name] for name in ask.hosts if name in rack_of)
            for name in dict.fromkeys(ask.hosts + racks):
                self.want(ask.priority, name, sign * count)
        self.want(ask.priority, "*", sign * count)

    def form(self, priority: int, name: str, count: int) -> Ask:
        asks = [(ask, self.missing[index]) for index, ask in enumerate(self.spec.asks) if ask.priority == priority]
        ask = next((ask for ask, missing in asks if missing), asks[0][0])
        strict = ask.each_node or not ask.relax
        narrow = (
            name in ask.hosts
            or (not ask.hosts and name in ask.racks)
            or (ask.each_node and name in self.topology.rack_of)
        )
        return Ask(priority, name, ask.memory_mb, ask.vcores, count, narrow or not strict)
