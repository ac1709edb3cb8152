"""What a trainee may do: the acts of an operator; others and hardware where the drill permits and offers them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from engine.explain.remedy import exact_amounts
from engine.model.request import DIMENSIONS
from engine.observe.snapshots import terms_of_system, translate_terms
from engine.scenario import acts
from engine.scenario.acts import Act
from engine.training.drill import DrillScenario, Hardware, Permission
from engine.units import span

INSTRUCTORS: Final = (acts.LoseNode, acts.LoseMaster, acts.LoseResourceManager)  # Acts that break something
_PERMITTED: Final[Mapping[type[Act], Permission]] = {
    acts.RestartNodeManager: "restart",
    acts.RestartResourceManager: "restart",
    acts.FailOverResourceManager: "restart",
    acts.RestartJobTracker: "restart",
    acts.SetReservationRule: "patch",
    acts.SubmitApplication: "submit",
}
_Growth = acts.AddNode | acts.ResizeNode
_REFUSALS: Final[Mapping[Permission, str]] = {
    "restart": "nothing may be restarted in this drill",
    "patch": "no release has this, and the scheduler may not be patched in this drill",
    "submit": "nothing may be submitted for others in this drill",
}
PATCHED: Final = "schedlab."  # What the keys begin with that no release has


class OperatorRules:
    def __init__(self, drill: DrillScenario) -> None:
        self._drill, self._system = drill.drill, drill.scenario.system
        nodes = drill.scenario.cluster.all_nodes()
        self._sizes = {name: (node.memory_mb, node.vcores) for node in nodes for name in (node.id, node.host)}

    def refusal(self, act: Act, now_ms: int, done: Sequence[Act]) -> str:
        """Why it may not be done then [ms after the beginning]; empty where it may. `done` are acts so far."""
        if isinstance(act, INSTRUCTORS) or (isinstance(act, acts.SetHealth) and not act.healthy):
            return f"{act.do} breaks something: no operator does it"
        need = permission(act)
        if need is not None and need not in self._drill.may:
            return _REFUSALS[need]
        wanted = self._hardware(act)
        return "" if wanted is None else self._not_offered(wanted, now_ms, done)

    def spent(self, done: Iterable[Act]) -> int:
        wanted = {host_of(each.node): each for act in done if (each := self._hardware(act)) is not None}
        return sum(offer.price for each in wanted.values() if (offer := self._offer(each)) is not None)

    def _hardware(self, act: Act) -> _Growth | None:  # None where it takes no hardware but what is there
        if isinstance(act, acts.ResizeNode):
            memory_mb, vcores = self._sizes.get(act.node, (0, 0))
            return act if act.memory_mb > memory_mb or act.vcores > vcores else None
        return act if isinstance(act, acts.AddNode) else None

    def _offer(self, wanted: _Growth) -> Hardware | None:
        return next((offer for offer in self._drill.hardware if offer.do == wanted.do), None)

    def _not_offered(self, wanted: _Growth, now_ms: int, done: Sequence[Act]) -> str:
        offer = self._offer(wanted)
        if offer is None:
            return "there is no hardware to be had in this drill"
        if wanted.memory_mb > offer.memory_mb or wanted.vcores > offer.vcores:
            size = exact_amounts((offer.memory_mb, offer.vcores), DIMENSIONS[self._system])
            return translate_terms(f"the hardware offered has {size} a node", terms_of_system(self._system))
        if now_ms < offer.at_ms:
            return f"the hardware is there at +{span(offer.at_ms)}"
        before = (each for act in done if (each := self._hardware(act)) is not None and each.do == wanted.do)
        taken = {host_of(each.node) for each in (*before, wanted)}
        return f"no more than {offer.count} can be had" if len(taken) > offer.count else ""


def host_of(node: str) -> str:
    """The host of a node that is named by `host:port` or by its host."""
    return node.partition(":")[0]


def permission(act: Act) -> Permission | None:
    """What a drill has to permit for an act; None for what any operator does."""
    if isinstance(act, acts.SetSetting) and act.key.startswith(PATCHED):
        return "patch"
    return _PERMITTED.get(type(act))
