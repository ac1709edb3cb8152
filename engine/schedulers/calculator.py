"""Normalisation and the maximum allocation: how large a container an application may get.

Source: SchedulerUtils, Resources#normalize, DefaultResourceCalculator, DominantResourceCalculator,
AbstractYarnScheduler#updateMaximumAllocation, Hadoop 2.7.2.
"""

from collections.abc import Iterable

from engine.errors import RefusedError
from engine.model.ledger import Node
from engine.model.resource import Resource
from engine.settings.site import MAXIMUM_MB, MAXIMUM_VCORES
from engine.state import State


def round_up(value: int, step: int) -> int:
    """The next multiple of `step`; a step of 0 gives 0, as in 2.7."""
    return -(-value // step) * step if step else 0


def normalise(ask: Resource, minimum: Resource, maximum: Resource, step: Resource) -> Resource:
    """An ask in memory and vcores, raised to the minimum, rounded up and capped.

    >>> normalise(Resource(1500, 1), Resource(1024, 1), Resource(8192, 32), Resource(512, 1))
    Resource(memory_mb=1536, vcores=1, extra=())
    """
    return Resource(
        min(round_up(max(ask.memory_mb, minimum.memory_mb), step.memory_mb), maximum.memory_mb),
        min(round_up(max(ask.vcores, minimum.vcores), step.vcores), maximum.vcores),
    )


def normalise_memory(ask: Resource, minimum: Resource, maximum: Resource, step: Resource) -> Resource:
    """An ask normalised by memory alone: its vcores become 1 (0 when its memory is 0).

    Source: DefaultResourceCalculator#normalize, Resources#createResource(int).
    """
    memory_mb = min(round_up(max(ask.memory_mb, minimum.memory_mb), step.memory_mb), maximum.memory_mb)
    return Resource(memory_mb, 1 if memory_mb > 0 else 0)


def validate(ask: Resource, maximum: Resource) -> None:
    """Refuse an ask that is negative or above the maximum.

    Raises:
        RefusedError: `InvalidResourceRequestException`, naming the larger side.
    """
    for name, value, most, key in (
        ("memory", ask.memory_mb, maximum.memory_mb, MAXIMUM_MB),
        ("vcores", ask.vcores, maximum.vcores, MAXIMUM_VCORES),
    ):
        if not 0 <= value <= most:
            words = f"{value} {name} asked for, but the maximum allocation is {most} ({key})"
            raise RefusedError("InvalidResourceRequestException", words)


class MaximumAllocation(metaclass=State):
    """The largest container there may be: the configured one, but no larger than the biggest node.

    `lags` is whether the first question after the start-up period still gets the configured value, as in 2.7.2; in
    3.x the period ends by the clock alone.
    """

    configured: Resource
    effective: Resource
    _biggest: tuple[int, int] | None = None
    """The largest memory and the largest vcores of any node; None without nodes."""
    _ready_ms: int
    _lags: bool
    _configured_only: bool = True

    def __init__(self, configured: Resource, ready_ms: int, lags: bool) -> None:
        self.configured = configured
        self.effective = configured
        self._ready_ms = ready_ms
        self._lags = lags

    def node_joined(self, node: Node) -> None:
        """A node more may only raise the maximum."""
        memory_mb, vcores = self._biggest or (node.total_memory_mb, node.total_vcores)
        self._set_biggest((max(memory_mb, node.total_memory_mb), max(vcores, node.total_vcores)))

    def nodes_changed(self, nodes: Iterable[Node]) -> None:
        """Recompute after a node left or was resized."""
        totals = [(node.total_memory_mb, node.total_vcores) for node in nodes]
        if totals:
            self._set_biggest((max(memory_mb for memory_mb, _ in totals), max(vcores for _, vcores in totals)))
        else:
            self._biggest, self.effective = None, self.configured

    def _set_biggest(self, biggest: tuple[int, int]) -> None:
        self._biggest = biggest
        self.effective = Resource(min(self.configured.memory_mb, biggest[0]), min(self.configured.vcores, biggest[1]))

    def ask(self, now_ms: int) -> Resource:
        """The maximum at this moment; asking has the real one's side effect."""
        if not self._configured_only:
            return self.effective
        if now_ms > self._ready_ms:
            self._configured_only = False
            return self.configured if self._lags else self.effective
        return self.configured

    def configure(self, configured: Resource, nodes: Iterable[Node]) -> None:
        """Another configured maximum holds from now on."""
        self.configured = configured
        self.nodes_changed(nodes)
