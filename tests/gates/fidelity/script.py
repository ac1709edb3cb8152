"""A script that a real ResourceManager was given: nodes, applications, what breaks, the configuration.

Nodes and masters were played: a node's first heartbeat comes a fixed time after its registration, a master registers
two seconds after its container was allocated and calls each second from then on; to end, it calls twice, and its
container's end is in its node's next heartbeat. How long containers run is drawn from one generator of random numbers,
in the order in which masters fetch them.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

NODE_RECOVERY: Final = "yarn.nodemanager.recovery.enabled"
NODE_ACTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "lose": {"do": "node_manager_restart", "down": "1d"},
    "sick": {"do": "health", "healthy": False},
    "well": {"do": "health", "healthy": True},
}
"""What a script does to nodes → the fault that does the same. A lost node says nothing while its containers run on."""


class JavaRandom:
    """The numbers of `java.util.Random`."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ 0x5DEECE66D) & (1 << 48) - 1

    def _next(self, bits: int) -> int:
        self._state = (self._state * 0x5DEECE66D + 0xB) & (1 << 48) - 1
        return self._state >> 48 - bits

    def next_double(self) -> float:
        """The next number, at least 0 and less than 1.

        >>> round(JavaRandom(4).next_double(), 4)
        0.7306
        """
        return ((self._next(26) << 27) + self._next(27)) / (1 << 53)


class PlayedAsk(msgspec.Struct):
    """Containers that a master of a script asks for."""

    priority: int
    low_s: float
    """The shortest they run [s]; 0 for ever."""
    high_s: float
    spec: Mapping[str, Any]


class Submission(msgspec.Struct):
    """One application of a script."""

    name: str
    at_s: float
    spec: Mapping[str, Any]

    def asks(self) -> Iterator[PlayedAsk]:
        """Its asks, each with a priority of its own."""
        for place, ask in enumerate(self.spec.get("asks", ())):
            span = ask.get("seconds", 0)
            low_s, high_s = span if isinstance(span, list) else (span, span)
            yield PlayedAsk(ask.get("priority", place + 1), low_s, high_s, ask)

    def ask_of_size(self, memory_mb: int) -> PlayedAsk:
        """The ask that a container of this size answers; sizes are rounded up, and no two asks have the same."""
        return min(self.asks(), key=lambda ask: abs(ask.spec["memory"] - memory_mb))


class Script:
    """A script as it was given to the real ResourceManager."""

    def __init__(self, path: Path) -> None:
        self.data: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        self.seed: int = self.data.get("seed", 1)
        self.submissions = list(self._submissions())

    def _submissions(self) -> Iterator[Submission]:
        for spec in self.data["apps"]:
            repeat = spec.get("repeat")
            for turn in range(repeat["times"] if repeat else 1):
                name = f"{spec['name']} {turn + 1}" if repeat else spec["name"]
                yield Submission(name, spec.get("at", 0) + turn * (repeat["every"] if repeat else 0), spec)

    def nodes(self) -> Iterator[dict[str, Any]]:
        """Nodes in order: host, memory, vcores, rack, label."""
        count = 0
        for group in self.data["nodes"]:
            racks = group.get("rack", "/default-rack")
            for turn in range(group.get("count", 1)):
                count += 1
                yield {
                    "host": group.get("name") or f"{group.get('prefix', 'node')}{count:02d}",
                    "port": 45454,
                    "memory": group["memory"],
                    "vcores": group["vcores"],
                    "rack": racks[turn % len(racks)] if isinstance(racks, list) else racks,
                    "label": group.get("label", ""),
                }

    def settings(self, era: str, scheduler: str) -> dict[str, str]:
        found = {
            "yarn.nm.liveness-monitor.expiry-interval-ms": "20000",
            "yarn.resourcemanager.nm.liveness-monitor.expiry-interval-ms": "20000",
            NODE_RECOVERY: "true",
        }
        for key in ("conf", f"conf_{era[0]}", f"conf_{scheduler}"):
            found.update(self.data.get(key, {}))
        if scheduler == "capacity":
            found.update({f"yarn.scheduler.capacity.{key}": value for key, value in self.data["capacity"].items()})
        return found
