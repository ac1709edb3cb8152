"""What a trainee may do: the acts of an operator, others where the drill permits them, hardware where it offers some."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from engine.scenario.acts import (
    Act,
    AddNode,
    FailOverResourceManager,
    LoseMaster,
    LoseNode,
    LoseResourceManager,
    ResizeNode,
    RestartJobTracker,
    RestartNodeManager,
    RestartResourceManager,
    SetHealth,
    SetReservationRule,
    SetSetting,
    SubmitApplication,
)
from engine.training.drill import DrillScenario, Hardware, Permission
from engine.units import span

INSTRUCTORS: Final = (LoseNode, LoseMaster, LoseResourceManager)
"""Acts that break something."""
_PERMITTED: Final[Mapping[type[Act], Permission]] = {
    RestartNodeManager: "restart",
    RestartResourceManager: "restart",
    FailOverResourceManager: "restart",
    RestartJobTracker: "restart",
    SetReservationRule: "patch",
    SubmitApplication: "submit",
}
_REFUSALS: Final[Mapping[Permission, str]] = {
    "restart": "nothing may be restarted in this drill",
    "patch": "no release has this, and the scheduler may not be patched in this drill",
    "submit": "nothing may be submitted for others in this drill",
}
PATCHED: Final = "schedlab."
"""What the keys begin with that no release has."""


class OperatorRules:
    """The rules of one drill."""

    def __init__(self, drill: DrillScenario) -> None:
        self._drill = drill.drill
        nodes = drill.scenario.cluster.all_nodes()
        self._sizes = {node.id: (node.memory_mb, node.vcores) for node in nodes}

    def refusal(self, act: Act, now_ms: int, done: Sequence[Act]) -> str:
        """Why a trainee may not do something at an instant [ms after the beginning]; empty where it is permitted.

        `done` are the trainee's acts so far.
        """
        if isinstance(act, INSTRUCTORS) or (isinstance(act, SetHealth) and not act.healthy):
            return f"{act.do} is no act of an operator: it breaks something"
        need = permission(act)
        if need is not None and need not in self._drill.may:
            return _REFUSALS[need]
        return self._no_hardware(act, now_ms, done) if self._takes_hardware(act) else ""

    def spent(self, done: Iterable[Act]) -> int:
        """The price of the hardware that some acts took."""
        first = {act.node: act for act in done if self._takes_hardware(act)}
        return sum(offer.price for act in first.values() if (offer := self._offer(act)) is not None)

    def _takes_hardware(self, act: Act) -> bool:
        if isinstance(act, ResizeNode):
            had = self._sizes.get(act.node)
            return had is not None and (act.memory_mb > had[0] or act.vcores > had[1])
        return isinstance(act, AddNode)

    def _offer(self, act: Act) -> Hardware | None:
        return next((offer for offer in self._drill.hardware if offer.do == act.do), None)

    def _no_hardware(self, act: Act, now_ms: int, done: Sequence[Act]) -> str:
        assert isinstance(act, AddNode | ResizeNode), "no other act takes hardware"
        offer = self._offer(act)
        if offer is None:
            return "there is no hardware to be had in this drill"
        if act.memory_mb > offer.memory_mb or act.vcores > offer.vcores:
            return f"the hardware offered has {offer.memory_mb} MB and {offer.vcores} vcores a node"
        if now_ms < offer.at_ms:
            return f"the hardware is there at +{span(offer.at_ms)}"
        taken = {one.node for one in done if isinstance(one, type(act)) and self._takes_hardware(one)}
        return f"no more than {offer.count} can be had" if len(taken | {act.node}) > offer.count else ""


def permission(act: Act) -> Permission | None:
    """What a drill has to permit for an act; None for what any operator does."""
    if isinstance(act, SetSetting) and act.key.startswith(PATCHED):
        return "patch"
    return _PERMITTED.get(type(act))
